/*
 * The same questions for all systems that could store a trace: XTF, SQLite, LMDB, DuckDB, Parquet files, OTF2.
 *
 * Each peer stores the calls and the sent messages of the same trace, with all their fields. Each has the plan of an
 * engineer who knows the questions. SQLite and LMDB can seek. They have rows clustered by location and time, with
 * ordinals and prefix sums beside them (prefix.h). SQLite has prepared statements, and XTF's default cache; LMDB has no
 * readahead. DuckDB and Parquet scan. They have rows in the order of location and time, statistics of row groups, and
 * unlimited threads and memory. The questions concern one location, in a window [from, to) of time:
 *
 *     rows    how many ENTERs and LEAVEs there are
 *     calls   how many ENTERs, by region
 *     bytes   how many bytes were sent
 *
 * Answers are numbers, so that they can be compared. The answer to `calls` is the sum of the squares of the counts,
 * which does not depend on the numbers of regions.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "../bench.h"
#include "libxtf/xtf.h"
#include "src/model/schemas.h"

typedef enum { ASK_ROWS, ASK_CALLS, ASK_BYTES, N_KINDS } Kind;

typedef struct {
    Kind kind;
    uint32_t location; /* index among the trace's locations with calls */
    uint64_t id;       /* id of the location */
    uint64_t from, to; /* ticks */
} Question;

/* Callbacks that store rows in a peer. Each gets the rows of one type in the order of location and time. */
typedef struct {
    void (*call)(void *self, uint32_t location, const XtfEntersLeavesRow *row);
    void (*send)(void *self, uint32_t location, const XtfSendsRow *row);
} RowSink;

uint64_t ask_cache_bytes(void); /* of SQLite's and XTF's caches: ASK_CACHE */
unsigned ask_threads(void);     /* bound of DuckDB's threads; 0: unlimited */

void ask_each_row(const char *trace, const RowSink *sink, void *self);

typedef struct {
    const char *name;
    void (*build)(const char *folder, const char *trace); /* NULL: nothing to build */
    void *(*open)(const char *source);                    /* source: the folder; for XTF and OTF2 the trace */
    uint64_t (*ask)(void *self, const Question *question);
    void (*close)(void *self);
    uint64_t (*write_text)(
        void *self); /* writes all calls as text to /dev/null; returns their number. NULL: not possible */
    /* name of the peer's file below the folder; NULL: the source itself */
    const char *file;
} Peer;

extern const Peer peer_xtf;
#ifdef HAVE_SQLITE
extern const Peer peer_sqlite;
#endif
#ifdef HAVE_LMDB
extern const Peer peer_lmdb;
#endif
extern const Peer peer_otf2;
extern const Peer peer_duckdb, peer_parquet; /* if the environment's LIBDUCKDB names the library */

/* Counts by number. Counts of small numbers are in an array. Counts of large numbers, which some recorders give to
 * regions, are in a hash table. */
typedef struct {
    uint64_t *small, n_small;
    GHashTable *large;
} Tally;

void tally_add(Tally *tally, uint64_t number, uint64_t count);
uint64_t tally_end(Tally *tally); /* returns the sum of the squares, and clears the counts */
void tally_clear(Tally *tally);
