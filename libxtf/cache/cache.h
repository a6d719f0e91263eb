/*
 * The page cache: blocks of a source in memory, up to a limit. Evicts the least recently used block first.
 *
 * A block is a page or an item, named by its offset and length in the source, and by its check. Getting a block pins it
 * until the caller puts it back; a pinned block does not move. Pinned blocks may exceed the limit; idle blocks never
 * do.
 *
 * Writers overwrite data that no commit references. A block, and anything made of it, therefore has a version in its
 * name, which other blocks at its offset do not have. Readers of an older and of a newer commit may share a cache. The
 * version of an item is its checksum; the version of a page is XTF_PAGE_VERSION.
 *
 * The cache checks a block once, when it enters; a block that fails does not enter. The same bytes with another check
 * are another block, because bytes valid as an item need not be valid as a page.
 *
 * A block may also be made from other blocks, such as the decoded rows of a packed page. A made block is named by the
 * bytes that it was made from, and by its maker. It is under the same limit, and counts the made bytes.
 *
 * All functions are thread-safe. The cache is divided into shards, each with its own lock, hash table and LRU list. A
 * small cache is one shard, so that its order is strict. No lock is held while a block is read; other threads that want
 * the same block wait for it.
 */
#pragma once

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/source.h"

typedef struct XtfCache XtfCache;

/*
 * The public part of a block. At any time a block is in exactly one of these states.
 *   loading   one thread reads it, others wait; in the hash table, not in the LRU list
 *   pinned    pins > 0; in the hash table, not in the LRU list
 *   idle      pins = 0; in the hash table and in the LRU list
 */
typedef struct {
    uint64_t offset;
    const uint8_t *data;
    XtfCache *cache;  /* the cache that holds the block */
    uint64_t version; /* of the item or page, or of the item or page that the block was made from */
    uint32_t length;
    atomic_uint uses; /* number of times the block was got since it entered */
} XtfBlock;

/* Releases a pin. Accepts NULL, so a g_autoptr(XtfBlock) is a pin until the end of its scope. */
void xtf_block_put(XtfBlock *block);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfBlock, xtf_block_put)
/* Releases a pin of a block that is not expected to be needed again. With its last pin the block leaves the cache. */
void xtf_block_drop(XtfBlock *block);
/* Releases a pin of a block that a reader has read completely on its way to the next block. If no other caller got the
 * block meanwhile, it leaves the cache. A long read therefore does not evict the blocks of queries. It also does not
 * touch new memory for each block, which costs as much as unpacking the block again. If a second reader passes the
 * block soon after, it stays in the cache. */
void xtf_block_pass(XtfBlock *block);

/* Returns false with XTF_ERROR_DAMAGED if the bytes are not the data expected at `offset`. */
typedef bool (*XtfBlockCheck)(const uint8_t *data, uint32_t length, uint64_t offset, const void *context,
                              GError **error);

XtfCache *xtf_cache_new(XtfSource *source, size_t limit); /* borrows the source */
/* Sets another limit, and evicts blocks down to it. Thread-safe. */
void xtf_cache_set_limit(XtfCache *cache, size_t limit);
/* Evicts idle blocks down to a number of bytes, and gives free memory of blocks back. The limit stays. Thread-safe. */
void xtf_cache_trim(XtfCache *cache, size_t bytes);
void xtf_cache_free(XtfCache *cache); /* nothing may be pinned; accepts NULL */

/* The version of the pages of an array. A writer, identified by its epoch, never reuses an array's id for another
 * array. */
#define XTF_PAGE_VERSION(epoch, array) ((uint64_t)(epoch) << 32 | (uint32_t)((array) + 1))

XtfBlock *xtf_cache_get(XtfCache *cache, uint64_t offset, uint32_t length, uint64_t version, XtfBlockCheck check,
                        const void *context, GError **error);

/* Makes the content of a block: *data, *length bytes allocated by xtf_block_memory_new() or g_malloc(). A maker may get
 * other blocks of the cache, but makers must not depend on each other in a circle. */
typedef bool (*XtfBlockMaker)(void *context, uint8_t **data, uint32_t *length, GError **error);

/* Returns the pinned block that `maker` makes from the bytes at `offset`. `length` distinguishes it from other
 * blocks made from the same offset. The block's data and length are the maker's output. */
XtfBlock *xtf_cache_make(XtfCache *cache, uint64_t offset, uint32_t length, uint64_t version, XtfBlockMaker maker,
                         void *context, GError **error);

typedef struct {
    /* Since the cache was created. Loads are blocks read or made. A request that waits for another thread's load counts
     * as a miss, but not as a load. */
    uint64_t hits, misses, loads, evictions;
    uint64_t bytes, pinned_bytes, limit; /* bytes of all blocks now, of pinned ones, and at most */
} XtfCacheStats;

void xtf_cache_get_stats(XtfCache *cache, XtfCacheStats *stats);
