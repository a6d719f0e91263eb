/*
 * Call paths of a trace. Any number of threads add them as they find calls, and xtf_callpath_log_number() numbers them.
 *
 * Until then call paths have provisional numbers. The final order is by level, then by the number of the parent, then
 * by region. So the numbers do not depend on the order of the threads.
 *
 * Recursion makes unlimited call paths. A call at depth XTF_CALLPATH_DEPTH_MAX or deeper counts for the call path of
 * the call around it. If there are more than XTF_CALLPATHS_MANY call paths, they are cut: only the levels remain that
 * together have at most that many, at least one. Deeper calls count for the call around them, too. The remaining levels
 * do not depend on the order of the threads either: the log has all call paths of these levels. If level 0 alone has
 * more, the XTF_CALLPATHS_MANY regions with the lowest numbers remain. Others count for no region, with all calls in
 * them.
 */
#pragma once

#include <glib.h>
#include <stdint.h>

#include "src/analysis/replay/logs/flight.h"

enum {
    XTF_CALLPATH_DEPTH_MAX = 64,
    XTF_CALLPATHS_MANY = 1 << 14,
    XTF_CALLPATHS_MAX = 1 << 20, /* most provisional numbers; level 0 alone may have more */
};

typedef struct {
    GMutex lock;
    GArray *all; /* XtfLoggedCallpath */
    XtfFlights known;
    uint32_t *final;    /* by provisional number; NULL: not numbered yet */
    uint32_t n_first;   /* number of provisional numbers */
    uint32_t depth_max; /* atomic: number of levels that are not cut */
    uint32_t last_root; /* atomic: the last region that level 0 may have */
    GByteArray *levels; /* by provisional number */
    uint32_t by_level[XTF_CALLPATH_DEPTH_MAX];
} XtfCallpathLog;

typedef struct {
    uint32_t parent, region;
} XtfLoggedCallpath;

enum { XTF_CALLPATH_CACHE_NEAR = 512 };

/* A thread's cache of call paths. */
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
/* Returns the call path of a call that is not in the near part of the thread's cache. */
uint32_t xtf_callpath_log_enter_anew(XtfCallpathLog *callpaths, XtfCallpathCache *cache, uint32_t parent,
                                     uint32_t region);
/* Adds the call paths of another log, n in the order of their provisional numbers. Stores their numbers in this log in
 * `numbers`, which has room for n. A call path that is too deep has the number of its parent. */
void xtf_callpath_log_join(XtfCallpathLog *callpaths, const XtfLoggedCallpath *added, uint32_t n, uint32_t *numbers);
/* Gives the call paths their final numbers, and cuts them if they are too many. No thread may add any afterwards. */
void xtf_callpath_log_number(XtfCallpathLog *callpaths);
/* Gives the call paths the final numbers of another log, which has the same ones. `numbered`: the n call paths of that
 * log after xtf_callpath_log_number(). Levels from depth_max on are cut. */
void xtf_callpath_log_adopt(XtfCallpathLog *callpaths, const XtfLoggedCallpath *numbered, uint32_t n,
                            uint32_t depth_max);
/* Finds a call path by the final number of its parent, and returns its final number. A call path that is too deep, or
 * not known, has that of its parent. */
uint32_t xtf_callpath_log_find(const XtfCallpathLog *callpaths, uint32_t parent, uint32_t region, uint32_t depth);

/* Returns the number of levels that are left after a cut; 0: nothing is cut. */
uint32_t xtf_callpath_log_cut(const XtfCallpathLog *callpaths);
/* Returns the number of outermost functions that are left after a cut of level 0; 0: level 0 is not cut. */
uint32_t xtf_callpath_log_cut_roots(const XtfCallpathLog *callpaths);

static inline uint32_t xtf_callpath_log_final(const XtfCallpathLog *callpaths, uint32_t first)
{
    return first < callpaths->n_first ? callpaths->final[first] : UINT32_MAX;
}

/* Returns the key of a call path. Parents count from 1, so that no key equals that of a free slot. */
static inline uint64_t xtf_callpath_log_key(uint32_t parent, uint32_t region)
{
    return (uint64_t)(uint32_t)(parent + 1) << 32 | region;
}

/* Returns the call path of a call. */
static inline uint32_t xtf_callpath_log_enter(XtfCallpathLog *callpaths, XtfCallpathCache *cache, uint32_t parent,
                                              uint32_t region, uint32_t depth)
{
    uint64_t key = xtf_callpath_log_key(parent, region);
    unsigned slot = (parent * 7 + region) % XTF_CALLPATH_CACHE_NEAR;

    if (depth > 0 ? parent == UINT32_MAX || depth >= __atomic_load_n(&callpaths->depth_max, __ATOMIC_RELAXED)
                  : region > __atomic_load_n(&callpaths->last_root, __ATOMIC_RELAXED))
        return parent;
    return cache->near[slot].key == key ? cache->near[slot].callpath
                                        : xtf_callpath_log_enter_anew(callpaths, cache, parent, region);
}
