/*
 * Points, as one thread reads them again and again: the blocks that were read last are kept, with the marks of their
 * points; and, where they were asked for, with the times by call path.
 */
#pragma once

#include "src/analysis/causes/marks.h"

typedef struct XtfPointCache XtfPointCache;

XtfPointCache *xtf_point_cache_new(XtfPoints *points, const XtfMarks *marks); /* borrows them */
void xtf_point_cache_free(XtfPointCache *cache);                              /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfPointCache, xtf_point_cache_free)

/* The number of point `i` of a location among those of all. */
uint64_t xtf_point_cache_number(const XtfPointCache *cache, uint32_t location, uint64_t i);
/* The points of a location, its end left out. */
uint64_t xtf_point_cache_n(const XtfPointCache *cache, uint32_t location);
/* Point `i` of a location, from 0, which must be there; good until the next point is asked for. NULL is an error. */
const XtfPoint *xtf_point_cache_get(XtfPointCache *cache, uint32_t location, uint64_t i, GError **error);
/* The same, with its times. */
const XtfPoint *xtf_point_cache_times(XtfPointCache *cache, uint32_t location, uint64_t i,
                                      const XtfCallpathTicks **times, GError **error);
/* The same, with its mark. */
const XtfPoint *xtf_point_cache_mark(XtfPointCache *cache, uint32_t location, uint64_t i, XtfMark *mark,
                                     GError **error);
/* The first point whose seq is not below `seq`; their number if there is none. */
bool xtf_point_cache_find(XtfPointCache *cache, uint32_t location, uint64_t seq, uint64_t *i, GError **error);
