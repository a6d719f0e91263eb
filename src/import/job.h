/*
 * One import, in its child process: what all importers share.
 *
 * An importer collects definitions (definitions.h), creates the output, and appends events (stream.h), in several
 * threads if it likes. It lists the locations that it is reading in shared->busy_with, to blame one of them if the
 * child dies.
 */
#pragma once

#include "src/import/importer.h"
#include "src/import/options.h"
#include "src/import/output.h"
#include "src/import/report.h"
#include "src/import/stream.h"
#include "src/import/supervise.h"

/* What the output replaces. */
typedef struct {
    const char *path; /* the output's place */
    char *identity;   /* of the trace that the import there is of (importer.h); NULL: whatever it is, it may go */
} XtfReplaced;

struct XtfImportJob {
    const XtfImporter *importer;
    const char *anchor;
    const XtfOutput *output; /* to write to */
    const XtfImportOptions *options;
    const GArray *skipped; /* of uint64_t: locations that the reader died of before */
    const XtfReplaced *replaced;

    XtfSupervised *shared;
    XtfWriter *writer; /* from xtf_import_create_output() on */
    uint32_t schemas[XTF_N_ARRAY_TYPES];
    GMutex lock; /* of what follows, and of the importer's own data */
    uint64_t counts[XTF_N_RECORD_TYPES][XTF_EVENTS_MAX];
    uint64_t n_more_notes;  /* not listed */
    XtfImportReport report; /* at the end `counts` and `kept` are made from the counts above */
};

/* Tell the user of a fault that changes what the trace shows, or may; of one that hardly does; of something that is not
 * imported. In words for people who know their program, not the format. Any thread. */
void xtf_import_note(XtfImportJob *job, GPtrArray *notes, const char *format, ...) G_GNUC_PRINTF(3, 4);
#define xtf_import_warn(job, ...)      xtf_import_note(job, (job)->report.warnings, __VA_ARGS__)
#define xtf_import_repair(job, ...)    xtf_import_note(job, (job)->report.repaired, __VA_ARGS__)
#define xtf_import_leave_out(job, ...) xtf_import_note(job, (job)->report.left_out, __VA_ARGS__)

/* Puts all that was told so far into the table `remarks`. Between the last look-up and the writing of tables. */
void xtf_import_store_remarks(XtfImportJob *job, XtfDefinitions *definitions);

/* "1 location", "2 locations". The caller frees it. */
char *xtf_import_quantity(uint64_t n, const char *what);

/* Warns of ids that were defined more than once; and after all look-ups, of ids that are used and not defined. */
void xtf_import_note_definitions(XtfImportJob *job, const XtfDefinitions *definitions, uint64_t duplicate_locations);
void xtf_import_note_undefined_ids(XtfImportJob *job, const XtfDefinitions *definitions);

/* Whether an import of the trace of that identity may replace what is in its place. */
bool xtf_import_may_replace(const XtfImportJob *job, const char *identity, GError **error);

/* Creates the output, with a clock of that many ticks a second, and adds the schemas of all arrays. */
bool xtf_import_create_output(XtfImportJob *job, uint64_t ticks_per_second, uint64_t origin, GError **error);

/* Counts the records of a stream, and the events and locations that were read for it. Any thread. */
void xtf_import_count(XtfImportJob *job, const XtfStream *stream, uint64_t read, uint64_t locations);

/* An XtfSupervisedWork: runs the importer of `job`, which has its first six members set. Returns the report. */
GVariant *xtf_import_job_run(XtfSupervised *shared, void *job, GError **error);
