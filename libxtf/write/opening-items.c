/*
 * The catalog lists the free pages, and storing the catalog itself takes some of them. So the writer first reserves all
 * pages that it needs. It assumes a catalog with the greatest possible number of runs of free pages. Then the free
 * pages are known, and the catalog is encoded.
 */
#include "libxtf/write/opening-items.h"

#include "libxtf/base/checksum.h"
#include "libxtf/disk/lists/leaf-lists.h"
#include "libxtf/error.h"
#include "libxtf/write/array-pages.h"
#include "libxtf/write/chunk-writer.h"
#include "libxtf/write/companion.h"
#include "libxtf/write/volume-list.h"

/* Marks all schemas and limits as changed, so that this commit stores all of them. */
static void mark_all_changed(XtfWriter *writer)
{
    writer->schema_rows.stored = 0;
    for (uint32_t i = 0; i < writer->catalog.n_schemas; i++)
        writer->limits_changed[i] |= writer->catalog.limit_items[i].length > 0;
}

/* Forgets where the schemas and limits were just stored, so that the next copy stores them again. */
static void forget_copy(XtfWriter *writer)
{
    xtf_chunk_writer_forget(&writer->schema_rows);
    for (uint32_t i = 0; i < writer->catalog.n_schemas; i++)
        writer->catalog.limit_items[i] = (XtfRef){0};
}

/* Drops the stored items that are about to be stored anew. */
static void drop_changed(XtfWriter *writer)
{
    XtfCatalog *catalog = &writer->catalog;

    xtf_chunk_writer_drop_changed(&writer->schema_rows, writer->space);
    for (uint32_t i = 0; i < catalog->n_schemas; i++) {
        XtfRef *item = &catalog->limit_items[i];
        if (writer->limits_changed[i] && item->length > 0) {
            xtf_space_drop(writer->space, item->offset, item->length);
            *item = (XtfRef){0};
        }
    }
    if (writer->catalog_stored.length > 0)
        xtf_space_drop(writer->space, writer->catalog_stored.offset, writer->catalog_stored.length);
    writer->catalog_stored = (XtfRef){0};
}

/* Returns the bytes of the limits to be stored, each item padded to the item alignment. */
static uint64_t limits_bytes(const XtfWriter *writer)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < writer->catalog.n_schemas; i++)
        if (writer->limits_changed[i])
            bytes += writer->catalog.schemas[i]->n_fields * sizeof(XtfDiskLimits);
    return bytes;
}

/* Encodes the catalog with `n_free` runs of free pages. The unused ones have no pages. */
static void encode_catalog(XtfWriter *writer, uint32_t n_free, GByteArray *bytes)
{
    XtfCatalog catalog = writer->catalog;
    XtfSegment segment = {.id = writer->segment, .pages = writer->pages, .epoch = writer->epoch};
    uint32_t n;
    const XtfFreePages *listed = xtf_space_list(writer->space, &n);
    g_autofree XtfFreePages *free_pages = g_new0(XtfFreePages, n_free);

    if (n > 0)
        memcpy(free_pages, listed, MIN(n, n_free) * sizeof *listed);
    catalog.segments = &segment;
    catalog.n_segments = 1;
    catalog.free_pages = free_pages;
    catalog.n_free_pages = n_free;
    if (writer->base)
        xtf_writer_base_name(writer, &catalog);
    xtf_writer_volumes_name(writer, &catalog);
    xtf_catalog_encode(&catalog, bytes);
}

/* Returns the padded bytes of the catalog as it will be once schemas and limits are stored. */
static uint64_t catalog_bytes(XtfWriter *writer, uint32_t n_free)
{
    XtfChunks *chunks = &writer->catalog.schema_chunks;
    g_autofree XtfRef *unknown = g_new0(XtfRef, writer->schema_rows.starts->len);
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    *chunks = (XtfChunks){.chunks = unknown, .n = writer->schema_rows.starts->len};
    encode_catalog(writer, n_free, bytes);
    *chunks = (XtfChunks){0};
    return (bytes->len + XTF_ITEM_ALIGNMENT - 1) / XTF_ITEM_ALIGNMENT * XTF_ITEM_ALIGNMENT;
}

static bool add_limits(XtfCommitBlock *block, GError **error)
{
    XtfWriter *writer = block->writer;
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    for (uint32_t i = 0; i < writer->catalog.n_schemas; i++) {
        if (!writer->limits_changed[i])
            continue;
        g_byte_array_set_size(bytes, 0);
        xtf_catalog_encode_limits(&writer->catalog, i, bytes);
        if (!xtf_commit_block_add(block, bytes, &writer->catalog.limit_items[i], error))
            return false;
    }
    return true;
}

