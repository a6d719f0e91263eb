/*
 * One import from OTF2, as it runs in its child process.
 */
#pragma once

#include "src/import/import.h"
#include "src/import/otf2/callbacks.h"
#include "src/import/supervise.h"

/* A location's files. */
typedef struct {
    uint64_t id;
    uint64_t bytes;       /* of events */
    bool has_definitions; /* of its own: id maps and clock */
} XtfOtf2Location;

/* What may be wrong with calls. */
enum {
    XTF_OTF2_WITHOUT_ENTER,
    XTF_OTF2_OUT_OF_ORDER,
    XTF_OTF2_NEVER_LEFT,
    XTF_OTF2_TOO_DEEP,
    XTF_OTF2_N_MISHAPS,
};

typedef struct {
    uint64_t count, locations;
    uint64_t location, event; /* an example, from the location with the smallest id */
} XtfOtf2Mishap;

typedef struct {
    const char *anchor;
    const char *output;
    const XtfImportOptions *options;
    const GArray *skipped; /* of uint64_t: locations that the reader died of before */

    XtfSupervised *shared;
    XtfOtf2Definitions source;
    OTF2_EvtReaderCallbacks *callbacks;
    OTF2_DefReaderCallbacks *local_callbacks;
    XtfWriter *writer;
    uint32_t schemas[XTF_N_ARRAY_TYPES];
    GArray *locations;    /* of XtfOtf2Location: those to be read */
    uint64_t chunk_bytes; /* what OTF2 reads at a time */
    uint64_t bytes;       /* of all their events */

    /* Shared by the workers, under the lock. */
    GMutex lock;
    guint next;    /* location */
    GError *error; /* the first; the workers stop */
    uint64_t counts[XTF_N_RECORD_TYPES][XTF_EVENTS_MAX];
    XtfOtf2Mishap mishaps[XTF_OTF2_N_MISHAPS];
    uint64_t read;                  /* events, as OTF2 counts them */
    uint64_t n_with_events;         /* locations */
    uint64_t own_definitions;       /* of locations, that were not needed */
    GPtrArray *warnings, *left_out; /* of strings */
    uint64_t n_more_warnings;       /* that are not listed */

    /* For the progress. */
    _Atomic uint64_t bytes_done, events_done; /* of locations that are finished */
    _Atomic int64_t bytes_guessed;            /* of those that are being read */
} XtfOtf2Import;

/* The shape of an import's result: record type, event and count, left out, warnings, read, kept, locations,
 * definitions. */
#define XTF_OTF2_RESULT "(a(uut)asastttt)"

/* An XtfSupervisedWork; data is an XtfOtf2Import with its first four members set. */
GVariant *xtf_otf2_import(XtfSupervised *shared, void *data, GError **error);

/* Notes of things that a user should know. Any thread. */
void xtf_otf2_warn(XtfOtf2Import *import, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Reads the locations' events, in as many threads as the options say. */
bool xtf_otf2_read_events(XtfOtf2Import *import, GError **error);

/* The folder of the locations' files: the anchor's path without its ending. */
char *xtf_otf2_folder(const char *anchor);

/* Which locations there are to read. An .evt file that is not there is an error, unless the options say to keep going.
 */
bool xtf_otf2_find_locations(XtfOtf2Import *import, OTF2_Reader *reader, GError **error);

/* What the archive says of itself, as rows of `properties`. */
void xtf_otf2_describe_archive(XtfOtf2Definitions *source, OTF2_Reader *reader);
