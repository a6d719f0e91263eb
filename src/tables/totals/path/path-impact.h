/*
 * What the critical path's activities cost the whole run: the two views of performance impact, as Scalasca 2.6 defines
 * them (CriticalPath.pattern; David Boehme's thesis, 2013, p. 83), by call path and location.
 *
 * Let p be a call path's time on the critical path, p_l the part of it on location l, and t_l its time on l without
 * waits. On l,
 *
 *     activity     = min(p, t_l), if p > 0: what l spends on what the path needs
 *     non_critical = max(0, t_l - p): what it spends beside the path
 *     impact       = what imbalance costs. A location waits, in the end, for |path| - sum of its t_l. That time is
 *                    shared out to the call paths of which it has less than the path, in proportion to p - t_l; the
 *                    shares of all locations are added up by call path, and given to the locations by p_l / p.
 *     between      = the part of impact by call paths that a location has nothing of, as in programs whose processes do
 *                    different things: of |path| - sum of max(t_l, p) of the call paths that it has.
 *
 * Negative shares are left out. A call path's imbalance is max(0, p - mean of t_l).
 *
 * Time outside of all calls is a call path of its own if the trace says when the program began and ended, else it is no
 * activity. All this is of the whole run: windows of it mean nothing. Any thread may read an XtfPathImpact.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/tables/format/callpaths.h"
#include "src/trace/context/trace-context.h"

/* Of one call path on one location, in ticks. */
typedef struct {
    uint64_t path, active; /* p_l; t_l */
    uint64_t activity, non_critical;
    double impact, between;
} XtfPathValues;

/* Of one call path on all locations. */
typedef struct {
    unsigned __int128 path, active;
    long double cost, cost_between; /* what is given to the locations */
} XtfPathSum;

typedef struct {
    XtfTraceContext *context; /* borrowed */
    const XtfLocations *locations;
    XtfCallpaths callpaths;
    uint32_t n;               /* call paths, and one for all outside of calls */
    bool has_outside;         /* the last one means something */
    uint32_t n_locations;     /* that have an activity */
    XtfPathSum *sums;         /* by call path */
    unsigned __int128 length; /* of the path */
} XtfPathImpact;

/* Whether the trace has what it takes. */
bool xtf_path_impact_exists(XtfTraceContext *context);
bool xtf_path_impact_load(XtfPathImpact *impact, XtfTraceContext *context, GError **error);
void xtf_path_impact_finish(XtfPathImpact *impact); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfPathImpact, xtf_path_impact_finish)

/* The values of a location, impact->n of them. */
bool xtf_path_impact_values(const XtfPathImpact *impact, const XtfLocation *location, XtfPathValues *values,
                            GError **error);
/* Whether a call path counts as one: what is outside of calls may not. */
bool xtf_path_impact_counts(const XtfPathImpact *impact, uint32_t callpath);
