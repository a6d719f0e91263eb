#include "libxtf/base/object-pool.h"

#include "libxtf/base/file-memory.h"

enum {
    BLOCK_FIRST = 16 << 10, /* bytes of the first block */
    BLOCK_MAX = 1 << 20,
    MEMORY_MAX = 4 << 20,    /* bytes of blocks before further blocks are allocated in files */
    RESERVED_MIN = 64 << 20, /* bytes of address space reserved for the blocks of one file */
};

typedef struct {
    uint8_t *data;
    size_t size;
    size_t n_objects; /* number of objects in use */
    bool in_file;
} Block;

static Block *block_at(const XtfObjectPool *pool, guint i)
{
    return &g_array_index(pool->blocks, Block, i);
}

static XtfFileMemory *file_at(const XtfObjectPool *pool, guint i)
{
    return &g_array_index(pool->files, XtfFileMemory, i);
}

void xtf_object_pool_init(XtfObjectPool *pool, size_t object_size)
{
    *pool = (XtfObjectPool){
        .object_size = object_size,
        .blocks = g_array_new(FALSE, FALSE, sizeof(Block)),
        .files = g_array_new(FALSE, FALSE, sizeof(XtfFileMemory)),
    };
}

static void release_block(const Block *block)
{
    if (block->in_file)
        xtf_file_memory_page_out(block->data, block->size);
}

void xtf_object_pool_page_out(const XtfObjectPool *pool)
{
    for (guint i = 0; i < pool->files->len; i++)
        xtf_file_memory_page_out(file_at(pool, i)->data, file_at(pool, i)->size);
}

void xtf_object_pool_finish(XtfObjectPool *pool)
{
    for (guint i = 0; i < pool->blocks->len; i++) {
        if (!block_at(pool, i)->in_file)
            g_free(block_at(pool, i)->data);
    }
    for (guint i = 0; i < pool->files->len; i++)
        xtf_file_memory_free(file_at(pool, i));
    g_clear_pointer(&pool->blocks, g_array_unref);
    g_clear_pointer(&pool->files, g_array_unref);
}

/* Allocates the block in the last file if its reserved addresses suffice, else in a new file. A new file reserves as
 * many bytes as all blocks of the pool have. So few files hold all blocks, and few calls release them. Returns false if
 * no file can be made or grow. */
static bool allocate_in_file(XtfObjectPool *pool, Block *block)
{
    XtfFileMemory *last = pool->files->len > 0 ? file_at(pool, pool->files->len - 1) : NULL;
    size_t reserved = MAX(pool->n_bytes, RESERVED_MIN);
    XtfFileMemory new_file = {0};

    if (last && last->size + block->size <= last->reserved) {
        if (!xtf_file_memory_grow(last, last->size + block->size, last->reserved, NULL))
            return false;
    } else {
        if (!xtf_file_memory_grow(&new_file, block->size, reserved, NULL))
            return false;
        g_array_append_val(pool->files, new_file);
        last = file_at(pool, pool->files->len - 1);
    }
    block->data = last->data + last->size - block->size;
    block->in_file = true;
    return true;
}

static void add_block(XtfObjectPool *pool)
{
    size_t size = CLAMP(pool->n_bytes, BLOCK_FIRST, BLOCK_MAX);
    Block block = {.size = MAX(size, pool->object_size)};

    if (pool->blocks->len > 0)
        release_block(block_at(pool, pool->blocks->len - 1));
    if (pool->n_bytes < MEMORY_MAX || !allocate_in_file(pool, &block))
        block.data = g_malloc0(block.size);
    pool->n_bytes += block.size;
    g_array_append_val(pool->blocks, block);
}

void *xtf_object_pool_new(XtfObjectPool *pool)
{
    guint n_blocks = pool->blocks->len;

    if (n_blocks == 0 ||
        (block_at(pool, n_blocks - 1)->n_objects + 1) * pool->object_size > block_at(pool, n_blocks - 1)->size)
        add_block(pool);
    Block *block = block_at(pool, pool->blocks->len - 1);
    pool->n_objects++;
    return block->data + block->n_objects++ * pool->object_size;
}

void xtf_object_iter_init(XtfObjectIter *iter, const XtfObjectPool *pool)
{
    *iter = (XtfObjectIter){.pool = pool};
}

void *xtf_object_iter_next(XtfObjectIter *iter)
{
    for (; iter->block < iter->pool->blocks->len; iter->block++, iter->next_object = 0) {
        const Block *block = block_at(iter->pool, iter->block);
        if (iter->next_object < block->n_objects)
            return block->data + iter->next_object++ * iter->pool->object_size;
        release_block(block);
    }
    return NULL;
}
