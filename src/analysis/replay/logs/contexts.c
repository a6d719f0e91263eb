#include "src/analysis/replay/logs/contexts.h"

#include <stdlib.h>

void xtf_context_cache_init(XtfContextCache *cache)
{
    *cache = (XtfContextCache){0};
    for (unsigned i = 0; i < XTF_CONTEXT_CACHE_NEAR; i++)
        cache->near[i].key = UINT64_MAX;
}

void xtf_context_cache_finish(XtfContextCache *cache)
{
    xtf_flights_finish(&cache->all);
}

void xtf_contexts_init(XtfContexts *contexts)
{
    *contexts = (XtfContexts){.all = g_array_new(FALSE, FALSE, sizeof(XtfContext))};
    g_mutex_init(&contexts->lock);
}

void xtf_contexts_finish(XtfContexts *contexts)
{
    if (!contexts->all)
        return;
    g_mutex_clear(&contexts->lock);
    g_clear_pointer(&contexts->all, g_array_unref);
    g_clear_pointer(&contexts->final, g_free);
    xtf_flights_finish(&contexts->known);
}

static uint32_t find_or_add(XtfContexts *contexts, uint32_t parent, uint32_t region)
{
    uint64_t key = xtf_contexts_key(parent, region);
    uint32_t found = parent;

    g_mutex_lock(&contexts->lock);
    const XtfFlight *known = xtf_flights_find(&contexts->known, key);
    if (known) {
        found = (uint32_t)known->words[0];
    } else if (contexts->all->len < XTF_CONTEXTS_MAX) {
        const XtfContext context = {parent, region};
        found = contexts->all->len;
        g_array_append_val(contexts->all, context);
        xtf_flights_add(&contexts->known, key)->words[0] = found;
    }
    g_mutex_unlock(&contexts->lock);
    return found;
}

uint32_t xtf_contexts_enter_anew(XtfContexts *contexts, XtfContextCache *cache, uint32_t parent, uint32_t region)
{
    uint64_t key = xtf_contexts_key(parent, region);
    unsigned slot = (parent * 7 + region) % XTF_CONTEXT_CACHE_NEAR;
    const XtfFlight *known = xtf_flights_find(&cache->all, key);
    uint32_t found = known ? (uint32_t)known->words[0] : find_or_add(contexts, parent, region);

    if (!known)
        xtf_flights_add(&cache->all, key)->words[0] = found;
    cache->near[slot].key = key;
    cache->near[slot].context = found;
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

/* A parent has a lower first number than its children, too. */
static void find_levels(const XtfContexts *contexts, Place *places, uint32_t *by_level)
{
    const XtfContext *all = (const XtfContext *)(const void *)contexts->all->data;

    for (uint32_t i = 0; i < contexts->all->len; i++) {
        places[i].level = all[i].parent == UINT32_MAX ? 0 : places[all[i].parent].level + 1;
        by_level[places[i].level + 1]++;
    }
    for (uint32_t level = 0; level <= XTF_CONTEXT_DEPTH_MAX; level++)
        by_level[level + 1] += by_level[level];
}

void xtf_contexts_number(XtfContexts *contexts)
{
    uint32_t n = contexts->all->len, by_level[XTF_CONTEXT_DEPTH_MAX + 2] = {0}, at[XTF_CONTEXT_DEPTH_MAX + 2];
    g_autofree Place *places = g_new0(Place, n + 1), *sorted = g_new(Place, n + 1);
    XtfContext *all = (XtfContext *)(void *)contexts->all->data;

    find_levels(contexts, places, by_level);
    for (uint32_t level = 0; level < G_N_ELEMENTS(at); level++)
        at[level] = by_level[level];
    for (uint32_t i = 0; i < n; i++)
        sorted[at[places[i].level]++] = (Place){places[i].level, all[i].parent, all[i].region, i};
    contexts->final = g_new(uint32_t, n + 1);
    for (uint32_t level = 0; level <= XTF_CONTEXT_DEPTH_MAX; level++) {
        uint32_t first = by_level[level], end = by_level[level + 1];
        for (uint32_t i = first; i < end; i++)
            if (sorted[i].parent != UINT32_MAX)
                sorted[i].parent = contexts->final[sorted[i].parent];
        if (end - first > 1)
            qsort(sorted + first, end - first, sizeof *sorted, compare_places);
        for (uint32_t i = first; i < end; i++)
            contexts->final[sorted[i].number] = i;
    }
    xtf_flights_finish(&contexts->known);
    for (uint32_t i = 0; i < n; i++) {
        all[i] = (XtfContext){sorted[i].parent, sorted[i].region};
        xtf_flights_add(&contexts->known, xtf_contexts_key(all[i].parent, all[i].region))->words[0] = i;
    }
}

uint32_t xtf_contexts_find(const XtfContexts *contexts, uint32_t parent, uint32_t region, uint32_t depth)
{
    const XtfFlight *known = xtf_flights_find(&contexts->known, xtf_contexts_key(parent, region));

    if (depth >= XTF_CONTEXT_DEPTH_MAX && parent != UINT32_MAX)
        return parent;
    return known ? (uint32_t)known->words[0] : parent;
}
