/*
 * The cache: blocks that are made of others live in it like those that are read.
 */
#include "fixture.h"
#include "libxtf/cache/cache.h"

enum { SOURCE_BYTES = 64 << 10 };

/* Byte i of the source is i modulo 251, so a block tells where it is from. */
static XtfSource *counting_source(void)
{
    uint8_t *bytes = g_malloc(SOURCE_BYTES);
    for (uint32_t i = 0; i < SOURCE_BYTES; i++)
        bytes[i] = (uint8_t)(i % 251);
    g_autoptr(GBytes) taken = g_bytes_new_take(bytes, SOURCE_BYTES);
    return xtf_source_new_bytes(taken);
}

typedef struct {
    XtfCache *cache;
    uint64_t offset;
    uint32_t length; /* of the block that is made; that of the one it is made from is 16 */
    bool fail;
    gint calls; /* atomic */
    gint readers;
} Making;

/* Repeats the block at the offset, so often that it takes `length` bytes. */
static bool repeat(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    Making *making = context;

    g_atomic_int_inc(&making->calls);
    if (making->fail) {
        g_set_error_literal(error, XTF_ERROR, XTF_ERROR_DAMAGED, "told to fail");
        return false;
    }
    XtfBlock *block = xtf_cache_get(making->cache, making->offset, 16, 0, NULL, NULL, error);
    if (!block)
        return false;
    *data = g_malloc(making->length);
    for (uint32_t i = 0; i < making->length; i++)
        (*data)[i] = block->data[i % 16];
    *length = making->length;
    xtf_block_put(block);
    return true;
}

static bool all_zero(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    *length = *(uint32_t *)context;
    *data = g_malloc0(*length);
    return true;
}

static void assert_repeated(const XtfBlock *block, const Making *making)
{
    cr_assert_eq(block->offset, making->offset);
    cr_assert_eq(block->length, making->length);
    for (uint32_t i = 0; i < block->length; i++)
        cr_assert_eq(block->data[i], (making->offset + i % 16) % 251);
}

Test(cache, a_block_is_made_once)
{
    g_autoptr(XtfSource) source = counting_source();
    XtfCache *cache = xtf_cache_new(source, 1 << 20);
    Making making = {.cache = cache, .offset = 1000, .length = 5000};
    GError *error = NULL;
    XtfCacheStats before, after;

    for (int i = 0; i < 3; i++) {
        XtfBlock *block = xtf_cache_make(cache, 1000, 16, 0, repeat, &making, &error);
        cr_assert_good(block, error);
        assert_repeated(block, &making);
        xtf_block_put(block);
    }
    cr_assert_eq(making.calls, 1);

    /* The same bytes read, another length and another maker are other blocks. */
    uint32_t zeros = 100;
    XtfBlock *raw = xtf_cache_get(cache, 1000, 16, 0, NULL, NULL, &error);
    XtfBlock *longer = xtf_cache_make(cache, 1000, 17, 0, repeat, &making, &error);
    XtfBlock *other = xtf_cache_make(cache, 1000, 16, 0, all_zero, &zeros, &error);
    cr_assert_eq(making.calls, 2);
    /* And another version. */
    XtfBlock *newer = xtf_cache_make(cache, 1000, 16, 7, repeat, &making, &error);
    cr_assert_eq(making.calls, 3);
    cr_assert_eq(newer->version, 7);
    xtf_block_put(newer);
    cr_assert_eq(raw->length, 16);
    cr_assert_eq(raw->data[0], 1000 % 251);
    cr_assert_eq(other->length, zeros);
    cr_assert_eq(other->data[0], 0);
    xtf_cache_get_stats(cache, &before);
    xtf_block_put(other);
    xtf_cache_get_stats(cache, &after);
    cr_assert_geq(before.pinned_bytes - after.pinned_bytes, zeros);
    xtf_block_put(raw);
    xtf_block_put(longer);
    xtf_cache_get_stats(cache, &after);
    cr_assert_eq(after.pinned_bytes, 0);
    cr_assert_geq(after.bytes, 5000 + 5000 + zeros);
    xtf_cache_free(cache);
}

Test(cache, what_is_made_counts_against_the_bound)
{
    g_autoptr(XtfSource) source = counting_source();
    XtfCache *cache = xtf_cache_new(source, 64 << 10);
    Making making = {.cache = cache, .length = 10000};
    GError *error = NULL;
    XtfCacheStats stats;

    for (uint64_t i = 0; i < 1000; i++) {
        making.offset = (i * 7 % 40) * 100;
        XtfBlock *block = xtf_cache_make(cache, making.offset, 16, 0, repeat, &making, &error);
        cr_assert_good(block, error);
        assert_repeated(block, &making);
        xtf_block_put(block);
        xtf_cache_get_stats(cache, &stats);
        cr_assert_leq(stats.bytes, stats.limit);
        cr_assert_eq(stats.pinned_bytes, 0);
    }
    cr_assert_gt(stats.evictions, 0);
    cr_assert_gt(making.calls, 40);

    /* What is larger than all of the cache is there while it is pinned, and no longer. */
    making.length = 100 << 10;
    XtfBlock *block = xtf_cache_make(cache, making.offset, 15, 0, repeat, &making, &error);
    cr_assert_good(block, error);
    assert_repeated(block, &making);
    xtf_block_put(block);
    xtf_cache_get_stats(cache, &stats);
    cr_assert_leq(stats.bytes, stats.limit);
    xtf_cache_free(cache);
}

