/*
 * The state of one import from OTF2, in its child process.
 */
#pragma once

#include "src/import/job.h"
#include "src/import/otf2/callbacks.h"
#include "src/import/otf2/importer.h"

/* A location's files. */
typedef struct {
    uint64_t id;
    uint32_t index;       /* among the archive's locations; set if several ranks import them */
    uint64_t bytes;       /* bytes of its file of events */
    uint64_t claimed;     /* the number of events in its definition, which may be wrong */
    bool has_definitions; /* a file of local definitions: id maps and clock */
} XtfOtf2Location;

/* Faults of calls, as stream.h counts them. */
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

/* A location of which fewer events were read than its definition counts, or of which some may be lost. */
typedef struct {
    uint64_t location, claimed, read;
    bool damaged; /* the importer has warned of it */
} XtfOtf2Loss;

typedef struct {
    XtfImportJob *job;
    XtfOtf2Definitions source;
    XtfCallSites *call_sites;       /* NULL: the archive has none in attributes */
    XtfContextSites *context_sites; /* NULL: the archive has none in calling contexts */
    OTF2_EvtReaderCallbacks *callbacks;
    OTF2_DefReaderCallbacks *local_callbacks;
    GArray *locations; /* of XtfOtf2Location: the locations to read */
    uint64_t bytes;    /* sum of `bytes` of all these locations */

    /* Shared by the workers, under the job's lock. */
    guint next;    /* index of the next location to read */
    GError *error; /* the first error; it stops all workers */
    XtfOtf2Mishap mishaps[XTF_OTF2_N_MISHAPS];
    uint64_t own_definitions; /* number of unused definitions in locations' files */
    GArray *losses;           /* of XtfOtf2Loss */
    bool claims_too_little;   /* a location has more events than its definition counts */

    /* Progress. */
    _Atomic uint64_t bytes_done, events_done; /* bytes and events of the finished locations */
    _Atomic int64_t bytes_guessed;            /* estimate for locations that workers are reading */
} XtfOtf2Import;

/* Reads the events of all locations, in options->jobs threads. A process that combines the results of ranks adds up
 * what they have read. Adds remarks on faults, unless the process is a rank that reads its share. */
bool xtf_otf2_read_events(XtfOtf2Import *import, GError **error);

/* ---- share.c: imports by several ranks. */

/* Reduces the list of locations to the share of this rank. */
void xtf_otf2_take_share(XtfOtf2Import *import);
/* Returns the faults that this rank has found; a new floating reference. */
GVariant *xtf_otf2_pack_share(const XtfOtf2Import *import);
/* Adds up the results of all ranks. */
bool xtf_otf2_combine_shares(XtfOtf2Import *import, GError **error);
/* True if an earlier child crashed or hung on the location. Then adds a remark. */
bool xtf_otf2_skip_location(XtfOtf2Import *import, const XtfOtf2Location *location);

/* Notes the number of events read of a location. Any thread. */
void xtf_otf2_note_events(XtfOtf2Import *import, const XtfOtf2Location *location, uint64_t read, bool damaged);
/* Adds remarks on lost events, once all locations were read. Ignores the definitions' numbers of events if a location
 * has more events than its definition counts: then the recorder's numbers are unreliable. */
void xtf_otf2_report_losses(XtfOtf2Import *import);

/* Lists the locations to read. A missing .evt file is an error, unless options->keep_going is set. */
bool xtf_otf2_find_locations(XtfOtf2Import *import, OTF2_Reader *reader, GError **error);

/* Returns the random number that the recorder gave the trace, as text. The caller frees it. */
char *xtf_otf2_trace_id(OTF2_Reader *reader);

/* Adds the rows of `properties` that describe the archive. */
void xtf_otf2_describe_archive(XtfOtf2Definitions *source, OTF2_Reader *reader);
