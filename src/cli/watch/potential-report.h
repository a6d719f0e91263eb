/*
 * Reports on potential deadlocks of a trace (src/analysis/synchronous/synchronous.h): sentences and JSON, for
 * `xtf deadlock --potential`.
 */
#pragma once

#include "src/analysis/synchronous/synchronous.h"
#include "src/tables/format/call-sites.h"

typedef struct {
    XtfSynchronousRun run;
    XtfReplay *replay;
    XtfTraceContext *context; /* of the replay */
    const XtfLocations *locations;
    const char **regions; /* names, by row; NULL: none */
    uint64_t n_regions;
    const XtfSites *sites;
    XtfSiteReader *site_reader; /* NULL: the trace has no sites */
} XtfPotentialReport;

/* Finds the potential deadlocks of a trace, which it borrows. *cancel ends the search with XTF_ERROR_CANCELLED. */
bool xtf_potential_report_init(XtfPotentialReport *report, XtfTrace *trace, atomic_bool *cancel, GError **error);
void xtf_potential_report_finish(XtfPotentialReport *report); /* accepts all zeros */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfPotentialReport, xtf_potential_report_finish)

/* Appends a sentence for each cycle, and a line for each of its threads, at most `most`. */
bool xtf_potential_report_text(XtfPotentialReport *report, guint most, GString *out, GError **error);
/* Appends a JSON object. */
bool xtf_potential_report_json(XtfPotentialReport *report, GString *out, GError **error);
