/*
 * Profiles of the processes of a selection: the number of calls and the exclusive time of each region, over the CPU
 * threads of a process. Numbers are lines of XtfRegions (region-lines.h). The last one is the time outside of all
 * regions.
 *
 * Two processes are as far apart as their calls or their times, whichever differ more.
 */
#pragma once

#include "src/tables/alike/frequencies.h"
#include "src/tables/totals/regions/class-times.h"

typedef struct {
    uint64_t proc;
    XtfFrequencies calls, ticks;
    uint64_t program, communication; /* ticks in the program itself, and in MPI and the like */
} XtfProcessProfile;

typedef struct {
    XtfProcessProfile *all; /* by process */
    uint32_t n;
} XtfProcessProfiles;

bool xtf_process_profiles_load(XtfProcessProfiles *profiles, XtfFormats *formats, const XtfSelection *selection,
                               GError **error);
void xtf_process_profiles_finish(XtfProcessProfiles *profiles); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfProcessProfiles, xtf_process_profiles_finish)

static inline double xtf_process_profiles_distance(const XtfProcessProfile *a, const XtfProcessProfile *b)
{
    double calls = xtf_frequencies_distance(&a->calls, &b->calls);

    return MAX(calls, xtf_frequencies_distance(&a->ticks, &b->ticks));
}
