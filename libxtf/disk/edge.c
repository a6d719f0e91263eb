#include "libxtf/disk/edge.h"

#include "libxtf/disk/address.h"
#include "libxtf/disk/page.h"

XtfRef xtf_edge_leaf(const XtfArray *array, const uint8_t *edge)
{
    return (XtfRef){
        .offset = xtf_aligned(array->edge_offset + array->edge_length),
        .length = xtf_read32(xtf_edge_heads(edge)->length),
        .checksum = xtf_read32(((const XtfDiskEdge *)(const void *)edge)->leaf_checksum),
    };
}

XtfBytesReader xtf_edge_totals(const uint8_t *edge, uint32_t length, unsigned height, unsigned level)
{
    const XtfDiskOpen *heads = xtf_edge_heads(edge);
    XtfBytesReader reader = {.at = edge, .left = length}, part = {0};

    xtf_bytes_take(&reader, sizeof(XtfDiskEdge) + height * sizeof *heads);
    for (unsigned i = 1; i < height; i++)
        xtf_bytes_take(&reader, xtf_read32(heads[i].length));
    for (unsigned i = 1; i <= level; i++) {
        uint32_t bytes = xtf_bytes_read_u32(&reader);
        xtf_bytes_read_u32(&reader);
        part = xtf_bytes_read_part(&reader, bytes);
    }
    if (level == 0)
        part.at = reader.at;
    part.failed |= reader.failed;
    return part;
}

/* Returns what is wrong with the open leaf, by the data in the edge alone; NULL if nothing is. */
static const char *leaf_fault(const XtfArray *array, uint32_t page_size, const XtfDiskOpen *head)
{
    uint64_t first_n = xtf_read64(head->first_n), count = xtf_read32(head->count), length = xtf_read32(head->length);

    if (first_n > array->n_rows || count != array->n_rows - first_n)
        return "its rows do not end where the array does";
    if (array->joined) /* its leaf is one of another array, or lies in the last piece */
        return count == 0 || length > 0 ? "its leaf is empty, or has an item" : NULL;
    if (count == 0 || length == 0)
        return "its leaf is empty";
    if (!xtf_codec(array->codec)->side_by_side)
        return NULL;
    if (count * array->schema->row_size != length)
        return "its rows do not fill its leaf";
    return length > xtf_page_room(page_size) ? "its leaf takes more than a page" : NULL;
}

/* Runs at every visit of the edge, so it reads the heads in place. */
const char *xtf_edge_layout_fault(const XtfArray *array, uint32_t page_size, const uint8_t *edge, uint32_t length)
{
    const XtfDiskOpen *heads = xtf_edge_heads(edge);
    const uint8_t *payload = (const uint8_t *)(heads + array->height), *end = edge + length;

    if (length < sizeof(XtfDiskEdge) + array->height * sizeof *heads)
        return "it is cut short";
    for (unsigned level = 1; level < array->height; level++) {
        uint64_t count = xtf_read32(heads[level].count), bytes = xtf_read32(heads[level].length);
        if (count == 0 || count * sizeof(XtfDiskEntry) != bytes)
            return "a level is empty, or its entries do not fill it";
        if (bytes > xtf_page_room(page_size))
            return "a level takes more than a page";
        if (bytes > (uint64_t)(end - payload))
            return "it is cut short";
        const XtfDiskEntry *last = (const XtfDiskEntry *)payload + count - 1;
        if (xtf_read64(last->before) != xtf_read64(heads[level - 1].first_n) ||
            xtf_read64(last->child) != xtf_read64(heads[level - 1].place))
            return "a level does not lead to the one below it";
        payload += bytes;
    }
    if (xtf_read64(heads[array->height - 1].first_n) != 0)
        return "its root does not begin with the first row";
    return leaf_fault(array, page_size, heads);
}

const char *xtf_edge_fault(const XtfArray *array, uint32_t page_size, const uint8_t *edge, uint32_t length)
{
    const char *fault = xtf_edge_layout_fault(array, page_size, edge, length);

    for (unsigned i = 1; !fault && i < array->height; i++) {
        XtfEdgeLevel level = xtf_edge_level(edge, array->height, i);
        fault = xtf_payload_fault(i, xtf_codec(XTF_CODEC_PLAIN), level.first_n, level.count, sizeof(XtfDiskEntry),
                                  level.payload, level.length);
    }
    return fault;
}

XtfEdgeEncoder xtf_edge_encode(GByteArray *bytes, unsigned height, uint32_t leaf_checksum)
{
    xtf_bytes_align(bytes);
    XtfEdgeEncoder edge = {.bytes = bytes, .start = bytes->len};

    xtf_bytes_write_u32(bytes, leaf_checksum);
    xtf_bytes_write_u32(bytes, 0);
    g_byte_array_set_size(bytes, bytes->len + height * (guint)sizeof(XtfDiskOpen));
    edge.part = bytes->len;
    return edge;
}

void xtf_edge_end_level(XtfEdgeEncoder *edge, const XtfEdgeLevel *level)
{
    uint8_t *heads = edge->bytes->data + edge->start + sizeof(XtfDiskEdge);
    XtfDiskOpen *head = (XtfDiskOpen *)heads + edge->level;

    xtf_write64(&head->first_n, level->first_n);
    xtf_write64(&head->place, level->place);
    xtf_write64(&head->previous, level->previous);
    xtf_write32(&head->count, level->count);
    xtf_write32(&head->length, edge->level++ > 0 ? edge->bytes->len - edge->part : level->length);
    edge->part = edge->bytes->len;
}

void xtf_edge_begin_totals(XtfEdgeEncoder *edge)
{
    edge->part = edge->bytes->len;
    xtf_bytes_write_u32(edge->bytes, 0); /* length, set by xtf_edge_end_totals() */
    xtf_bytes_write_u32(edge->bytes, 0);
}

void xtf_edge_end_totals(XtfEdgeEncoder *edge)
{
    xtf_store32(edge->bytes->data + edge->part, edge->bytes->len - edge->part - 2 * (guint)sizeof(XtfLe32));
}
