/*
 * Commits: how appended rows become rows that a reader sees.
 *
 * A commit block holds, one behind the other: the right edges of the arrays that changed, the lowest nodes of the P
 * index that changed, the levels above them (rewritten whole: they are a 60th of the lowest), the tables that changed,
 * the heap of strings and the clock maps if they changed, and the catalog. Everything else stays where earlier commits
 * wrote it. Then, after a sync, the older of the two superblocks is overwritten to name the new catalog, and a second
 * sync makes that last. A crash at any instant leaves one superblock whole, and nothing that it names was touched
 * since: pages are written once, and blocks are never reused. So a reader's snapshot holds for as long as the file
 * does.
 *
 * The price is the space of dead commits. xtf_writer_checkpoint() bounds it: it commits once the bytes sealed since the
 * last commit are at least those that the last commit took, so that dead blocks never take more than live pages.
 */
#include <errno.h>
#include <unistd.h>

#include "libxtf/base/checksum.h"
#include "libxtf/disk/codec.h"
#include "libxtf/disk/superblock.h"
#include "libxtf/error.h"
#include "libxtf/write/writer-private.h"

bool xtf_writer_flush_pending(XtfWriter *writer, GError **error)
{
    uint64_t offset = writer->pages * writer->page_size;

    if (writer->pending->len == 0)
        return true;
    writer->pages += (writer->pending->len + writer->page_size - 1) / writer->page_size;
    for (guint i = 0; i < writer->pending_arrays->len; i++) {
        XtfArrayWriter *array = writer->pending_arrays->pdata[i];
        array->edge.offset += offset;
    }
    g_ptr_array_set_size(writer->pending_arrays, 0);
    bool good = xtf_writer_put(writer, offset, writer->pending->data, writer->pending->len, error);
    g_byte_array_set_size(writer->pending, 0);
    return good;
}

/* A commit block being put together. It is written in pieces, so that a large one takes no more memory. */
typedef struct {
    XtfWriter *writer;
    GByteArray *bytes; /* not written yet */
    uint64_t start;    /* byte at which the block begins */
    uint64_t written;  /* bytes of it that are */
} Block;

static bool block_flush(Block *block, GError **error)
{
    bool good =
        xtf_writer_put(block->writer, block->start + block->written, block->bytes->data, block->bytes->len, error);
    block->written += block->bytes->len;
    g_byte_array_set_size(block->bytes, 0);
    return good;
}

static bool block_flush_if_large(Block *block, GError **error)
{
    enum { PIECE_BYTES = 1 << 20 };
    return block->bytes->len < PIECE_BYTES || block_flush(block, error);
}

static bool block_add(Block *block, const void *bytes, size_t length, XtfRef *ref, GError **error)
{
    *ref = (XtfRef){
        .offset = block->start + block->written + block->bytes->len,
        .length = (uint32_t)length,
        .checksum = xtf_checksum(bytes, length),
    };
    g_byte_array_append(block->bytes, bytes, (guint)length);
    return block_flush_if_large(block, error);
}

static bool add_edges(Block *block, const XtfNodeWriter *node, GError **error)
{
    for (guint i = 0; i < node->arrays->len; i++) {
        XtfArrayWriter *array = node->arrays->pdata[i];
        if (!array->changed || array->closed || array->n_rows == 0)
            continue;
        uint64_t base = block->start + block->written;
        xtf_array_writer_pack_edge(array, block->bytes, &array->edge);
        array->edge.offset += base;
        if (!block_flush_if_large(block, error))
            return false;
    }
    return true;
}

/* Stores a lowest node if it changed. */
static bool add_leaf_node(Block *block, XtfNodeWriter *node, XtfBranch *branch, GError **error)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    xtf_node_writer_encode(node, bytes, branch);
    if (branch->arrays > 0 && node->changed && !block_add(block, bytes->data, bytes->len, &node->stored, error))
        return false;
    node->changed = false;
    branch->child = node->stored;
    return true;
}

/* Stores a node of the level above `n` branches. */
static bool add_branch_node(Block *block, unsigned level, const XtfBranch *branches, guint n, XtfBranch *parent,
                            GError **error)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    xtf_node_encode(bytes, level);
    *parent = (XtfBranch){.location = branches->location, .schema = branches->schema};
    for (guint i = 0; i < n; i++) {
        xtf_node_add_branch(bytes, &branches[i]);
        parent->arrays += branches[i].arrays;
        parent->n_rows += branches[i].n_rows;
    }
    return block_add(block, bytes->data, bytes->len, &parent->child, error);
}

