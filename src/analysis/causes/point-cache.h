/*
 * Points, as one thread reads them again and again: the blocks that were read last are kept, with the times by call
 * path of their points.
 */
#pragma once

#include "src/analysis/waits/points.h"

typedef struct XtfPointCache XtfPointCache;

XtfPointCache *xtf_point_cache_new(XtfPoints *points); /* borrows them */
void xtf_point_cache_free(XtfPointCache *cache);       /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfPointCache, xtf_point_cache_free)

/* The points of a location, its end left out. */
uint64_t xtf_point_cache_n(const XtfPointCache *cache, uint32_t location);
/* Point `i` of a location, from 0, which must be there; good until the next point is asked for. NULL is an error. */
const XtfPoint *xtf_point_cache_get(XtfPointCache *cache, uint32_t location, uint64_t i, GError **error);
/* The same, with its times. */
const XtfPoint *xtf_point_cache_times(XtfPointCache *cache, uint32_t location, uint64_t i,
                                      const XtfContextTicks **times, GError **error);
/* The first point whose seq is not below `seq`; their number if there is none. */
bool xtf_point_cache_find(XtfPointCache *cache, uint32_t location, uint64_t seq, uint64_t *i, GError **error);
