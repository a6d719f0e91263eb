/*
 * The table of importers, with a row for each foreign format. Code outside the importer's folder knows only this row.
 *
 * Users name a trace by one of its files, the anchor; the trace may have more files. An importer that was left out of
 * the build still has its row, without `run`, so that messages can say what is missing.
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
    bool common_ending;      /* files of other formats have that ending, too: only detect() recognizes an anchor */
    bool has_values;         /* this format supports the option `values` (options.h) */
    bool shares;             /* ranks of a job may share the locations of a trace: job->share */
    const char *identity;    /* the property of an import that identifies the imported trace */
    const char
        *suspects;      /* noun for the numbers of XtfSupervised.busy_with, in messages on crashes; NULL: "location" */
    const char *option; /* the Meson option that builds the importer; NULL: always built */
    uint64_t types;     /* a bit for each XTF_MODEL_... of the arrays that it may write */
    /* By record type: labels of events that the model lacks (NULL-terminated), or NULL. They follow the model's. */
    const char *const *events[XTF_N_RECORD_TYPES];

    /* True if a regular file is an anchor. No file is an anchor of two formats. */
    bool (*detect)(const char *path);
    /* Returns a clause on which file to give instead of `path`. The path is not an anchor, but looks like part of such
     * a trace, or is next to one. The caller frees the clause. NULL: no advice. The member may be NULL. */
    char *(*advice)(const char *path);
    /* Returns the paths of a trace's files, and of its own folders. The trace changes only if one of them does. NULL:
     * the trace is the anchor alone. Others call xtf_importer_files(). */
    GPtrArray *(*files)(const char *anchor);
    /* Imports in a child process (job.h), since reading may crash or hang. NULL: not in this build. */
    bool (*run)(XtfImportJob *job, GError **error);
} XtfImporter;

extern const XtfImporter *const xtf_importers[]; /* NULL-terminated */

/* Returns the paths of the files and folders of a trace. The caller unrefs the array. */
GPtrArray *xtf_importer_files(const XtfImporter *importer, const char *anchor);

/* Returns the importer whose `ending` a file name has, or NULL. */
const XtfImporter *xtf_importer_by_ending(const char *name);

/* Returns the anchor: `path` itself, or the only anchor in the folder `path`. The caller frees it. XTF_ERROR_NOT_XTF:
 * no importer reads the file or a file of the folder. XTF_ERROR_UNSUPPORTED: the importer is not in this build. */
char *xtf_import_detect(const char *path, const XtfImporter **importer, GError **error);

/* Returns the anchor `path`, to be read by the importer of that name, in any case of letters. Does not look into the
 * file. XTF_ERROR_INVALID: there is no such format, or the path is no file. XTF_ERROR_UNSUPPORTED as above. */
char *xtf_import_of_format(const char *path, const char *format, const XtfImporter **importer, GError **error);

/* Returns a clause on which file to give instead of a path that cannot be imported. The caller frees it. NULL: no
 * advice. */
char *xtf_import_advice(const char *path);

/* Returns what can be imported: "the anchor file (NAME.otf2) of an OTF2 archive", ... An entry of a format that this
 * build lacks says so. */
char **xtf_import_format_list(void);
/* Returns what can be imported in one phrase: the entries of xtf_import_format_list(), joined by "or". */
char *xtf_import_formats(void);
