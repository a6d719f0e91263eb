/*
 * Decoders: they turn the records of a traced process into the rows of its part.
 *
 * An XtfCollectRows lists a decoder for each kind of record (XtfWireKind) and for each definition (XtfDefinition). Each
 * file rows-*.c has one list. round.c reads the rings; decode.c calls the decoders.
 *
 * The content of a ring is not trusted. A decoder that finds an impossible value calls xtf_collect_malformed(), which
 * ends the reading of that ring. A decoder returns false after xtf_collect_malformed() and if a row could not be
 * appended (XtfStream.error). One thread runs all decoders.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/import/messages.h"
#include "src/import/stream.h"
#include "src/record/collect/rows/clock.h"
#include "src/record/collect/rows/tables.h"
#include "src/record/wire.h"

/* Marks an excluded region, in the place of its row number. Its calls are not recorded. */
#define XTF_COLLECT_EXCLUDED (XTF_NONE32 - 1)

/* Indices in xtf_paradigm_names. */
enum { XTF_COLLECT_PARADIGM_USER = 1, XTF_COLLECT_PARADIGM_MPI = 4, XTF_COLLECT_PARADIGM_MEASUREMENT = 6 };

enum {
    XTF_COLLECT_REGIONS_MAX = 1 << 24, /* bound of region numbers */
    XTF_COLLECT_REMARKS_MAX = 256,
    XTF_COLLECT_DEFINITION_MAX = 1 << 26, /* bytes of one definition */
};

typedef struct XtfCollector XtfCollector;

/* A definition of which some pieces are still missing. */
typedef struct {
    XtfDefinition type;
    uint64_t id;
    uint32_t size; /* bytes of all pieces; 0: no definition is in progress */
    GByteArray *data;
} XtfCollectPieces;

/* An operation that the ring's last record began. It is appended at the next record, unless that is FAILED, or before a
 * commit. */
typedef struct {
    XtfWireKind kind; /* SEND or COLLECTIVE_BEGIN; NOTHING: no operation is open */
    bool appended;
    uint64_t time;
    XtfSendsRow send;
    XtfCollectivesRow collective;
} XtfCollectBegun;

/* A request that was started and has not been completed, as a record names it. */
typedef struct {
    uint64_t id;
    uint32_t peer, tag, comm; /* comm: the process's id of it. XTF_WIRE_NONE: any, or none */
    uint32_t event;           /* label of `pending` */
} XtfCollectRequest;

enum { XTF_COLLECT_RECENT_REQUESTS = 4096, XTF_COLLECT_OLD_REQUESTS_MAX = 1 << 16 };

/* The open requests of the process. Ids rise, so a recent one has a place by its id. A later id that needs the place
 * moves it to the old ones. If these are too many, the collector forgets it. */
typedef struct {
    XtfCollectRequest *recent; /* by id modulo XTF_COLLECT_RECENT_REQUESTS, id 0: none; NULL: no request yet */
    GHashTable *old;           /* XtfCollectRequest, by id; NULL: none yet */
} XtfCollectRequests;

/* A ring, and the location of its current records. */
typedef struct {
    XtfCollector *collector;
    uint32_t number;
    uint32_t thread;
    int32_t tid;   /* thread id of the system; 0: unknown */
    bool open;     /* between xtf_stream_begin() and xtf_stream_end() */
    bool off;      /* in the region of xtf_collect_off_region(), since recording is off */
    bool excluded; /* the last ENTER was of an excluded region */
    XtfStream stream;
    XtfCollectPieces pieces;
    XtfCollectBegun begun;
    uint64_t reported; /* clock's reading at the ENTER of the last call that has rows of `pending`; 0: none */
    uint64_t position; /* byte position of the current record, for error messages */
    char *fault;       /* the error that ended the reading of the ring; NULL: none */
    uint64_t events;   /* decoded records */
} XtfCollectRing;

/* Counts of lost and unusual records, for readers of the trace. */
typedef struct {
    uint64_t dropped, waits, waited_ns, damaged_commit, lost;
    uint64_t reading_ns;         /* time of readings of other nodes' clocks */
    uint64_t functions;          /* definitions of functions and regions of the program */
    uint64_t framing;            /* decoded records that are no event of the process */
    uint64_t unknown_kinds[256]; /* records without a decoder, by kind */
} XtfCollectCounts;

/* A thread of the process. */
typedef struct {
    uint32_t number;
    int32_t tid;
    bool is_mpis; /* created by the MPI library */
    char *name;   /* NULL: no name */
    uint64_t n_records;
} XtfCollectThread;

/* Decodes a record. `time` is in nanoseconds and not before the record before. `more` are the words from w2 on, whose
 * number depends on the kind. */