/* Stores the levels above the lowest, until one node is left: the root. */
static bool add_branch_nodes(Block *block, GArray *branches, XtfCatalog *catalog, GError **error)
{
    unsigned level = 0;

    while (branches->len > 1) {
        guint n_parents = 0;
        level++;
        for (guint i = 0; i < branches->len; i += XTF_NODE_BRANCHES) {
            XtfBranch parent;
            if (!add_branch_node(block, level, &g_array_index(branches, XtfBranch, i),
                                 MIN(branches->len - i, XTF_NODE_BRANCHES), &parent, error))
                return false;
            g_array_index(branches, XtfBranch, n_parents++) = parent; /* over a child that is stored already */
        }
        g_array_set_size(branches, n_parents);
    }
    if (branches->len == 1) {
        const XtfBranch *root = &g_array_index(branches, XtfBranch, 0);
        catalog->n_arrays = root->arrays;
        catalog->arrays_height = level + 1;
        catalog->arrays_root = root->child;
    }
    return true;
}

/* What the catalog says of all arrays together. */
static void add_up_arrays(XtfWriter *writer)
{
    XtfCatalog *catalog = &writer->catalog;
    uint64_t first = UINT64_MAX, last = 0;

    memset(catalog->n_rows, 0, catalog->n_schemas * sizeof *catalog->n_rows);
    for (guint i = 0; i < writer->nodes->len; i++) {
        const XtfNodeWriter *node = writer->nodes->pdata[i];
        for (guint a = 0; a < node->arrays->len; a++) {
            const XtfArrayWriter *array = node->arrays->pdata[a];
            if (array->n_rows == 0)
                continue;
            catalog->n_rows[array->schema->id] += array->n_rows;
            writer->incompatible |= xtf_codec(array->leaf.codec)->feature;
            if (array->schema->kind == XTF_SCHEMA_RECORD) {
                const XtfClockMap *clock = xtf_writer_clock(writer, array->clock_map);
                first = MIN(first, xtf_clock_map_to_global(clock, array->first));
                last = MAX(last, xtf_clock_map_to_global(clock, array->last));
            }
        }
    }
    bool any = first <= last;
    catalog->clock.first = any ? first : 1;
    catalog->clock.last = any ? last : 0;
    catalog->clock.origin = any ? MIN(writer->origin, first) : writer->origin == UINT64_MAX ? 0 : writer->origin;
    catalog->clock.complete = writer->complete;
}

/* Edges, then the P index over them. */
static bool add_arrays(Block *block, GError **error)
{
    XtfWriter *writer = block->writer;
    g_autoptr(GArray) branches = g_array_new(FALSE, FALSE, sizeof(XtfBranch));

    for (guint i = 0; i < writer->nodes->len; i++) {
        XtfNodeWriter *node = writer->nodes->pdata[i];
        XtfBranch branch;
        if (!add_edges(block, node, error) || !add_leaf_node(block, node, &branch, error))
            return false;
        if (branch.arrays > 0)
            g_array_append_val(branches, branch);
    }
    add_up_arrays(writer);
    return add_branch_nodes(block, branches, &writer->catalog, error);
}

static bool add_tables(Block *block, GError **error)
{
    XtfWriter *writer = block->writer;
    XtfCatalog *catalog = &writer->catalog;

    catalog->tables = g_renew(XtfTableEntry, catalog->tables, writer->tables->len);
    catalog->n_tables = 0;
    for (guint i = 0; i < writer->tables->len; i++) {
        XtfTableWriter *table = writer->tables->pdata[i];
        if (table->changed) {
            xtf_writer_widen_limits(writer, table->schema, table->rows->data, (uint32_t)table->n_rows);
            if (!block_add(block, table->rows->data, table->rows->len, &table->stored, error))
                return false;
            table->changed = false;
        }
        catalog->n_rows[table->schema->id] = table->n_rows;
        catalog->tables[catalog->n_tables++] =
            (XtfTableEntry){.schema = table->schema->id, .n_rows = table->n_rows, .rows = table->stored};
    }
    if (writer->strings_changed &&
        !block_add(block, writer->strings->data, writer->strings->len, &writer->strings_stored, error))
        return false;
    writer->strings_changed = false;
    catalog->strings = writer->strings_stored;
    return true;
}

