/*
 * State and functions of one export in its child process, which all exporters share.
 */
#pragma once

#include "src/export/export.h"
#include "src/import/supervise.h"
#include "src/tree/node/node-class.h"

struct XtfExportJob {
    const XtfExporter *exporter;
    XtfTree *tree;
    XtfSelection *selection;
    const char *output;     /* path to write to: an existing empty folder or file */
    const char *final_path; /* path of the finished output: errors name it instead of `output` */
    const char *rate;       /* export.h */
    bool for_scalasca;      /* export.h */
    bool expands;           /* export.h */
    const char *folder;     /* folder of `final_path`, for temporary files */
    XtfSupervised *shared;
    uint64_t total; /* records of the selection */
    XtfExportReport report;
    GHashTable *counts; /* texts -> uint64_t: see xtf_export_count() */
    uint64_t steps;
};

/* Adds a note for the user to the report. */
void xtf_export_note(XtfExportJob *job, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Adds `n` to the count of `text`. At the end, the report gets a note "N text". */
void xtf_export_count(XtfExportJob *job, uint64_t n, const char *text);
/* Counts a step, and signals progress after many steps. Otherwise the parent would take a long export for a hang. */
void xtf_export_beat(XtfExportJob *job);
/* Counts `n` more written records, and reports progress. */
void xtf_export_advance(XtfExportJob *job, uint64_t n);
/* True if the selection has all records of the trace. */
bool xtf_export_is_whole(const XtfExportJob *job);

/* Returns the selection of the events to write; the caller unrefs it. A selection of calls has lines that are no
 * events, so it becomes the selection of its ENTERs and LEAVEs. */
XtfSelection *xtf_export_select_events(const XtfExportJob *job);

/* Runs the exporter of `job`, whose members up to `folder` are set. Returns the report. An XtfSupervisedWork. */
#define XTF_EXPORT_REPORT_TYPE G_VARIANT_TYPE("(ttas)")
GVariant *xtf_export_job_run(XtfSupervised *shared, void *job, GError **error);