typedef bool (*XtfCollectDecode)(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more);
/* Decodes a whole definition. `data` is not aligned. */
typedef bool (*XtfCollectDefine)(XtfCollectRing *ring, uint64_t id, const uint8_t *data, size_t size);

typedef struct {
    XtfWireKind kind;
    XtfCollectDecode decode; /* NULL: the list ends */
} XtfCollectKind;

typedef struct {
    XtfDefinition type;
    XtfCollectDefine define; /* NULL: the list ends */
} XtfCollectDefinition;

typedef struct {
    const XtfCollectKind *kinds;             /* NULL: none */
    const XtfCollectDefinition *definitions; /* NULL: none */
    /* Completes rows that depend on other rows. Called before each commit; `end`: before the last. May be NULL. */
    void (*complete)(XtfCollector *collector, bool end);
} XtfCollectRows;

struct XtfCollector {
    XtfCollectDecode kinds[256]; /* NULL: records of that kind are skipped */
    XtfCollectDefine definitions[XTF_N_DEFINITIONS];
    const struct XtfCollectProgram *program; /* borrowed; NULL: unknown */
    uint64_t complete;                       /* time up to which the part is reported complete */
    GArray *threads;                         /* XtfCollectThread, by number */
    XtfTags tags;                            /* tags of threads that have ended */
    XtfCollectClock clock;
    uint32_t rank;       /* number of the process, set before the first record */
    uint32_t world_size; /* 0: no MPI */
    int32_t pid;
    XtfCollectTables tables;
    _Atomic uint8_t *choices; /* XtfWireChoice by own region, in the process's memory */
    uint32_t *regions;        /* rows by region number; XTF_NONE32: undefined; or XTF_COLLECT_EXCLUDED */
    uint32_t n_regions;
    uint32_t site_frames; /* greatest number of frames of a call site; 0: ENTERs have no site */
    uint32_t *sites;      /* rows by number of call site; XTF_NONE32: none yet */
    uint32_t n_sites;
    GHashTable *regions_by_text; /* rows of `regions` by name, file and line, which are unique */
    GPtrArray *remarks;          /* texts of the table `remarks` */
    XtfCollectRequests requests;
    XtfCollectCounts counts;
    GHashTable *own; /* memory of the files rows-*.c, by the name given to xtf_collect_own() */
};

extern const XtfCollectRows xtf_collect_framing, xtf_collect_calls, xtf_collect_measurement, xtf_collect_messages,
    xtf_collect_handles, xtf_collect_rma, xtf_collect_io, xtf_collect_threads, xtf_collect_own_regions,
    xtf_collect_sites;
/* All lists of decoders; NULL-terminated (rows.c). */
extern const XtfCollectRows *const xtf_collect_rows[];

/* Initialises a collector without data. Borrows the writer. `rows` ends with NULL. */
void xtf_collector_init(XtfCollector *collector, XtfWriter *writer, const XtfCollectRows *const *rows);
void xtf_collector_finish(XtfCollector *collector);

