/*
 * Totals of derived rows, of `waits` or `delays`, by kind and region or by kind and call path.
 */
#pragma once

#include "src/tables/totals/waits/group-list.h"
#include "src/tables/totals/waits/lasting-totals.h"
#include "src/trace/select/aggregate-choice.h"

enum {
    XTF_KIND_VALUES_MAX = 3,
};

/* A type of rows, and the values to sum. */
typedef struct {
    const char *type;   /* name of the type */
    const char *length; /* field with the ticks from a row's begin to its time; NULL: rows have no duration */
    const char *values[XTF_KIND_VALUES_MAX + 1]; /* names of fields, all in ticks; the last is NULL */
    bool by_callpath;                            /* true: groups are also by call path */
} XtfKindSource;

extern const XtfKindSource xtf_kinds_of_waits, xtf_callpaths_of_waits, xtf_kinds_of_delays, xtf_callpaths_of_delays;

/* True if the selection is of the source's type, and an aggregate has the needed totals. */
bool xtf_kind_totals_exist(const XtfTraceContext *context, const XtfSelection *selection, const XtfKindSource *source);
/* Returns the number of values of a source. */
unsigned xtf_kind_source_n(const XtfKindSource *source);

typedef struct {
    uint64_t kind, region; /* values of the key fields, as rows have them */
    uint64_t callpath;     /* row of `contexts`, or none; 0 if the source is not by call path */
    uint64_t rows;
    unsigned __int128 values[XTF_KIND_VALUES_MAX];
} XtfKindTotal;

typedef struct {
    XtfAggregateRef ref;
    uint32_t n;
    XtfKindTotal *all; /* by kind, region and call path, ascending: groups that the trace has anywhere and the selection
                        * may have */
    unsigned __int128 whole; /* sum over locations of the window's part between first and last record */
} XtfKindTotals;

/* Lists the lines without their totals. */
bool xtf_kind_totals_list(XtfKindTotals *totals, XtfKeeper *lists, XtfTraceContext *context,
                          const XtfSelection *selection, const XtfKindSource *source, GError **error);
bool xtf_kind_totals_load(XtfKindTotals *totals, XtfKeeper *lists, XtfTraceContext *context,
                          const XtfSelection *selection, const XtfKindSource *source, GError **error);
void xtf_kind_totals_finish(XtfKindTotals *totals); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfKindTotals, xtf_kind_totals_finish)

/* Computes the greatest width in characters of a sum of ticks over all locations. */
bool xtf_kind_ticks_width(XtfTraceContext *context, size_t *width, GError **error);
