/*
 * Reading a trace: opening it, and the content of its catalog.
 *
 * A trace is an immutable snapshot: the content of the last complete commit when the file was opened. Opening reads two
 * superblocks and the catalog, for a file of any size. Everything else is read when it is first needed, through the
 * page cache. Any number of threads may call these functions at once.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/clock-map.h"
#include "libxtf/error.h"
#include "libxtf/handles.h"
#include "libxtf/schema.h"
#include "libxtf/source.h"

XTF_BEGIN_DECLS

struct XtfOpenOptions {
    /* Bound of the page cache. 0: four times the file, but no more than 1/32 of the machine's memory and 1 GiB, and at
     * least 64 MiB. */
    size_t cache_bytes;
    bool use_mmap;   /* for xtf_trace_open(): map the file instead of reading it; truncating it then raises SIGBUS */
    bool incomplete; /* for xtf_folder_open(): leave out damaged parts */
    /* For xtf_trace_open() and xtf_trace_open_source(): open the commit that the other superblock names, before the
     * newest one. XTF_ERROR_NOT_FOUND if there is none. The trace cannot be followed. */
    bool older_commit;
};

/* Opens a trace. `options` may be NULL. If the file is a companion (writer.h), its unchanged base must be in the same
 * folder; errors as for xtf_trace_open_companion(). */
XtfTrace *xtf_trace_open(const char *path, const XtfOpenOptions *options, GError **error);
/* Opens a trace from a source. Takes ownership of the source, also on failure. */
XtfTrace *xtf_trace_open_source(XtfSource *source, const XtfOpenOptions *options, GError **error);
/* Opens a companion (writer.h) of the file `base`, wherever both are: the companion's data and all data of the base are
 * one trace. The parts of an anchor (merge.h) are in its folder, and all of them are compared now. XTF_ERROR_INVALID if
 * `path` is not a companion, or is the companion of other files, or if a part is missing. XTF_ERROR_STALE if the base,
 * or a part of it, has changed since the companion was made. */
XtfTrace *xtf_trace_open_companion(const char *path, const char *base, const XtfOpenOptions *options, GError **error);
XtfTrace *xtf_trace_ref(XtfTrace *trace);
void xtf_trace_unref(XtfTrace *trace); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfTrace, xtf_trace_unref)

/* Looks for a later commit of the same file, of a later volume under its name, or of a part of a folder (merge.h). If
 * there is none, it costs a few short reads and *later is NULL; else *later is a trace of the latest commit. Both
 * traces stay valid. In the same file they share the source and the page cache. Some time after a later commit (see
 * kept_commits) the writer overwrites bytes that only `trace` names. Reading overwritten bytes is XTF_ERROR_STALE,
 * never old or torn content. XTF_ERROR_INVALID if the file was replaced, or a schema was replaced
 * (xtf_writer_replace_schema()): open the file again. XTF_ERROR_UNSUPPORTED for a mapped file. */
bool xtf_trace_refresh(XtfTrace *trace, XtfTrace **later, GError **error);

/* Times are integer ticks of resolution_den / resolution_num seconds. All times here are global (clock-map.h). */
struct XtfClock {
    uint64_t resolution_num; /* ticks in resolution_den seconds */
    uint64_t resolution_den; /* number of seconds; both at least 1 */
    uint64_t origin;         /* time 0: the smaller of the writer's origin and the first record's time */
    uint64_t first;          /* first time of all records; first > last if there are none */
    uint64_t last;
    uint64_t complete; /* no later commit adds an earlier row to any location, except side rows; 0: the writer promised
                          nothing; UINT64_MAX: it closed the file */
};

const XtfClock *xtf_trace_clock(const XtfTrace *trace);

/* Returns the kept time: the global time from which no record is missing, if the first volumes were removed on purpose;
 * else 0. Readers skip all rows before it. */
uint64_t xtf_trace_kept_from(const XtfTrace *trace);

/* Returns an upper bound on the time that any location's records span, in ticks of its own clock. */
uint64_t xtf_trace_longest(const XtfTrace *trace);

/* Returns the number of clock maps. */
uint32_t xtf_trace_n_clock_maps(const XtfTrace *trace);
/* Returns the map of a number from 1; NULL for other numbers. An array has a pointer to its map. */
const XtfClockMap *xtf_trace_clock_map(const XtfTrace *trace, uint32_t number);

/* Computes a digest of the clocks of all locations that have records. The same locations with the same maps have the
 * same digest, in any file. Results computed from times of different locations are valid only for these clocks:
 * docs/VOCABULARY.md, on analyses. Reads each array's entry. */
bool xtf_trace_clocks_digest(XtfTrace *trace, uint64_t *digest, GError **error);

