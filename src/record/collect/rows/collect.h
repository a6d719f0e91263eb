/*
 * From the records of a traced process to the rows of its part: what decoders work on.
 *
 * Decoders are found in tables: for each kind of record (XtfWireKind) and each definition (XtfDefinition) a function,
 * listed in an XtfCollectRows, one for each file rows-*.c. round.c reads the rings; decode.c calls the functions.
 *
 * What a ring holds is not trusted: a decoder that finds nonsense says so with xtf_collect_malformed(), which ends the
 * reading of that ring. A decoder returns false then, and when a row could not be appended (XtfStream.error); else
 * true. One thread does all of it.
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

/* A region whose calls are left out, in the place of its row. */
#define XTF_COLLECT_EXCLUDED (XTF_NONE32 - 1)

/* In xtf_paradigm_names. */
enum { XTF_COLLECT_PARADIGM_USER = 1, XTF_COLLECT_PARADIGM_MPI = 4 };

enum {
    XTF_COLLECT_REGIONS_MAX = 1 << 24, /* numbers of regions */
    XTF_COLLECT_REMARKS_MAX = 256,
    XTF_COLLECT_DEFINITION_MAX = 1 << 26, /* bytes of one definition */
};

typedef struct XtfCollector XtfCollector;

/* A definition whose pieces are not all there yet. */
typedef struct {
    XtfDefinition what;
    uint64_t id;
    uint32_t size; /* of all pieces; 0: none is being put together */
    GByteArray *data;
} XtfCollectPieces;

/* What the last record of a ring says that a call has begun: it is appended when the next record comes, or before a
 * commit, unless that record says that the call has failed. */
typedef struct {
    XtfWireKind kind; /* SEND, COLLECTIVE_BEGIN; NOTHING: all records are appended */
    bool appended;
    uint64_t time;
    XtfSendsRow send;
    XtfCollectivesRow collective;
} XtfCollectBegun;

/* A ring, and the location whose records it holds at the moment. */
typedef struct {
    XtfCollector *collector;
    uint32_t number;
    uint32_t thread;
    int32_t tid; /* of the system; 0: not known */
    bool open;   /* between xtf_stream_begin() and xtf_stream_end() */
    XtfStream stream;
    XtfCollectPieces pieces;
    XtfCollectBegun begun;
    uint64_t position; /* of the record that is decoded: for messages */
    char *fault;       /* why nothing more is read of it; NULL: nothing is wrong */
    uint64_t events;   /* records that were decoded */
} XtfCollectRing;

/* Numbers of what happened to the process's records, for who reads the trace. */
typedef struct {
    uint64_t dropped, waits, waited_ns, passed_over, lost;
    uint64_t functions;          /* definitions of functions that a compiler instrumented */
    uint64_t framing;            /* records that were decoded, and stand for nothing that the process did */
    uint64_t unknown_kinds[256]; /* records without a decoder, by kind */
} XtfCollectCounts;

/* A thread of the process. */
typedef struct {
    uint32_t number;
    int32_t tid;
    bool is_mpis; /* MPI has created it for itself */
    char *name;   /* NULL: it has none */
    uint64_t n_records;
} XtfCollectThread;

/* A record: `time` in nanoseconds, already behind what was before it; `more` are the words from w2 on, as many as the
 * kind has. */
typedef bool (*XtfCollectDecode)(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more);
/* A definition, whole. `data` is not aligned. */
typedef bool (*XtfCollectDefine)(XtfCollectRing *ring, uint64_t id, const uint8_t *data, size_t size);

typedef struct {
    XtfWireKind kind;
    XtfCollectDecode decode; /* NULL: the list ends */
} XtfCollectKind;

typedef struct {
    XtfDefinition what;
    XtfCollectDefine define; /* NULL: the list ends */
} XtfCollectDefinition;

typedef struct {
    const XtfCollectKind *kinds;             /* NULL: none */
    const XtfCollectDefinition *definitions; /* NULL: none */
    /* Before each commit, and with `end` before the last: fills in what rows need of one another. NULL: nothing. */
    void (*complete)(XtfCollector *collector, bool end);
} XtfCollectRows;

struct XtfCollector {
    XtfCollectDecode kinds[256]; /* NULL: records of that kind are passed over */
    XtfCollectDefine definitions[XTF_N_DEFINITIONS];
    const struct XtfCollectProgram *program; /* borrowed; NULL: nothing is known of it */
    uint64_t complete;                       /* no record before that time will come: they are held up */
    GArray *threads;                         /* XtfCollectThread, by number */
    XtfTags tags;                            /* of threads that have ended */
    XtfCollectClock clock;
    uint32_t rank;       /* number of the process: from the first decoding on */
    uint32_t world_size; /* 0: no MPI */
    int32_t pid;
    XtfCollectTables tables;
    _Atomic uint8_t *choices; /* in the process's memory: XtfWireChoice by own region */
    uint32_t *regions; /* rows by the process's number of a region; XTF_NONE32: not named yet; XTF_COLLECT_EXCLUDED */
    uint32_t n_regions;
    GHashTable *regions_by_text; /* rows of `regions`: no two have the same name, file and line */
    GPtrArray *remarks;          /* texts for `remarks` */
    XtfCollectCounts counts;
    GHashTable *own; /* by a file's name for it: what rows-*.c keep of the process, with xtf_collect_own() */
};

