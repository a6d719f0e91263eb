/*
 * The table of importers: a row for each foreign format. Outside the importer's own folder nothing knows more of the
 * format than the row says.
 *
 * One file names a trace, its anchor; other files may belong to it. An importer that was left out of the build still
 * has its row, without `run`, so that users are told what is missing.
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
    bool common_ending;      /* other files have it, too: a folder's file is an anchor only if detect() says so */
    bool has_values;         /* the option `values` (options.h) is for this format */
    const char *identity;    /* the property by which an import tells which trace it is of */
    const char *option;      /* Meson's, which puts the importer into a build; NULL: it is in each */
    uint64_t types;          /* a bit for each XTF_MODEL_... of an array that it may write */
    /* By record type: labels of events that the model lacks (NULL-terminated), or NULL. They follow the model's. */
    const char *const *events[XTF_N_RECORD_TYPES];

    /* Whether a regular file is an anchor. No file is an anchor of two formats. */
    bool (*detect)(const char *path);
    /* What to give instead of a file that is no anchor, but looks like a part of such a trace, or near one. The caller
     * frees it; NULL: nothing is known. NULL too if there is no such function. */
    char *(*advice)(const char *path);
    /* The paths of a trace's files, and of folders that it owns. The trace changes only if one of these files does. */
    GPtrArray *(*files)(const char *anchor);
    /* Imports, see job.h: in a child process, since reading may crash or never end. NULL if it is not in this build. */
    bool (*run)(XtfImportJob *job, GError **error);
} XtfImporter;

extern const XtfImporter *const xtf_importers[]; /* NULL-terminated */

/* The importer of anchors with such a name, or NULL. */
const XtfImporter *xtf_importer_by_ending(const char *name);

/* The anchor that a path means: itself, or the only anchor in the folder that it names. XTF_ERROR_NOT_XTF: nothing
 * there can be imported. XTF_ERROR_UNSUPPORTED: the importer is not in this build. */
char *xtf_import_detect(const char *path, const XtfImporter **importer, GError **error);

/* What to give instead of a path that cannot be imported, as a clause. The caller frees it; NULL: nothing is known. */
char *xtf_import_advice(const char *path);

/* Returns what can be imported: "the anchor file (NAME.otf2) of an OTF2 archive"... Says what this build lacks. */
char **xtf_import_format_list(void);
/* Returns the same in one phrase, joined by "or". */
char *xtf_import_formats(void);
