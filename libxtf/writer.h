/*
 * Writing a trace.
 *
 * Rows go into arrays, one for each schema of each location, in time order. A page is written when it is full and never
 * changes again; the pages that are not full yet are the right edge, which a commit stores. A file that is not closed,
 * for whatever reason, is read back as of its last commit.
 *
 * Threads: different arrays may be appended to by different threads at the same time; one array belongs to one
 * thread at a time. Adding schemas, arrays, tables and strings is safe from any thread. Committing, closing and
 * aborting are not: nobody else may use the writer then.
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
    uint64_t resolution_num; /* ticks in... */
    uint64_t resolution_den; /* ...this number of seconds; 0 and 0: 10^9 and 1, nanoseconds */
    uint64_t origin;         /* time 0, unless a record is earlier; UINT64_MAX: the first record */
    const char *codec;       /* how rows are kept: "compact", packed, or "plain", side by side; NULL: "compact" */
    unsigned level;          /* of packing, 1 to 9; 0: the default */
    bool no_sync;            /* leave out the fsyncs: for files that are made again after a crash of the machine */
    bool late_sync;          /* leave them to the caller, but those of closing: xtf_writer_sync() */
    /* Bytes that the disk keeps for the file behind each commit, with what arrays and strings add: where it is full, a
     * writer that goes on from there has room for small tables, and to close the file. A commit fails without it. 0:
     * none */
    uint64_t reserve;
    /* What the last so many commits name, and those of the last so many seconds, is not overwritten: a reader has so
     * long a time to read on, or to open the file anew. More makes a file that is often committed larger. */
    uint32_t keep_commits; /* at least 2; 0: XTF_KEEP_COMMITS_DEFAULT */
    int32_t keep_seconds;  /* 0: XTF_KEEP_SECONDS_DEFAULT; -1: no time */
} XtfWriterOptions;

/* The names that `codec` may have, the default first, and NULL behind the last. */
const char *const *xtf_writer_codecs(void);

/* Creates the file, or empties it. `options` may be NULL. */
XtfWriter *xtf_writer_create(const char *path, const XtfWriterOptions *options, GError **error);
/* The same of a file that is open for reading and writing: the writer takes the descriptor, also if that fails. `path`
 * is its name in errors. */
XtfWriter *xtf_writer_create_in(int fd, const char *path, const XtfWriterOptions *options, GError **error);
/* Goes on with a file whose writer closed it, or died: from its last whole commit, as a new epoch. Of the options
 * no_sync, level, keep_commits and keep_seconds are used, and codec for new arrays; arrays that exist keep their
 * codec. An array is taken into memory when its first row comes; only then it is found whether all of it can be read
 * that this needs. What the file says of commits and seconds that are kept does not go on: without options the defaults
 * hold. XTF_ERROR_TOO_LARGE if an array has the last id, 2^32 - 1. */
XtfWriter *xtf_writer_open(const char *path, const XtfWriterOptions *options, GError **error);

/*
 * Creates a companion of a trace, its base, which is opened as a whole from the file `base`: a file that has all rows
 * of the base but derived ones, without holding them, and what is added to it. Read as one trace
 * (xtf_trace_open_companion), it is as if that had been added to the base, whose derived rows it has its own in the
 * place of. It is closed without another commit before, which is XTF_ERROR_INVALID. Options that the base determines,
 * such as page_size, are left out of account.
 *
 * XTF_ERROR_UNSUPPORTED if the base lies in several files.
 */
XtfWriter *xtf_writer_create_companion(const char *path, XtfTrace *trace, const char *base,
                                       const XtfWriterOptions *options, GError **error);
/* The same of a file that is open, as xtf_writer_create_in(). */
XtfWriter *xtf_writer_create_companion_in(int fd, const char *path, XtfTrace *trace, const char *base,
                                          const XtfWriterOptions *options, GError **error);

/* Stores a copy of a schema and gives its id; the id of an equal schema if one is there already. XTF_ERROR_INVALID if a
 * different schema has its name. */
bool xtf_writer_add_schema(XtfWriter *writer, const XtfSchema *schema, uint32_t *id, GError **error);

/* The id under which a string is stored in fields of type STRING; "" is 0. Equal strings share an id.
 * XTF_ERROR_TOO_LARGE for a string of nearly 64 MiB, or if all strings together would take more than 2 GiB. */
bool xtf_writer_add_string(XtfWriter *writer, const char *text, uint32_t *id, GError **error);

/* The array of a location and a RECORD or SIDE schema, owned by the writer; made if it does not exist. An array without
 * rows is not stored. */
XtfArrayWriter *xtf_writer_array(XtfWriter *writer, uint64_t location, uint32_t schema, GError **error);
/* Appends a row of the schema's row_size. XTF_ERROR_INVALID if its time is before the last row's. */
bool xtf_array_writer_append(XtfArrayWriter *array, const void *row, GError **error);
uint64_t xtf_array_writer_n_rows(const XtfArrayWriter *array);
/* The time of the last row; 0 if there is none. */
uint64_t xtf_array_writer_last(const XtfArrayWriter *array);
/* Takes all rows out of all arrays of a schema, to which nothing refers; others may be appended. What lay in the file
 * is in no commit from the next one on, and its pages are used again once no commit names them that is kept. (Pages of
 * an array that this writer closed, or of which one is damaged, stay unused.) Nobody else may use the writer meanwhile.
 * XTF_ERROR_TOO_LARGE if the file has no new ids for all arrays, as it would after 2^32. */
