/*
 * Commits: they make appended rows visible to readers.
 *
 * A commit stores the changed right edges of arrays and lowest nodes of the P index. It stores the changed chunks of
 * tables, strings and schemas, limits and clock maps. It always stores the higher nodes of the P index (they are a 60th
 * of the lowest) and the catalog. Everything else stays where earlier commits wrote it. Then, after a sync, the writer
 * overwrites the older of the two superblocks with one that names the new catalog. A second sync makes that durable. A
 * crash at any instant leaves one superblock valid. The bytes that it names are intact, because the writer puts pages
 * and items only where the kept commits name nothing (space.h). A reader's snapshot is valid for as long as the
 * superblock promises; a reader that needs more time opens the file again.
 *
 * xtf_writer_checkpoint() decides for its caller when to commit: once the bytes sealed since the last commit are at
 * least the bytes of the last commit. So commits never write more bytes than pages do.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/base/checksum.h"
#include "libxtf/base/sync-name.h"
#include "libxtf/disk/codec.h"
#include "libxtf/disk/node-tree.h"
#include "libxtf/disk/superblock.h"
#include "libxtf/error.h"
#include "libxtf/write/chunk-writer.h"
#include "libxtf/write/companion.h"
#include "libxtf/write/opening-items.h"

/* Writes pending edges of a sender. */
static bool flush_to_edges(XtfWriter *writer, XtfPendingEdges *pending, GError **error)
{
    for (guint i = 0; i < pending->arrays->len; i++)
        ((XtfArrayWriter *)pending->arrays->pdata[i])->edge.offset += writer->edges_end;
    g_ptr_array_set_size(pending->arrays, 0);
    bool good = xtf_writer_put_edges(writer, pending->bytes->data, pending->bytes->len, error);
    g_byte_array_set_size(pending->bytes, 0);
    return good;
}

bool xtf_writer_flush_pending(XtfWriter *writer, XtfPendingSize size, uint64_t *start, GError **error)
{
    XtfPendingEdges *pending = &writer->pending[size];
    uint64_t n_pages = (pending->bytes->len + (uint64_t)writer->page_size - 1) / writer->page_size;

    if (n_pages == 0)
        return true;
    if (writer->edges_fd >= 0)
        return flush_to_edges(writer, pending, error);
    uint64_t offset = xtf_writer_take_pages(writer, 0, n_pages) * writer->page_size;
    for (guint i = 0; i < pending->arrays->len; i++) {
        XtfArrayWriter *array = pending->arrays->pdata[i];
        array->edge.offset += offset;
        xtf_space_use(writer->space, array->edge.offset, array->edge_bytes);
    }
    g_ptr_array_set_size(pending->arrays, 0);
    bool good = xtf_writer_put(writer, offset, pending->bytes->data, pending->bytes->len, error);
    g_byte_array_set_size(pending->bytes, 0);
    if (start)
        *start = offset;
    return good;
}

/* Writes all pending edges, small ones last: so they lie next to the items of the commit. *small gets the file offset
 * of the small edges; 0: there are none. The caller holds the lock. */
static bool flush_all_pending(XtfWriter *writer, uint64_t *small, GError **error)
{
    *small = 0;
    return xtf_writer_flush_pending(writer, XTF_PENDING_LARGE, NULL, error) &&
           xtf_writer_flush_pending(writer, XTF_PENDING_SMALL, small, error);
}

/* Stores the array's right edge, and drops the one that an earlier commit stored. */
static bool add_edge(XtfCommitBlock *block, XtfArrayWriter *array, GByteArray *bytes, GError **error)
{
    uint64_t before = array->edge.offset, offset;

    g_byte_array_set_size(bytes, 0);
    if (!xtf_array_writer_pack_edge(array, bytes, &array->edge, error) ||
        !xtf_commit_block_add_run(block, bytes->data, bytes->len, &offset, error))
        return false;
    if (array->edge_bytes > 0)
        xtf_space_drop(array->writer->space, before, array->edge_bytes);
    array->edge.offset += offset;
    array->edge_bytes = bytes->len;
    return true;
}

