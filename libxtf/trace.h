/*
 * Reading a trace: opening one, and what its catalog says.
 *
 * A trace is an immutable snapshot: the content of the last whole commit when the file was opened. Opening reads two
 * superblocks and the catalog, whatever the size; everything else is read when it is first needed, through the page
 * cache. Any number of threads may call these functions at once.
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
    size_t cache_bytes; /* bound of the page cache; 0: a 32nd of the machine's memory, but 64 MiB to 1 GiB */
    bool use_mmap;      /* for xtf_trace_open(): map the file instead of reading it */
    bool incomplete;    /* for xtf_folder_open(): leave out parts that are damaged */
};

/* `options` may be NULL. Of a companion (writer.h), its base must lie beside it, as it was: errors as below. */
XtfTrace *xtf_trace_open(const char *path, const XtfOpenOptions *options, GError **error);
/* Takes over the source, also when it fails. */
XtfTrace *xtf_trace_open_source(XtfSource *source, const XtfOpenOptions *options, GError **error);
/* Opens a companion (writer.h) of the file `base`, wherever both lie: what it adds, and all of the base, are one trace.
 * XTF_ERROR_INVALID if it is no companion, or of another file, _STALE if the base was written since it was made. */
XtfTrace *xtf_trace_open_companion(const char *path, const char *base, const XtfOpenOptions *options, GError **error);
XtfTrace *xtf_trace_ref(XtfTrace *trace);
void xtf_trace_unref(XtfTrace *trace); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfTrace, xtf_trace_unref)

/* Looks for a later commit of the same file (or of any part of a folder, merge.h), at the cost of two short reads where
 * there is none: *later is a trace of the latest, or NULL. Both traces live on, and share the source and the page
 * cache. What `trace` names is overwritten some time after the commit is superseded (see kept_commits); what was
 * overwritten is XTF_ERROR_STALE, never an old or torn content. XTF_ERROR_INVALID if somebody has begun the file anew,
 * or put a schema in the place of another one (xtf_writer_replace_schema()): it is to be opened anew.
 * XTF_ERROR_UNSUPPORTED of a mapped file. */
bool xtf_trace_refresh(XtfTrace *trace, XtfTrace **later, GError **error);

/* Times are integer ticks; a tick is resolution_den / resolution_num seconds. All of these are global (clock-map.h). */
struct XtfClock {
    uint64_t resolution_num; /* ticks in... */
    uint64_t resolution_den; /* ...this number of seconds; both at least 1 */
    uint64_t origin;         /* time 0: the smaller of the writer's origin and the first record */
    uint64_t first;          /* of all records; first > last if there are none */
    uint64_t last;
    uint64_t complete; /* no later commit adds a row of an earlier time than this to any location, but side rows; 0: the
                          writer promised nothing; UINT64_MAX: it closed the file */
};

const XtfClock *xtf_trace_clock(const XtfTrace *trace);

/* No location's records span more ticks of its own clock than this. */
uint64_t xtf_trace_longest(const XtfTrace *trace);

/* The clock maps, numbered from 1; NULL for other numbers. An array knows its own. */
uint32_t xtf_trace_n_clock_maps(const XtfTrace *trace);
const XtfClockMap *xtf_trace_clock_map(const XtfTrace *trace, uint32_t number);

/* A number for the clocks of all locations that have records: of the same locations with the same maps it is the same,
 * in whatever file. What was worked out from times between locations holds for these clocks only: docs/VOCABULARY.md,
 * on analyses. It takes a look at each array's entry. */
bool xtf_trace_clocks_digest(XtfTrace *trace, uint64_t *digest, GError **error);

struct XtfTraceInfo {
    uint8_t file_id[16];
    uint32_t page_size; /* bytes */
    uint32_t epoch;     /* how many writers have opened the file */
    uint64_t commit;    /* ordinal of the commit that was opened, from 1 */
    uint64_t pages;     /* allotted, some of which may lie past the end of the file */
    uint64_t file_size; /* bytes, those of parts included */
    uint32_t parts;     /* files beside it that segments lie in (merge.h) */
    bool companion;     /* it adds to the one part */
    bool merged;        /* of other files, in it or beside it, which stay as they were: no writer goes on */
    bool joined;        /* the parts were joined in memory: rows of tables may have other numbers in a later commit */
    uint64_t wall_time; /* of the commit: nanoseconds since 1970, UTC */
    bool closed;        /* its writer closed the file with this commit */
    /* What the last so many commits name, and those of the last so many seconds, the writer never overwrites. */
    uint32_t kept_commits, kept_seconds;
    uint64_t passed_over; /* a later commit than this one, which is damaged; 0: there is none */
    uint16_t version_major, version_minor;
    const char *codec; /* of the arrays whose rows are packed, by name; "plain" if there are none */
};

void xtf_trace_get_info(const XtfTrace *trace, XtfTraceInfo *info);

/* The paths of the files beside it (info.parts). The caller frees them with g_strfreev(). */
char **xtf_trace_part_paths(const XtfTrace *trace);

/* The version of the format that this library writes, such as "2.0". */
const char *xtf_format_version(void);

/* True if this library knows all that the catalog and the superblock say: version, features, sections and schemas. If
 * not, XTF_ERROR_UNSUPPORTED names what it does not know. Who writes such a file anew, or goes on with it, would lose
 * that, and must refuse it; docs/FORMAT.md, section 2. Codecs are asked of arrays (array.h). */
bool xtf_trace_is_known(const XtfTrace *trace, GError **error);

/* Schemas are numbered from 0 in the order in which the writer added them. */
uint32_t xtf_trace_n_schemas(const XtfTrace *trace);
const XtfSchema *xtf_trace_schema(const XtfTrace *trace, uint32_t id);
const XtfSchema *xtf_trace_find_schema(const XtfTrace *trace,
                                       const char *name); /* of a known kind; NULL: there is none */

/* The range of a field's values in the whole trace, known without reading rows. In a trace with clock maps the range of
 * an instant may be wider than its values. */
struct XtfLimits {
    uint64_t min, max; /* of values that are present; min > max if no value is. Bits as xtf_field_get() gives them,
                          compared as the field's type. For strings: their lengths in bytes. */
    bool has_none;     /* in some row the value is absent */
};

const XtfLimits *xtf_trace_limits(const XtfTrace *trace, uint32_t schema, uint32_t field);
uint64_t xtf_trace_n_rows(const XtfTrace *trace, uint32_t schema); /* over all locations */

/* Definition tables: loaded and checked when first needed, then held for the trace's life. Fields refer to a row by its
 * number. */
struct XtfTable {
    const XtfSchema *schema;
    uint64_t n_rows;
    const uint8_t *rows; /* n_rows * schema->row_size bytes */
};

/* *table is NULL if the trace has no such table; this is no error. */
bool xtf_trace_table(XtfTrace *trace, const char *name, const XtfTable **table, GError **error);

/* The string that a field of type STRING holds, NUL-terminated, owned by the trace. */
bool xtf_trace_string(XtfTrace *trace, uint32_t string, const char **text, GError **error);

/* Counters since the trace was opened. A page visit is one page, sealed or open, visited by a search or a cursor; a
 * comparison is that of two keys in a search. */
struct XtfCounters {
    uint64_t page_visits, key_comparisons;
    uint64_t cache_hits, cache_misses, cache_loads, cache_evictions;
    uint64_t cache_bytes, cache_pinned_bytes, cache_limit; /* now */
};

void xtf_trace_get_counters(const XtfTrace *trace, XtfCounters *counters);

XTF_END_DECLS
