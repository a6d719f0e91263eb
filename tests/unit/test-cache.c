/* The cache: it holds blocks that are read, and blocks that are derived from other blocks. */
#include "fixture.h"
#include "libxtf/cache/cache.h"

enum { SOURCE_BYTES = 64 << 10 };

/* Returns a source whose byte i is i modulo 251, so that the bytes of a block show its offset. */
static XtfSource *counting_source(void)
{
    uint8_t *bytes = g_malloc(SOURCE_BYTES);
    for (uint32_t i = 0; i < SOURCE_BYTES; i++)
        bytes[i] = (uint8_t)(i % 251);
    g_autoptr(GBytes) content = g_bytes_new_take(bytes, SOURCE_BYTES);
    return xtf_source_new_bytes(content);
}

typedef struct {
    XtfCache *cache;
    uint64_t offset;
    uint32_t length; /* of the derived block; it is made from one of 16 bytes */
    bool fail;
    gint calls; /* atomic */
    gint readers;
} Maker;

/* Repeats the block at the offset until it has `length` bytes. */
static bool repeat_block(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    Maker *maker = context;

    g_atomic_int_inc(&maker->calls);
    if (maker->fail) {
        g_set_error_literal(error, XTF_ERROR, XTF_ERROR_DAMAGED, "fail is set");
        return false;
    }
    XtfBlock *block = xtf_cache_get(maker->cache, maker->offset, 16, 0, NULL, NULL, error);
    if (!block)
        return false;
    *data = g_malloc(maker->length);
    for (uint32_t i = 0; i < maker->length; i++)
        (*data)[i] = block->data[i % 16];
    *length = maker->length;
    xtf_block_put(block);
    return true;
}

static bool make_zeros(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    *length = *(uint32_t *)context;
    *data = g_malloc0(*length);
    return true;
}

static void assert_repeated(const XtfBlock *block, const Maker *maker)
{
    cr_assert_eq(block->offset, maker->offset);
    cr_assert_eq(block->length, maker->length);
    for (uint32_t i = 0; i < block->length; i++)
        cr_assert_eq(block->data[i], (maker->offset + i % 16) % 251);
}

Test(cache, a_block_is_made_once)
{
    g_autoptr(XtfSource) source = counting_source();
    XtfCache *cache = xtf_cache_new(source, 1 << 20);
    Maker maker = {.cache = cache, .offset = 1000, .length = 5000};
    GError *error = NULL;
    XtfCacheStats before, after;

    for (int i = 0; i < 3; i++) {
        XtfBlock *block = xtf_cache_make(cache, 1000, 16, 0, repeat_block, &maker, &error);
        cr_assert_good(block, error);
        assert_repeated(block, &maker);
        xtf_block_put(block);
    }
    cr_assert_eq(maker.calls, 1);

    /* These are other blocks: the bytes read from the source, one of another length, and one that another function
     * makes. */
    uint32_t zeros = 100;
    XtfBlock *raw = xtf_cache_get(cache, 1000, 16, 0, NULL, NULL, &error);
    XtfBlock *longer = xtf_cache_make(cache, 1000, 17, 0, repeat_block, &maker, &error);
    XtfBlock *zero_block = xtf_cache_make(cache, 1000, 16, 0, make_zeros, &zeros, &error);
    cr_assert_eq(maker.calls, 2);
    /* Another version is another block, too. */
    XtfBlock *newer = xtf_cache_make(cache, 1000, 16, 7, repeat_block, &maker, &error);
    cr_assert_eq(maker.calls, 3);
    cr_assert_eq(newer->version, 7);
    xtf_block_put(newer);
    cr_assert_eq(raw->length, 16);
    cr_assert_eq(raw->data[0], 1000 % 251);
    cr_assert_eq(zero_block->length, zeros);
    cr_assert_eq(zero_block->data[0], 0);
    xtf_cache_get_stats(cache, &before);
    xtf_block_put(zero_block);
    xtf_cache_get_stats(cache, &after);
    cr_assert_geq(before.pinned_bytes - after.pinned_bytes, zeros);
    xtf_block_put(raw);
    xtf_block_put(longer);
    xtf_cache_get_stats(cache, &after);
    cr_assert_eq(after.pinned_bytes, 0);
    cr_assert_geq(after.bytes, 5000 + 5000 + zeros);
    xtf_cache_free(cache);
}