struct XtfTraceInfo {
    uint8_t file_id[16];
    uint32_t page_size; /* bytes */
    uint32_t epoch;     /* number of writers that have opened the file */
    uint64_t commit;    /* number of the opened commit, from 1 */
    uint64_t pages;     /* allocated pages, some of which may be beyond the end of the file */
    uint64_t file_size; /* bytes, parts included */
    uint32_t parts;     /* other files that hold segments (merge.h) */
    uint32_t volumes;   /* files of the trace, if it has several volumes (writer.h); else 0 */
    uint32_t removed;   /* volumes that were removed on purpose: the trace begins after their last record */
    bool companion; /* the file is a companion; its parts are the base and, if that is an anchor, the base's parts */
    bool merged;    /* merged from other files: no writer can add to it */
    bool runs;      /* an anchor of runs, whose arrays go on from part to part (runs.h) */
    bool joined;    /* the parts were joined in memory: table rows may have other numbers in a later commit */
    uint64_t wall_time; /* time of the commit: nanoseconds since 1970, UTC */
    bool closed;        /* the writer closed the file with this commit */
    /* The writer does not overwrite data that the last kept_commits commits name, or the commits of the last
     * kept_seconds. */
    uint32_t kept_commits, kept_seconds;
    uint64_t damaged_commit; /* number of a later commit that is damaged; 0: none */
    uint16_t version_major, version_minor;
    const char *writer; /* name and version of the program that made the commit, owned by the trace; NULL: not stated */
    const char *codec;  /* codec of the arrays with packed rows, by name; "plain" if there are none */
};

void xtf_trace_get_info(const XtfTrace *trace, XtfTraceInfo *info);

/* Returns the paths of the other files that hold pages: parts, and earlier volumes. Without `all_volumes` leaves out
 * the earlier volumes of parts, which their last volumes name. The caller frees the paths with g_strfreev(). */
char **xtf_trace_part_paths(const XtfTrace *trace, bool all_volumes);

/* Returns the version of the format that this library writes, such as "2.1". */
const char *xtf_format_version(void);

/* True if this library knows everything in the catalog and the superblock: version, features, sections and schemas. If
 * not, XTF_ERROR_UNSUPPORTED names the unknown item. A program that rewrites or resumes such a file would lose unknown
 * content, and must refuse to; docs/FORMAT.md, section 2. For codecs see xtf_array_is_supported() (array.h). */
bool xtf_trace_is_supported(const XtfTrace *trace, GError **error);

/* Returns the number of schemas. Their ids count from 0 in the order in which the writer added them. */
uint32_t xtf_trace_n_schemas(const XtfTrace *trace);
const XtfSchema *xtf_trace_schema(const XtfTrace *trace, uint32_t id);
const XtfSchema *xtf_trace_find_schema(const XtfTrace *trace, const char *name); /* of a known kind; NULL: none */

/* Range of a field's values in the whole trace, known without reading rows. In a trace with clock maps the range of an
 * instant may be wider than its values. */
struct XtfLimits {
    uint64_t min, max; /* of present values; min > max if there are none. Bits as from xtf_field_get(), compared as the
                          field's type. For strings: their lengths in bytes. */
    bool has_none;     /* the value is absent in some row */
};

const XtfLimits *xtf_trace_limits(const XtfTrace *trace, uint32_t schema, uint32_t field);
uint64_t xtf_trace_n_rows(const XtfTrace *trace, uint32_t schema); /* rows of a schema in all locations */

/* A definition table. Loaded and checked when first needed, then held for the trace's life. Fields refer to a row by
 * its number. */
struct XtfTable {
    const XtfSchema *schema;
    uint64_t n_rows;
    const uint8_t *rows; /* n_rows * schema->row_size bytes */
};

/* Returns a table by name. *table is NULL if the trace has no such table; this is not an error. */
bool xtf_trace_table(XtfTrace *trace, const char *name, const XtfTable **table, GError **error);

/* Returns the string for a value of a field of type STRING: NUL-terminated, owned by the trace. */
bool xtf_trace_string(XtfTrace *trace, uint32_t string, const char **text, GError **error);

/* Counters since the trace was opened. A page visit is one page, sealed or open, that a search or a cursor visits. A
 * key comparison is one comparison of two keys in a search. */
struct XtfCounters {
    uint64_t page_visits, key_comparisons;
    uint64_t cache_hits, cache_misses, cache_loads, cache_evictions;
    /* Bytes in the cache now, bytes of its pinned pages, and its bound. */
    uint64_t cache_bytes, cache_pinned_bytes, cache_limit;
};

/* A caller's function that reads from a trace. After a failed read, it continues with the reads that do not depend on
 * that one. */
typedef void (*XtfGatherWork)(void *data);
/* Reads what some work will read, by few requests, and keeps it in the page cache. Calls the work several times: reads
 * fail until they were requested together. The caller ignores the work's results, and does it again afterwards. Does
 * nothing if the trace's source cannot read several ranges at once, or within another such work. */
void xtf_trace_gather(XtfTrace *trace, XtfGatherWork work, void *data);

void xtf_trace_get_counters(const XtfTrace *trace, XtfCounters *counters);

/* Sets another bound of the page cache, which snapshots of one file share. Evicts idle pages down to it. */
void xtf_trace_set_cache_bytes(XtfTrace *trace, size_t bytes);
/* Evicts idle pages down to a number of bytes, and keeps the bound. */
void xtf_trace_trim_cache(XtfTrace *trace, size_t bytes);

XTF_END_DECLS
