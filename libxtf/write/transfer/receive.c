/*
 * The receiver's side of a transfer: stores pages, and adds their arrays.
 */
#include "libxtf/disk/codec.h"
#include "libxtf/error.h"
#include "libxtf/schema/schema-codec.h"
#include "libxtf/schema/value-limits.h"
#include "libxtf/transfer.h"
#include "libxtf/write/transfer/blocks.h"
#include "libxtf/write/writer-private.h"

struct XtfReceiver {
    XtfWriter *writer;
    XtfTransferSize size;
    XtfTransferPlace place;
    const XtfSchema *schema; /* of the arrays that follow; NULL: none was read */
    uint64_t n_pages;        /* pages that have arrived */
    bool has_ended;
};

XtfReceiver *xtf_receiver_new(XtfWriter *writer, const XtfTransferSize *size, GError **error)
{
    g_autoptr(XtfReceiver) receiver = g_new0(XtfReceiver, 1);

    receiver->writer = writer;
    receiver->size = *size;
    g_mutex_lock(&writer->lock);
    bool has_ids = size->n_arrays <= UINT32_MAX - writer->next_array;
    receiver->place.first_array = writer->next_array;
    writer->next_array += has_ids ? (uint32_t)size->n_arrays : 0;
    g_mutex_unlock(&writer->lock);
    if (!has_ids) {
        xtf_fail(error, XTF_ERROR_TOO_LARGE, "the file has no ids for more arrays");
        return NULL;
    }
    receiver->place.segment = writer->segment;
    receiver->place.epoch = writer->epoch;
    receiver->place.first_page = size->n_pages > 0 ? xtf_writer_allot(writer, 0, size->n_pages) : 0;
    return g_steal_pointer(&receiver);
}

void xtf_receiver_free(XtfReceiver *receiver)
{
    g_free(receiver);
}

XtfTransferPlace xtf_receiver_place(const XtfReceiver *receiver)
{
    return receiver->place;
}

/* Reports a block that does not fit. The writer fails, too: its arrays may refer to pages that do not arrive. */
static bool refuse_block(const XtfReceiver *receiver, const char *problem, GError **error)
{
    receiver->writer->failed = true;
    return xtf_fail(error, XTF_ERROR_INVALID, "%s: rows of another writer cannot be added: %s", receiver->writer->path,
                    problem);
}

/* ---- Schemas. */

static const XtfSchema *find_schema(const XtfWriter *writer, const uint8_t *encoded, uint64_t n)
{
    g_autoptr(GByteArray) own = g_byte_array_new();

    for (uint32_t i = 0; i < writer->catalog.n_schemas; i++) {
        g_byte_array_set_size(own, 0);
        xtf_schema_encode(writer->catalog.schemas[i], own);
        if (own->len == n && memcmp(own->data, encoded, n) == 0)
            return writer->catalog.schemas[i];
    }
    return NULL;
}

static void join_limits(XtfWriter *writer, const XtfSchema *schema, const XtfLimits *added)
{
    XtfLimits *limits = writer->catalog.limits[schema->id];

    for (uint32_t f = 0; f < schema->n_fields; f++)
        limits[f] = xtf_limits_join(schema->fields[f].type, &limits[f], &added[f]);
    writer->limits_changed[schema->id] = true;
}

static bool read_schema(XtfReceiver *receiver, const XtfSchemaBlock *block, uint32_t n_bytes, GError **error)
{
    const XtfLimits *limits = (const XtfLimits *)(const void *)(block + 1);
    uint64_t before = sizeof *block + block->n_fields * (uint64_t)sizeof *limits;
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&receiver->writer->lock);

    if (before > n_bytes || block->n_encoded > n_bytes - before)
        return refuse_block(receiver, "a schema is cut short", error);
    receiver->schema = find_schema(receiver->writer, (const uint8_t *)(limits + block->n_fields), block->n_encoded);
    if (!receiver->schema || receiver->schema->n_fields != block->n_fields)
        return refuse_block(receiver, "the file lacks their schema", error);
    join_limits(receiver->writer, receiver->schema, limits);
    return true;
}

