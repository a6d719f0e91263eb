/* The memory of large blocks: it agrees with a model, keeps the bound of free memory, and gives memory back. */
#include <sys/mman.h>
#include <unistd.h>

#include "fixture.h"
#include "libxtf/base/block-memory.h"

enum { UNIT = 1 << 10, SLAB = 4 << 20, PART = 64 << 10, HUGE = 2 << 20 };

/* A block in the model: where it is, and the byte that fills it. */
typedef struct {
    uint8_t *bytes;
    uint32_t length;
    uint8_t fill;
} ModelBlock;

static gint compare_places(gconstpointer a, gconstpointer b)
{
    const ModelBlock *left = a, *right = b;

    return (left->bytes > right->bytes) - (left->bytes < right->bytes);
}

static void assert_filled(const ModelBlock *block)
{
    /* All bytes are equal if each equals the next. */
    cr_assert_eq(block->bytes[0], block->fill);
    cr_assert_arr_eq(block->bytes, block->bytes + 1, block->length - 1, "a block of %u", block->length);
}

static size_t round_up(size_t length)
{
    return (length + UNIT - 1) / UNIT * UNIT;
}

/* Compares the pool with the model: blocks do not overlap, and the counts are theirs. */
static void assert_model(XtfSlabPool *pool, GArray *blocks)
{
    XtfSlabStats stats;
    size_t used = 0;

    xtf_slab_pool_get_stats(pool, &stats);
    g_array_sort(blocks, compare_places);
    for (guint i = 0; i < blocks->len; i++) {
        const ModelBlock *block = &g_array_index(blocks, ModelBlock, i);
        cr_assert_eq((uintptr_t)block->bytes % 16, 0);
        used += round_up(block->length);
        if (i + 1 < blocks->len)
            cr_assert_leq(block->bytes + block->length, g_array_index(blocks, ModelBlock, i + 1).bytes);
    }
    cr_assert_eq(stats.used, used);
    cr_assert_geq(stats.held, stats.used);
    cr_assert_leq(stats.held, stats.slabs * SLAB);
}

/* Returns the most bytes held after a block was freed. The parts at both ends of a block stay. Before the pool looks
 * again, half of the permitted free bytes and a block may be freed, and a huge page begun. */
static size_t most_held(const XtfSlabStats *stats, guint n_blocks)
{
    size_t limit = xtf_slab_pool_held_max(stats->used), parts = stats->used + n_blocks * (size_t)(2 * PART);

    return MAX(limit, parts) + (limit - stats->used) / 2 + XTF_BLOCK_IN_SLAB_MAX + HUGE;
}

static uint32_t random_length(GRand *random)
{
    uint32_t most = g_rand_boolean(random) ? 40 << 10 : XTF_BLOCK_IN_SLAB_MAX;

    return (uint32_t)g_rand_int_range(random, XTF_BLOCK_IN_SLAB_MIN, (gint32)most + 1);
}

static void add_block(XtfSlabPool *pool, GArray *blocks, uint32_t length, uint8_t fill)
{
    ModelBlock block = {.bytes = xtf_slab_pool_alloc(pool, length), .length = length, .fill = fill};

    cr_assert_not_null(block.bytes);
    memset(block.bytes, fill, length);
    g_array_append_val(blocks, block);
}

static void remove_block(XtfSlabPool *pool, GArray *blocks, guint i)
{
    const ModelBlock *block = &g_array_index(blocks, ModelBlock, i);

    assert_filled(block);
    cr_assert(xtf_slab_pool_release(pool, block->bytes));
    g_array_remove_index_fast(blocks, i);
}

/* Returns the bytes of a slab that are in memory, or 0 if it is not mapped. */
static size_t resident_bytes(uint8_t *slab)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), n = SLAB / page, resident = 0;
    g_autofree unsigned char *pages = g_malloc(n);

    if (mincore(slab, SLAB, pages) != 0)
        return 0;
    for (size_t i = 0; i < n; i++)
        resident += (pages[i] & 1) * page;
    return resident;
}

/* Returns the bytes in memory of all slabs that have blocks. */
static size_t resident_in_slabs(GArray *blocks)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    size_t resident = 0;

    for (guint i = 0; i < blocks->len; i++) {
        uint8_t *bytes = g_array_index(blocks, ModelBlock, i).bytes;
        if (g_hash_table_add(seen, bytes - (uintptr_t)bytes % SLAB))
            resident += resident_bytes(bytes - (uintptr_t)bytes % SLAB);
    }
    return resident;
}