/* Stores the changed edges of a node's arrays. *first gets the file offset of the first edge, if it is 0. */
static bool add_edges(XtfCommitBlock *block, const XtfNodeWriter *node, uint64_t *first, GError **error)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    for (uint32_t i = 0; i < node->n; i++) {
        XtfArrayWriter *array = node->entries[i].array;
        if (!array->changed || !array->open)
            continue;
        if (!add_edge(block, array, bytes, error))
            return false;
        if (*first == 0)
            *first = array->edge.offset;
    }
    return true;
}

/* Stores a lowest node of the P index if it changed. A node that has become empty is dropped from the file. */
static bool add_leaf_node(XtfCommitBlock *block, XtfNodeWriter *node, XtfBranch *branch, GError **error)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    xtf_node_writer_encode(node, bytes, branch);
    if (branch->arrays > 0 && node->changed && !xtf_commit_block_add(block, bytes, &node->stored, error))
        return false;
    if (branch->arrays == 0 && node->stored.length > 0) {
        xtf_space_drop(block->writer->space, node->stored.offset, node->stored.length);
        node->stored = (XtfRef){0};
    }
    node->changed = false;
    branch->child = node->stored;
    return true;
}

/* Stores a node of the P index above the lowest level, and records it: the next commit drops it. */
static bool add_branch_node(void *data, const GByteArray *node, XtfRef *ref, GError **error)
{
    XtfCommitBlock *block = data;

    if (!xtf_commit_block_add(block, node, ref, error))
        return false;
    g_array_append_val(block->writer->branch_nodes, *ref);
    return true;
}

/* Computes the catalog's row counts, first and last time, and feature bits over all arrays. */
static void summarize_arrays(XtfWriter *writer)
{
    XtfCatalog *catalog = &writer->catalog;
    uint64_t first = UINT64_MAX, last = 0;
    const XtfArrayWriter *array;
    XtfObjectIter arrays;

    memset(catalog->n_rows, 0, catalog->n_schemas * sizeof *catalog->n_rows);
    xtf_object_iter_init(&arrays, &writer->arrays);
    while ((array = xtf_object_iter_next(&arrays))) {
        if (array->n_rows == 0)
            continue;
        catalog->n_rows[array->schema->id] += array->n_rows;
        writer->incompatible |= xtf_codec(array->codec)->feature | (array->batches ? XTF_FEATURE_BATCHES : 0);
        if (array->schema->kind == XTF_SCHEMA_RECORD) {
            const XtfClockMap *clock = xtf_writer_clock(writer, array->clock_map);
            first = MIN(first, xtf_clock_map_to_global(clock, array->first));
            last = MAX(last, xtf_clock_map_to_global(clock, array->last));
        }
    }
    bool any = first <= last;
    catalog->clock.first = any ? MIN(MAX(first, writer->kept_from), last) : 1;
    catalog->clock.last = any ? last : 0;
    catalog->clock.origin = any ? MIN(writer->origin, first) : writer->origin == UINT64_MAX ? 0 : writer->origin;
    catalog->clock.complete = writer->complete;
}

static void drop_all(XtfSpace *space, GArray *items)
{
    for (guint i = 0; i < items->len; i++) {
        const XtfRef *item = &g_array_index(items, XtfRef, i);
        xtf_space_drop(space, item->offset, item->length);
    }
    g_array_set_size(items, 0);
}

/* Offsets at which an opening run may begin; 0: there is no such offset. */
typedef struct {
    uint64_t small_edges, edges, lists, index, tables;
} OpeningBegins;

/* Stores the edges, then the P index over them. An index of few nodes follows all edges: so its nodes are adjacent, and
 * lie in the opening run. Leaf lists precede such an index in a commit that closes the file. Sets the begins of edges,
 * lists and index. */
