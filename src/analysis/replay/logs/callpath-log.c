#include "src/analysis/replay/logs/callpath-log.h"

#include <stdbool.h>
#include <stdlib.h>

void xtf_callpath_cache_init(XtfCallpathCache *cache)
{
    *cache = (XtfCallpathCache){0};
    for (unsigned i = 0; i < XTF_CALLPATH_CACHE_NEAR; i++)
        cache->near[i].key = UINT64_MAX;
}

void xtf_callpath_cache_finish(XtfCallpathCache *cache)
{
    xtf_flights_finish(&cache->all);
}

void xtf_callpath_log_init(XtfCallpathLog *callpaths)
{
    *callpaths = (XtfCallpathLog){.all = g_array_new(FALSE, FALSE, sizeof(XtfLoggedCallpath)),
                                  .levels = g_byte_array_new(),
                                  .depth_max = XTF_CALLPATH_DEPTH_MAX,
                                  .last_root = UINT32_MAX};
    g_mutex_init(&callpaths->lock);
}

void xtf_callpath_log_finish(XtfCallpathLog *callpaths)
{
    if (!callpaths->all)
        return;
    g_mutex_clear(&callpaths->lock);
    g_clear_pointer(&callpaths->all, g_array_unref);
    g_clear_pointer(&callpaths->levels, g_byte_array_unref);
    g_clear_pointer(&callpaths->final, g_free);
    xtf_flights_finish(&callpaths->known);
}

/* Returns how many levels have at most XTF_CALLPATHS_MANY call paths together, at least 1. */
static uint32_t count_levels(const XtfCallpathLog *callpaths)
{
    uint32_t level = 1;

    for (uint32_t n = callpaths->by_level[0]; level < XTF_CALLPATH_DEPTH_MAX; level++)
        if ((n += callpaths->by_level[level]) > XTF_CALLPATHS_MANY)
            break;
    return level;
}

