/*
 * The sender's side of a transfer: moves pages and edges to their places in the receiver's file.
 *
 * The pages of a sender are a range without gaps, as nothing else is in its file, and so they are in the receiver's. A
 * place moves by the distance of both ranges. Each link moves with it, and each checksum is computed anew.
 */
#include <errno.h>
#include <unistd.h>

#include "libxtf/base/checksum.h"
#include "libxtf/base/nameless.h"
#include "libxtf/disk/address.h"
#include "libxtf/disk/edge.h"
#include "libxtf/disk/page.h"
#include "libxtf/error.h"
#include "libxtf/schema/schema-codec.h"
#include "libxtf/totals/tables/batches.h"
#include "libxtf/transfer.h"
#include "libxtf/write/transfer/blocks.h"
#include "libxtf/write/writer-private.h"

enum { BLOCK_BYTES = 256 << 10 }; /* least bytes of pages that are read at once */

typedef struct {
    XtfWriter *writer;
    const XtfTransferPlace *place;
    XtfTransferPut put;
    void *data;
    uint64_t first; /* place of the sender's first page */
} Sending;

void xtf_writer_layout(const XtfWriter *writer, XtfWriterOptions *options)
{
    *options = (XtfWriterOptions){
        .page_size = writer->page_size, .codec = xtf_codec(writer->codec)->name, .level = writer->level};
}

XtfWriter *xtf_writer_create_sender(const XtfWriterOptions *layout, GError **error)
{
    g_autofree char *name = g_strdup_printf("a temporary file in '%s'", g_get_tmp_dir());
    XtfWriterOptions options = *layout;
    int fd = xtf_nameless_file(NULL, error);

    options.no_sync = true;
    g_autoptr(XtfWriter) writer = fd < 0 ? NULL : xtf_writer_create_in(fd, name, &options, error);
    if (!writer)
        return NULL;
    writer->edges_fd = xtf_nameless_file(NULL, error);
    return writer->edges_fd < 0 ? NULL : g_steal_pointer(&writer);
}

bool xtf_transfer_size(XtfWriter *sender, XtfTransferSize *size, GError **error)
{
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&sender->lock);

    for (unsigned i = 0; i < XTF_N_PENDING; i++)
        if (!xtf_writer_flush_pending(sender, (XtfPendingSize)i, NULL, error))
            return false;
    *size = (XtfTransferSize){.n_pages = sender->pages - xtf_first_place(sender->page_size),
                              .n_arrays = sender->next_array};
    return true;
}

