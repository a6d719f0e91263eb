/*
 * Writing a trace.
 *
 * Rows are appended to arrays, one array for each schema of each location, in time order. The writer writes a page when
 * it is full and never changes it again. The pages that are not full yet are the right edge, which a commit stores. A
 * reader of a file that was not closed, for any reason, sees its last commit.
 *
 * Threads: different threads may append to different arrays at the same time; only one thread at a time may use an
 * array. Any thread may add schemas, arrays and strings, and get tables, at any time. While one thread commits, closes
 * or aborts, no other thread may use the writer.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/clock-map.h"
#include "libxtf/error.h"
#include "libxtf/handles.h"
#include "libxtf/schema.h"

XTF_BEGIN_DECLS

typedef struct XtfWriter XtfWriter;
typedef struct XtfArrayWriter XtfArrayWriter;
typedef struct XtfTableWriter XtfTableWriter;

enum {
    XTF_PAGE_SIZE_MIN = 4096,
    XTF_PAGE_SIZE_MAX = 1 << 20,
    XTF_PAGE_SIZE_DEFAULT = 4096,
    XTF_KEEP_COMMITS_DEFAULT = 4,
    XTF_KEEP_SECONDS_DEFAULT = 5,
};

typedef struct {
    uint32_t page_size;      /* a power of two from XTF_PAGE_SIZE_MIN to _MAX; 0: the default */
    uint64_t resolution_num; /* ticks in resolution_den seconds */
    uint64_t resolution_den; /* number of seconds; both 0: 10^9 and 1, nanoseconds */
    uint64_t origin;         /* time 0, unless a record is earlier; UINT64_MAX: the first record */
    const char *codec;       /* how rows are stored: "compact" (packed) or "plain" (unpacked); NULL: "compact" */
    unsigned level;          /* packing level, 1 to 9; 0: the default */
    bool no_sync;            /* true: no fsync, for files that can be made again after a crash of the machine */
    bool late_sync;          /* true: only resuming and closing sync; otherwise the caller calls xtf_writer_sync() */
    /* Bytes that the disk reserves for the file behind each commit, besides an amount for arrays and strings. When the
     * disk is full, a writer that resumes at the commit can still add small tables and close the file. A commit fails
     * if the disk cannot reserve them. 0: none. */
    uint64_t reserve;
    /* The last keep_commits commits, and the commits of the last keep_seconds, are kept: their bytes are not
     * overwritten. A reader that needs more time must open the file again. Greater values make a file with frequent
     * commits larger. */
    uint32_t keep_commits; /* at least 2; 0: XTF_KEEP_COMMITS_DEFAULT */
    int32_t keep_seconds;  /* 0: XTF_KEEP_SECONDS_DEFAULT; -1: no time */
    /* Number of earlier volumes to keep: xtf_writer_begin_volume() removes the others. 0: all. */
    uint32_t keep_volumes;
} XtfWriterOptions;

/* Returns the names that `codec` may have, the default first, NULL-terminated. */
const char *const *xtf_writer_codecs(void);

/* Creates the file, or empties it. `options` may be NULL. */
XtfWriter *xtf_writer_create(const char *path, const XtfWriterOptions *options, GError **error);
/* Empties a file that is open for reading and writing, to write a trace into it. The writer takes ownership of the
 * descriptor, also on failure. `path` is its name in errors. */
XtfWriter *xtf_writer_create_in(int fd, const char *path, const XtfWriterOptions *options, GError **error);
/* Resumes a file whose writer closed it or crashed, from its last complete commit, in a new epoch. Uses the options
 * no_sync, late_sync, reserve, level, keep_commits, keep_seconds, keep_volumes, and codec for new arrays. Existing
 * arrays keep their codec. The numbers of kept commits and seconds that the file states are ignored: without options
 * the defaults apply. The right edge of an array is read into memory when a row is first appended to it. Damage in the
 * bytes that this needs is found only then. XTF_ERROR_TOO_LARGE if an array has the last id, 2^32 - 1. */
XtfWriter *xtf_writer_open(const char *path, const XtfWriterOptions *options, GError **error);

/* Follows the name of a trace in the name of its companion, where readers look for it. */
#define XTF_COMPANION_SUFFIX ".analysis"

