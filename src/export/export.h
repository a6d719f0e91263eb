/*
 * Exporting a selection of a trace to another format.
 *
 * The output appears whole, under its own name, or not at all. Work is done in a child process, since foreign libraries
 * may crash; so nothing of the trace may have been read in other threads that still run.
 */
#pragma once

#include <stdatomic.h>

#include "src/export/exporter.h"
#include "src/tree/paths/tree.h"

typedef struct {
    const char *source;  /* what is exported, as the user named it: it is not replaced. May be NULL */
    const char *rate;    /* of slices that are made: as in frames/RATE of the tree. NULL: "25fps" */
    bool for_scalasca;   /* leave out what Scalasca 2.6 aborts at: see --scalasca */
    bool force;          /* replace what is there, if it is of the same format */
    atomic_bool *cancel; /* set by anybody: stops with XTF_ERROR_CANCELLED. May be NULL */
    void (*progress)(uint64_t records, double done, void *data); /* may be NULL */
    void *progress_data;
} XtfExportOptions;

typedef struct {
    uint64_t records, locations; /* written */
    GPtrArray *notes;            /* of strings: what was left out, and what was added */
} XtfExportReport;

void xtf_export_report_init(XtfExportReport *report);
void xtf_export_report_finish(XtfExportReport *report);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfExportReport, xtf_export_report_finish)

/* `directory` is one of records: XTF_ERROR_INVALID for any other node. */
bool xtf_export(const XtfExporter *exporter, XtfNode *directory, const char *output, const XtfExportOptions *options,
                XtfExportReport *report, GError **error);