static bool add_copy(XtfCommitBlock *block, uint32_t n_free, XtfOpeningItems *copy, GError **error)
{
    XtfWriter *writer = block->writer;
    g_autoptr(GByteArray) bytes = g_byte_array_new();

    *copy = (XtfOpeningItems){.offset = xtf_commit_block_position(block)};
    if (!xtf_chunk_writer_store(&writer->schema_rows, block, &writer->catalog.schema_chunks, error) ||
        !add_limits(block, error))
        return false;
    encode_catalog(writer, n_free, bytes);
    if (!xtf_commit_block_add(block, bytes, &copy->catalog, error))
        return false;
    uint64_t length = copy->catalog.offset + copy->catalog.length - copy->offset;
    copy->length = (uint32_t)MIN(length, UINT32_MAX);
    return true;
}

bool xtf_writer_add_opening_items(XtfCommitBlock *block, XtfOpeningItems *copies, unsigned n_copies, GError **error)
{
    XtfWriter *writer = block->writer;
    XtfPlace places[XTF_SUPERBLOCK_SLOTS];
    uint32_t n_free;

    if (n_copies > 1)
        mark_all_changed(writer);
    drop_changed(writer);
    xtf_space_list(writer->space, &n_free);
    if (xtf_commit_block_in_free_pages(block))
        n_free++; /* the unused end of the current pages */
    uint64_t length =
        xtf_chunk_writer_changed_bytes(&writer->schema_rows) + limits_bytes(writer) + catalog_bytes(writer, n_free);
    if (!xtf_commit_block_reserve(block, length, places, n_copies, error))
        return false;
    /* The first copy is stored last: the writer continues with its items. */
    for (unsigned i = n_copies; i-- > 0;) {
        if (i + 1 < n_copies)
            forget_copy(writer);
        if (!xtf_commit_block_enter(block, &places[i], error) || !add_copy(block, n_free, &copies[i], error))
            return false;
    }
    memset(writer->limits_changed, 0, writer->catalog.n_schemas * sizeof *writer->limits_changed);
    writer->catalog_stored = copies[0].catalog;
    return xtf_commit_block_end(block, error);
}

/* ---- Leaf lists. */

/* True if an opening of XTF_OPENING_SHORT_BYTES does not name all leaves: some array has sealed index pages, or the
 * right edges take more bytes. */
static bool needs_lists(const XtfWriter *writer)
{
    const XtfArrayWriter *array;
    XtfObjectIter arrays;
    uint64_t edges = 0;

    xtf_object_iter_init(&arrays, &writer->arrays);
    while ((array = xtf_object_iter_next(&arrays))) {
        edges += array->edge_bytes;
        if (array->n_rows > 0 && (array->height > 2 || (array->height > 1 && edges > XTF_OPENING_SHORT_BYTES)))
            return true;
    }
    return false;
}

static gint compare_array_ids(gconstpointer a, gconstpointer b)
{
    uint32_t x = (*(const XtfArrayWriter *const *)a)->id, y = (*(const XtfArrayWriter *const *)b)->id;

    return x < y ? -1 : x > y;
}

/* Returns the arrays that have index pages, by id. */
static GPtrArray *list_arrays(const XtfWriter *writer)
{
    GPtrArray *found = g_ptr_array_new();
    XtfArrayWriter *array;
    XtfObjectIter arrays;

    xtf_object_iter_init(&arrays, &writer->arrays);
    while ((array = xtf_object_iter_next(&arrays)))
        if (array->n_rows > 0 && array->height > 1)
            g_ptr_array_add(found, array);
    g_ptr_array_sort(found, compare_array_ids);
    return found;
}

/* Returns the item of the leaf lists; NULL if there are no lists. Leaves out lists that do not fit, and arrays whose
 * pages cannot be read. */
static GByteArray *encode_lists(const XtfWriter *writer)
{
    g_autoptr(GPtrArray) arrays = list_arrays(writer);
    g_autoptr(GByteArray) heads = g_byte_array_new(), packed = g_byte_array_new();
    g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, sizeof(XtfDiskEntry));
    bool fits = true;

    for (guint i = 0; i < arrays->len && fits; i++) {
        const XtfArrayWriter *array = arrays->pdata[i];
        g_array_set_size(entries, 0);
        if (xtf_array_pages_leaves(array, entries, XTF_LEAF_LIST_ENTRIES))
            fits = xtf_leaf_lists_add(heads, packed, 0, array->id, entries);
    }
    return heads->len > 0 ? xtf_leaf_lists_encode(heads, packed) : NULL;
}

bool xtf_writer_add_leaf_lists(XtfCommitBlock *block, uint64_t *offset, GError **error)
{
    XtfWriter *writer = block->writer;

    *offset = 0;
    if (writer->base || writer->own_first > 0 || !needs_lists(writer))
        return true;
    g_autoptr(GByteArray) item = encode_lists(writer);
    if (!item)
        return true;
    bool good = xtf_commit_block_add(block, item, &writer->catalog.leaf_lists, error);
    *offset = writer->catalog.leaf_lists.offset;
    return good;
}