static int compare_regions(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Cuts level 0 to XTF_CALLPATHS_MANY regions, and all deeper levels, if it has more. */
static void cut_roots(XtfCallpathLog *callpaths)
{
    const XtfLoggedCallpath *all = (const XtfLoggedCallpath *)(const void *)callpaths->all->data;
    g_autofree uint32_t *regions = NULL;
    uint32_t n = 0;

    if (callpaths->by_level[0] <= XTF_CALLPATHS_MANY)
        return;
    regions = g_new(uint32_t, callpaths->by_level[0]);
    for (uint32_t i = 0; i < callpaths->all->len; i++)
        if (all[i].parent == UINT32_MAX && all[i].region <= callpaths->last_root)
            regions[n++] = all[i].region;
    qsort(regions, n, sizeof *regions, compare_regions);
    callpaths->by_level[0] = XTF_CALLPATHS_MANY;
    __atomic_store_n(&callpaths->last_root, regions[XTF_CALLPATHS_MANY - 1], __ATOMIC_RELAXED);
    __atomic_store_n(&callpaths->depth_max, 1, __ATOMIC_RELAXED);
}

/* Cuts levels, and level 0, if there are too many call paths. The last region of level 0 never rises. */
static void cut_levels(XtfCallpathLog *callpaths)
{
    cut_roots(callpaths);
    if (callpaths->last_root == UINT32_MAX)
        __atomic_store_n(&callpaths->depth_max, count_levels(callpaths), __ATOMIC_RELAXED);
}

/* Adds a call path, unless it is cut. The caller holds the lock. */
static uint32_t log_callpath(XtfCallpathLog *callpaths, uint32_t parent, uint32_t region)
{
    const XtfLoggedCallpath callpath = {parent, region};
    uint8_t level = parent == UINT32_MAX ? 0 : callpaths->levels->data[parent] + 1;
    uint32_t number = callpaths->all->len;

    if (level >= callpaths->depth_max || (level > 0 && number >= XTF_CALLPATHS_MAX) ||
        (level == 0 && region > callpaths->last_root))
        return parent;
    g_array_append_val(callpaths->all, callpath);
    g_byte_array_append(callpaths->levels, &level, 1);
    callpaths->by_level[level]++;
    xtf_flights_add(&callpaths->known, xtf_callpath_log_key(parent, region))->words[0] = number;
    if (number % XTF_CALLPATHS_MANY == XTF_CALLPATHS_MANY - 1)
        cut_levels(callpaths);
    return number;
}

static uint32_t find_or_add_callpath(XtfCallpathLog *callpaths, uint32_t parent, uint32_t region)
{
    g_mutex_lock(&callpaths->lock);
    const XtfFlight *known = xtf_flights_find(&callpaths->known, xtf_callpath_log_key(parent, region));
    uint32_t found = known ? (uint32_t)known->words[0] : log_callpath(callpaths, parent, region);
    g_mutex_unlock(&callpaths->lock);
    return found;
}

uint32_t xtf_callpath_log_enter_anew(XtfCallpathLog *callpaths, XtfCallpathCache *cache, uint32_t parent,
                                     uint32_t region)
{
    uint64_t key = xtf_callpath_log_key(parent, region);
    unsigned slot = (parent * 7 + region) % XTF_CALLPATH_CACHE_NEAR;
    const XtfFlight *known = xtf_flights_find(&cache->all, key);
    uint32_t found = known ? (uint32_t)known->words[0] : find_or_add_callpath(callpaths, parent, region);

    if (!known)
        xtf_flights_add(&cache->all, key)->words[0] = found;
    cache->near[slot].key = key;
    cache->near[slot].callpath = found;
    return found;
}

void xtf_callpath_log_join(XtfCallpathLog *callpaths, const XtfLoggedCallpath *added, uint32_t n, uint32_t *numbers)
{
    g_autofree uint8_t *levels = g_new(uint8_t, n + 1);

    for (uint32_t i = 0; i < n; i++) {
        bool has_parent = added[i].parent < i;
        uint32_t parent = has_parent ? numbers[added[i].parent] : UINT32_MAX;
        levels[i] = has_parent ? levels[added[i].parent] + 1 : 0;
        numbers[i] =
            levels[i] >= callpaths->depth_max ? parent : find_or_add_callpath(callpaths, parent, added[i].region);
    }
}

/* ---- Final numbers. */

typedef struct {
    uint32_t parent, region, number; /* the parent by its final number */
} Place;

static int compare_places(const void *a, const void *b)
{
    const Place *x = a, *y = b;

    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    return x->region < y->region ? -1 : x->region > y->region;
}

/* True if a call path is left. */
static bool is_left(const XtfCallpathLog *callpaths, uint32_t i)
{
    const XtfLoggedCallpath *callpath = &g_array_index(callpaths->all, XtfLoggedCallpath, i);

    return callpaths->levels->data[i] < callpaths->depth_max &&
           (callpath->parent != UINT32_MAX || callpath->region <= callpaths->last_root);
}

/* Sorts the call paths that are left by level. Returns their number. */
static uint32_t sort_by_level(const XtfCallpathLog *callpaths, Place *sorted)
{
    const XtfLoggedCallpath *all = (const XtfLoggedCallpath *)(const void *)callpaths->all->data;
    uint32_t at[XTF_CALLPATH_DEPTH_MAX] = {0}, n = 0;

    for (uint32_t level = 0; level < callpaths->depth_max; level++) {
        at[level] = n;
        n += callpaths->by_level[level];
    }
    for (uint32_t i = 0; i < callpaths->all->len; i++) {
        if (is_left(callpaths, i))
            sorted[at[callpaths->levels->data[i]]++] = (Place){all[i].parent, all[i].region, i};
    }
    return n;
}

/* Numbers the call paths of a level, which are sorted[first] up to sorted[end]. */
static void number_level(XtfCallpathLog *callpaths, Place *sorted, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        if (sorted[i].parent != UINT32_MAX)
            sorted[i].parent = callpaths->final[sorted[i].parent];
    if (end - first > 1)
        qsort(sorted + first, end - first, sizeof *sorted, compare_places);
    for (uint32_t i = first; i < end; i++)
        callpaths->final[sorted[i].number] = i;
}

/* Gives call paths that are cut the number of the call around them, or of no region. Parents have lower provisional
 * numbers. */
static void number_cut(XtfCallpathLog *callpaths)
{
    const XtfLoggedCallpath *all = (const XtfLoggedCallpath *)(const void *)callpaths->all->data;

    for (uint32_t i = 0; i < callpaths->n_first; i++)
        if (!is_left(callpaths, i))
            callpaths->final[i] = all[i].parent == UINT32_MAX ? UINT32_MAX : callpaths->final[all[i].parent];
}

/* Sets the keys of the call paths with final numbers. */
static void know_numbered(XtfCallpathLog *callpaths)
{
    xtf_flights_finish(&callpaths->known);
    for (uint32_t i = 0; i < callpaths->all->len; i++) {
        const XtfLoggedCallpath *one = &g_array_index(callpaths->all, XtfLoggedCallpath, i);
        xtf_flights_add(&callpaths->known, xtf_callpath_log_key(one->parent, one->region))->words[0] = i;
    }
}

void xtf_callpath_log_number(XtfCallpathLog *callpaths)
{
    callpaths->n_first = callpaths->all->len;
    cut_levels(callpaths);
    g_autofree Place *sorted = g_new(Place, callpaths->n_first + 1);
    uint32_t n = sort_by_level(callpaths, sorted), first = 0;

    callpaths->final = g_new(uint32_t, callpaths->n_first + 1);
    for (uint32_t level = 0; level < callpaths->depth_max; first += callpaths->by_level[level++])
        number_level(callpaths, sorted, first, first + callpaths->by_level[level]);
    number_cut(callpaths);
    g_array_set_size(callpaths->all, n);
    for (uint32_t i = 0; i < n; i++)
        g_array_index(callpaths->all, XtfLoggedCallpath, i) = (XtfLoggedCallpath){sorted[i].parent, sorted[i].region};
    know_numbered(callpaths);
}

void xtf_callpath_log_adopt(XtfCallpathLog *callpaths, const XtfLoggedCallpath *numbered, uint32_t n,
                            uint32_t depth_max)
{
    g_autoptr(GArray) own = g_steal_pointer(&callpaths->all);

    callpaths->all = g_array_sized_new(FALSE, FALSE, sizeof *numbered, n);
    g_array_append_vals(callpaths->all, numbered, n);
    callpaths->depth_max = depth_max;
    know_numbered(callpaths);
    callpaths->n_first = own->len;
    callpaths->final = g_new(uint32_t, callpaths->n_first + 1);
    for (uint32_t i = 0; i < own->len; i++) {
        const XtfLoggedCallpath *one = &g_array_index(own, XtfLoggedCallpath, i);
        uint32_t parent = one->parent == UINT32_MAX ? UINT32_MAX : callpaths->final[one->parent];
        callpaths->final[i] = xtf_callpath_log_find(callpaths, parent, one->region, callpaths->levels->data[i]);
    }
}

uint32_t xtf_callpath_log_cut(const XtfCallpathLog *callpaths)
{
    return callpaths->depth_max < XTF_CALLPATH_DEPTH_MAX ? callpaths->depth_max : 0;
}

uint32_t xtf_callpath_log_cut_roots(const XtfCallpathLog *callpaths)
{
    return callpaths->last_root != UINT32_MAX ? XTF_CALLPATHS_MANY : 0;
}

uint32_t xtf_callpath_log_find(const XtfCallpathLog *callpaths, uint32_t parent, uint32_t region, uint32_t depth)
{
    const XtfFlight *known = xtf_flights_find(&callpaths->known, xtf_callpath_log_key(parent, region));

    if (depth > 0 && (parent == UINT32_MAX || depth >= callpaths->depth_max))
        return parent;
    return known ? (uint32_t)known->words[0] : parent;
}