/* Reads bytes of a temporary file; zeros behind its end, where pages are reserved. */
static bool read_temporary(const Sending *sending, int fd, uint64_t offset, uint8_t *bytes, size_t length,
                           GError **error)
{
    while (length > 0) {
        ssize_t n = pread(fd, bytes, length, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return xtf_fail(error, XTF_ERROR_IO, "%s: cannot read: %s", sending->writer->path, g_strerror(errno));
        if (n == 0) {
            memset(bytes, 0, length);
            return true;
        }
        bytes += n;
        offset += (uint64_t)n;
        length -= (size_t)n;
    }
    return true;
}

static bool report_damage(const Sending *sending, GError **error)
{
    return xtf_fail(error, XTF_ERROR_DAMAGED, "%s: its bytes are not those that were written", sending->writer->path);
}

/* ---- Links. */

static uint64_t moved_place(const Sending *sending, uint64_t place)
{
    return place - sending->first + sending->place->first_page;
}

/* Moves a link to a page; 0 leads nowhere. */
static void move_link(const Sending *sending, XtfLe64 *link)
{
    uint64_t place = xtf_read64(*link);

    if (place > 0)
        xtf_write64(link, moved_place(sending, place));
}

static void move_entries(const Sending *sending, XtfDiskEntry *entries, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        move_link(sending, &entries[i].child);
}

/* ---- Edges. */

static XtfDiskOpen *heads_of(uint8_t *edge)
{
    return (XtfDiskOpen *)(void *)(edge + sizeof(XtfDiskEdge));
}

/* Moves the links of an edge, whose layout is good. */
static void move_edge(const Sending *sending, unsigned height, uint8_t *edge)
{
    XtfDiskOpen *heads = heads_of(edge);
    uint8_t *payload = (uint8_t *)(heads + height);

    for (unsigned i = 0; i < height; i++) {
        move_link(sending, &heads[i].place);
        move_link(sending, &heads[i].previous);
    }
    for (unsigned i = 1; i < height; i++) {
        move_entries(sending, (XtfDiskEntry *)(void *)payload, xtf_read32(heads[i].count));
        payload += xtf_read32(heads[i].length);
    }
}

static bool send_array(const Sending *sending, const XtfArrayWriter *array, GError **error)
{
    const XtfWriter *writer = sending->writer;
    const XtfArray stored = xtf_array_writer_stored(array);
    XtfArrayBlock *block = sending->put(sending->data, (uint32_t)sizeof *block + array->edge_bytes, error);

    if (!block)
        return false;
    uint8_t *edge = (uint8_t *)(block + 1);
    if (!read_temporary(sending, writer->edges_fd, array->edge.offset, edge, array->edge_bytes, error))
        return false;
    if (xtf_checksum(edge, array->edge.length) != array->edge.checksum ||
        xtf_edge_layout_fault(&stored, writer->page_size, edge, array->edge.length))
        return report_damage(sending, error);
    move_edge(sending, array->height, edge);
    *block = (XtfArrayBlock){.kind = XTF_BLOCK_ARRAY,
                             .id = sending->place->first_array + array->id,
                             .location = array->location,
                             .n_rows = array->n_rows,
                             .first = array->first,
                             .last = array->last,
                             .edge_length = array->edge.length,
                             .edge_checksum = xtf_checksum(edge, array->edge.length),
                             .edge_bytes = array->edge_bytes,
                             .height = array->height,
                             .codec = array->codec,
                             .batches = array->batches};
    return true;
}

static bool send_schema(const Sending *sending, const XtfSchema *schema, GError **error)
{
    const XtfLimits *limits = sending->writer->catalog.limits[schema->id];
    g_autoptr(GByteArray) encoded = g_byte_array_new();

    for (uint32_t f = 0; f < schema->n_fields; f++)
        if (schema->fields[f].type == XTF_TYPE_STRING)
            return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "records \"%s\" have strings, so they cannot be moved",
                            schema->name);
    xtf_schema_encode(schema, encoded);
    size_t bytes = sizeof(XtfSchemaBlock) + schema->n_fields * sizeof *limits + encoded->len;
    XtfSchemaBlock *block = sending->put(sending->data, (uint32_t)((bytes + 7) & ~(size_t)7), error);
    if (!block)
        return false;
    *block = (XtfSchemaBlock){.kind = XTF_BLOCK_SCHEMA, .n_fields = schema->n_fields, .n_encoded = encoded->len};
    memcpy(block + 1, limits, schema->n_fields * sizeof *limits);
    memcpy((XtfLimits *)(void *)(block + 1) + schema->n_fields, encoded->data, encoded->len);
    return true;
}

static bool send_arrays(const Sending *sending, GError **error)
{
    const XtfSchema *schema = NULL;
    const XtfArrayWriter *array;
    XtfObjectIter arrays;

    xtf_object_iter_init(&arrays, &sending->writer->arrays);
    while ((array = xtf_object_iter_next(&arrays))) {
        if (array->n_rows == 0)
            continue;
        if (!array->closed)
            return xtf_fail(error, XTF_ERROR_INVALID,
                            "location %" PRIu64 ", %s: the array is open, so it cannot be "
                            "moved",
                            array->location, array->schema->name);
        if (array->schema != schema && !send_schema(sending, array->schema, error))
            return false;
        schema = array->schema;
        if (!send_array(sending, array, error))
            return false;
    }
    return true;
}

/* ---- Pages. */

/* Returns the number of pages of a page, which is more than 1 for long companions. 0: the page is reserved, and was
 * never written. */
static uint64_t count_pages(const Sending *sending, const uint8_t *bytes)
{
    const XtfDiskPage *head = (const XtfDiskPage *)(const void *)bytes;
    uint64_t used = sizeof *head + (uint64_t)xtf_read32(head->length);

    if (xtf_read32(head->magic) == 0 && xtf_read32(head->length) == 0)
        return 0;
    return (used + sending->writer->page_size - 1) / sending->writer->page_size;
}

