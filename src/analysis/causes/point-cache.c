#include "src/analysis/causes/point-cache.h"

/* Blocks are found by their number: a set of WAYS of them, in which the one that was not used for longest gives way. */
enum { POINTS = 32, WAYS = 4, SETS = 128 };

typedef struct {
    uint64_t number; /* UINT64_MAX: none */
    uint64_t used;
    XtfPoint *points;
    GArray *times;       /* XtfContextTicks, of all of them */
    uint32_t at[POINTS]; /* where those of each begin */
} Block;

struct XtfPointCache {
    XtfPoints *points;
    uint64_t clock;
    Block blocks[SETS][WAYS];
};

XtfPointCache *xtf_point_cache_new(XtfPoints *points)
{
    XtfPointCache *cache = g_new0(XtfPointCache, 1);

    cache->points = points;
    for (Block *block = cache->blocks[0]; block < cache->blocks[SETS]; block++)
        block->number = UINT64_MAX;
    return cache;
}

void xtf_point_cache_free(XtfPointCache *cache)
{
    if (!cache)
        return;
    for (Block *block = cache->blocks[0]; block < cache->blocks[SETS]; block++) {
        g_free(block->points);
        g_clear_pointer(&block->times, g_array_unref);
    }
    g_free(cache);
}

uint64_t xtf_point_cache_n(const XtfPointCache *cache, uint32_t location)
{
    uint64_t n = xtf_points_location(cache->points, location)->n;

    return n > 0 ? n - 1 : 0;
}

static bool load(XtfPointCache *cache, Block *block, uint64_t number, GError **error)
{
    uint64_t first = number * POINTS, n = MIN(xtf_points_n(cache->points) - first, (uint64_t)POINTS);

    if (!block->points) {
        block->points = g_new(XtfPoint, POINTS);
        block->times = g_array_new(false, false, sizeof(XtfContextTicks));
    }
    g_array_set_size(block->times, 0);
    if (!xtf_points_read(cache->points, first, n, block->points, error))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        const XtfPoint *point = &block->points[i];
        block->at[i] = block->times->len;
        g_array_set_size(block->times, block->times->len + point->n_times);
        if (point->n_times > 0 &&
            !xtf_points_times(cache->points, point, &g_array_index(block->times, XtfContextTicks, block->at[i]), error))
            return false;
    }
    return true;
}

/* The block, read if need be; NULL is an error. */
static Block *block_of(XtfPointCache *cache, uint64_t number, GError **error)
{
    Block *set = cache->blocks[number % SETS], *oldest = set;

    for (Block *block = set; block < set + WAYS; block++) {
        if (block->number == number) {
            block->used = ++cache->clock;
            return block;
        }
        if (block->used < oldest->used)
            oldest = block;
    }
    oldest->number = UINT64_MAX;
    oldest->used = 0;
    if (!load(cache, oldest, number, error))
        return NULL;
    oldest->number = number;
    oldest->used = ++cache->clock;
    return oldest;
}

const XtfPoint *xtf_point_cache_times(XtfPointCache *cache, uint32_t location, uint64_t i,
                                      const XtfContextTicks **times, GError **error)
{
    uint64_t number = xtf_points_location(cache->points, location)->first + i;
    const Block *block = block_of(cache, number / POINTS, error);

    if (!block)
        return NULL;
    *times = &g_array_index(block->times, XtfContextTicks, block->at[number % POINTS]);
    return &block->points[number % POINTS];
}

const XtfPoint *xtf_point_cache_get(XtfPointCache *cache, uint32_t location, uint64_t i, GError **error)
{
    const XtfContextTicks *times;

    return xtf_point_cache_times(cache, location, i, &times, error);
}

bool xtf_point_cache_find(XtfPointCache *cache, uint32_t location, uint64_t seq, uint64_t *i, GError **error)
{
    uint64_t low = 0, high = xtf_point_cache_n(cache, location);

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        const XtfPoint *point = xtf_point_cache_get(cache, location, middle, error);
        if (!point)
            return false;
        if (point->seq < seq)
            low = middle + 1;
        else
            high = middle;
    }
    *i = low;
    return true;
}