/* Sets the ring's fault, prefixed with ring and position, unless one is set. Returns false. */
bool xtf_collect_malformed(XtfCollectRing *ring, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Decodes the records that begin before `limit`. `data` has `size` bytes. *taken is the position of the first record
 * that was not decoded. */
bool xtf_collect_decode(XtfCollectRing *ring, const uint8_t *data, size_t size, size_t limit, size_t *taken);
/* Appends the operation that the last call began, before a commit. */
bool xtf_collect_append_begun(XtfCollectRing *ring);
/* Appends rows of `pending` if the ring's thread is in a call of MPI at `time`, and has been for `least` ns. Behind
 * the call's row are rows of the requests that it completes. `list`: the ring's requests; NULL: it has no list. A call
 * gets rows once. */
bool xtf_collect_pending(XtfCollectRing *ring, const XtfWireRing *shared, const _Atomic uint64_t *list, uint64_t time,
                         uint64_t least);

/* Adds a request of the process, unless its id is 0. */
void xtf_collect_request_begin(XtfCollectRequests *requests, XtfCollectRequest request);
/* Removes a request of the process, if it is known. */
void xtf_collect_request_end(XtfCollectRequests *requests, uint64_t id);
/* Finds an open request of the process; NULL: it is not known. */
const XtfCollectRequest *xtf_collect_request_find(const XtfCollectRequests *requests, uint64_t id);
/* Returns the open requests, XtfCollectRequest, by id. The caller frees the array. */
GArray *xtf_collect_requests_list(const XtfCollectRequests *requests);
void xtf_collect_requests_finish(XtfCollectRequests *requests);
/* Returns the number of whole records that are events of the process. */
uint64_t xtf_collect_count(const uint8_t *data, size_t size);

/* Starts, or ends, the records of a thread in a ring. */
bool xtf_collect_ring_begin(XtfCollectRing *ring, uint64_t time, uint32_t thread, int32_t tid, bool is_mpis);
bool xtf_collect_ring_end(XtfCollectRing *ring);
void xtf_collect_ring_init(XtfCollectRing *ring, XtfCollector *collector, uint32_t number);
void xtf_collect_ring_finish(XtfCollectRing *ring);

void xtf_collect_name_thread(XtfCollector *collector, uint32_t thread, const char *name);

/* Adds a remark on what the trace lacks, and why. Skips texts already added, and all beyond XTF_COLLECT_REMARKS_MAX. */
void xtf_collect_remark(XtfCollector *collector, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Returns the collector's memory of that name for a file rows-*.c. Zeroed at first. Released with the collector, after
 * a call of `free`. */
void *xtf_collect_own(XtfCollector *collector, const char *name, size_t size, GDestroyNotify free);

/* Adds an attribute, an XtfWireAttribute, to the ring's last record. */
bool xtf_collect_add_attribute(XtfCollectRing *ring, uint32_t number, uint64_t value);

/* Returns the row of `regions` for the process's region number, which is below XTF_COLLECT_REGIONS_MAX. */
uint32_t xtf_collect_new_region(XtfCollector *collector, uint32_t number);
static inline uint32_t xtf_collect_region(XtfCollector *collector, uint32_t number)
{
    if (G_LIKELY(number < collector->n_regions && collector->regions[number] != XTF_NONE32))
        return collector->regions[number];
    return xtf_collect_new_region(collector, number);
}
/* Returns the row of `sites` for the process's number of a call site. `region` is the row of the function that is
 * called from there. XTF_NONE32: it has none, or the number is impossible. */
uint32_t xtf_collect_new_site(XtfCollector *collector, uint32_t number, uint32_t region);
static inline uint32_t xtf_collect_site(XtfCollector *collector, uint32_t number, uint32_t region)
{
    if (number == 0 || collector->site_frames == 0)
        return XTF_NONE32;
    if (G_LIKELY(number < collector->n_sites && collector->sites[number] != XTF_NONE32))
        return collector->sites[number];
    return xtf_collect_new_site(collector, number, region);
}
/* Assigns a region to the process's region number from now on. `line` 0: unknown. */
void xtf_collect_define_region(XtfCollector *collector, uint32_t number, const char *name, const char *file,
                               uint32_t line, unsigned role, unsigned paradigm);
/* Returns the row of the region that a thread is in while nothing is recorded. */
uint32_t xtf_collect_off_region(XtfCollector *collector);
/* Enters the region of xtf_collect_off_region(), which is always the innermost one, or leaves it. Does nothing if the
 * ring is in that region, or outside of it, already. */
bool xtf_collect_enter_off(XtfCollectRing *ring, uint64_t time);
bool xtf_collect_leave_off(XtfCollectRing *ring, uint64_t time);
/* Excludes the process's region number from recording, and informs the process. */
void xtf_collect_exclude_region(XtfCollector *collector, uint32_t number);
/* Applies the filter of XTF_RECORD_FILTER to one of the process's own regions. Returns true if the filter excludes it.
 * `mangled` is the linker's name. */
bool xtf_collect_filter_region(XtfCollector *collector, uint32_t number, const char *name, const char *mangled,
                               const char *file);

/* Reader of a definition's bytes. Each function returns false, and sets the ring's fault, if too few bytes are left. */
typedef struct {
    XtfCollectRing *ring;
    const uint8_t *data;
    size_t left;
} XtfCollectData;

bool xtf_collect_read(XtfCollectData *data, void *to, size_t size);
/* Reads `size` bytes into *text, a copy that the caller frees. */
bool xtf_collect_read_text(XtfCollectData *data, size_t size, char **text);
/* Reads `size` bytes, borrowed. */
bool xtf_collect_read_bytes(XtfCollectData *data, size_t size, const uint8_t **bytes);

/* Returns the low 32 bits of a word. */
static inline uint32_t xtf_collect_low(uint64_t word)
{
    return (uint32_t)word;
}

/* Returns the high 32 bits of a word. */
static inline uint32_t xtf_collect_high(uint64_t word)
{
    return word >> 32;
}

/* Returns the row with that id in a table; XTF_NONE32 for XTF_WIRE_NONE. */
static inline uint32_t xtf_collect_reference(XtfCollector *collector, unsigned table, uint32_t id)
{
    return id == XTF_WIRE_NONE ? XTF_NONE32 : xtf_collect_row(&collector->tables, table, id);
}
