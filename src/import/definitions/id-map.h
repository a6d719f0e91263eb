/*
 * A map from a source's ids of definitions, which have 32 bits and are often sparse, to row numbers.
 *
 * The map uses open addressing, for the importer's hot path: a look-up is a multiplication and, mostly, one probe. Many
 * threads may look up while no thread inserts. Hashes are random, so that no crafted archive can make ids collide.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t *slots; /* pairs of key and row + 1; row + 1 is 0 in a free slot */
    uint32_t count;
    unsigned bits; /* 2^bits slots */
    uint32_t multiplier;
} XtfIdMap;

void xtf_id_map_init(XtfIdMap *map);
void xtf_id_map_finish(XtfIdMap *map);
/* Inserts or replaces the row of a key. Rows must be below UINT32_MAX. */
void xtf_id_map_insert(XtfIdMap *map, uint32_t key, uint32_t row);
/* Returns the keys in any order, an array of uint32_t that the caller unrefs. */
GArray *xtf_id_map_keys(const XtfIdMap *map);

/* Returns the hash of a key of `n_words`, for a GHashTable. */
unsigned xtf_id_hash(const uint64_t *key, unsigned n_words);
unsigned xtf_id_hash64(const void *id); /* of a uint64_t: a GHashFunc */

static inline uint32_t xtf_id_map_slot(const XtfIdMap *map, uint32_t key)
{
    uint32_t mask = (UINT32_C(1) << map->bits) - 1;
    uint32_t slot = (key * map->multiplier) >> (32 - map->bits);

    while (map->slots[2 * slot + 1] != 0 && map->slots[2 * slot] != key)
        slot = (slot + 1) & mask;
    return slot;
}

/* Finds the row of a key. False if the map lacks the key; *row is then unchanged. */
static inline bool xtf_id_map_find(const XtfIdMap *map, uint32_t key, uint32_t *row)
{
    uint32_t slot = xtf_id_map_slot(map, key);

    if (map->slots[2 * slot + 1] == 0)
        return false;
    *row = map->slots[2 * slot + 1] - 1;
    return true;
}