static bool add_clock_maps(Block *block, GError **error)
{
    XtfWriter *writer = block->writer;
    XtfWriterClocks *clocks = &writer->clocks;

    if (clocks->changed) {
        g_autoptr(GByteArray) bytes = g_byte_array_new();
        clocks->n_stored = xtf_writer_clocks_encode(writer, bytes);
        if (!block_add(block, bytes->data, bytes->len, &clocks->stored, error))
            return false;
        clocks->changed = false;
    }
    writer->catalog.n_clock_maps = clocks->n_stored;
    writer->catalog.clock_maps = clocks->stored;
    return true;
}

static bool add_catalog(Block *block, XtfRef *ref, GError **error)
{
    XtfWriter *writer = block->writer;
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    XtfSegment segment = {.id = writer->segment, .pages = block->start / writer->page_size, .epoch = writer->epoch};
    XtfCatalog catalog = writer->catalog;

    catalog.segments = &segment;
    catalog.n_segments = 1;
    xtf_catalog_encode(&catalog, bytes);
    return block_add(block, bytes->data, bytes->len, ref, error);
}

static bool sync_file(XtfWriter *writer, GError **error)
{
    if (writer->no_sync || fdatasync(writer->fd) == 0)
        return true;
    writer->failed = true;
    return xtf_fail(error, XTF_ERROR_IO, "%s: cannot sync: %s", writer->path, g_strerror(errno));
}

static bool write_superblock(XtfWriter *writer, unsigned slot, GError **error)
{
    XtfSuperblock superblock = {
        .info =
            {
                .page_size = writer->page_size,
                .epoch = writer->epoch,
                .commit = writer->commit,
                .pages = writer->pages,
            },
        .incompatible = writer->incompatible,
        .catalog = writer->catalog_stored,
    };
    XtfDiskSuperblock disk;

    memcpy(superblock.info.file_id, writer->file_id, sizeof writer->file_id);
    xtf_superblock_encode(&superblock, &disk);
    return xtf_writer_put(writer, (uint64_t)slot * XTF_SUPERBLOCK_STRIDE, &disk, sizeof disk, error) &&
           sync_file(writer, error);
}

/* Writes the commit block; *catalog is what the superblock names. */
static bool write_block(XtfWriter *writer, XtfRef *catalog, GError **error)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    Block block = {.writer = writer, .bytes = bytes, .start = writer->pages * writer->page_size};

    if (!add_arrays(&block, error) || !add_tables(&block, error) || !add_clock_maps(&block, error))
        return false;
    if (!add_catalog(&block, catalog, error) || !block_flush(&block, error))
        return false;
    writer->pages += (block.written + writer->page_size - 1) / writer->page_size;
    writer->last_commit_bytes = block.written;
    writer->commit_bytes += block.written;
    return true;
}

bool xtf_writer_commit(XtfWriter *writer, GError **error)
{
    XtfRef catalog;

    if (writer->failed)
        return xtf_fail(error, XTF_ERROR_IO, "%s: a write failed before, so nothing more is committed", writer->path);
    g_mutex_lock(&writer->lock);
    bool good = xtf_writer_flush_pending(writer, error);
    g_mutex_unlock(&writer->lock);
    if (!good || !write_block(writer, &catalog, error) || !sync_file(writer, error))
        return false;
    writer->commit++;
    writer->sealed_bytes = 0;
    writer->catalog_stored = catalog;
    return write_superblock(writer, writer->commit % XTF_SUPERBLOCK_SLOTS, error);
}

bool xtf_writer_checkpoint(XtfWriter *writer, GError **error)
{
    return writer->sealed_bytes < writer->last_commit_bytes || xtf_writer_commit(writer, error);
}

bool xtf_writer_close(XtfWriter *writer, GError **error)
{
    writer->complete = UINT64_MAX;
    /* The other slot too, so that damage to one superblock of a finished file costs nothing. */
    bool good = xtf_writer_commit(writer, error) &&
                write_superblock(writer, (writer->commit + 1) % XTF_SUPERBLOCK_SLOTS, error);

    xtf_writer_abort(writer);
    return good;
}