/* Adds and removes random blocks; the number wanted rises and falls. */
Test(block_memory, random_blocks_agree_with_a_model)
{
    enum { STEPS = 8000, MOST = 400 };
    g_autoptr(GRand) random = g_rand_new_with_seed(36);
    g_autoptr(GArray) blocks = g_array_new(FALSE, FALSE, sizeof(ModelBlock));
    XtfSlabPool *pool = xtf_slab_pool_new();
    XtfSlabStats stats;

    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t wanted = step / 1000 % 2 ? MOST / 20 : MOST;
        bool grow = blocks->len == 0 || (uint32_t)g_rand_int_range(random, 0, (gint32)(2 * wanted)) >= blocks->len;
        if (grow)
            add_block(pool, blocks, random_length(random), (uint8_t)step);
        else
            remove_block(pool, blocks, (guint)g_rand_int_range(random, 0, (gint32)blocks->len));
        xtf_slab_pool_get_stats(pool, &stats);
        if (!grow)
            cr_assert_leq(stats.held, most_held(&stats, blocks->len));
        if (step % 500 == 0) {
            assert_model(pool, blocks);
            cr_assert_leq(resident_in_slabs(blocks), stats.held);
        }
        if (step % 3000 == 0)
            xtf_slab_pool_give_back(pool);
    }
    while (blocks->len > 0)
        remove_block(pool, blocks, 0);
    assert_model(pool, blocks);
    xtf_slab_pool_give_back(pool);
    xtf_slab_pool_get_stats(pool, &stats);
    cr_assert_eq(stats.slabs, 0);
    cr_assert_eq(stats.held, 0);
    xtf_slab_pool_free(pool);
}

/* If every tenth block stays, at most their pages, and the limit, are held. */
Test(block_memory, blocks_that_stay_do_not_hold_the_memory_between_them)
{
    enum { N = 2000, LENGTH = 50000 };
    g_autoptr(GArray) blocks = g_array_new(FALSE, FALSE, sizeof(ModelBlock));
    XtfSlabPool *pool = xtf_slab_pool_new();
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    XtfSlabStats full, sparse;

    for (uint32_t i = 0; i < N; i++)
        add_block(pool, blocks, LENGTH, (uint8_t)i);
    xtf_slab_pool_get_stats(pool, &full);
    /* Slabs are filled: what the tail of a slab cannot take is less than a block, here 50 of 4096 units. */
    cr_assert_leq(full.slabs, full.used / (SLAB - round_up(LENGTH)) + 1);
    for (guint i = N; i > 0; i--)
        if (i % 10 != 0)
            remove_block(pool, blocks, i - 1);
    xtf_slab_pool_get_stats(pool, &sparse);
    cr_assert_leq(sparse.held, most_held(&sparse, blocks->len));
    cr_assert_leq(resident_in_slabs(blocks), sparse.held);

    xtf_slab_pool_give_back(pool);
    cr_assert_leq(resident_in_slabs(blocks), blocks->len * (round_up(LENGTH) + 2 * page));
    for (guint i = 0; i < blocks->len; i++)
        assert_filled(&g_array_index(blocks, ModelBlock, i));
    xtf_slab_pool_free(pool);
}

/* A pool has only its blocks, and heap memory is none. */
Test(block_memory, a_pool_refuses_memory_that_it_does_not_have)
{
    XtfSlabPool *pool = xtf_slab_pool_new(), *second_pool = xtf_slab_pool_new();
    g_autofree uint8_t *heap = g_malloc(XTF_BLOCK_IN_SLAB_MIN);
    uint8_t *block = xtf_slab_pool_alloc(pool, XTF_BLOCK_IN_SLAB_MAX);

    cr_assert_not(xtf_slab_pool_release(pool, heap));
    cr_assert_not(xtf_slab_pool_release(second_pool, block));
    cr_assert(xtf_slab_pool_release(pool, block));
    xtf_slab_pool_free(pool);
    xtf_slab_pool_free(second_pool);
}

static gpointer run_thread(gpointer data)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(GPOINTER_TO_UINT(data));
    g_autoptr(GArray) blocks = g_array_new(FALSE, FALSE, sizeof(ModelBlock));

    for (int step = 0; step < 3000; step++) {
        uint32_t length =
            (uint32_t)g_rand_int_range(random, 1, 2 * XTF_BLOCK_IN_SLAB_MIN << g_rand_int_range(random, 0, 9));
        ModelBlock block = {.bytes = xtf_block_memory_new(length), .length = length, .fill = (uint8_t)step};
        memset(block.bytes, block.fill, length);
        g_array_append_val(blocks, block);
        if (blocks->len < 20)
            continue;
        guint i = (guint)g_rand_int_range(random, 0, (gint32)blocks->len);
        assert_filled(&g_array_index(blocks, ModelBlock, i));
        xtf_block_memory_free(g_array_index(blocks, ModelBlock, i).bytes);
        g_array_remove_index_fast(blocks, i);
        if (step % 1000 == 0)
            xtf_block_memory_give_back();
    }
    for (guint i = 0; i < blocks->len; i++) {
        assert_filled(&g_array_index(blocks, ModelBlock, i));
        xtf_block_memory_free(g_array_index(blocks, ModelBlock, i).bytes);
    }
    return NULL;
}

/* Threads share the pool of the process. Blocks are of any length, in slabs and in the heap. */
Test(block_memory, threads_share_the_memory)
{
    GThread *threads[4];

    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        threads[i] = g_thread_new("blocks", run_thread, GUINT_TO_POINTER(i + 1));
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        g_thread_join(threads[i]);
    xtf_block_memory_free(NULL);
    cr_assert_geq(xtf_block_memory_cost(50000), 50000);
    cr_assert_eq(xtf_block_memory_cost(100), 100);
}
