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

/* What is wrong with one level, whose payload may take `room` bytes. `stride` is that of its rows or entries, 0 if they
 * are packed; `below` is the level below it, NULL of the leaf. */
static const char *level_fault(uint32_t stride, uint32_t page_size, const XtfEdgeLevel *level,
                               const XtfEdgeLevel *below, uint64_t room)
{
    if (level->count == 0 || (stride > 0 && (uint64_t)level->count * stride != level->length))
        return "a level is empty, or its rows do not fill it";
    if (stride > 0 && level->length > xtf_page_room(page_size))
        return "a level takes more than a page";
    if (level->length > room)
        return "it is cut short";
    if (!below)
        return NULL;
    const XtfDiskEntry *last = (const XtfDiskEntry *)level->payload + level->count - 1;
    if (xtf_read64(last->before) != below->first_n || xtf_read64(last->child) != below->place)
        return "a level does not lead to the one below it";
    return NULL;
}

const char *xtf_edge_layout_fault(const XtfArray *array, uint32_t page_size, const uint8_t *edge, uint32_t length)
{
    uint32_t stride = xtf_codec(array->codec)->side_by_side ? array->schema->row_size : 0;
    XtfEdgeLevel leaf = {0}, below = {0}, level = {0};
    const char *fault = NULL;

    if (length < array->height * sizeof(XtfDiskEdge))
        return "it is cut short";
    for (unsigned i = 0; !fault && i < array->height; i++) {
        below = level;
        level = xtf_edge_level(edge, array->height, i);
        leaf = i == 0 ? level : leaf;
        fault =
            level_fault(stride, page_size, &level, i > 0 ? &below : NULL, (uint64_t)(edge + length - level.payload));
        stride = sizeof(XtfDiskEntry);
    }
    if (fault)
        return fault;
    if (leaf.first_n > array->n_rows || leaf.count != array->n_rows - leaf.first_n)
        return "its rows do not end where the array does";
    return level.first_n == 0 ? NULL : "its root does not begin with the first row";
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