bool xtf_writer_clear_arrays(XtfWriter *writer, uint32_t schema, GError **error);
/* Puts a schema in the place of the one that has its name, and takes all rows out of the arrays or the table of that,
 * as xtf_writer_clear_arrays() and xtf_table_writer_clear() do; without one of its name, adds it. With the rows of a
 * table go all rows of kind derived that may refer to them, of any schema. Writers of these arrays and of the table are
 * those of the new schema, whose *id is that of the old one.
 *
 * Both schemas are tables, or both of kind derived: any others are XTF_ERROR_INVALID, as is a table that rows of
 * another kind than derived refer to. Nothing has changed then. Nobody else may use the writer meanwhile. Who has the
 * file open goes on with what it has, but cannot refresh it (xtf_trace_refresh(): XTF_ERROR_INVALID): it is to be
 * opened anew. */
bool xtf_writer_replace_schema(XtfWriter *writer, const XtfSchema *schema, uint32_t *id, GError **error);
/* Says that no more rows will come: the array's right edge is written at the next commit, or before it together with
 * those of others. Appending again is an error. The writer still owns the array. */
bool xtf_array_writer_close(XtfArrayWriter *array, GError **error);

/*
 * Clock maps (clock-map.h). Rows are appended with local times, and the time of an XtfArrayWriter's last row is local.
 * The map of a location is stored with its arrays: where it has no rows yet, the map is forgotten with the writer. Maps
 * of a file that exists may be changed: the next commit writes the maps and the arrays' entries anew, and no rows.
 */
enum {
    XTF_CLOCK_KNOTS_MAX = 1 << 21, /* of all maps together */
};

/* Stores a copy of a map and gives its number; that of an equal one if there is one; 0 for one that changes nothing.
 * XTF_ERROR_INVALID if it is no map. */
bool xtf_writer_add_clock_map(XtfWriter *writer, const XtfClockMap *map, uint32_t *number, GError **error);
/* Gives a location, whether it has arrays yet or not, a map by its number; 0 takes its map away. */
bool xtf_writer_set_clock_map(XtfWriter *writer, uint64_t location, uint32_t number, GError **error);

/* The table of a TABLE schema, owned by the writer; made if it does not exist. */
XtfTableWriter *xtf_writer_table(XtfWriter *writer, uint32_t schema, GError **error);
/* *number is the row's number, from 0; may be NULL. XTF_ERROR_TOO_LARGE if the table would take more than 256 MiB. */
bool xtf_table_writer_append(XtfTableWriter *table, const void *row, uint64_t *number, GError **error);
uint64_t xtf_table_writer_n_rows(const XtfTableWriter *table);
/* Takes all rows out of a table that no rows refer to; others may be appended. Not while somebody else uses the writer.
 */
void xtf_table_writer_clear(XtfTableWriter *table);

/* Promises that no row of an earlier global time than `t` will be appended to any array, neither to one that exists nor
 * to a new one; the next commit tells readers. So those who follow a growing file know up to where all locations are
 * complete, idle ones too: what they show of the time before never changes. Side rows are not promised: what they say
 * of a record may be known much later than the record. From now on appending another earlier row is XTF_ERROR_INVALID,
 * and so is a promise of less than an earlier one. Nobody else may use the writer meanwhile. Closing makes the file
 * complete; a writer that goes on with a closed file begins without a promise. */
bool xtf_writer_set_complete(XtfWriter *writer, uint64_t t, GError **error);

/* Time 0, unless a record is earlier; UINT64_MAX: the first record. For who changes the clocks of a trace that exists.
 */
void xtf_writer_set_origin(XtfWriter *writer, uint64_t origin);

/* Makes everything appended so far visible to readers. A commit writes the right edges that changed, over those of
 * commits that are no longer kept: see keep_commits, and xtf_writer_commit_bytes(). */
bool xtf_writer_commit(XtfWriter *writer, GError **error);
/* Commits only if at least as many bytes were sealed as the last commit took. Safe to call often: dead commits never
 * take more than live pages. */
bool xtf_writer_checkpoint(XtfWriter *writer, GError **error);
/* Bytes that commits have written so far, dead ones included. */
uint64_t xtf_writer_commit_bytes(const XtfWriter *writer);

/* Brings the file as it is now to the disk: from any thread, also while others append. Of a writer with late_sync who
 * has called it, and has made no commit since before the call, xtf_writer_keep_synced() says that the last commit lasts
 * over a crash of the machine from now on, whatever is written behind it: what it names is not overwritten before a
 * later commit takes its place so. */
bool xtf_writer_sync(const XtfWriter *writer, GError **error);
void xtf_writer_keep_synced(XtfWriter *writer);

/* Commits and frees the writer; it is freed also when that fails. */
bool xtf_writer_close(XtfWriter *writer, GError **error);
/* Frees the writer without a commit. NULL is fine. */
void xtf_writer_abort(XtfWriter *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfWriter, xtf_writer_abort)

XTF_END_DECLS