/*
 * Creates a companion of a trace, its base. `trace` is the base, opened as a whole from the file `base`. A companion
 * refers to all rows of the base except derived ones, without copying them, and has the rows added to it. Read as one
 * trace (xtf_trace_open_companion), both look as if the rows had been added to the base. The companion's derived rows
 * replace the base's. A companion is committed once, by closing it; an earlier commit is XTF_ERROR_INVALID. Options
 * that the base determines, such as page_size, are ignored.
 *
 * The base may be an anchor of parts (merge.h). The companion then names the anchor and all parts, each with its
 * commit; none may be missing or replaced. XTF_ERROR_UNSUPPORTED if the base is an anchor of joined runs, has volumes,
 * is a companion, or was joined in memory.
 */
XtfWriter *xtf_writer_create_companion(const char *path, XtfTrace *trace, const char *base,
                                       const XtfWriterOptions *options, GError **error);
/* Creates a companion in an open file, as xtf_writer_create_in() creates a trace. */
XtfWriter *xtf_writer_create_companion_in(int fd, const char *path, XtfTrace *trace, const char *base,
                                          const XtfWriterOptions *options, GError **error);

/* Adds a copy of a schema and returns its id, or that of an equal schema that exists. XTF_ERROR_INVALID if a different
 * schema has its name. */
bool xtf_writer_add_schema(XtfWriter *writer, const XtfSchema *schema, uint32_t *id, GError **error);

/* Finds or adds a string and returns its id, for fields of type STRING; "" has id 0. Equal strings share an id.
 * XTF_ERROR_TOO_LARGE for a string of nearly 64 MiB, or if all strings together would take more than 2 GiB. */
bool xtf_writer_add_string(XtfWriter *writer, const char *text, uint32_t *id, GError **error);

/* Returns the array of a location and a schema other than TABLE, creating it if needed. The writer owns it. An array
 * without rows is not stored. */
XtfArrayWriter *xtf_writer_array(XtfWriter *writer, uint64_t location, uint32_t schema, GError **error);
/* Appends a row of the schema's row_size. XTF_ERROR_INVALID if its time is before the last row's, or before the promise
 * of xtf_writer_set_complete(). */
bool xtf_array_writer_append(XtfArrayWriter *array, const void *row, GError **error);
uint64_t xtf_array_writer_n_rows(const XtfArrayWriter *array);
/* Returns the time of the last row; 0 if there is none. */
uint64_t xtf_array_writer_last(const XtfArrayWriter *array);
/* Removes all rows of all arrays of a schema to which no rows refer; new rows may be appended. The next commit no
 * longer names the old rows. Their pages are reused once no kept commit names them. (Pages of an array that this writer
 * closed, or that has a damaged page, stay unused.) No other thread may use the writer meanwhile. XTF_ERROR_TOO_LARGE
 * if the file has too few of its 2^32 array ids left to give each array a new one. */
bool xtf_writer_clear_arrays(XtfWriter *writer, uint32_t schema, GError **error);
/* Replaces the schema that has the same name, and removes all rows of its arrays or table, as xtf_writer_clear_arrays()
 * and xtf_table_writer_clear() do. If no schema has the name, adds the schema. If the schema is a table's, also removes
 * all derived rows, of any schema, that may refer to the table. Existing array writers and table writers then use the
 * new schema. *id is the id of the old schema. Both schemas must be tables, or both derived. XTF_ERROR_INVALID
 * otherwise, or if rows that are not derived refer to the table; nothing has changed then. No other thread may use the
 * writer meanwhile. A reader that has the file open keeps its snapshot, but cannot refresh it (xtf_trace_refresh():
 * XTF_ERROR_INVALID); it must open the file again. */
bool xtf_writer_replace_schema(XtfWriter *writer, const XtfSchema *schema, uint32_t *id, GError **error);
/* Closes an array: no more rows may be appended. Its right edge is written at the next commit, or earlier together with
 * other edges. The writer still owns the array. */
bool xtf_array_writer_close(XtfArrayWriter *array, GError **error);

/*
 * Clock maps (clock-map.h). Rows are appended with local times, and the time of an array writer's last row is local.
 * The map of a location is stored with its arrays: if the location has no rows, the map is lost with the writer. The
 * maps of an existing file may be changed: the next commit rewrites the maps and the arrays' entries, but no rows.
 */
/* Adds a copy of a map and returns its number, or that of an equal map. The number of a map that changes no time is 0.
 * XTF_ERROR_INVALID if the map is invalid. */