/* Moves a page, or a companion of several pages, from `place`. */
static bool move_page(const Sending *sending, uint8_t *bytes, uint64_t place, GError **error)
{
    XtfDiskPage *head = (XtfDiskPage *)(void *)bytes;
    uint8_t *payload = bytes + sizeof *head;
    uint32_t length = xtf_read32(head->length);

    if (xtf_read32(head->checksum) != xtf_page_checksum(head, place, payload, length) ||
        xtf_read32(head->magic) != XTF_PAGE_MAGIC)
        return report_damage(sending, error);
    xtf_write32(&head->array, sending->place->first_array + xtf_read32(head->array));
    xtf_write32(&head->epoch, sending->place->epoch);
    xtf_write64(&head->segment, sending->place->segment);
    move_link(sending, &head->previous);
    move_link(sending, &head->next);
    if (head->kind == XTF_PAGE_INDEX)
        move_entries(sending, (XtfDiskEntry *)(void *)payload, xtf_read32(head->count));
    xtf_batches_set_checksum(head, moved_place(sending, place), payload);
    xtf_write32(&head->checksum, xtf_page_checksum(head, moved_place(sending, place), payload, length));
    return true;
}

/* Moves the pages at `bytes`, from `place` on. *moved gets their number without a companion that is cut off at the end,
 * and *missing the number of pages that are missing of it. */
static bool move_pages(const Sending *sending, uint8_t *bytes, uint64_t place, uint64_t n, uint64_t *moved,
                       uint64_t *missing, GError **error)
{
    uint32_t page_size = sending->writer->page_size;

    *missing = 0;
    for (*moved = 0; *moved < n;) {
        uint64_t n_pages = count_pages(sending, bytes + *moved * page_size);
        if (n_pages > n - *moved) {
            *missing = n_pages - (n - *moved);
            return true;
        }
        if (n_pages > 0 && !move_page(sending, bytes + *moved * page_size, place + *moved, error))
            return false;
        *moved += MAX(n_pages, 1);
    }
    return true;
}

static bool send_block(const Sending *sending, const uint8_t *bytes, uint64_t place, uint64_t n, GError **error)
{
    size_t length = n * sending->writer->page_size;
    XtfPagesBlock *block = sending->put(sending->data, (uint32_t)(sizeof *block + length), error);

    if (!block)
        return false;
    *block = (XtfPagesBlock){
        .kind = n > 0 ? XTF_BLOCK_PAGES : XTF_BLOCK_END, .n_pages = (uint32_t)n, .place = moved_place(sending, place)};
    memcpy(block + 1, bytes, length);
    return true;
}

static bool send_pages(const Sending *sending, GError **error)
{
    const XtfWriter *writer = sending->writer;
    uint32_t page_size = writer->page_size;
    uint64_t room = MAX(BLOCK_BYTES / page_size, 1), missing = 0, moved = 0;
    g_autofree uint8_t *bytes = g_malloc(room * page_size);

    for (uint64_t place = sending->first; place < writer->pages; place += moved) {
        if (missing > 0) { /* a companion is longer than the room */
            room += missing;
            bytes = g_realloc(bytes, room * page_size);
        }
        uint64_t n = MIN(room, writer->pages - place);
        if (!read_temporary(sending, writer->fd, place * page_size, bytes, n * page_size, error) ||
            !move_pages(sending, bytes, place, n, &moved, &missing, error))
            return false;
        if (missing > writer->pages - place - n)
            return report_damage(sending, error);
        if (moved > 0) {
            missing = 0; /* the next block begins with the companion */
            if (!send_block(sending, bytes, place, moved, error))
                return false;
        }
    }
    return send_block(sending, bytes, writer->pages, 0, error);
}

bool xtf_transfer_send(XtfWriter *sender, const XtfTransferPlace *place, XtfTransferPut put, void *data, GError **error)
{
    const Sending sending = {
        .writer = sender, .place = place, .put = put, .data = data, .first = xtf_first_place(sender->page_size)};

    return send_arrays(&sending, error) && send_pages(&sending, error);
}
