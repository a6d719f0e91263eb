#include "src/analysis/replay/logs/callpath-log.h"

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
    *callpaths = (XtfCallpathLog){.all = g_array_new(FALSE, FALSE, sizeof(XtfLoggedCallpath))};
    g_mutex_init(&callpaths->lock);
}

void xtf_callpath_log_finish(XtfCallpathLog *callpaths)
{
    if (!callpaths->all)
        return;
    g_mutex_clear(&callpaths->lock);
    g_clear_pointer(&callpaths->all, g_array_unref);
    g_clear_pointer(&callpaths->final, g_free);
    xtf_flights_finish(&callpaths->known);
}

static uint32_t find_or_add_callpath(XtfCallpathLog *callpaths, uint32_t parent, uint32_t region)
{
    uint64_t key = xtf_callpath_log_key(parent, region);
    uint32_t found = parent;

    g_mutex_lock(&callpaths->lock);
    const XtfFlight *known = xtf_flights_find(&callpaths->known, key);
    if (known) {
        found = (uint32_t)known->words[0];
    } else if (callpaths->all->len < XTF_CALLPATHS_MAX) {
        const XtfLoggedCallpath callpath = {parent, region};
        found = callpaths->all->len;
        g_array_append_val(callpaths->all, callpath);
        xtf_flights_add(&callpaths->known, key)->words[0] = found;
    }
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

/* ---- Final numbers. */

typedef struct {
    uint32_t level, parent, region, number; /* the parent by its final number */
} Place;

static int compare_places(const void *a, const void *b)
{
    const Place *x = a, *y = b;

    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    return x->region < y->region ? -1 : x->region > y->region;
}

/* Finds the levels of call paths in one pass: a parent has a lower first number than its children. */
static void find_levels(const XtfCallpathLog *callpaths, Place *places, uint32_t *by_level)
{
    const XtfLoggedCallpath *all = (const XtfLoggedCallpath *)(const void *)callpaths->all->data;

    for (uint32_t i = 0; i < callpaths->all->len; i++) {
        places[i].level = all[i].parent == UINT32_MAX ? 0 : places[all[i].parent].level + 1;
        by_level[places[i].level + 1]++;
    }
    for (uint32_t level = 0; level <= XTF_CALLPATH_DEPTH_MAX; level++)
        by_level[level + 1] += by_level[level];
}

void xtf_callpath_log_number(XtfCallpathLog *callpaths)
{
    uint32_t n = callpaths->all->len, by_level[XTF_CALLPATH_DEPTH_MAX + 2] = {0}, at[XTF_CALLPATH_DEPTH_MAX + 2];
    g_autofree Place *places = g_new0(Place, n + 1), *sorted = g_new(Place, n + 1);
    XtfLoggedCallpath *all = (XtfLoggedCallpath *)(void *)callpaths->all->data;

    find_levels(callpaths, places, by_level);
    for (uint32_t level = 0; level < G_N_ELEMENTS(at); level++)
        at[level] = by_level[level];
    for (uint32_t i = 0; i < n; i++)
        sorted[at[places[i].level]++] = (Place){places[i].level, all[i].parent, all[i].region, i};
    callpaths->final = g_new(uint32_t, n + 1);
    for (uint32_t level = 0; level <= XTF_CALLPATH_DEPTH_MAX; level++) {
        uint32_t first = by_level[level], end = by_level[level + 1];
        for (uint32_t i = first; i < end; i++)
            if (sorted[i].parent != UINT32_MAX)
                sorted[i].parent = callpaths->final[sorted[i].parent];
        if (end - first > 1)
            qsort(sorted + first, end - first, sizeof *sorted, compare_places);
        for (uint32_t i = first; i < end; i++)
            callpaths->final[sorted[i].number] = i;
    }
    xtf_flights_finish(&callpaths->known);
    for (uint32_t i = 0; i < n; i++) {
        all[i] = (XtfLoggedCallpath){sorted[i].parent, sorted[i].region};
        xtf_flights_add(&callpaths->known, xtf_callpath_log_key(all[i].parent, all[i].region))->words[0] = i;
    }
}

uint32_t xtf_callpath_log_find(const XtfCallpathLog *callpaths, uint32_t parent, uint32_t region, uint32_t depth)
{
    const XtfFlight *known = xtf_flights_find(&callpaths->known, xtf_callpath_log_key(parent, region));

    if (depth >= XTF_CALLPATH_DEPTH_MAX && parent != UINT32_MAX)
        return parent;
    return known ? (uint32_t)known->words[0] : parent;
}
