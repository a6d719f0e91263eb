/*
 * A pool of objects of one size. There may be millions, of which few are used at a time. Objects never move.
 *
 * The first 4 MiB of blocks are in ordinary memory. Later blocks are in memory backed by unlinked files, so that the
 * kernel can free unused pages. If no such file can be created, or the disk is full, later blocks are in ordinary
 * memory too.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    size_t object_size;
    GArray *blocks;   /* Block, see object-pool.c */
    size_t n_objects; /* number of objects in all blocks */
    size_t n_bytes;   /* bytes of all blocks */
    GArray *files;    /* XtfFileMemory with the blocks that are not in ordinary memory */
} XtfObjectPool;

void xtf_object_pool_init(XtfObjectPool *pool, size_t object_size); /* object_size: a multiple of 8, less than 1 MiB */
void xtf_object_pool_finish(XtfObjectPool *pool);                   /* frees all objects */

/* Returns a new object of zeros. */
void *xtf_object_pool_new(XtfObjectPool *pool);
/* Lets the kernel free the pages of all file-backed objects until the next access. Other threads may use objects
 * meanwhile. */
void xtf_object_pool_page_out(const XtfObjectPool *pool);

/* Iterates over all objects in the order of their allocation. Releases the pages of each block after the block. */
typedef struct {
    const XtfObjectPool *pool;
    guint block;        /* index of the current block */
    size_t next_object; /* index of the next object in the block */
} XtfObjectIter;

void xtf_object_iter_init(XtfObjectIter *iter, const XtfObjectPool *pool);
void *xtf_object_iter_next(XtfObjectIter *iter); /* NULL: no more objects */
