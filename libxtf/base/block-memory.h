/*
 * Memory of large blocks that live in caches: slabs of huge pages.
 *
 * A cache fills and empties by blocks of some ten KiB, which live for very different times. In the heap a new block
 * costs a page fault for every 4 KiB. Blocks that stay keep the kernel from getting the memory between them. Here
 * blocks lie in slabs of 4 MiB, for which the kernel is asked to use huge pages: a fault then maps 2 MiB. A block never
 * moves. The slab with the lowest number that has space gets the next block, so that later slabs become empty.
 *
 * Free memory in slabs may be an eighth of the memory of blocks, or 8 MiB if that is more. The pool looks when half
 * of that bound was freed since it looked last. Beyond that bound the kernel gets back empty slabs, then free parts of
 * others, of 64 KiB. So more stays if small blocks lie between freed ones, until xtf_block_memory_give_back().
 * xtf_block_memory_cost() counts the eighth. Small blocks, very large ones, and the first few MiB of a process are in
 * the heap, so that short commands stay small. With AddressSanitizer all blocks are in the heap, so that it finds
 * accesses beyond a block.
 *
 * All functions are thread-safe.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Blocks of these lengths are in slabs. */
enum { XTF_BLOCK_IN_SLAB_MIN = 4 << 10, XTF_BLOCK_IN_SLAB_MAX = 1 << 20 };

/* Returns `length` bytes aligned to 16, with undefined content. Ends the process if there is no memory, as g_malloc()
 * does. */
uint8_t *xtf_block_memory_new(size_t length);
/* Returns the same, or NULL if there is no memory. */
uint8_t *xtf_block_memory_try(size_t length);
/* Frees a block, or memory allocated by g_malloc(). Accepts NULL. */
void xtf_block_memory_free(void *block);
/* Gives all free pages of slabs back to the kernel. */
void xtf_block_memory_give_back(void);
/* Returns the bytes that a block of `length` bytes counts for in the bound of a cache. */
size_t xtf_block_memory_cost(size_t length);

/* Frees a block at the end of a scope, as g_autofree does. */
static inline void xtf_block_memory_free_at(void *pointer)
{
    xtf_block_memory_free(*(void **)pointer);
}
#define XTF_AUTO_BLOCK __attribute__((cleanup(xtf_block_memory_free_at)))

/* The slabs. The functions above share one pool; tests make their own. */
typedef struct XtfSlabPool XtfSlabPool;

typedef struct {
    size_t used, held; /* bytes of blocks, rounded up; bytes of slabs that may be in memory */
    size_t slabs;      /* number of slabs */
} XtfSlabStats;

XtfSlabPool *xtf_slab_pool_new(void);
void xtf_slab_pool_free(XtfSlabPool *pool); /* frees all blocks */
/* Returns a block of XTF_BLOCK_IN_SLAB_MIN to XTF_BLOCK_IN_SLAB_MAX bytes. NULL if the kernel gives no memory. */
uint8_t *xtf_slab_pool_alloc(XtfSlabPool *pool, size_t length);
/* Frees a block. Returns false if the pool does not have it. */
bool xtf_slab_pool_release(XtfSlabPool *pool, void *block);
void xtf_slab_pool_give_back(XtfSlabPool *pool);
void xtf_slab_pool_get_stats(XtfSlabPool *pool, XtfSlabStats *stats);
/* Returns the bytes of slabs above which the pool gives memory back, if blocks have `used` bytes. */
size_t xtf_slab_pool_held_max(size_t used);