/* ---- Arrays. */

/* Returns the array that gets the rows, new or without rows; NULL: it has rows. The caller holds the lock. */
static XtfArrayWriter *empty_array(const XtfReceiver *receiver, uint64_t location)
{
    XtfWriter *writer = receiver->writer;
    XtfArrayWriter *array = xtf_writer_find_array(writer, location, receiver->schema);

    if (array)
        return array->n_rows == 0 && !array->closed ? array : NULL;
    array = xtf_array_writer_new(writer, location, receiver->schema);
    array->clock_map = xtf_writer_clock_of(writer, location);
    xtf_array_writer_update_earliest(array);
    xtf_writer_take_array(writer, array);
    return array;
}

static bool read_array(XtfReceiver *receiver, const XtfArrayBlock *block, uint32_t n_bytes, GError **error)
{
    const XtfTransferPlace *place = &receiver->place;
    XtfWriter *writer = receiver->writer;

    if (!receiver->schema || n_bytes != sizeof *block + block->edge_bytes || block->edge_length > block->edge_bytes ||
        block->id < place->first_array || block->id - place->first_array >= receiver->size.n_arrays ||
        block->height == 0 || block->height > XTF_HEIGHT_MAX || block->codec != writer->codec || block->n_rows == 0)
        return refuse_block(receiver, "an array has other bytes or another number than was announced", error);
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&writer->lock);
    XtfArrayWriter *array = empty_array(receiver, block->location);
    if (!array || block->first < array->earliest)
        return refuse_block(receiver, "the file has rows of the same location, or later ones", error);
    array->id = block->id;
    array->n_rows = block->n_rows;
    array->first = block->first;
    array->last = array->earliest = block->last;
    array->height = block->height;
    array->codec = block->codec;
    array->batches = block->batches;
    array->edge = (XtfRef){.length = block->edge_length, .checksum = block->edge_checksum};
    array->changed = array->closed = true;
    return xtf_array_writer_put_edge(array, (const uint8_t *)(block + 1), block->edge_bytes, error);
}

/* ---- Pages. */

static bool read_pages(XtfReceiver *receiver, const XtfPagesBlock *block, uint32_t n_bytes, GError **error)
{
    uint32_t page_size = receiver->writer->page_size;
    uint64_t expected = receiver->place.first_page + receiver->n_pages;

    if (n_bytes != sizeof *block + (uint64_t)block->n_pages * page_size || block->place != expected ||
        block->n_pages > receiver->size.n_pages - receiver->n_pages)
        return refuse_block(receiver, "pages have other places than were announced", error);
    receiver->n_pages += block->n_pages;
    return xtf_writer_put(receiver->writer, block->place * page_size, block + 1, (size_t)block->n_pages * page_size,
                          error);
}

static bool read_end(XtfReceiver *receiver, GError **error)
{
    if (receiver->n_pages != receiver->size.n_pages)
        return refuse_block(receiver, "pages are missing", error);
    receiver->has_ended = true;
    return true;
}

bool xtf_receiver_read(XtfReceiver *receiver, const void *block, uint32_t n_bytes, GError **error)
{
    uint32_t kind = n_bytes < sizeof(XtfPagesBlock) ? UINT32_MAX : *(const uint32_t *)block;

    if (kind == XTF_BLOCK_SCHEMA && n_bytes >= sizeof(XtfSchemaBlock))
        return read_schema(receiver, block, n_bytes, error);
    if (kind == XTF_BLOCK_ARRAY && n_bytes >= sizeof(XtfArrayBlock))
        return read_array(receiver, block, n_bytes, error);
    if (kind == XTF_BLOCK_PAGES)
        return read_pages(receiver, block, n_bytes, error);
    return kind == XTF_BLOCK_END ? read_end(receiver, error)
                                 : refuse_block(receiver, "a block is of no known kind", error);
}

bool xtf_receiver_end(const XtfReceiver *receiver, GError **error)
{
    return receiver->has_ended || refuse_block(receiver, "blocks are missing", error);
}
