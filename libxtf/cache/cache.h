/*
 * The page cache: blocks of a source, held in memory up to a bound, least recently used out first.
 *
 * A block is a page or an item, named by its offset and length in the source and by its check. Whoever gets a block has
 * it pinned until it puts it back: pinned blocks stay where they are. The bound may be passed by what is pinned, never
 * by what is not.
 *
 * A block is checked once, when it enters; one that fails does not enter. The same bytes taken for something else, with
 * another check, are another block: what is good as an item need not be so as a page.
 *
 * A block may also be made of other blocks: the rows of a packed page, decoded. It is named by the bytes that it was
 * made from and by its maker, lives under the same bound, and counts what it takes.
 *
 * Threads: everything here may be called from any thread. The cache is cut into shards, each with a lock, a hash table
 * and an LRU list of its own; a small cache is one shard, so that its order is strict. No lock is held while a block is
 * read: whoever wants the same block meanwhile waits for it.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/source.h"

typedef struct XtfCache XtfCache;

/*
 * What of a block its getters see. It is, at any time, in just one of these states:
 *   loading   one thread reads it, others wait; in the hash table, not in the LRU list
 *   pinned    pins > 0; in the hash table, not in the LRU list
 *   idle      pins = 0; in the hash table and in the LRU list
 */
typedef struct {
    uint64_t offset;
    const uint8_t *data;
    uint32_t length;
} XtfBlock;

/* False with an error, XTF_ERROR_DAMAGED, if the bytes are not what should lie at `offset`. */
typedef bool (*XtfBlockCheck)(const uint8_t *data, uint32_t length, uint64_t offset, const void *context,
                              GError **error);

XtfCache *xtf_cache_new(XtfSource *source, size_t limit); /* borrows the source */
void xtf_cache_free(XtfCache *cache);                     /* nothing may be pinned; NULL is fine */

XtfBlock *xtf_cache_get(XtfCache *cache, uint64_t offset, uint32_t length, XtfBlockCheck check, const void *context,
                        GError **error);
void xtf_cache_put(XtfCache *cache, XtfBlock *block); /* NULL is fine */

/* Makes the content of a block: *data, of *length bytes, from g_malloc(). It may get other blocks of the cache, so long
 * as makers do not go round in a circle. */
typedef bool (*XtfBlockMaker)(void *context, uint8_t **data, uint32_t *length, GError **error);

/* The block that `maker` makes of what lies at `offset`; `length` tells it from others that begin there. The pinned
 * block's data and length are those that were made. */
XtfBlock *xtf_cache_make(XtfCache *cache, uint64_t offset, uint32_t length, XtfBlockMaker maker, void *context,
                         GError **error);

typedef struct {
    uint64_t hits, misses, loads,
        evictions; /* since it was made; a miss that waits for another's load is none; what is made counts as loaded */
    uint64_t bytes, pinned_bytes, limit;
} XtfCacheStats;

void xtf_cache_get_stats(XtfCache *cache, XtfCacheStats *stats);
