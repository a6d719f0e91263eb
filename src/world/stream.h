/*
 * Items that ranks send one another, in batches. All ranks end a stream together.
 */
#pragma once

#include "src/world/world.h"

typedef struct XtfWorldStream XtfWorldStream;

/* Opens a stream. Borrows the world. No other batches may be sent until xtf_world_stream_end() has returned in all
 * ranks: a collective function has to follow it. */
XtfWorldStream *xtf_world_stream_new(XtfWorld *world);
void xtf_world_stream_free(XtfWorldStream *stream); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfWorldStream, xtf_world_stream_free)

/* Returns space for an item, which the caller fills before its next call: a multiple of 8 bytes, aligned to 8. `to` is
 * another rank. If batches wait to be sent, the function waits. Ranks must not send items to each other at the same
 * time. */
void *xtf_world_stream_put(XtfWorldStream *stream, unsigned to, uint32_t kind, uint32_t n_bytes);

/* Reads an item, whose bytes are valid during the call. */
typedef bool (*XtfWorldRead)(void *data, unsigned from, uint32_t kind, const void *bytes, uint32_t n_bytes,
                             GError **error);
/* Sends what is left, and reads the items of the other ranks until all ranks have ended. False with an error: `read`
 * failed; the other ranks are warned. False without one: another rank has failed. `read` may be NULL in a rank that
 * gets no items. Collective. */
bool xtf_world_stream_end(XtfWorldStream *stream, XtfWorldRead read, void *data, GError **error);

/* Puts all items of this rank for rank 0 into a stream. */
typedef bool (*XtfWorldPut)(void *data, XtfWorldStream *stream, GError **error);
/* Sends items of all ranks above 0 to rank 0, which reads them in the order of ranks. So
 * the order does not depend on timing, and rank 0 holds the batches of one rank at a time. Kinds are less than
 * UINT32_MAX. Other batches may be sent once it has returned. Collective: if it fails, one rank gets the error. */
bool xtf_world_take_turns(XtfWorld *world, XtfWorldPut put, XtfWorldRead read, void *data, GError **error);
/* Sends items of rank 0 to all others, along a tree and in batches: each rank holds few batches at a time. Rank 0 puts
 * the items, for rank 0. Collective: if it fails, one rank gets the error. */
bool xtf_world_share(XtfWorld *world, XtfWorldPut put, XtfWorldRead read, void *data, GError **error);
