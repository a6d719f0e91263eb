/*
 * The table of exporters: a row for each foreign format. Outside the exporter's own folder nothing knows more of the
 * format than the row says.
 *
 * An exporter that was left out of the build still has its row, without `run`, so that users are told what is missing.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct XtfExportJob XtfExportJob;

typedef struct {
    const char *name;        /* of the format, as it is typed */
    const char *description; /* of what is written, with an article */
    const char *option;      /* Meson's, which puts the exporter into a build; NULL: it is in each */
    bool has_rate;           /* it makes slices of equal length: the option `rate` is for it */
    bool for_scalasca;       /* it has something to leave out for Scalasca: the option `for_scalasca` is for it */
    bool folder;             /* the output is a folder; else a file */
    /* Whether what is there, of a folder all of it, is of this format, so that it may be replaced. */
    bool (*may_replace)(const char *path);
    /* Exports, see job.h: in a child process. NULL if it is not in this build. */
    bool (*run)(XtfExportJob *job, GError **error);
} XtfExporter;

/* XTF_ERROR_NOT_FOUND: there is no such format. XTF_ERROR_UNSUPPORTED: the exporter is not in this build. */
const XtfExporter *xtf_exporter_find(const char *name, GError **error);

/* What can be exported, for messages: "otf2 (an OTF2 archive)". Says what this build lacks. */
char *xtf_export_formats(void);
