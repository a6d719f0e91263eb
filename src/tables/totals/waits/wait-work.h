/*
 * What a location did before one of its records, since it had met another one: the time of its calls, by call path,
 * less what it waited. The causes of waits compare two of these.
 *
 * A meeting is a record, so many before the other, and the part of the call there that was no work (`met` and
 * `met_idle` of a row of `waits`: docs/VOCABULARY.md, section 9). Time is counted from call event to call event, as the
 * analysis does it: from the last ENTER or LEAVE before the one record to the last before the other.
 *
 * A walk over the calls and the waits in between, and some 50 descents. One thread at a time.
 */
#pragma once

#include "src/analysis/formulas/callpath-sums.h"
#include "src/tables/format/callpaths.h"
#include "src/tables/totals/waits/wait-rows.h"
#include "src/trace/select/callpath-times.h"

enum {
    XTF_WAIT_SIDES_MAX = 1 << 21, /* waits that are read, of all locations together */
};

typedef struct {
    XtfTraceContext *context;
    const XtfLocations *locations;
    XtfCallpaths callpaths;
    XtfCallpathTimes times;
    GHashTable *sides; /* by location and 1 more: what is known of it */
    uint64_t n_rows;   /* of calls that were walked over so far */
    uint64_t n_waits;  /* likewise, of waits */
} XtfWaitSides;

/* XTF_ERROR_DAMAGED if call paths are out of order. */
bool xtf_wait_sides_init(XtfWaitSides *sides, XtfTraceContext *context, GError **error);
void xtf_wait_sides_finish(XtfWaitSides *sides); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfWaitSides, xtf_wait_sides_finish)

typedef struct {
    uint64_t row, end, amount; /* of `waits` */
} XtfWorkWait;

typedef struct {
    XtfCallpathSums sums; /* none negative; the number behind all call paths is time outside of all calls */
    GArray *waits;        /* XtfWorkWait, in order: those whose causes the analysis tells */
    uint64_t waited;      /* their sum */
} XtfWaitWork;

void xtf_wait_work_init(XtfWaitWork *work, const XtfWaitSides *sides);
void xtf_wait_work_finish(XtfWaitWork *work); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfWaitWork, xtf_wait_work_finish)

/* Before record `seq` of a location, an index in XtfLocations, whose meeting is known. XTF_ERROR_DAMAGED if that is
 * before its first record, or rows of `waits` are none. XTF_ERROR_TOO_LARGE if there are too many of them: what a file
 * says of meetings may be wrong, and lead over all waits again and again. */
bool xtf_wait_work_find(XtfWaitWork *work, XtfWaitSides *sides, uint32_t location, uint64_t seq,
                        const XtfWaitMeeting *meeting, GError **error);
/* From one time to another, later one, of the trace's clock: waits in it as much as they lie in it. The same errors. */
bool xtf_wait_work_within(XtfWaitWork *work, XtfWaitSides *sides, uint32_t location, uint64_t begin, uint64_t end,
                          GError **error);
/* The call path around a record. XTF_NONE32: outside of all calls. */
bool xtf_wait_sides_callpath(XtfWaitSides *sides, uint32_t location, uint64_t seq, uint32_t *callpath, GError **error);
