/*
 * One import from OTF2, as it runs in its child process.
 */
#pragma once

#include "src/import/job.h"
#include "src/import/otf2/callbacks.h"
#include "src/import/otf2/importer.h"

/* A location's files. */
typedef struct {
    uint64_t id;
    uint64_t bytes;       /* of events */
    uint64_t claimed;     /* the number of events by its definition, which need not be true */
    bool has_definitions; /* of its own: id maps and clock */
} XtfOtf2Location;

/* Faults of calls. */
enum {
    XTF_OTF2_WITHOUT_ENTER,
    XTF_OTF2_OUT_OF_ORDER,
    XTF_OTF2_NEVER_LEFT,
    XTF_OTF2_TOO_DEEP,
    XTF_OTF2_N_MISHAPS,
};

typedef struct {
    uint64_t count, locations;
    uint64_t location, event; /* an example: the location with the smallest id */
} XtfOtf2Mishap;

/* Events of a location that its definition counts and that were not read, or that may have been lost. */
typedef struct {
    uint64_t location, claimed, read;
    bool damaged; /* and a warning said so */
} XtfOtf2Loss;

typedef struct {
    XtfImportJob *job;
    XtfOtf2Definitions source;
    OTF2_EvtReaderCallbacks *callbacks;
    OTF2_DefReaderCallbacks *local_callbacks;
    GArray *locations; /* of XtfOtf2Location: to be read */
    uint64_t bytes;    /* of all their events */

    /* Shared by the workers, under the job's lock. */
    guint next;    /* index of the next location to read */
    GError *error; /* the first; it stops all workers */
    XtfOtf2Mishap mishaps[XTF_OTF2_N_MISHAPS];
    uint64_t own_definitions; /* in locations' own files, which were not needed */
    GArray *losses;           /* of XtfOtf2Loss */
    bool claims_too_little;   /* a location has more events than its definition counts */

    /* For the progress. */
    _Atomic uint64_t bytes_done, events_done; /* of locations that are finished */
    _Atomic int64_t bytes_guessed;            /* of locations that are being read */
} XtfOtf2Import;

/* Reads the locations' events, in as many threads as the options say. */
bool xtf_otf2_read_events(XtfOtf2Import *import, GError **error);

/* Notes how many events of a location were read. Any thread. */
void xtf_otf2_note_events(XtfOtf2Import *import, const XtfOtf2Location *location, uint64_t read, bool damaged);
/* Says what was lost, once all locations were read: a recorder whose numbers are wrong anywhere is not believed. */
void xtf_otf2_report_losses(XtfOtf2Import *import);

/* Lists the locations to read. A missing .evt file is an error, unless the options say to keep going. */
bool xtf_otf2_find_locations(XtfOtf2Import *import, OTF2_Reader *reader, GError **error);

/* The number that the recorder gave the trace, at random. The caller frees it. */
char *xtf_otf2_trace_id(OTF2_Reader *reader);

/* Adds the rows of `properties`: what the archive says of itself. */
void xtf_otf2_describe_archive(XtfOtf2Definitions *source, OTF2_Reader *reader);
