/*
 * The table of importers: a foreign format is a row of it, and nothing outside the importer's own folder knows more of
 * the format than its row says.
 *
 * A trace of a foreign format is named by one file, its anchor; other files may belong to it. Importers only recognize
 * and read: an importer that was left out of the build still has its row, without `run`, so that users are told what is
 * missing.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "src/model/schemas.h"

typedef struct XtfImportJob XtfImportJob;

typedef struct {
    const char *name;        /* of the format */
    const char *description; /* of its anchors, with an article */
    const char *ending;      /* of the anchors' names */
    const char *option;      /* Meson's, which puts the importer into a build */
    /* By record type: labels of events that the model has none for (NULL-terminated), or NULL. They follow the model's
     * labels. */
    const char *const *events[XTF_N_RECORD_TYPES];

    /* Whether a regular file is an anchor. No file is an anchor of two formats. */
    bool (*detect)(const char *path);
    /* The paths of all files of a trace, and of folders for all that is in them. A change to any of these changes the
     * trace. */
    GPtrArray *(*files)(const char *anchor);
    /* Imports, see job.h: in a child process, since reading may crash or never end. NULL if it is not in this build. */
    bool (*run)(XtfImportJob *job, GError **error);
} XtfImporter;

extern const XtfImporter *const xtf_importers[]; /* NULL-terminated */

/* The importer of anchors with such a name, or NULL. */
const XtfImporter *xtf_importer_by_ending(const char *name);

/* The anchor of the trace that a path means: the path itself, or the only anchor in the folder that it names. Errors:
 * XTF_ERROR_NOT_XTF if there is nothing that can be imported, XTF_ERROR_UNSUPPORTED if its importer is not in this
 * build. */
char *xtf_import_detect(const char *path, const XtfImporter **importer, GError **error);

/* What can be imported, for messages: "the anchor file (NAME.otf2) of an OTF2 archive". Says what this build lacks. */
char *xtf_import_formats(void);
