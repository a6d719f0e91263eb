/*
 * One export, in its child process: what all exporters share.
 */
#pragma once

#include "src/export/export.h"
#include "src/import/supervise.h"
#include "src/tree/node/node-class.h"

struct XtfExportJob {
    const XtfExporter *exporter;
    XtfTree *tree;
    XtfSelection *selection;
    const char *output; /* to write to: a folder that is there and empty, or a file that is there and empty */
    const char *place;  /* where it will be: errors name it instead of `output` */
    const char *rate;   /* export.h */
    bool for_scalasca;  /* export.h */
    const char *folder; /* where it will be: for temporary files */
    XtfSupervised *shared;
    uint64_t total; /* records of the selection */
    XtfExportReport report;
    GHashTable *counts; /* texts -> uint64_t: see below */
    uint64_t steps;
};

/* Tells the user something. */
void xtf_export_note(XtfExportJob *job, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Counts `n` more of what `text` says, which is told at the end as "N text". */
void xtf_export_count(XtfExportJob *job, uint64_t n, const char *text);
/* A step was done: signs of life come of many of them, so that a long export is not taken for an endless one. */
void xtf_export_beat(XtfExportJob *job);
/* `n` more records are written. */
void xtf_export_advance(XtfExportJob *job, uint64_t n);
/* Whether the selection is all records of the trace. */
bool xtf_export_is_whole(const XtfExportJob *job);

/* An XtfSupervisedWork: runs the exporter of `job`, whose first five members are set. Returns the report. */
#define XTF_EXPORT_REPORT_TYPE G_VARIANT_TYPE("(ttas)")
GVariant *xtf_export_job_run(XtfSupervised *shared, void *job, GError **error);
