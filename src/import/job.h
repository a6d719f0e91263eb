/*
 * One import in its child process: data and functions that all importers share.
 *
 * An importer collects definitions (definitions.h), creates the output, and appends events (stream.h). Several
 * threads may append. The importer lists the locations in work in shared->busy_with: if the child crashes, the parent
 * names these locations as suspects.
 */
#pragma once

#include "src/import/importer.h"
#include "src/import/options.h"
#include "src/import/output.h"
#include "src/import/report.h"
#include "src/import/share/share.h"
#include "src/import/stream.h"
#include "src/import/supervise.h"

/* An existing file that the output may replace. */
typedef struct {
    const char *path; /* the output's path */
    char *identity;   /* the trace of which it is an import (importer.h); NULL: any import may replace it */
} XtfReplaced;

struct XtfImportJob {
    const XtfImporter *importer;
    const char *anchor;
    const XtfOutput *output;
    const XtfImportOptions *options;
    const GArray *skipped; /* of uint64_t: locations on which an earlier child crashed or hung */
    const XtfReplaced *replaced;
    XtfShare *share; /* of this rank, if several do the import; NULL: this process does all of it */

    XtfSupervised *shared;
    XtfWriter *writer; /* set by xtf_import_create_output() */
    /* Set before the output is created: */
    bool has_sites;    /* rows of `enters_leaves` get a field `site` */
    bool has_contexts; /* the trace gets the side array `call_contexts` */
    uint32_t schemas[XTF_N_ARRAY_TYPES];
    GMutex lock; /* of the members below, and of the importer's own data */
    uint64_t counts[XTF_N_RECORD_TYPES][XTF_EVENTS_MAX];
    uint64_t n_unlisted_notes;
    XtfImportReport report; /* its members `counts` and `kept` are set at the end of the import */
};

/* Adds a remark to a list of the report. Warn: of a fault that may change results. Repair: of a fault that hardly
 * changes them. Leave out: of data that is not imported. Write for users who know their program, not the format. Any
 * thread. */
void xtf_import_note(XtfImportJob *job, GPtrArray *notes, const char *format, ...) G_GNUC_PRINTF(3, 4);
#define XTF_IMPORT_NOTE_LISTS(job)         (job)->report.warnings, (job)->report.repaired, (job)->report.left_out
#define xtf_import_warn(job, ...)          xtf_import_note(job, (job)->report.warnings, __VA_ARGS__)
#define xtf_import_note_repair(job, ...)   xtf_import_note(job, (job)->report.repaired, __VA_ARGS__)
#define xtf_import_note_left_out(job, ...) xtf_import_note(job, (job)->report.left_out, __VA_ARGS__)

/* Adds all remarks so far to the table `remarks`. Call it after the last look-up and before tables are written. */
void xtf_import_store_remarks(XtfImportJob *job, XtfDefinitions *definitions);

/* Returns "1 location", "2 locations", ... for the noun "location". The caller frees it. */
char *xtf_import_quantity(uint64_t n, const char *noun);

/* Numbers of faults of calls and times, which streams repair (stream.h). */
typedef struct {
    uint64_t backward, without_enter, out_of_order, never_left, too_deep;
} XtfMishaps;

/* Adds the faults of a location that has ended. The second function adds a remark on each kind of fault. */
void xtf_import_add_mishaps(XtfMishaps *mishaps, const XtfStream *stream);
void xtf_import_note_mishaps(XtfImportJob *job, const XtfMishaps *mishaps);

/* Warns of ids that were defined more than once. The second function warns, after all look-ups, of ids that are used
 * but not defined. */
void xtf_import_note_definitions(XtfImportJob *job, const XtfDefinitions *definitions, uint64_t duplicate_locations);
void xtf_import_note_undefined_ids(XtfImportJob *job, const XtfDefinitions *definitions);

/* True if an import of the trace `identity` may replace the existing file; else fails. */
bool xtf_import_may_replace(const XtfImportJob *job, const char *identity, GError **error);

/* Creates the output, whose clock has `ticks_per_second`, and adds the schemas of all arrays. */
bool xtf_import_create_output(XtfImportJob *job, uint64_t ticks_per_second, uint64_t origin, GError **error);

/* Adds a stream's records and tags, and the numbers of events and locations read for it, to the totals. Any thread. */
void xtf_import_count(XtfImportJob *job, const XtfStream *stream, uint64_t read, uint64_t locations);

/* ---- Imports of several ranks (share/share.h). The importer writes the tables and closes the writer before the first
 * function, and calls the second one instead of reading events. `own` is of the importer alone, of any type. */

/* True if this process reads the share of one rank. */
static inline bool xtf_import_reads_share(const XtfImportJob *job)
{
    return job->share && !job->share->results;
}

/* True if this process combines the results of all ranks. */
static inline bool xtf_import_combines(const XtfImportJob *job)
{
    return job->share && job->share->results;
}

/* Makes the result of a rank: counts, remarks on locations, late rows, tags, and `own`, which it takes over. */
bool xtf_import_pack_share(XtfImportJob *job, XtfDefinitions *definitions, GVariant *own, GError **error);
/* Adds up the results of all ranks. */
bool xtf_import_combine_shares(XtfImportJob *job, XtfDefinitions *definitions, GError **error);
/* Returns the importer's own part of a rank's result, of a type; NULL with an error. The caller unrefs it. */
GVariant *xtf_import_share_own(const XtfImportJob *job, unsigned rank, const char *type, GError **error);

/* Type of the result of a job with a share: the report, and the share's result. */
#define XTF_SHARED_REPORT_TYPE G_VARIANT_TYPE("(" XTF_REPORT_FORMAT "v)")

/* Runs the importer of `job`, whose first seven members the caller has set. Returns the report; with a share, its
 * result, too. An XtfSupervisedWork. */
GVariant *xtf_import_job_run(XtfSupervised *shared, void *job, GError **error);
