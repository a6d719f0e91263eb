/*
 * Totals of a type of derived rows by kind and region, or call path: of `waits`, of `delays`.
 */
#pragma once

#include "src/tables/totals/waits/group-list.h"
#include "src/tables/totals/waits/lasting-totals.h"
#include "src/trace/select/aggregate-choice.h"

enum {
    XTF_KIND_VALUES_MAX = 3,
};

/* What is added up. */
typedef struct {
    const char *type; /* of the rows */
    const char
        *length; /* the value that says how many ticks before its time a row began; NULL: rows are of an instant */
    const char *values[XTF_KIND_VALUES_MAX + 1]; /* names of fields, all ticks; the last is NULL */
    bool by_callpath;                            /* not by region alone */
} XtfKindSource;

extern const XtfKindSource xtf_kinds_of_waits, xtf_callpaths_of_waits, xtf_kinds_of_delays, xtf_callpaths_of_delays;

/* Whether the selection is of the source's type, and some aggregate answers. */
bool xtf_kind_totals_exist(const XtfTraceContext *context, const XtfSelection *selection, const XtfKindSource *source);
/* The number of values. */
unsigned xtf_kind_source_n(const XtfKindSource *source);

typedef struct {
    uint64_t kind, region; /* as the fields hold them */
    uint64_t callpath;     /* row of `contexts`, or none; 0 if the source is not by call path */
    uint64_t rows;
    unsigned __int128 values[XTF_KIND_VALUES_MAX];
} XtfKindTotal;

typedef struct {
    XtfAggregateRef ref;
    uint32_t n;
    XtfKindTotal *all; /* by kind, region and call path, ascending: those that the trace has anywhere, and the selection
                          may have */
    unsigned __int128 whole; /* the parts of the window between the first and the last record of each location */
} XtfKindTotals;

/* Without totals: the lines alone. */
bool xtf_kind_totals_list(XtfKindTotals *totals, XtfKeeper *lists, XtfTraceContext *context,
                          const XtfSelection *selection, const XtfKindSource *source, GError **error);
bool xtf_kind_totals_load(XtfKindTotals *totals, XtfKeeper *lists, XtfTraceContext *context,
                          const XtfSelection *selection, const XtfKindSource *source, GError **error);
void xtf_kind_totals_finish(XtfKindTotals *totals); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfKindTotals, xtf_kind_totals_finish)

/* Characters that ticks of all locations together can take. */
bool xtf_kind_ticks_width(XtfTraceContext *context, size_t *width, GError **error);
