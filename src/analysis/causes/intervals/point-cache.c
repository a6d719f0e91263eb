#include "src/analysis/causes/intervals/point-cache.h"

/* A set-associative cache: a block's number selects a set of WAYS blocks. A new block replaces the least recently
 * used one. Once more than TIMES_MAX times are in memory, the times of all blocks are freed. There are some blocks for
 * each location, as the pass walks along all of them. But with very many locations other tables need the memory. */
enum {
    POINTS = 32,
    WAYS = 4,
    SETS_MIN = 128, /* of all threads */
    SETS_MAX = 1024,
    SETS_LEAST = 16, /* of a thread */
    TIMES_MAX = 1 << 20,
    LOCATIONS_MANY = 20000,
};

typedef struct {
    uint64_t number; /* UINT64_MAX: none */
    uint64_t used;
    XtfPoint *points;
    XtfPrefix *prefixes;
    XtfCallpathTicks *times; /* of all points; NULL: not read */
    uint64_t n_times;
    uint32_t n;
    uint32_t at[POINTS]; /* index of each point's first time */
} Block;

/* A copy of the first point and the number of points of a location, so that most locations' pages stay unread. */
typedef struct {
    uint64_t first, n;
} Span;

struct XtfPointCache {
    XtfPoints *points;
    Span *spans; /* by location, from `first` on */
    uint32_t first;
    const XtfPrefixes *prefixes;
    uint64_t clock, n_times;
    uint32_t n_sets;
    Block (*blocks)[WAYS];
};

XtfPointCache *xtf_point_cache_new(XtfPoints *points, const XtfPrefixes *prefixes, uint32_t first, uint32_t end,
                                   uint32_t n_threads)
{
    XtfPointCache *cache = g_new0(XtfPointCache, 1);

    cache->points = points;
    cache->prefixes = prefixes;
    cache->first = first;
    cache->spans = g_new(Span, MAX(end - first, 1));
    for (uint32_t i = first; i < end; i++) {
        const XtfPointLocation *location = xtf_points_location(points, i);
        cache->spans[i - first] = (Span){location->first, location->n > 0 ? location->n - 1 : 0};
        xtf_points_page_out_sometimes(points, i);
    }
    cache->n_sets = SETS_MIN;
    while (xtf_points_n_locations(points) < LOCATIONS_MANY && cache->n_sets < SETS_MAX &&
           cache->n_sets < xtf_points_n_locations(points))
        cache->n_sets *= 2;
    cache->n_sets = MAX(cache->n_sets / n_threads, (uint32_t)SETS_LEAST);
    cache->blocks = g_malloc0_n(cache->n_sets, sizeof *cache->blocks);
    for (Block *block = cache->blocks[0]; block < cache->blocks[cache->n_sets]; block++)
        block->number = UINT64_MAX;
    return cache;
}

static void free_times(XtfPointCache *cache, Block *block)
{
    if (block->times)
        cache->n_times -= block->n_times;
    g_clear_pointer(&block->times, g_free);
}

void xtf_point_cache_free(XtfPointCache *cache)
{
    if (!cache)
        return;
    for (Block *block = cache->blocks[0]; block < cache->blocks[cache->n_sets]; block++) {
        g_free(block->points);
        g_free(block->prefixes);
        g_free(block->times);
    }
    g_free(cache->blocks);
    g_free(cache->spans);
    g_free(cache);
}

uint64_t xtf_point_cache_number(const XtfPointCache *cache, uint32_t location, uint64_t i)
{
    return cache->spans[location - cache->first].first + i;
}

uint64_t xtf_point_cache_n(const XtfPointCache *cache, uint32_t location)
{
    return cache->spans[location - cache->first].n;
}

static bool load_block(XtfPointCache *cache, Block *block, uint64_t number, GError **error)
{
    uint64_t first = number * POINTS;

    free_times(cache, block);
    block->n = (uint32_t)MIN(xtf_points_n(cache->points) - first, (uint64_t)POINTS);
    if (!block->points) {
        block->points = g_new(XtfPoint, POINTS);
        block->prefixes = g_new(XtfPrefix, POINTS);
    }
    return xtf_points_read(cache->points, first, block->n, block->points, error) &&
           xtf_prefixes_read(cache->prefixes, first, block->n, block->prefixes, error);
}

static bool load_times(XtfPointCache *cache, Block *block, GError **error)
{
    if (block->times)
        return true;
    if (cache->n_times > TIMES_MAX) {
        for (Block *victim = cache->blocks[0]; victim < cache->blocks[cache->n_sets]; victim++)
            free_times(cache, victim);
    }
    block->n_times = 0;
    for (uint32_t i = 0; i < block->n; i++) {
        block->at[i] = (uint32_t)block->n_times;
        block->n_times += block->points[i].n_times;
    }
    block->times = g_new(XtfCallpathTicks, MAX(block->n_times, 1));
    cache->n_times += block->n_times;
    if (xtf_points_all_times(cache->points, block->points, block->n, block->times, error))
        return true;
    free_times(cache, block);
    return false;
}

/* Returns a block, reading it if it is not in memory; NULL: an error. */
static Block *get_block(XtfPointCache *cache, uint64_t number, GError **error)
{
    Block *set = cache->blocks[number % cache->n_sets], *oldest = set;

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
    if (!load_block(cache, oldest, number, error))
        return NULL;
    oldest->number = number;
    oldest->used = ++cache->clock;
    return oldest;
}

static Block *block_of_point(XtfPointCache *cache, uint32_t location, uint64_t i, uint32_t *at, GError **error)
{
    uint64_t number = xtf_point_cache_number(cache, location, i);

    *at = number % POINTS;
    return get_block(cache, number / POINTS, error);
}

const XtfPoint *xtf_point_cache_get(XtfPointCache *cache, uint32_t location, uint64_t i, GError **error)
{
    uint32_t at;
    const Block *block = block_of_point(cache, location, i, &at, error);

    return block ? &block->points[at] : NULL;
}

const XtfPoint *xtf_point_cache_times(XtfPointCache *cache, uint32_t location, uint64_t i,
                                      const XtfCallpathTicks **times, GError **error)
{
    uint32_t at;
    Block *block = block_of_point(cache, location, i, &at, error);

    if (!block || !load_times(cache, block, error))
        return NULL;
    *times = &block->times[block->at[at]];
    return &block->points[at];
}

const XtfPoint *xtf_point_cache_prefix(XtfPointCache *cache, uint32_t location, uint64_t i, XtfPrefix *prefix,
                                       GError **error)
{
    uint32_t at;
    const Block *block = block_of_point(cache, location, i, &at, error);

    if (!block)
        return NULL;
    *prefix = block->prefixes[at];
    return &block->points[at];
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
