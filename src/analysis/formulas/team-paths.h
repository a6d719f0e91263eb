/*
 * Comparison of call paths between the threads of an OpenMP team.
 *
 * The thread that forks has the calls around the parallel region on its stack, and the other threads do not. So the
 * comparison uses the part of a call path from the team's parallel region on. For a thread in d teams, that is the d-th
 * parallel region of the path.
 *
 * One thread uses an XtfTeamPaths. It allocates its tables at the first query, and examines a call path when it is
 * first used.
 */
#pragma once

#include "src/analysis/formulas/callpath-sums.h"

/* The call paths of a trace, and the regions that begin a team. */
typedef struct {
    const void *data; /* borrowed; passed to the functions */
    uint32_t n;
    uint32_t (*parent)(const void *data, uint32_t callpath); /* less than `callpath`; otherwise there is none */
    uint32_t (*region)(const void *data, uint32_t callpath);
    bool (*is_parallel)(const void *data, uint32_t region);
} XtfCallpathTree;

typedef struct XtfTeamPaths XtfTeamPaths;

XtfTeamPaths *xtf_team_paths_new(const XtfCallpathTree *tree);
void xtf_team_paths_free(XtfTeamPaths *paths); /* accepts NULL */

/* Returns the number of parallel regions on a call path: the number of teams that a thread is in there. */
unsigned xtf_team_paths_depth(XtfTeamPaths *paths, uint32_t callpath);

/* Subtracts from the sums of a thread in `depth` teams the ticks of another thread, in `other_depth` teams, on the same
 * call paths. No sum becomes negative, and each tick of the other thread counts once. The number after all call paths
 * means time outside of calls. */
void xtf_team_paths_subtract(XtfTeamPaths *paths, XtfCallpathSums *sums, unsigned depth,
                             const XtfCallpathSums *subtracted, unsigned other_depth);
