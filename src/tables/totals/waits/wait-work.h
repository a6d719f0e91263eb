/*
 * Work of a location from a meeting to a record: the time of its calls by call path, less its waits. The meeting is the
 * last one with the other side of a wait. The causes of a wait compare the work of both sides.
 *
 * The fields `met` and `met_idle` of `waits` give a meeting (docs/VOCABULARY.md, section 9). They are the number of
 * records from it to the record, and the part of the call there that was no work. As in the analysis, time counts
 * between call events: from the last ENTER or LEAVE before the meeting to the last before the record.
 *
 * Costs a pass over the calls and the waits in between, and some 50 descents. Used by one thread at a time.
 */
#pragma once

#include "src/analysis/formulas/callpath-sums.h"
#include "src/tables/format/callpaths.h"
#include "src/tables/totals/waits/wait-rows.h"
#include "src/trace/calls/callpath-times.h"

enum {
    XTF_WAIT_SIDES_MAX = 1 << 21, /* most waits to read, of all locations together */
};

typedef struct {
    XtfTraceContext *context;
    const XtfLocations *locations;
    XtfCallpaths callpaths;
    XtfCallpathTimes times;
    GHashTable *sides; /* data of each location, by its index plus 1 */
    uint64_t n_rows;   /* rows of calls read so far */
    uint64_t n_waits;  /* rows of `waits` read so far */
} XtfWaitSides;

/* Loads the call paths. XTF_ERROR_DAMAGED if they are out of order. */
bool xtf_wait_sides_init(XtfWaitSides *sides, XtfTraceContext *context, GError **error);
void xtf_wait_sides_finish(XtfWaitSides *sides); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfWaitSides, xtf_wait_sides_finish)

typedef struct {
    uint64_t row, end, amount; /* of a row of `waits` */
} XtfWorkWait;

typedef struct {
    XtfCallpathSums sums; /* none negative; the last entry is the time outside of all calls */
    GArray *waits;        /* XtfWorkWait, in order: the waits whose causes the analysis found */
    uint64_t waited;      /* sum of their amounts */
} XtfWaitWork;

void xtf_wait_work_init(XtfWaitWork *work, const XtfWaitSides *sides);
void xtf_wait_work_finish(XtfWaitWork *work); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfWaitWork, xtf_wait_work_finish)

/* Computes the work before record `seq` of a location, an index in XtfLocations, since a known meeting.
 * XTF_ERROR_DAMAGED if the meeting is before the first record, or `waits` has invalid rows. XTF_ERROR_TOO_LARGE if
 * there are too many waits: wrong meetings in a file could make the function read all waits again and again. */
bool xtf_wait_work_find(XtfWaitWork *work, XtfWaitSides *sides, uint32_t location, uint64_t seq,
                        const XtfWaitMeeting *meeting, GError **error);
/* Computes the work in an interval of the trace's clock; only the parts of waits in it count. The same errors. */
bool xtf_wait_work_within(XtfWaitWork *work, XtfWaitSides *sides, uint32_t location, uint64_t begin, uint64_t end,
                          GError **error);
/* Finds the call path around a record. XTF_NONE32: outside of all calls. */
bool xtf_wait_sides_callpath(XtfWaitSides *sides, uint32_t location, uint64_t seq, uint32_t *callpath, GError **error);
