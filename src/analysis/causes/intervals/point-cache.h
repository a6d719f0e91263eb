/*
 * A cache of points for one thread, which reads the same points repeatedly. It keeps the blocks that were read last,
 * with their points' prefixes and, if needed, their times by call path.
 */
#pragma once

#include "src/analysis/causes/intervals/prefixes.h"

typedef struct XtfPointCache XtfPointCache;

/* Creates the cache of the points of the locations from `first` up to `end`, without it. Each of n_threads has a cache,
 * and all together have the memory of one. Borrows points and prefixes. */
XtfPointCache *xtf_point_cache_new(XtfPoints *points, const XtfPrefixes *prefixes, uint32_t first, uint32_t end,
                                   uint32_t n_threads);
void xtf_point_cache_free(XtfPointCache *cache); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfPointCache, xtf_point_cache_free)

/* Returns the number of point `i` of a location among all points. */
uint64_t xtf_point_cache_number(const XtfPointCache *cache, uint32_t location, uint64_t i);
/* Returns the number of a location's points without its end. */
uint64_t xtf_point_cache_n(const XtfPointCache *cache, uint32_t location);
/* Returns point `i` of a location, from 0, which must exist. Valid until the next call; NULL: an error. */
const XtfPoint *xtf_point_cache_get(XtfPointCache *cache, uint32_t location, uint64_t i, GError **error);
/* Returns point `i` and its times. */
const XtfPoint *xtf_point_cache_times(XtfPointCache *cache, uint32_t location, uint64_t i,
                                      const XtfCallpathTicks **times, GError **error);
/* Returns point `i` and its prefix. */
const XtfPoint *xtf_point_cache_prefix(XtfPointCache *cache, uint32_t location, uint64_t i, XtfPrefix *prefix,
                                       GError **error);
/* Finds the first point whose seq is not below `seq`. *i: the number of points if there is none. */
bool xtf_point_cache_find(XtfPointCache *cache, uint32_t location, uint64_t seq, uint64_t *i, GError **error);
