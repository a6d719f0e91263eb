/*
 * Who else can count records in a window of time: the same records in SQLite, in LMDB, and as bare sorted arrays in
 * memory.
 *
 * Each is given its best: SQLite a table clustered by (location, type, time), which is a covering index for the query,
 * and a prepared statement; LMDB one key for each array with sorted values of one size, counted a page at a time; the
 * arrays a binary search.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t location;
    uint32_t type;
    const uint64_t *times; /* sorted */
    uint64_t n;
} PeerArray;

typedef struct {
    const char *name;
    /* All records, into files in the folder. NULL: nothing to do. */
    void (*build)(const char *folder, const PeerArray *arrays, size_t n_arrays);
    void *(*open)(const char *folder);
    uint64_t (*count)(void *self, const PeerArray *array, uint64_t from, uint64_t to);
    void (*close)(void *self);
    const char *file; /* in the folder; NULL: none */
} Peer;

extern const Peer peer_memory;
#ifdef HAVE_SQLITE
extern const Peer peer_sqlite;
#endif
#ifdef HAVE_LMDB
extern const Peer peer_lmdb;
#endif

/* The first of the sorted values that is not less than the key. */
uint64_t peer_lower_bound(const uint64_t *values, uint64_t n, uint64_t key);