static bool add_arrays(XtfCommitBlock *block, bool closing, OpeningBegins *begins, GError **error)
{
    XtfWriter *writer = block->writer;
    g_autoptr(GArray) branches = g_array_new(FALSE, FALSE, sizeof(XtfBranch));
    bool few = writer->nodes->len <= XTF_OPENING_BYTES / 2 / XTF_NODE_BYTES;

    for (guint i = 0; i < writer->nodes->len && few; i++)
        if (!add_edges(block, writer->nodes->pdata[i], &begins->edges, error))
            return false;
    if (few && closing && !xtf_writer_add_leaf_lists(block, &begins->lists, error))
        return false;
    for (guint i = 0; i < writer->nodes->len; i++) {
        XtfNodeWriter *node = writer->nodes->pdata[i];
        XtfBranch branch;
        if ((!few && !add_edges(block, node, &begins->edges, error)) || !add_leaf_node(block, node, &branch, error))
            return false;
        if (branch.arrays > 0)
            g_array_append_val(branches, branch);
        xtf_writer_trim_pools(writer, node->n);
    }
    begins->index = few && branches->len > 0 ? g_array_index(branches, XtfBranch, 0).child.offset : 0;
    summarize_arrays(writer);
    return xtf_node_tree_store(branches, add_branch_node, block, &writer->catalog, error);
}

static bool add_tables(XtfCommitBlock *block, GError **error)
{
    XtfWriter *writer = block->writer;
    XtfCatalog *catalog = &writer->catalog;

    catalog->tables = g_renew(XtfTableEntry, catalog->tables, writer->tables->len);
    catalog->n_tables = 0;
    for (guint i = 0; i < writer->tables->len; i++) {
        XtfTableWriter *table = writer->tables->pdata[i];
        XtfTableEntry *entry = &catalog->tables[i];
        const uint8_t *new_rows = table->rows.bytes->data + table->n_limited * table->schema->row_size;
        xtf_writer_widen_limits(writer, table->schema, new_rows, (uint32_t)(table->n_rows - table->n_limited));
        table->n_limited = table->n_rows;
        catalog->n_rows[table->schema->id] = table->n_rows;
        *entry = (XtfTableEntry){.schema = table->schema->id, .n_rows = table->n_rows};
        if (!xtf_chunk_writer_store(&table->rows, block, &entry->rows, error))
            return false;
        catalog->n_tables++;
    }
    return xtf_chunk_writer_store(&writer->strings, block, &catalog->strings, error);
}

static bool add_clock_maps(XtfCommitBlock *block, GError **error)
{
    XtfWriter *writer = block->writer;
    XtfWriterClocks *clocks = &writer->clocks;
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    if (clocks->changed) {
        clocks->n_stored = xtf_writer_clocks_encode(writer, bytes);
        if (bytes->len > 0 && !xtf_commit_block_add(block, bytes, &clocks->stored, error))
            return false;
        if (bytes->len == 0 && clocks->stored.length > 0) {
            xtf_space_drop(writer->space, clocks->stored.offset, clocks->stored.length);
            clocks->stored = (XtfRef){0};
        }
        clocks->changed = false;
    }
    writer->catalog.n_clock_maps = clocks->n_stored;
    writer->catalog.clock_maps = clocks->stored;
    return true;
}

bool xtf_writer_sync(const XtfWriter *writer, GError **error)
{
    return fdatasync(writer->fd) == 0 ||
           xtf_fail(error, XTF_ERROR_IO, "%s: cannot sync: %s", writer->path, g_strerror(errno));
}

void xtf_writer_keep_synced(XtfWriter *writer)
{
    writer->synced = writer->commit;
    xtf_space_keep(writer->space, writer->commit);
}

static bool sync_commit(XtfWriter *writer, bool closing, GError **error)
{
    if (writer->sync_name && !writer->no_sync) /* without its name the file is lost */
        xtf_sync_name(writer->path);
    writer->sync_name = false;
    if (writer->no_sync || (writer->late_sync && !closing) || xtf_writer_sync(writer, error))
        return true;
    writer->failed = true;
    return false;
}

/* Returns the number of the next commit. Its superblock slot differs from the slot of the last synced commit. */
static uint64_t next_commit(const XtfWriter *writer)
{
    uint64_t next = writer->commit + 1;

    return writer->synced > 0 && (next - writer->synced) % XTF_SUPERBLOCK_SLOTS == 0 ? next + 1 : next;
}

enum {
    RESERVE_PER_ARRAY = 256, /* bytes for its entry in the P index, which a resuming writer stores anew */
};

/* Writes zeros from `offset` to `end`, and over a superblock that was never written. For file systems that cannot
 * allocate blocks behind the end of a file. */
