#include "libxtf/disk/edge.h"

#include "libxtf/disk/address.h"
#include "libxtf/disk/page.h"

XtfBytesReader xtf_edge_totals(const uint8_t *edge, uint32_t length, unsigned height, unsigned level)
{
    XtfEdgeLevel root = xtf_edge_level(edge, height, height - 1);
    XtfBytesReader reader = {.at = edge, .left = length}, part = {0};

    xtf_bytes_take(&reader, (size_t)(root.payload + root.length - edge));
    for (unsigned i = 1; i <= level; i++)
        part = xtf_bytes_read_part(&reader, xtf_bytes_read_u32(&reader));
    part.failed |= reader.failed;
    return part;
}

/* Called at every visit, so it goes over the heads as they lie. */
const char *xtf_edge_layout_fault(const XtfArray *array, uint32_t page_size, const uint8_t *edge, uint32_t length)
{
    const XtfDiskEdge *heads = (const XtfDiskEdge *)edge;
    const uint8_t *payload = edge + array->height * sizeof *heads, *end = edge + length;
    /* Of rows or entries that lie side by side; 0: they are packed. */
    uint32_t stride = xtf_codec(array->codec)->side_by_side ? array->schema->row_size : 0;

    if (length < array->height * sizeof *heads)
        return "it is cut short";
    for (unsigned level = 0; level < array->height; level++, stride = sizeof(XtfDiskEntry)) {
        uint64_t count = xtf_read32(heads[level].count), bytes = xtf_read32(heads[level].length);
        if (count == 0 || (stride > 0 && count * stride != bytes))
            return "a level is empty, or its rows do not fill it";
        if (stride > 0 && bytes > xtf_page_room(page_size))
            return "a level takes more than a page";
        if (bytes > (uint64_t)(end - payload))
            return "it is cut short";
        if (level > 0) {
            const XtfDiskEntry *last = (const XtfDiskEntry *)payload + count - 1;
            if (xtf_read64(last->before) != xtf_read64(heads[level - 1].first_n) ||
                xtf_read64(last->child) != xtf_read64(heads[level - 1].place))
                return "a level does not lead to the one below it";
        }
        payload += bytes;
    }
    uint64_t first_n = xtf_read64(heads[0].first_n);
    if (first_n > array->n_rows || xtf_read32(heads[0].count) != array->n_rows - first_n)
        return "its rows do not end where the array does";
    return xtf_read64(heads[array->height - 1].first_n) == 0 ? NULL : "its root does not begin with the first row";
}

const char *xtf_edge_fault(const XtfArray *array, uint32_t page_size, const uint8_t *edge, uint32_t length)
{
    const char *fault = xtf_edge_layout_fault(array, page_size, edge, length);

    for (unsigned i = 0; !fault && i < array->height; i++) {
        XtfEdgeLevel level = xtf_edge_level(edge, array->height, i);
        fault = xtf_payload_fault(i, xtf_codec(xtf_level_codec(array->codec, i)), level.first_n, level.count,
                                  xtf_level_stride(array->schema, i), level.payload, level.length);
    }
    return fault;
}

XtfEdgeEncoder xtf_edge_encode(GByteArray *bytes, unsigned height)
{
    XtfEdgeEncoder edge = {.bytes = bytes, .start = bytes->len};

    g_byte_array_set_size(bytes, edge.start + height * (guint)sizeof(XtfDiskEdge));
    edge.part = bytes->len;
    return edge;
}

void xtf_edge_end_level(XtfEdgeEncoder *edge, const XtfEdgeLevel *level)
{
    XtfDiskEdge *head = (XtfDiskEdge *)(edge->bytes->data + edge->start) + edge->level++;

    xtf_write64(&head->first_n, level->first_n);
    xtf_write64(&head->place, level->place);
    xtf_write64(&head->previous, level->previous);
    xtf_write32(&head->count, level->count);
    xtf_write32(&head->length, edge->bytes->len - edge->part);
    edge->part = edge->bytes->len;
}

void xtf_edge_begin_totals(XtfEdgeEncoder *edge)
{
    edge->part = edge->bytes->len;
    xtf_bytes_write_u32(edge->bytes, 0); /* the length, known at the end */
}

void xtf_edge_end_totals(XtfEdgeEncoder *edge)
{
    xtf_store32(edge->bytes->data + edge->part, edge->bytes->len - edge->part - (guint)sizeof(XtfLe32));
}