bool xtf_writer_add_clock_map(XtfWriter *writer, const XtfClockMap *map, uint32_t *number, GError **error);
/* Sets the map of a location, which may have no arrays yet, by the map's number; 0 removes its map. XTF_ERROR_INVALID
 * if the location has rows and xtf_writer_set_complete() was called. */
bool xtf_writer_set_clock_map(XtfWriter *writer, uint64_t location, uint32_t number, GError **error);

/* Returns the table of a TABLE schema, creating it if needed. The writer owns it. */
XtfTableWriter *xtf_writer_table(XtfWriter *writer, uint32_t schema, GError **error);
/* Appends a row. *number gets the row's number, from 0; `number` may be NULL. XTF_ERROR_TOO_LARGE if the table would
 * take more than 256 MiB. */
bool xtf_table_writer_append(XtfTableWriter *table, const void *row, uint64_t *number, GError **error);
uint64_t xtf_table_writer_n_rows(const XtfTableWriter *table);
/* Removes all rows of a table to which no rows refer; new rows may be appended. No other thread may use the writer
 * meanwhile. */
void xtf_table_writer_clear(XtfTableWriter *table);

/* Promises that no row earlier than the global time `t` will be appended to any array, existing or new. The next commit
 * stores the promise. So readers that follow a growing file know up to which time all locations, idle ones too, are
 * complete. The rows before that time never change. Side rows are exempt: they may be appended much later than the
 * record that they describe. Afterwards appending an earlier row is XTF_ERROR_INVALID, and so is a promise less than
 * the previous one. No other thread may use the writer meanwhile. Closing completes the file; a writer that resumes a
 * closed file begins without a promise. */
bool xtf_writer_set_complete(XtfWriter *writer, uint64_t t, GError **error);

/* Sets time 0, unless a record is earlier; UINT64_MAX: the first record. For callers that change the clocks of an
 * existing trace. XTF_ERROR_INVALID after xtf_writer_set_complete(): followers rely on the origin then. */
bool xtf_writer_set_origin(XtfWriter *writer, uint64_t origin, GError **error);

/* Commits: makes all appended rows visible to readers. A commit writes the right edges that changed. Where possible, it
 * overwrites pages of commits that are no longer kept; see keep_commits and xtf_writer_commit_bytes(). */
bool xtf_writer_commit(XtfWriter *writer, GError **error);
/* Commits if the pages sealed since the last commit have at least the bytes that the last commit wrote. Cheap to call
 * often: all commits together write no more bytes than sealed pages have. */
bool xtf_writer_checkpoint(XtfWriter *writer, GError **error);
/* Returns the bytes that all commits have written, replaced ones included. */
uint64_t xtf_writer_commit_bytes(const XtfWriter *writer);

/*
 * Begins a new volume: commits, ends the file, and continues in a new one. All volumes together are one trace, as if
 * one file held it; the last volume opens it. `folder` is a descriptor of the folder that holds them, and `name` is the
 * file's name there. The last volume always has this name, and the volumes before are `name`.0001, `name`.0002, and so
 * on. A reader finds them in the folder of the last. No name is missing at any time, where the file system has links.
 *
 * With `keep_volumes`, older volumes are removed. The trace then begins after their last record: readers show what is
 * later.
 *
 * Syncs, unless no_sync is set. No other thread may use the writer meanwhile, nor xtf_writer_sync(). XTF_ERROR_INVALID
 * for a companion, or if `name` is not the file's name. After another failure the writer may be unusable; then the file
 * still has its name, and its last commit.
 */
bool xtf_writer_begin_volume(XtfWriter *writer, int folder, const char *name, GError **error);

/* Syncs the file to the disk. Any thread may call it, also while others append. */
bool xtf_writer_sync(const XtfWriter *writer, GError **error);
/* Declares the last commit durable. For a writer with late_sync that has called xtf_writer_sync(), without a commit
 * since before that call. The bytes that this commit names are not overwritten until a later commit is declared
 * durable. The first time, a writer may call this before it syncs, so that the commits during the sync leave this
 * one alone. */
void xtf_writer_keep_synced(XtfWriter *writer);

/* Commits and frees the writer, also if the commit fails. */
bool xtf_writer_close(XtfWriter *writer, GError **error);
/* Frees the writer without a commit. NULL is allowed. */
void xtf_writer_abort(XtfWriter *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfWriter, xtf_writer_abort)

XTF_END_DECLS
