/*
 * Call paths that are the same for all threads of an OpenMP team.
 *
 * The thread that forks has the calls around the parallel region on its stack, the others have not. So what two threads
 * did is compared by the part of the call path from the team's parallel region on: the innermost one around the barrier
 * at which they meet, the d-th on its call path. The same as src/analysis/causes/team-contexts.h, for one wait.
 */
#pragma once

#include "src/tables/format/callpaths.h"

typedef struct {
    const XtfCallpaths *callpaths; /* borrowed; in order */
    bool *parallel;                /* by region: OpenMP's */
    uint64_t n_regions;
    GHashTable *numbers; /* guint64, number of the path around and region -> number of a path */
} XtfTeamPaths;

bool xtf_team_paths_init(XtfTeamPaths *paths, XtfTraceContext *context, const XtfCallpaths *callpaths, GError **error);
void xtf_team_paths_finish(XtfTeamPaths *paths); /* all zeros is fine */

/* The parallel regions on a call path; of none, UINT64_MAX, 0. */
unsigned xtf_team_paths_depth(const XtfTeamPaths *paths, uint64_t context);
/* The number of a call path from its d-th parallel region on; of one that has not so many, of all of it. */
uint64_t xtf_team_paths_number(XtfTeamPaths *paths, uint64_t context, unsigned d);
