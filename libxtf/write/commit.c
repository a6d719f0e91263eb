/*
 * Commits: how what was appended becomes what a reader sees.
 *
 * A commit block holds, packed one behind the other: the right edges of the arrays that changed, the tables that
 * changed, the heap of strings if it did, the lowest nodes of the P index that changed, the levels above them
 * (rewritten whole: they are a 60th of the lowest), and the catalog. Everything else stays where earlier commits wrote
 * it. Then, after a sync, the older of the two superblocks is overwritten to name the new catalog, and a second sync
 * makes it last. A crash at any instant leaves one superblock whole, and nothing that it names was touched since: pages
 * are written once, and blocks are never reused. So a reader's snapshot holds for as long as the file does.
 *
 * The price is the space of dead commits. xtf_writer_checkpoint() bounds it: it commits once as many bytes were sealed
 * as the last commit took, so that dead blocks are never more than live pages.
 */
#include <errno.h>
#include <unistd.h>

#include "libxtf/base/checksum.h"
#include "libxtf/pack/codec.h"
#include "libxtf/schema/value-limits.h"
#include "libxtf/write/writer-private.h"

static int compare_arrays(const XtfArrayWriter *a, const XtfArrayWriter *b)
{
    if (a->location != b->location)
        return a->location < b->location ? -1 : 1;
    return (a->schema->id > b->schema->id) - (a->schema->id < b->schema->id);
}

static XtfNodeWriter *node_new(void)
{
    XtfNodeWriter *node = g_new0(XtfNodeWriter, 1);
    node->arrays = g_ptr_array_new();
    return node;
}

/* The last node that begins no later than the array. */
static guint find_node(const GPtrArray *nodes, const XtfArrayWriter *array)
{
    guint low = 0, high = nodes->len;

    while (high - low > 1) {
        guint middle = low + (high - low) / 2;
        const XtfNodeWriter *node = nodes->pdata[middle];
        if (compare_arrays(node->arrays->pdata[0], array) <= 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Cuts a full node in two; at its end, where arrays mostly come, so that nodes stay full. */
static void split_node(XtfWriter *writer, guint at, bool append)
{
    XtfNodeWriter *node = writer->nodes->pdata[at], *right = node_new();
    guint keep = append ? node->arrays->len : node->arrays->len / 2;

    for (guint i = keep; i < node->arrays->len; i++)
        g_ptr_array_add(right->arrays, node->arrays->pdata[i]);
    g_ptr_array_set_size(node->arrays, (gint)keep);
    node->changed = right->changed = true;
    g_ptr_array_insert(writer->nodes, (gint)at + 1, right);
}

void xtf_writer_index_array(XtfWriter *writer, XtfArrayWriter *array)
{
    if (writer->nodes->len == 0)
        g_ptr_array_add(writer->nodes, node_new());
    guint at = find_node(writer->nodes, array);
    XtfNodeWriter *node = writer->nodes->pdata[at];
    guint slot = node->arrays->len;
    while (slot > 0 && compare_arrays(node->arrays->pdata[slot - 1], array) > 0)
        slot--;
    if (node->arrays->len == XTF_NODE_ARRAYS) {
        split_node(writer, at, slot == node->arrays->len);
        if (slot >= node->arrays->len) {
            slot -= node->arrays->len;
            node = writer->nodes->pdata[at + 1];
        }
    }
    g_ptr_array_insert(node->arrays, (gint)slot, array);
    node->changed = true;
}

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

/* A commit block being put together. It goes out in pieces, so that its size is not a matter of memory. */
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
        if (!array->changed || array->finished || array->n_rows == 0)
            continue;
        uint64_t base = block->start + block->written;
        xtf_array_writer_pack_edge(array, block->bytes, &array->edge);
        array->edge.offset += base;
        if (!block_flush_if_large(block, error))
            return false;
    }
    return true;
}

static void encode_array(const XtfArrayWriter *array, GByteArray *bytes)
{
    XtfDiskArray disk = {0};

    xtf_write64(&disk.location, array->location);
    xtf_write32(&disk.schema, array->schema->id);
    xtf_write32(&disk.array, array->id);
    xtf_write64(&disk.n_rows, array->n_rows);
    xtf_write64(&disk.first, array->first);
    xtf_write64(&disk.last, array->last);
    xtf_ref_write(&disk.edge, array->edge);
    disk.height = array->height;
    disk.codec = array->leaf.codec;
    g_byte_array_append(bytes, (const guint8 *)&disk, sizeof disk);
}

static void begin_node(GByteArray *bytes, unsigned level, uint32_t count)
{
    XtfDiskNode head = {.level = (uint8_t)level};

    g_byte_array_set_size(bytes, 0);
    xtf_write32(&head.magic, XTF_NODE_MAGIC);
    xtf_write32(&head.count, count);
    g_byte_array_append(bytes, (const guint8 *)&head, sizeof head);
}

/* What a commit knows of a node once it is stored, for the level above. */
typedef struct {
    uint64_t location, arrays, n_rows;
    uint32_t schema;
    XtfRef ref;
} Branch;

/* Stores a lowest node if it changed. Arrays without rows are not stored; *branch has no arrays if there are no others.
 */
static bool add_leaf_node(Block *block, XtfNodeWriter *node, Branch *branch, GError **error)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    *branch = (Branch){0};
    begin_node(bytes, 0, 0);
    for (guint i = 0; i < node->arrays->len; i++) {
        XtfArrayWriter *array = node->arrays->pdata[i];
        if (array->n_rows == 0)
            continue;
        if (branch->arrays++ == 0) {
            branch->location = array->location;
            branch->schema = array->schema->id;
        }
        branch->n_rows += array->n_rows;
        node->changed |= array->changed;
        array->changed = false;
        encode_array(array, bytes);
    }
    if (branch->arrays > 0 && node->changed) {
        xtf_write32(&((XtfDiskNode *)bytes->data)->count, (uint32_t)branch->arrays);
        if (!block_add(block, bytes->data, bytes->len, &node->stored, error))
            return false;
    }
    node->changed = false;
    branch->ref = node->stored;
    return true;
}