extern const XtfCollectRows xtf_collect_framing, xtf_collect_calls, xtf_collect_measurement, xtf_collect_messages,
    xtf_collect_handles, xtf_collect_rma, xtf_collect_io, xtf_collect_threads, xtf_collect_own_regions;
/* All of them; NULL-terminated (rows.c). */
extern const XtfCollectRows *const xtf_collect_rows[];

/* Nothing is known of the process yet. The writer is borrowed; `rows` ends with NULL. */
void xtf_collector_init(XtfCollector *collector, XtfWriter *writer, const XtfCollectRows *const *rows);
void xtf_collector_finish(XtfCollector *collector);

/* Says what is wrong with the record, in words that follow the place; returns false. */
bool xtf_collect_malformed(XtfCollectRing *ring, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Decodes the records that begin before `limit`, of `size` bytes of them; *taken is where the first stands that is not
 * decoded. */
bool xtf_collect_decode(XtfCollectRing *ring, const uint8_t *data, size_t size, size_t limit, size_t *taken);
/* Appends what has begun in the last call, before a commit. */
bool xtf_collect_append_begun(XtfCollectRing *ring);
/* Appends a row of `pending` if the ring's thread was in a call of MPI when the process ended, at `time`. */
bool xtf_collect_pending(XtfCollectRing *ring, const XtfWireRing *shared, uint64_t time);
/* The number of whole records that stand for something that the process did. */
uint64_t xtf_collect_count(const uint8_t *data, size_t size);

/* From here on records are those of another thread; of none. */
bool xtf_collect_ring_begin(XtfCollectRing *ring, uint64_t time, uint32_t thread, int32_t tid, bool is_mpis);
bool xtf_collect_ring_end(XtfCollectRing *ring);
void xtf_collect_ring_init(XtfCollectRing *ring, XtfCollector *collector, uint32_t number);
void xtf_collect_ring_finish(XtfCollectRing *ring);

/* What a thread is called. */
void xtf_collect_name_thread(XtfCollector *collector, uint32_t thread, const char *name);

/* A remark for people, as of importers: what is missing in the trace, and why. Told once; so many of them at most. */
void xtf_collect_remark(XtfCollector *collector, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Memory of the process's that a file rows-*.c keeps, zeroed at first, and freed with the collector by `free`. */
void *xtf_collect_own(XtfCollector *collector, const char *name, size_t size, GDestroyNotify free);

/* The row of `regions` of the process's number of a region, which is below XTF_COLLECT_REGIONS_MAX. */
uint32_t xtf_collect_new_region(XtfCollector *collector, uint32_t number);
static inline uint32_t xtf_collect_region(XtfCollector *collector, uint32_t number)
{
    if (G_LIKELY(number < collector->n_regions && collector->regions[number] != XTF_NONE32))
        return collector->regions[number];
    return xtf_collect_new_region(collector, number);
}
/* The process's number of a region means this region from now on. `line` 0: not known. */
void xtf_collect_define_region(XtfCollector *collector, uint32_t number, const char *name, const char *file,
                               uint32_t line, unsigned role, unsigned paradigm);
/* The process's number of a region means one that is not recorded; the process is told. */
void xtf_collect_exclude_region(XtfCollector *collector, uint32_t number);
/* Tells a region of the process's own to the filter of XTF_RECORD_FILTER; whether it was excluded. `mangled` is the
 * linker's name of it. */
bool xtf_collect_filter_region(XtfCollector *collector, uint32_t number, const char *name, const char *mangled,
                               const char *file);

/* Reads what a definition is made of, in turn. False, and `ring` is told, if it is too short. */
typedef struct {
    XtfCollectRing *ring;
    const uint8_t *data;
    size_t left;
} XtfCollectData;

bool xtf_collect_take(XtfCollectData *data, void *to, size_t size);
/* *text is a copy that the caller frees. */
bool xtf_collect_take_text(XtfCollectData *data, size_t size, char **text);
/* So many bytes, borrowed. */
bool xtf_collect_take_bytes(XtfCollectData *data, size_t size, const uint8_t **bytes);

/* The two numbers of 32 bits in a word. */
static inline uint32_t xtf_collect_low(uint64_t word)
{
    return (uint32_t)word;
}

static inline uint32_t xtf_collect_high(uint64_t word)
{
    return word >> 32;
}

/* The row of a table with that id; none for XTF_WIRE_NONE. */
static inline uint32_t xtf_collect_reference(XtfCollector *collector, unsigned table, uint32_t id)
{
    return id == XTF_WIRE_NONE ? XTF_NONE32 : xtf_collect_row(&collector->tables, table, id);
}
