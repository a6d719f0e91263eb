/*
 * The state of one import from OTF1, in its child process. One thread reads one stream after the other.
 */
#pragma once

#include "src/import/job.h"
#include "src/import/otf1/define.h"
#include "src/import/otf1/importer.h"
#include "src/import/otf1/locations.h"

typedef struct {
    XtfImportJob *job;
    char *stem; /* of the archive's files */
    OTF_FileManager *manager;
    XtfOtf1Definitions source;
    XtfOtf1Ranks ranks;
    XtfOtf1Locations locations;
    GPtrArray *open; /* of XtfOtf1Location: begun and not ended */
    GError *error;   /* of the handler that stopped the library */
    XtfMishaps mishaps;
    uint64_t bytes, bytes_done; /* of the files of events */

    /* Numbers of records of the files of events, and of markers. */
    uint64_t n_without_time;   /* before the first time of their stream */
    uint64_t n_undefined;      /* of processes that are not defined */
    uint64_t n_scattered;      /* of processes whose other events are in an earlier stream */
    uint64_t n_unknown;        /* of kinds that the library does not know */
    uint64_t n_without_begin;  /* ends of operations that did not begin */
    uint64_t n_snapshots;      /* in files of events */
    uint64_t n_strangers;      /* other sides that are no process of the archive */
    uint64_t n_without_events; /* streams */
    uint64_t n_moved_markers;  /* markers of groups, shown at the first member */
    char *first_unknown;       /* an example of them */
} XtfOtf1Import;

/* Sets the handlers of events and markers. The second function: for files and remote memory access. */
void xtf_otf1_set_event_handlers(OTF_HandlerArray *handlers, XtfOtf1Import *import);
void xtf_otf1_set_io_handlers(OTF_HandlerArray *handlers, XtfOtf1Import *import);

/*
 * Begins an event: returns its location, after appending the postponed records before it. NULL: the event is left out,
 * and counted, or appending failed.
 */
XtfOtf1Location *xtf_otf1_begin(XtfOtf1Import *import, uint32_t process, uint64_t time);
/* Ends an event: appends the attributes of its last record. `source` is a place in the source, or 0. Returns a
 * handler's return value. */
int xtf_otf1_end(XtfOtf1Import *import, XtfOtf1Location *location, bool appended, uint32_t source,
                 OTF_KeyValueList *list);
/* Returns a handler's return value for an event that is left out. */
int xtf_otf1_skip(const XtfOtf1Import *import);
/* Returns the rank in a group of another process, and counts it if it has none. */
uint32_t xtf_otf1_peer(XtfOtf1Import *import, uint32_t group, uint32_t process);
/* Returns the row of a definition. */
static inline uint32_t xtf_otf1_row(XtfOtf1Import *import, unsigned table, uint32_t id)
{
    return xtf_definitions_row(&import->source.definitions, table, id);
}

/* Begins the location's stream of records. */
void xtf_otf1_open(XtfOtf1Import *import, XtfOtf1Location *location);

/* Kinds of files of a stream. */
typedef enum {
    XTF_OTF1_DEFINITIONS,
    XTF_OTF1_EVENTS,
    XTF_OTF1_SNAPSHOTS,
    XTF_OTF1_SUMMARIES,
    XTF_OTF1_MARKERS,
} XtfOtf1Kind;

/*
 * Reads a file of a stream. Sets *n to the number of its records; 0 if there is no such file. Damage is an error that
 * names the place; with --keep-going it is a warning, and the records before it remain.
 */
bool xtf_otf1_read(XtfOtf1Import *import, uint32_t stream, XtfOtf1Kind kind, OTF_HandlerArray *handlers, uint64_t *n,
                   GError **error);