/* Stores the levels above the lowest, until one node is left: the root. */
static bool add_branch_nodes(Block *block, GArray *branches, XtfCatalog *catalog, GError **error)
{
    unsigned level = 0;
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    while (branches->len > 1) {
        g_autoptr(GArray) above = g_array_new(FALSE, FALSE, sizeof(Branch));
        level++;
        for (guint i = 0; i < branches->len; i += XTF_NODE_BRANCHES) {
            guint n = MIN(branches->len - i, XTF_NODE_BRANCHES);
            Branch parent = {0};
            begin_node(bytes, level, n);
            for (guint c = 0; c < n; c++) {
                const Branch *child = &g_array_index(branches, Branch, i + c);
                XtfDiskBranch disk = {0};
                xtf_write64(&disk.location, child->location);
                xtf_write32(&disk.schema, child->schema);
                xtf_write64(&disk.arrays, child->arrays);
                xtf_write64(&disk.n_rows, child->n_rows);
                xtf_ref_write(&disk.child, child->ref);
                g_byte_array_append(bytes, (const guint8 *)&disk, sizeof disk);
                parent.arrays += child->arrays;
                parent.n_rows += child->n_rows;
            }
            parent.location = g_array_index(branches, Branch, i).location;
            parent.schema = g_array_index(branches, Branch, i).schema;
            if (!block_add(block, bytes->data, bytes->len, &parent.ref, error))
                return false;
            g_array_append_val(above, parent);
        }
        g_array_set_size(branches, 0);
        g_array_append_vals(branches, above->data, above->len);
    }
    if (branches->len == 1) {
        const Branch *root = &g_array_index(branches, Branch, 0);
        catalog->n_arrays = root->arrays;
        catalog->arrays_height = level + 1;
        catalog->arrays_root = root->ref;
    }
    return true;
}

