/*
 * Costs of the critical path's activities in the whole run, by call path and location. Scalasca 2.6 defines them as two
 * views of performance impact (CriticalPath.pattern; David Boehme's thesis, 2013, p. 83).
 *
 * Let p be a call path's time on the critical path, and p_l the part of p on location l. Let t_l be its time on l
 * without waits. On l,
 *
 *     activity     = min(p, t_l), if p > 0: time that l spends on what the path needs
 *     non_critical = max(0, t_l - p): time beyond the path
 *     impact       = cost of imbalance. A location waits, in sum, for |path| - sum of its t_l. The time is distributed
 *                    over the call paths of which the location has less than the path, in proportion to p - t_l. The
 *                    shares of all locations are summed by call path, and distributed to the locations by p_l / p.
 *     between      = part of impact due to call paths that a location lacks, as in programs whose processes do
 *                    different things: of |path| - sum of max(t_l, p) of the call paths that it has.
 *
 * Negative shares are left out. A call path's imbalance is max(0, p - mean of t_l).
 *
 * Time outside of all calls counts as a call path if the trace records when the program began and ended. Otherwise it
 * is not an activity. All values hold for the whole run only; they are undefined for windows. Any thread may read an
 * XtfPathImpact.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/tables/format/callpaths.h"
#include "src/trace/context/trace-context.h"

/* Values of one call path on one location, in ticks. */
typedef struct {
    uint64_t path, active; /* p_l; t_l */
    uint64_t activity, non_critical;
    double impact, between;
} XtfPathValues;

/* Values of one call path over all locations. */
typedef struct {
    unsigned __int128 path, active;
    long double cost, cost_between; /* costs that are distributed to the locations */
} XtfPathSum;

typedef struct {
    XtfTraceContext *context; /* borrowed */
    const XtfLocations *locations;
    XtfCallpaths callpaths;
    uint32_t n;               /* number of call paths, plus one for the time outside of calls */
    bool has_outside;         /* true if the last entry counts as a call path */
    uint32_t n_locations;     /* number of locations with an activity */
    XtfPathSum *sums;         /* by call path */
    unsigned __int128 length; /* length of the path in ticks */
} XtfPathImpact;

/* True if the trace has the needed totals of the path and of activities. */
bool xtf_path_impact_exists(XtfTraceContext *context);
bool xtf_path_impact_load(XtfPathImpact *impact, XtfTraceContext *context, GError **error);
void xtf_path_impact_finish(XtfPathImpact *impact); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfPathImpact, xtf_path_impact_finish)

/* Computes the values of a location, impact->n of them. */
bool xtf_path_impact_values(const XtfPathImpact *impact, const XtfLocation *location, XtfPathValues *values,
                            GError **error);
/* True if a call path counts as an activity: the time outside of calls may not. */
bool xtf_path_impact_counts(const XtfPathImpact *impact, uint32_t callpath);