static bool write_zeros(XtfWriter *writer, uint64_t offset, uint64_t end, GError **error)
{
    g_autofree uint8_t *zeros = g_malloc0(writer->page_size);
    uint64_t first = writer->own_first * writer->page_size;
    bool good = writer->commit > 0 || xtf_writer_put(writer, first, zeros, sizeof(XtfDiskSuperblock), error);

    for (; good && offset < end; offset += writer->page_size)
        good = xtf_writer_put(writer, offset, zeros, writer->page_size, error);
    return good;
}

/* Makes the file system allocate blocks for both superblocks and for the reserve behind this commit. Later pages of the
 * same writer use these blocks too. A writer that resumes at this commit finds them free. Each block is requested once:
 * a file system that cannot allocate all of them may release the blocks it had. */
static bool reserve_blocks(XtfWriter *writer, GError **error)
{
    uint64_t after = writer->pages * writer->page_size;
    uint64_t end = after + writer->reserve + RESERVE_PER_ARRAY * (uint64_t)writer->next_array +
                   MIN(writer->strings.bytes->len, XTF_CHUNK_BYTES);
    uint64_t first = writer->own_first * writer->page_size;
    uint64_t begin = writer->reserved > 0 ? MAX(writer->reserved, after) : first;

    if (writer->reserve == 0 || begin >= end)
        return true;
    while (fallocate(writer->fd, FALLOC_FL_KEEP_SIZE, (off_t)(begin - first), (off_t)(end - begin)) != 0) {
        if (errno == EINTR)
            continue;
        if (errno != EOPNOTSUPP && errno != ENOSYS)
            return xtf_fail(error, XTF_ERROR_IO, "%s: cannot write: %s", writer->path, g_strerror(errno));
        if (!write_zeros(writer, MAX(begin, after), end, error))
            return false;
        break;
    }
    writer->reserved = end;
    return true;
}

void xtf_writer_release_reserve(const XtfWriter *writer)
{
    off_t end = (off_t)((writer->pages - writer->own_first) * writer->page_size);
    struct stat status;

    if (writer->reserve > 0 && fstat(writer->fd, &status) == 0 && ftruncate(writer->fd, MIN(end, status.st_size)) != 0)
        g_debug("%s: cannot truncate to its last page: %s", writer->path, g_strerror(errno));
}

static bool write_superblock(XtfWriter *writer, unsigned slot, const XtfOpeningItems *items, uint64_t wall_time,
                             bool closed, GError **error)
{
    XtfSuperblock superblock = {
        .info =
            {
                .page_size = writer->page_size,
                .epoch = writer->epoch,
                .commit = writer->commit,
                .pages = writer->pages + (writer->base ? writer->base->pages : 0),
                .wall_time = wall_time,
                .closed = closed,
                .kept_commits = writer->kept_commits,
                .kept_seconds = writer->kept_seconds,
            },
        .incompatible = writer->incompatible,
        .own_first = writer->own_first,
        .catalog = items->catalog,
        .opening = items->offset,
        .opening_bytes = items->length,
        .slot = (uint8_t)slot,
    };
    XtfDiskSuperblock disk;

    memcpy(superblock.info.file_id, writer->file_id, sizeof writer->file_id);
    xtf_superblock_encode(&superblock, &disk);
    uint64_t at = writer->own_first * writer->page_size + (uint64_t)slot * XTF_SUPERBLOCK_STRIDE;
    return xtf_writer_put(writer, at, &disk, sizeof disk, error) && sync_commit(writer, closed, error);
}

/* Makes an opening run begin earlier, at `offset`, if it then has at most `most` bytes. Returns false if it has more.
 */
static bool begin_opening(XtfOpeningItems *copy, uint64_t offset, uint64_t most)
{
    if (offset == 0 || offset > copy->offset || copy->offset + copy->length - offset > most)
        return false;
    copy->length += (uint32_t)(copy->offset - offset);
    copy->offset = offset;
    return true;
}

/* Makes an opening run begin as early as its length allows. A run with edges may have at most an eighth of these bytes.
 * Reading the edges costs time that questions about few arrays do not win back. Most readers take the run of slot 0.
 * The run of slot 1, for readers whose requests are slow, has the leaf lists. */
