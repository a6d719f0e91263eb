/*
 * The table of exporters, with a row for each foreign format. Code outside the exporter's folder knows the format only
 * by its row.
 *
 * An exporter that the build lacks still has its row, without `run`, so that messages can name the missing option.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct XtfExportJob XtfExportJob;

typedef struct {
    const char *name;        /* of the format, as users type it */
    const char *description; /* of the output, with an article */
    const char *option;      /* Meson's option that adds the exporter to a build; NULL: each build has it */
    bool has_rate;           /* makes slices of equal length: the option `rate` applies */
    bool for_scalasca;       /* can leave out records for Scalasca: the option `for_scalasca` applies */
    bool expands;            /* can write collective operations as messages: the option `expands` applies */
    bool folder;             /* the output is a folder; else a file */
    /* True if the existing output is of this format, so that --force may replace it. In a folder, all files must be. */
    bool (*may_replace)(const char *path);
    /* Exports in a child process, see job.h. NULL if this build lacks the exporter. */
    bool (*run)(XtfExportJob *job, GError **error);
} XtfExporter;

/* Returns the exporter of a format. XTF_ERROR_NOT_FOUND if there is no such format. XTF_ERROR_UNSUPPORTED if this build
 * lacks the exporter. */
const XtfExporter *xtf_exporter_find(const char *name, GError **error);

/* Returns a list of all formats for messages, such as "otf2 (an OTF2 archive)". Marks formats that this build lacks.
 * The caller frees the list. */
char *xtf_export_formats(void);
