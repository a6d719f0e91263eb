/*
 * Exports a selection of a trace to another format.
 *
 * The output appears whole, under its own name, or not at all. A child process does the work, since foreign libraries
 * may crash. Other threads that have read the trace must therefore have ended before.
 */
#pragma once

#include <stdatomic.h>

#include "src/export/exporter.h"
#include "src/tree/paths/tree.h"

typedef struct {
    const char *source;  /* path of the trace as the user named it; never replaced. May be NULL */
    const char *rate;    /* rate of the slices to make, as in frames/RATE of the tree. NULL: "25fps" */
    bool for_scalasca;   /* leave out records at which Scalasca 2.6 aborts: see --scalasca */
    bool expands;        /* write collective operations as messages of their members: see --expand */
    bool force;          /* replace an existing output of the same format */
    atomic_bool *cancel; /* any thread may set it: the export fails with XTF_ERROR_CANCELLED. May be NULL */
    void (*progress)(uint64_t records, double done, void *data); /* may be NULL */
    void *progress_data;
} XtfExportOptions;

typedef struct {
    uint64_t records, locations; /* numbers of records and locations written */
    GPtrArray *notes;            /* of strings: what the export left out, or added */
} XtfExportReport;

void xtf_export_report_init(XtfExportReport *report);
void xtf_export_report_finish(XtfExportReport *report);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfExportReport, xtf_export_report_finish)

/* Writes the records of a directory to `output`. XTF_ERROR_INVALID if the node is no directory of records. */
bool xtf_export(const XtfExporter *exporter, XtfNode *directory, const char *output, const XtfExportOptions *options,
                XtfExportReport *report, GError **error);