/* Edges, then the P index over them; on the way, what the catalog says of all arrays together. */
static bool add_arrays(Block *block, GError **error)
{
    XtfWriter *writer = block->writer;
    XtfCatalog *catalog = &writer->catalog;
    g_autoptr(GArray) branches = g_array_new(FALSE, FALSE, sizeof(Branch));
    uint64_t first = UINT64_MAX, last = 0;

    memset(catalog->n_rows, 0, catalog->n_schemas * sizeof *catalog->n_rows);
    for (guint i = 0; i < writer->nodes->len; i++) {
        XtfNodeWriter *node = writer->nodes->pdata[i];
        Branch branch;
        if (!add_edges(block, node, error) || !add_leaf_node(block, node, &branch, error))
            return false;
        if (branch.arrays > 0)
            g_array_append_val(branches, branch);
        for (guint a = 0; a < node->arrays->len; a++) {
            const XtfArrayWriter *array = node->arrays->pdata[a];
            catalog->n_rows[array->schema->id] += array->n_rows;
            if (array->n_rows > 0 && array->leaf.codec == XTF_CODEC_COMPACT)
                writer->incompatible |= XTF_FEATURE_COMPACT;
            if (array->n_rows > 0 && array->schema->kind == XTF_SCHEMA_RECORD) {
                first = MIN(first, array->first);
                last = MAX(last, array->last);
            }
        }
    }
    bool any = first <= last;
    catalog->clock.first = any ? first : 1;
    catalog->clock.last = any ? last : 0;
    catalog->clock.origin = any ? MIN(writer->origin, first) : writer->origin == UINT64_MAX ? 0 : writer->origin;
    return add_branch_nodes(block, branches, catalog, error);
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

static bool add_catalog(Block *block, XtfRef *ref, GError **error)
{
    XtfWriter *writer = block->writer;
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    XtfSegment segment = {.id = writer->segment, .pages = block->start / writer->page_size, .epoch = writer->epoch};

    writer->catalog.segments = &segment;
    writer->catalog.n_segments = 1;
    xtf_catalog_encode(&writer->catalog, bytes);
    writer->catalog.segments = NULL;
    writer->catalog.n_segments = 0;
    return block_add(block, bytes->data, bytes->len, ref, error);
}

static bool sync_file(XtfWriter *writer, GError **error)
{
    if (writer->no_sync || fdatasync(writer->fd) == 0)
        return true;
    int code = errno;
    writer->failed = true;
    g_set_error(error, XTF_ERROR, XTF_ERROR_IO, "%s: cannot sync: %s", writer->path, g_strerror(code));
    return false;
}

static bool write_superblock(XtfWriter *writer, unsigned slot, GError **error)
{
    XtfDiskSuperblock disk = {0};

    memcpy(disk.magic, XTF_FILE_MAGIC, sizeof disk.magic);
    xtf_write16(&disk.version_major, XTF_VERSION_MAJOR);
    xtf_write16(&disk.version_minor, XTF_VERSION_MINOR);
    xtf_write32(&disk.page_size, writer->page_size);
    memcpy(disk.file_id, writer->file_id, sizeof disk.file_id);
    xtf_write64(&disk.incompatible, writer->incompatible);
    xtf_write64(&disk.commit, writer->commit);
    xtf_write64(&disk.pages, writer->pages);
    xtf_write32(&disk.epoch, writer->epoch);
    xtf_ref_write(&disk.catalog, writer->catalog_stored);
    xtf_write32(&disk.checksum, xtf_checksum(&disk, offsetof(XtfDiskSuperblock, checksum)));
    return xtf_writer_put(writer, (uint64_t)slot * XTF_SUPERBLOCK_STRIDE, &disk, sizeof disk, error) &&
           sync_file(writer, error);
}

/* Writes the commit block; the place of its catalog is what the superblock needs. */
static bool write_block(XtfWriter *writer, XtfRef *catalog, GError **error)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    Block block = {.writer = writer, .bytes = bytes, .start = writer->pages * writer->page_size};

    if (!add_arrays(&block, error) || !add_tables(&block, error))
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

    if (writer->failed) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_IO, "%s: a write failed before, so nothing more is committed",
                    writer->path);
        return false;
    }
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
    bool good = xtf_writer_commit(writer, error);

    /* The other slot too, so that damage to one superblock of a finished file costs nothing. */
    if (good)
        good = write_superblock(writer, (writer->commit + 1) % XTF_SUPERBLOCK_SLOTS, error);
    xtf_writer_abort(writer);
    return good;
}
