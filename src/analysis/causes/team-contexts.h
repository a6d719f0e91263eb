/*
 * Call paths that are the same for all threads of an OpenMP team.
 *
 * The thread that forks has the calls around the parallel region on its stack, the others have not. So what the threads
 * of a team do is compared by the part of the call path from the team's parallel region on: the d-th one on the path of
 * a thread that is in d teams.
 *
 * Belongs to one thread. Nothing is held before the first question.
 */
#pragma once

#include "src/analysis/formulas/callpath-sums.h"
#include "src/analysis/waits/points.h"
#include "src/trace/context/trace-context.h"

typedef struct XtfTeamContexts XtfTeamContexts;

/* `context`: of the trace; NULL: nothing is known of its regions, and all call paths differ. Borrows both. */
XtfTeamContexts *xtf_team_contexts_new(XtfTraceContext *context, const XtfPoints *points, GError **error);
void xtf_team_contexts_free(XtfTeamContexts *contexts); /* NULL is fine */

/* Takes from the times of a thread that is in `depth` teams what another one, which is in `other_depth`, did on the
 * same call paths, and no more than is there. The number behind all contexts is time outside of calls. */
void xtf_team_contexts_subtract(XtfTeamContexts *contexts, XtfCallpathSums *times, unsigned depth,
                                const XtfCallpathSums *other, unsigned other_depth);
