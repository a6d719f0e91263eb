/*
 * The same questions put to everybody who could hold a trace: XTF, SQLite, LMDB, DuckDB, Parquet files, OTF2 itself.
 *
 * Each holds the calls and the messages sent of the same trace, with all of their fields, and is given the plan of an
 * engineer who knows the questions. Who can seek (SQLite, LMDB) has rows clustered by location and time, with ordinals
 * and prefix sums beside them (prefix.h), prepared statements, the cache that XTF has by default (SQLite), no readahead
 * (LMDB). Who scans (DuckDB, Parquet) has rows in the order of location and time, statistics of row groups, and as many
 * threads and as much memory as it wants. The questions concern one location, in a window [from, to) of time:
 *
 *     rows    how many ENTERs and LEAVEs there are
 *     calls   how many ENTERs, by region
 *     bytes   how many bytes were sent
 *
 * Answers are numbers, so that all can be compared: of `calls` it is the sum of the squares of the counts, which does
 * not depend on how regions are numbered.
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
    uint32_t location; /* place among the trace's locations with calls */
    uint64_t id;       /* the location itself */
    uint64_t from, to; /* ticks */
} Question;

/* What a peer is built from, row by row, in the order of location and time of each type. */
typedef struct {
    void (*call)(void *self, uint32_t location, const XtfEntersLeavesRow *row);
    void (*send)(void *self, uint32_t location, const XtfSendsRow *row);
} RowSink;

uint64_t ask_cache_bytes(void); /* of SQLite's cache, and of XTF's: ASK_CACHE */
unsigned ask_threads(void);     /* that DuckDB may use; 0: as many as it wants */

void ask_each_row(const char *trace, const RowSink *sink, void *self);

typedef struct {
    const char *name;
    void (*build)(const char *folder, const char *trace); /* NULL: there is nothing to build */
    void *(*open)(const char *source);                    /* the folder; XTF and OTF2: the trace itself */
    uint64_t (*ask)(void *self, const Question *question);
    void (*close)(void *self);
    uint64_t (*write_text)(void *self); /* all calls as text to /dev/null; returns their number. NULL: it cannot */
    /* What it keeps, below the folder: a name, or NULL for the source itself. */
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

/* Counts by number: small ones in an array, others, such as some recorders give regions, in a table. */
typedef struct {
    uint64_t *small, n_small;
    GHashTable *large;
} Tally;

void tally_add(Tally *tally, uint64_t number, uint64_t count);
uint64_t tally_end(Tally *tally); /* the sum of the squares; begins anew */
void tally_clear(Tally *tally);