Test(cache, derived_blocks_count_against_the_bound)
{
    g_autoptr(XtfSource) source = counting_source();
    XtfCache *cache = xtf_cache_new(source, 64 << 10);
    Maker maker = {.cache = cache, .length = 10000};
    GError *error = NULL;
    XtfCacheStats stats;

    for (uint64_t i = 0; i < 1000; i++) {
        maker.offset = (i * 7 % 40) * 100;
        XtfBlock *block = xtf_cache_make(cache, maker.offset, 16, 0, repeat_block, &maker, &error);
        cr_assert_good(block, error);
        assert_repeated(block, &maker);
        xtf_block_put(block);
        xtf_cache_get_stats(cache, &stats);
        cr_assert_leq(stats.bytes, stats.limit);
        cr_assert_eq(stats.pinned_bytes, 0);
    }
    cr_assert_gt(stats.evictions, 0);
    cr_assert_gt(maker.calls, 40);

    /* A block larger than the whole cache is cached only while it is pinned. */
    maker.length = 100 << 10;
    XtfBlock *block = xtf_cache_make(cache, maker.offset, 15, 0, repeat_block, &maker, &error);
    cr_assert_good(block, error);
    assert_repeated(block, &maker);
    xtf_block_put(block);
    xtf_cache_get_stats(cache, &stats);
    cr_assert_leq(stats.bytes, stats.limit);
    xtf_cache_free(cache);
}

Test(cache, trimming_evicts_idle_blocks_and_keeps_the_bound)
{
    enum { BLOCK = 1000, BLOCKS = 20 };
    g_autoptr(XtfSource) source = counting_source();
    XtfCache *cache = xtf_cache_new(source, 64 << 10);
    GError *error = NULL;
    XtfBlock *pinned = xtf_cache_get(cache, 0, BLOCK, 0, NULL, NULL, &error);
    XtfCacheStats full, trimmed, again;

    for (uint64_t i = 1; i < BLOCKS; i++)
        xtf_block_put(xtf_cache_get(cache, i * BLOCK, BLOCK, 0, NULL, NULL, &error));
    xtf_cache_get_stats(cache, &full);
    xtf_cache_trim(cache, full.bytes / 2);
    xtf_cache_get_stats(cache, &trimmed);
    cr_assert_leq(trimmed.bytes, full.bytes / 2);
    cr_assert_gt(trimmed.bytes, full.bytes / 2 - full.bytes / BLOCKS);
    cr_assert_eq(trimmed.limit, full.limit);
    xtf_cache_trim(cache, 0);
    xtf_cache_get_stats(cache, &trimmed);
    cr_assert_eq(trimmed.bytes, trimmed.pinned_bytes);
    cr_assert_eq(pinned->data[1], 1);
    for (uint64_t i = 1; i < BLOCKS; i++)
        xtf_block_put(xtf_cache_get(cache, i * BLOCK, BLOCK, 0, NULL, NULL, &error));
    xtf_cache_get_stats(cache, &again);
    cr_assert_eq(again.bytes, full.bytes);
    xtf_block_put(pinned);
    xtf_cache_free(cache);
}

Test(cache, a_failed_block_is_not_cached)
{
    g_autoptr(XtfSource) source = counting_source();
    XtfCache *cache = xtf_cache_new(source, 1 << 20);
    Maker maker = {.cache = cache, .offset = 32, .length = 64, .fail = true};
    XtfCacheStats stats;

    for (int i = 1; i <= 2; i++) {
        g_autoptr(GError) error = NULL;
        cr_assert_null(xtf_cache_make(cache, 32, 16, 0, repeat_block, &maker, &error));
        cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_DAMAGED));
        cr_assert_eq(maker.calls, i);
    }
    xtf_cache_get_stats(cache, &stats);
    cr_assert_eq(stats.bytes, 0);
    cr_assert_eq(stats.pinned_bytes, 0);
    maker.fail = false;
    XtfBlock *block = xtf_cache_make(cache, 32, 16, 0, repeat_block, &maker, NULL);
    assert_repeated(block, &maker);
    xtf_block_put(block);
    xtf_cache_free(cache);
}

