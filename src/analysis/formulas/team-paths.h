/*
 * Call paths that are the same for all threads of an OpenMP team.
 *
 * The thread that forks has the calls around the parallel region on its stack, the others have not. So what the threads
 * of a team do is compared by the part of the call path from the team's parallel region on: the d-th one on the path of
 * a thread that is in d teams.
 *
 * Belongs to one thread. Nothing is held before the first question, and a call path is looked at when it is first met.
 */
#pragma once

#include "src/analysis/formulas/callpath-sums.h"

/* The call paths of a trace, and which regions begin a team. */
typedef struct {
    const void *data; /* borrowed; for the functions */
    uint32_t n;
    uint32_t (*parent)(const void *data, uint32_t callpath); /* less than `callpath`; else there is none */
    uint32_t (*region)(const void *data, uint32_t callpath);
    bool (*is_parallel)(const void *data, uint32_t region);
} XtfCallpathTree;

typedef struct XtfTeamPaths XtfTeamPaths;

XtfTeamPaths *xtf_team_paths_new(const XtfCallpathTree *tree);
void xtf_team_paths_free(XtfTeamPaths *paths); /* NULL is fine */

/* The parallel regions on a call path: in how many teams a thread is there. */
unsigned xtf_team_paths_depth(XtfTeamPaths *paths, uint32_t callpath);

/* Takes from the sums of a thread that is in `depth` teams what another one, which is in `other_depth`, did on the same
 * call paths, and no more than is there. What the other one did counts once. The number behind all call paths is time
 * outside of calls. */
void xtf_team_paths_subtract(XtfTeamPaths *paths, XtfCallpathSums *sums, unsigned depth, const XtfCallpathSums *other,
                             unsigned other_depth);
