/*
 * Frequency profiles of runs: the number of calls of each region, of a whole run or of each process.
 *
 * The regions of all runs share their numbers, by name, file and line (pair-regions.h).
 */
#pragma once

#include "src/tables/alike/frequencies.h"
#include "src/tree/diff/pair-regions.h"
#include "src/tree/node/node-class.h"

typedef struct {
    bool by_process;
    XtfRegionPairs pairs; /* labels of the regions by number */
    unsigned n;
    struct {
        unsigned run;  /* index of the run */
        uint64_t proc; /* its process, if by_process */
        XtfFrequencies calls;
    } * all;
} XtfRunProfiles;

/* Loads the profiles of directories of records, one of each trace. XTF_ERROR_NOT_FOUND if one has no calls,
 * XTF_ERROR_UNSUPPORTED if there are more profiles than XTF_PROFILES_MAX. */
bool xtf_run_profiles_load(XtfRunProfiles *profiles, XtfNode *const *directories, unsigned n, bool by_process,
                           GError **error);
void xtf_run_profiles_finish(XtfRunProfiles *profiles); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfRunProfiles, xtf_run_profiles_finish)