static void extend_opening(XtfOpeningItems *copy, unsigned slot, const OpeningBegins *begins)
{
    if (!begin_opening(copy, begins->small_edges, XTF_OPENING_SHORT_BYTES) &&
        !begin_opening(copy, begins->edges, XTF_OPENING_SHORT_BYTES) &&
        !(slot == 1 && begin_opening(copy, begins->lists, XTF_OPENING_BYTES)) &&
        !begin_opening(copy, begins->index, XTF_OPENING_BYTES))
        begin_opening(copy, begins->tables, XTF_OPENING_BYTES);
}

/* Writes all items of a commit. `small_edges`: file offset of edges that were written just before; 0: none. */
static bool write_items(XtfWriter *writer, uint64_t number, uint64_t small_edges, XtfOpeningItems *copies,
                        unsigned n_copies, GError **error)
{
    g_auto(XtfCommitBlock) block;

    xtf_commit_block_init(&block, writer);
    xtf_space_begin_commit(writer->space, number, g_get_monotonic_time());
    drop_all(writer->space, writer->branch_nodes);
    drop_all(writer->space, writer->dropped);
    xtf_space_drop_pages(writer->space, writer->dropped_pages);
    g_array_set_size(writer->dropped_pages, 0);
    OpeningBegins begins = {.small_edges = small_edges};
    if (!add_arrays(&block, n_copies > 1, &begins, error))
        return false;
    begins.tables = xtf_commit_block_position(&block);
    if (!add_tables(&block, error) || !add_clock_maps(&block, error) ||
        (writer->base && !xtf_writer_base_store(&block, error)) ||
        !xtf_writer_add_opening_items(&block, copies, n_copies, error))
        return false;
    for (unsigned i = 0; i < n_copies; i++)
        extend_opening(&copies[i], (unsigned)((number + i) % XTF_SUPERBLOCK_SLOTS), &begins);
    writer->last_commit_bytes = block.written;
    writer->commit_bytes += block.written;
    return true;
}

static bool write_commit(XtfWriter *writer, bool closing, GError **error)
{
    XtfOpeningItems copies[XTF_SUPERBLOCK_SLOTS];

    if (writer->failed)
        return xtf_fail(error, XTF_ERROR_IO, "%s: cannot commit: an earlier write failed", writer->path);
    g_mutex_lock(&writer->lock);
    uint64_t small_edges;
    bool good = flush_all_pending(writer, &small_edges, error);
    if (closing)
        xtf_writer_clocks_forget_unused(writer);
    g_mutex_unlock(&writer->lock);
    uint64_t number = next_commit(writer);
    if (!good || !write_items(writer, number, small_edges, copies, closing ? XTF_SUPERBLOCK_SLOTS : 1, error) ||
        (!closing && !reserve_blocks(writer, error)) || !sync_commit(writer, closing, error)) {
        writer->failed = true; /* the writer's lists of free pages and stored items are wrong now */
        return false;
    }
    writer->commit = number;
    writer->sealed_bytes = 0;
    uint64_t wall_time = writer->wall_time = (uint64_t)g_get_real_time() * 1000;
    if (!write_superblock(writer, writer->commit % XTF_SUPERBLOCK_SLOTS, &copies[0], wall_time, closing, error))
        return false;
    xtf_space_end_commit(writer->space, g_get_monotonic_time());
    if (!closing)
        return true;
    if (!write_superblock(writer, (writer->commit + 1) % XTF_SUPERBLOCK_SLOTS, &copies[1], wall_time, true, error))
        return false;
    xtf_writer_release_reserve(writer);
    return true;
}

bool xtf_writer_commit(XtfWriter *writer, GError **error)
{
    if (writer->base)
        return xtf_fail(error, XTF_ERROR_INVALID, "%s: a companion is committed once, when it is closed", writer->path);
    return write_commit(writer, false, error);
}

bool xtf_writer_checkpoint(XtfWriter *writer, GError **error)
{
    return writer->sealed_bytes < writer->last_commit_bytes || xtf_writer_commit(writer, error);
}

bool xtf_writer_close(XtfWriter *writer, GError **error)
{
    writer->complete = UINT64_MAX;
    bool good = write_commit(writer, true, error);

    xtf_writer_abort(writer);
    return good;
}
