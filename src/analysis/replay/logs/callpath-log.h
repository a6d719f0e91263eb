/*
 * Call paths of a trace, as calls make them: from any number of threads at once, and numbered in the end.
 *
 * While they are made they have numbers of their own. In the end they are numbered by level, those of a level by the
 * number of their parent and by region, so that the numbers do not depend on who came first.
 *
 * Recursion makes call paths without end: a call at XTF_CALLPATH_DEPTH_MAX or deeper, and any new call path once there
 * are XTF_CALLPATHS_MAX, counts for the call path of the call around it.
 */
#pragma once

#include <glib.h>
#include <stdint.h>

#include "src/analysis/replay/logs/flight.h"

enum {
    XTF_CALLPATH_DEPTH_MAX = 64,
    XTF_CALLPATHS_MAX = 1 << 20,
};

typedef struct {
    GMutex lock;
    GArray *all; /* XtfLoggedCallpath */
    XtfFlights known;
    uint32_t *final; /* by first number; NULL: they are still made */
} XtfCallpathLog;

typedef struct {
    uint32_t parent, region;
} XtfLoggedCallpath;

enum { XTF_CALLPATH_CACHE_NEAR = 512 };

/* What a thread remembers of them. */
typedef struct {
    struct {
        uint64_t key;
        uint32_t callpath;
    } near[XTF_CALLPATH_CACHE_NEAR];
    XtfFlights all;
} XtfCallpathCache;

void xtf_callpath_cache_init(XtfCallpathCache *cache);
void xtf_callpath_cache_finish(XtfCallpathCache *cache);

void xtf_callpath_log_init(XtfCallpathLog *callpaths);
void xtf_callpath_log_finish(XtfCallpathLog *callpaths);
/* The call path of a call that is not in the near part of the cache, which is the thread's own. */
uint32_t xtf_callpath_log_enter_anew(XtfCallpathLog *callpaths, XtfCallpathCache *cache, uint32_t parent,
                                     uint32_t region);
/* Numbers them; from now on no others are made. */
void xtf_callpath_log_number(XtfCallpathLog *callpaths);
/* By final numbers: UINT32_MAX if there is none. */
uint32_t xtf_callpath_log_find(const XtfCallpathLog *callpaths, uint32_t parent, uint32_t region, uint32_t depth);

static inline uint32_t xtf_callpath_log_final(const XtfCallpathLog *callpaths, uint32_t first)
{
    return first < callpaths->all->len ? callpaths->final[first] : UINT32_MAX;
}

/* Parents count from 1, so that no key is that of a free slot. */
static inline uint64_t xtf_callpath_log_key(uint32_t parent, uint32_t region)
{
    return (uint64_t)(uint32_t)(parent + 1) << 32 | region;
}

/* The call path of a call. */
static inline uint32_t xtf_callpath_log_enter(XtfCallpathLog *callpaths, XtfCallpathCache *cache, uint32_t parent,
                                              uint32_t region, uint32_t depth)
{
    uint64_t key = xtf_callpath_log_key(parent, region);
    unsigned slot = (parent * 7 + region) % XTF_CALLPATH_CACHE_NEAR;

    if (depth >= XTF_CALLPATH_DEPTH_MAX && parent != UINT32_MAX)
        return parent;
    return cache->near[slot].key == key ? cache->near[slot].callpath
                                        : xtf_callpath_log_enter_anew(callpaths, cache, parent, region);
}
