/*
 * Importing foreign traces.
 *
 * An import writes to a file beside its output, which takes the output's place at the end: a failed or interrupted
 * import leaves nothing behind, and keeps a file that stood there before.
 *
 * The foreign library runs in a child process, since a damaged archive can make it crash or run for ever. So start an
 * import while the process has no other threads.
 */
#pragma once

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/writer.h"

/* Now and then, from the calling thread: events read so far, and the share of the work that is done, 0 to 1. */
typedef void (*XtfImportProgress)(uint64_t events, double done, void *data);

typedef struct {
    unsigned jobs;              /* locations read at a time; 0: as many as there are processors */
    bool keep_going;            /* import what can be read of a damaged or incomplete archive */
    XtfWriterOptions storage;   /* of the output; its clock is the source's */
    atomic_bool *cancel;        /* true: stop, with XTF_ERROR_CANCELLED. May be set by a signal handler; may be NULL */
    XtfImportProgress progress; /* may be NULL */
    void *progress_data;
} XtfImportOptions;

typedef struct {
    const char *event; /* as the source's own tools print it */
    const char *type;  /* the record type it became */
    uint64_t read, kept;
} XtfImportCount;

typedef struct {
    GArray *counts;      /* of XtfImportCount: the kinds of event that occur */
    GPtrArray *left_out; /* of strings: what was not imported, and why */
    GPtrArray *warnings; /* of strings: faults of the archive, and how they were repaired */
    uint64_t read, kept; /* events */
    uint64_t locations;  /* that have events */
    uint64_t definitions;
} XtfImportReport;

void xtf_import_report_init(XtfImportReport *report);
void xtf_import_report_finish(XtfImportReport *report);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfImportReport, xtf_import_report_finish)

/* `path` is as for xtf_import_detect() (importer.h). `options` may be NULL; `report` is an initialized one, and is
 * filled only on success. */
bool xtf_import(const char *path, const char *output, const XtfImportOptions *options, XtfImportReport *report,
                GError **error);
