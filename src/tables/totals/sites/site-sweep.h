/*
 * The call sites of many records of one location, in one pass over its calls.
 *
 * The site of a record is that of the innermost open call. The record of an ENTER has its own site.
 */
#pragma once

#include "libxtf/array.h"
#include "src/trace/select/aggregate-ref.h"

typedef struct {
    const XtfField *seq, *depth, *site, *is_leave; /* of the rows of calls; borrowed from the schema */
    XtfCursor cursor;                              /* at the first call that the sweep has not passed */
    bool at_row;                                   /* false: the cursor is behind the last call */
    GArray *stack;                                 /* uint32_t: sites of the open calls, outermost first */
} XtfSiteSweep;

/* Begins a sweep at row n of the calls of a location. `by_site` is the aggregate of frames by site. */
bool xtf_site_sweep_init(XtfSiteSweep *sweep, const XtfArray *calls, const XtfAggregateRef *by_site, uint64_t n,
                         GError **error);
void xtf_site_sweep_finish(XtfSiteSweep *sweep); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfSiteSweep, xtf_site_sweep_finish)

/* Finds the site of a record by its `seq`, which must not be less than in the call before. *site is UINT32_MAX if the
 * record has none. */
bool xtf_site_sweep_find(XtfSiteSweep *sweep, uint64_t seq, uint32_t *site, GError **error);

/* Finds the call before a record after which the location was outside of all calls for longest. Looks at the calls
 * since the record `since`, and at a few ones at most. *site is UINT32_MAX if there is none, or it has none. t is a
 * global time near the record. */
bool xtf_site_before_record(const XtfArray *calls, const XtfAggregateRef *by_site, uint64_t t, uint64_t seq,
                            uint64_t since, uint32_t *site, GError **error);
/* Finds the site of one record by its `seq`, like xtf_site_sweep_find(). Costs a descent and a few rows if the record
 * is near the global time t. */
bool xtf_site_at_record(const XtfArray *calls, const XtfAggregateRef *by_site, uint64_t t, uint64_t seq, uint32_t *site,
                        GError **error);
