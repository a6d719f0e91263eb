/*
 * The page cache: blocks of a source, held in memory up to a bound, least recently used out first.
 *
 * A block is a page or an item, named by its offset and length in the source and by its check. A caller that gets a
 * block has pinned it, until it puts the block back: a pinned block stays where it is. Pinned blocks may take more than
 * the bound; blocks that are not pinned never do.
 *
 * The place of what no commit names any more is used again. So a block, and what is made of it, has a version in its
 * name, which another block at its place does not have: readers of an older commit and of a newer one may share a
 * cache. The version of an item is its checksum; of a page XTF_PAGE_VERSION.
 *
 * A block is checked once, when it enters; a block that fails does not enter. The same bytes with another check are
 * another block: bytes that are good as an item need not be good as a page.
 *
 * A block may also be made of other blocks: the rows of a packed page, decoded. Such a block is named by the bytes that
 * it was made from and by its maker, lives under the same bound, and counts the bytes that were made.
 *
 * Threads: everything here may be called from any thread. The cache is cut into shards, each with a lock, a hash table
 * and an LRU list of its own; a small cache is one shard, so that its order is strict. No lock is held while a block is
 * read: other threads that want the same block meanwhile wait for it.
 */
#pragma once

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/source.h"

typedef struct XtfCache XtfCache;

/*
 * The part of a block that its getters see. A block is, at any time, in just one of these states:
 *   loading   one thread reads it, others wait; in the hash table, not in the LRU list
 *   pinned    pins > 0; in the hash table, not in the LRU list
 *   idle      pins = 0; in the hash table and in the LRU list
 */
typedef struct {
    uint64_t offset;
    const uint8_t *data;
    XtfCache *cache;  /* that holds it */
    uint64_t version; /* of the item or page that it is, or that it is made of */
    uint32_t length;
    atomic_uint uses; /* how often it was got since it entered */
} XtfBlock;

/* Puts a pin back. NULL is fine, so a g_autoptr(XtfBlock) is a pin that ends with its scope. */
void xtf_block_put(XtfBlock *block);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfBlock, xtf_block_put)
/* The same of a block that is not expected to be needed again: once nobody holds it, it leaves the cache. */
void xtf_block_drop(XtfBlock *block);
/* The same of a block that a reader went through from end to end, on its way to the next one. If nobody else got it
 * meanwhile it leaves the cache, so a long read neither pushes out what questions need nor touches new memory for each
 * block, which costs as much as to unpack the block again. A block that a second reader passes soon after stays. */
void xtf_block_pass(XtfBlock *block);

/* False with an error, XTF_ERROR_DAMAGED, if the bytes are not what should lie at `offset`. */
typedef bool (*XtfBlockCheck)(const uint8_t *data, uint32_t length, uint64_t offset, const void *context,
                              GError **error);

XtfCache *xtf_cache_new(XtfSource *source, size_t limit); /* borrows the source */
/* Sets another bound, and drops what is too much. Any thread. */
void xtf_cache_set_limit(XtfCache *cache, size_t limit);
void xtf_cache_free(XtfCache *cache); /* nothing may be pinned; NULL is fine */

/* The version of the pages of an array: a writer, known by its epoch, never gives an array's id to another array. */
#define XTF_PAGE_VERSION(epoch, array) ((uint64_t)(epoch) << 32 | (uint32_t)((array) + 1))

XtfBlock *xtf_cache_get(XtfCache *cache, uint64_t offset, uint32_t length, uint64_t version, XtfBlockCheck check,
                        const void *context, GError **error);

/* Makes the content of a block: *data, of *length bytes, from g_malloc(). A maker may get other blocks of the cache, as
 * long as makers do not go round in a circle. */
typedef bool (*XtfBlockMaker)(void *context, uint8_t **data, uint32_t *length, GError **error);

/* The block that `maker` makes of the bytes at `offset`; `length` distinguishes it from other blocks that begin there.
 * The pinned block's data and length are those that the maker made. */
XtfBlock *xtf_cache_make(XtfCache *cache, uint64_t offset, uint32_t length, uint64_t version, XtfBlockMaker maker,
                         void *context, GError **error);

typedef struct {
    /* Since the cache was made. Loads are blocks read or made; a miss that waits for another thread's load is a miss,
     * but not a load. */
    uint64_t hits, misses, loads, evictions;
    uint64_t bytes, pinned_bytes, limit; /* now */
} XtfCacheStats;

void xtf_cache_get_stats(XtfCache *cache, XtfCacheStats *stats);