/* xtf_block_drop() removes a block when no reader holds it. The next reader loads it again. */
Test(cache, dropped_blocks_are_removed)
{
    enum { BLOCK = 4096 };
    g_autoptr(XtfSource) source = counting_source();
    XtfCache *cache = xtf_cache_new(source, 1 << 20);
    XtfCacheStats stats;

    XtfBlock *block = xtf_cache_get(cache, 0, BLOCK, 0, NULL, NULL, NULL);
    XtfBlock *again = xtf_cache_get(cache, 0, BLOCK, 0, NULL, NULL, NULL);
    xtf_block_drop(block);
    cr_assert_eq(again->data[7], 7);
    xtf_block_drop(again);
    xtf_cache_get_stats(cache, &stats);
    cr_assert_eq(stats.loads, 1);
    cr_assert_eq(stats.bytes, 0);
    cr_assert_eq(stats.pinned_bytes, 0);
    xtf_block_put(xtf_cache_get(cache, 0, BLOCK, 0, NULL, NULL, NULL));
    xtf_cache_get_stats(cache, &stats);
    cr_assert_eq(stats.loads, 2);
    cr_assert_gt(stats.bytes, 0);
    xtf_block_drop(NULL);
    xtf_cache_free(cache);
}

static uint64_t loads_of_passes(XtfCache *cache, uint64_t offset, unsigned times)
{
    XtfCacheStats before, after;

    xtf_cache_get_stats(cache, &before);
    for (unsigned i = 0; i < times; i++)
        xtf_block_pass(xtf_cache_get(cache, offset, 4096, 0, NULL, NULL, NULL));
    xtf_cache_get_stats(cache, &after);
    return after.loads - before.loads;
}

/* xtf_block_pass() removes a block, unless it was passed before, or another reader got it. */
Test(cache, blocks_passed_once_are_removed)
{
    g_autoptr(XtfSource) source = counting_source();
    XtfCache *cache = xtf_cache_new(source, 1 << 20);
    XtfCacheStats stats;

    cr_assert_eq(loads_of_passes(cache, 0, 1), 1);
    xtf_cache_get_stats(cache, &stats);
    cr_assert_eq(stats.bytes, 0);
    cr_assert_eq(loads_of_passes(cache, 0, 5), 1);
    cr_assert_eq(loads_of_passes(cache, 8192, 3), 2);

    XtfBlock *block = xtf_cache_get(cache, 4096, 4096, 0, NULL, NULL, NULL);
    cr_assert_eq(loads_of_passes(cache, 4096, 1), 0);
    xtf_block_put(block);
    cr_assert_eq(loads_of_passes(cache, 4096, 1), 0);
    xtf_block_pass(NULL);
    xtf_cache_get_stats(cache, &stats);
    cr_assert_eq(stats.pinned_bytes, 0);
    xtf_cache_free(cache);
}

enum { READERS = 8 };

/* Does not return before all readers have requested the block. */
static bool repeat_when_all_wait(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    Maker *maker = context;

    while (g_atomic_int_get(&maker->readers) < READERS)
        g_thread_yield();
    return repeat_block(context, data, length, error);
}

static gpointer make_together(gpointer data)
{
    Maker *maker = data;
    g_autoptr(GError) error = NULL;

    g_atomic_int_inc(&maker->readers);
    XtfBlock *block = xtf_cache_make(maker->cache, maker->offset, 16, 0, repeat_when_all_wait, maker, &error);
    if (maker->fail) {
        cr_assert(!block && error);
        return NULL;
    }
    cr_assert_good(block, error);
    assert_repeated(block, maker);
    xtf_block_put(block);
    return NULL;
}

Test(cache, readers_of_the_same_block_wait_for_it)
{
    for (int fail = 0; fail < 2; fail++) {
        g_autoptr(XtfSource) source = counting_source();
        XtfCache *cache = xtf_cache_new(source, 1 << 20);
        Maker maker = {.cache = cache, .offset = 500, .length = 3000, .fail = fail};
        GThread *threads[READERS];

        for (int i = 0; i < READERS; i++)
            threads[i] = g_thread_new("maker", make_together, &maker);
        for (int i = 0; i < READERS; i++)
            g_thread_join(threads[i]);
        cr_assert_eq(maker.calls, fail ? READERS : 1); /* each reader gets the error of its own call */
        XtfCacheStats stats;
        xtf_cache_get_stats(cache, &stats);
        cr_assert_eq(stats.pinned_bytes, 0);
        xtf_cache_free(cache);
    }
}
