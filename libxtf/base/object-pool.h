/*
 * Objects of one size, of which there may be millions, and few are needed at a time. They never move.
 *
 * The first of them are in ordinary memory. Those behind them are in memory that is a file's without a name: what
 * nobody touches for a while need not stay in memory. Where no such file can be had, or the disk is full, they are in
 * ordinary memory, too.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    size_t object_size;
    GArray *blocks;   /* of objects */
    size_t n_objects; /* of all blocks */
    size_t n_bytes;   /* of all blocks */
    GArray *files;    /* XtfFileMemory, which holds the blocks that are not in ordinary memory */
} XtfObjectPool;

void xtf_object_pool_init(XtfObjectPool *pool, size_t object_size); /* a multiple of 8, less than 1 MiB */
void xtf_object_pool_finish(XtfObjectPool *pool);                   /* with all objects */

/* A new object: zeros. */
void *xtf_object_pool_new(XtfObjectPool *pool);
/* No object is needed at once. Other threads may use them meanwhile. */
void xtf_object_pool_rest(const XtfObjectPool *pool);

/* Goes over all objects in the order in which they were made; what was gone over rests. */
typedef struct {
    const XtfObjectPool *pool;
    guint block;  /* at hand */
    size_t given; /* objects of it */
} XtfObjectIter;

void xtf_object_iter_init(XtfObjectIter *iter, const XtfObjectPool *pool);
void *xtf_object_iter_next(XtfObjectIter *iter); /* NULL: there are no more */
