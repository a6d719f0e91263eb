#include "libxtf/base/object-pool.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libxtf/base/nameless.h"

enum {
    BLOCK_FIRST = 16 << 10, /* bytes */
    BLOCK_MAX = 1 << 20,
    IN_MEMORY = 4 << 20, /* before blocks are a file's */
};

typedef struct {
    uint8_t *data;
    size_t size;
    size_t n; /* objects */
    bool mapped;
} Block;

static Block *block_at(const XtfObjectPool *pool, guint i)
{
    return &g_array_index(pool->blocks, Block, i);
}

void xtf_object_pool_init(XtfObjectPool *pool, size_t object_size)
{
    *pool = (XtfObjectPool){.object_size = object_size, .blocks = g_array_new(FALSE, FALSE, sizeof(Block)), .file = -1};
}

static void rest(const Block *block)
{
    if (block->mapped)
        (void)madvise(block->data, block->size, MADV_DONTNEED); /* of a file: what was written stays in it */
}

void xtf_object_pool_rest(const XtfObjectPool *pool)
{
    for (guint i = 0; pool->n_mapped > 0 && i < pool->blocks->len; i++)
        rest(block_at(pool, i));
}

void xtf_object_pool_finish(XtfObjectPool *pool)
{
    for (guint i = 0; i < pool->blocks->len; i++) {
        const Block *block = block_at(pool, i);
        if (block->mapped)
            munmap(block->data, block->size);
        else
            g_free(block->data);
    }
    g_clear_pointer(&pool->blocks, g_array_unref);
    if (pool->file >= 0)
        close(pool->file);
    pool->file = -1;
}

/* The file's blocks are allotted at once: on a full disk what comes then stays in memory, and nothing is killed by a
 * signal. */
static bool map(XtfObjectPool *pool, Block *block)
{
    if (pool->file < 0 && (pool->file = xtf_nameless_file(NULL, NULL)) < 0)
        return false;
    if (posix_fallocate(pool->file, (off_t)pool->n_mapped, (off_t)block->size) != 0)
        return false;
    void *data = mmap(NULL, block->size, PROT_READ | PROT_WRITE, MAP_SHARED, pool->file, (off_t)pool->n_mapped);
    if (data == MAP_FAILED)
        return false;
    pool->n_mapped += block->size;
    block->data = data;
    block->mapped = true;
    return true;
}

static void add_block(XtfObjectPool *pool)
{
    size_t size = CLAMP(pool->n_bytes, BLOCK_FIRST, BLOCK_MAX);
    Block block = {.size = MAX(size, pool->object_size)};

    if (pool->blocks->len > 0)
        rest(block_at(pool, pool->blocks->len - 1));
    if (pool->n_bytes < IN_MEMORY || !map(pool, &block))
        block.data = g_malloc0(block.size);
    pool->n_bytes += block.size;
    g_array_append_val(pool->blocks, block);
}

void *xtf_object_pool_new(XtfObjectPool *pool)
{
    guint n = pool->blocks->len;

    if (n == 0 || (block_at(pool, n - 1)->n + 1) * pool->object_size > block_at(pool, n - 1)->size)
        add_block(pool);
    Block *block = block_at(pool, pool->blocks->len - 1);
    pool->n_objects++;
    return block->data + block->n++ * pool->object_size;
}

void xtf_object_iter_init(XtfObjectIter *iter, const XtfObjectPool *pool)
{
    *iter = (XtfObjectIter){.pool = pool};
}

void *xtf_object_iter_next(XtfObjectIter *iter)
{
    for (; iter->block < iter->pool->blocks->len; iter->block++, iter->given = 0) {
        const Block *block = block_at(iter->pool, iter->block);
        if (iter->given < block->n)
            return block->data + iter->given++ * iter->pool->object_size;
        rest(block);
    }
    return NULL;
}