Test(cache, a_maker_that_fails_leaves_nothing)
{
    g_autoptr(XtfSource) source = counting_source();
    XtfCache *cache = xtf_cache_new(source, 1 << 20);
    Making making = {.cache = cache, .offset = 32, .length = 64, .fail = true};
    XtfCacheStats stats;

    for (int i = 1; i <= 2; i++) {
        g_autoptr(GError) error = NULL;
        cr_assert_null(xtf_cache_make(cache, 32, 16, 0, repeat, &making, &error));
        cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_DAMAGED));
        cr_assert_eq(making.calls, i);
    }
    xtf_cache_get_stats(cache, &stats);
    cr_assert_eq(stats.bytes, 0);
    cr_assert_eq(stats.pinned_bytes, 0);
    making.fail = false;
    XtfBlock *block = xtf_cache_make(cache, 32, 16, 0, repeat, &making, NULL);
    assert_repeated(block, &making);
    xtf_block_put(block);
    xtf_cache_free(cache);
}

/* A block that is not needed any more leaves once nobody holds it, and is read anew. */
Test(cache, what_is_not_needed_leaves)
{
    enum { BLOCK = 4096 };
    g_autoptr(XtfSource) source = counting_source();
    XtfCache *cache = xtf_cache_new(source, 1 << 20);
    XtfCacheStats stats;

    XtfBlock *block = xtf_cache_get(cache, 0, BLOCK, 0, NULL, NULL, NULL);
    XtfBlock *other = xtf_cache_get(cache, 0, BLOCK, 0, NULL, NULL, NULL);
    xtf_block_drop(block);
    cr_assert_eq(other->data[7], 7);
    xtf_block_drop(other);
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

static uint64_t loads_of_passing(XtfCache *cache, uint64_t offset, unsigned times)
{
    XtfCacheStats before, after;

    xtf_cache_get_stats(cache, &before);
    for (unsigned i = 0; i < times; i++)
        xtf_block_pass(xtf_cache_get(cache, offset, 4096, 0, NULL, NULL, NULL));
    xtf_cache_get_stats(cache, &after);
    return after.loads - before.loads;
}

/* A block that is passed leaves, unless it is passed again or somebody else got it: then it stays. */
Test(cache, what_is_passed_once_leaves)
{
    g_autoptr(XtfSource) source = counting_source();
    XtfCache *cache = xtf_cache_new(source, 1 << 20);
    XtfCacheStats stats;

    cr_assert_eq(loads_of_passing(cache, 0, 1), 1);
    xtf_cache_get_stats(cache, &stats);
    cr_assert_eq(stats.bytes, 0);
    cr_assert_eq(loads_of_passing(cache, 0, 5), 1);
    cr_assert_eq(loads_of_passing(cache, 8192, 3), 2);

    XtfBlock *block = xtf_cache_get(cache, 4096, 4096, 0, NULL, NULL, NULL);
    cr_assert_eq(loads_of_passing(cache, 4096, 1), 0);
    xtf_block_put(block);
    cr_assert_eq(loads_of_passing(cache, 4096, 1), 0);
    xtf_block_pass(NULL);
    xtf_cache_get_stats(cache, &stats);
    cr_assert_eq(stats.pinned_bytes, 0);
    xtf_cache_free(cache);
}

enum { READERS = 8 };

/* Does not return before others have asked for the same. */
static bool repeat_when_all_are_there(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    Making *making = context;

    while (g_atomic_int_get(&making->readers) < READERS)
        g_thread_yield();
    return repeat(context, data, length, error);
}

static gpointer make_together(gpointer data)
{
    Making *making = data;
    g_autoptr(GError) error = NULL;

    g_atomic_int_inc(&making->readers);
    XtfBlock *block = xtf_cache_make(making->cache, making->offset, 16, 0, repeat_when_all_are_there, making, &error);
    if (making->fail) {
        cr_assert(!block && error);
        return NULL;
    }
    cr_assert_good(block, error);
    assert_repeated(block, making);
    xtf_block_put(block);
    return NULL;
}

Test(cache, who_wants_the_same_waits_for_it)
{
    for (int fail = 0; fail < 2; fail++) {
        g_autoptr(XtfSource) source = counting_source();
        XtfCache *cache = xtf_cache_new(source, 1 << 20);
        Making making = {.cache = cache, .offset = 500, .length = 3000, .fail = fail};
        GThread *threads[READERS];

        for (int i = 0; i < READERS; i++)
            threads[i] = g_thread_new("maker", make_together, &making);
        for (int i = 0; i < READERS; i++)
            g_thread_join(threads[i]);
        cr_assert_eq(making.calls, fail ? READERS : 1); /* each that fails has the reason itself */
        XtfCacheStats stats;
        xtf_cache_get_stats(cache, &stats);
        cr_assert_eq(stats.pinned_bytes, 0);
        xtf_cache_free(cache);
    }
}
