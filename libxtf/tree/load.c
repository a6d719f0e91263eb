/*
 * Fetching pages, right edges and items through the cache, and checking them on the way in.
 *
 * What a page says of itself is checked once, when it enters the cache: its checksum, that its rows or entries fill its
 * payload, and that their keys never fall; of packed rows this is found where they are decoded (leaf.c). What it must
 * be where a link led to it (which array, level, first N) is compared at every visit.
 */
#include "libxtf/base/checksum.h"
#include "libxtf/pack/codec.h"
#include "libxtf/tree/trace-private.h"

/* Whether `count` rows of `row_size`, each beginning with its time, are in order. */
static bool rows_ordered(const uint8_t *rows, uint32_t count, uint32_t row_size)
{
    uint64_t last = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t t = xtf_load64(rows + (size_t)i * row_size);
        if (t < last)
            return false;
        last = t;
    }
    return true;
}

/* Whether the entries' times do not fall, and their N grow. */
static bool entries_ordered(const XtfDiskEntry *entries, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (xtf_read64(entries[i].first_t) < xtf_read64(entries[i - 1].first_t) ||
            xtf_read64(entries[i].before) <= xtf_read64(entries[i - 1].before))
            return false;
    return true;
}

/* What the payload of a page, sealed or open, must be. NULL if all is well, else what is not. */
static const char *payload_fault(unsigned level, XtfCodec codec, uint64_t first_n, uint32_t count, uint32_t row_size,
                                 const uint8_t *payload, uint64_t length)
{
    if (count == 0)
        return "it is empty";
    if (codec == XTF_CODEC_COMPACT)
        return count <= XTF_LEAF_ROWS_MAX ? NULL : "it holds more rows than a leaf may";
    if ((uint64_t)count * row_size != length)
        return "its rows do not fill it";
    if (level == 0)
        return rows_ordered(payload, count, row_size) ? NULL : "time goes backwards in it";
    const XtfDiskEntry *entries = (const XtfDiskEntry *)payload;
    if (xtf_read64(entries[0].before) != first_n)
        return "its first entry does not begin where it does";
    return entries_ordered(entries, count) ? NULL : "its entries are out of order";
}

typedef struct {
    const XtfSegment *segment;
    uint64_t place;
} PageContext;

static bool check_page(const uint8_t *data, uint32_t length, uint64_t offset, const void *user, GError **error)
{
    const PageContext *context = user;
    const XtfDiskPage *head = (const XtfDiskPage *)data;
    uint32_t payload = xtf_read32(head->length);
    const char *fault = NULL;

    if (xtf_read32(head->magic) != XTF_PAGE_MAGIC)
        fault = "it does not begin like a page";
    else if (payload > length - sizeof *head)
        fault = "its payload is longer than a page";
    else if (xtf_read32(head->checksum) != xtf_page_checksum(head, context->place, data + sizeof *head, payload))
        fault = "its checksum is wrong";
    else if (xtf_read64(head->segment) != context->segment->id)
        fault = "it belongs to another file";
    else if (xtf_read32(head->epoch) > context->segment->epoch)
        fault = "a later writer than the commit's wrote it";
    else if (head->kind != (head->level == 0 ? XTF_PAGE_LEAF : XTF_PAGE_INDEX))
        fault = "its kind does not go with its level";
    else if (head->codec > (head->level == 0 ? XTF_CODEC_COMPACT : XTF_CODEC_PLAIN))
        fault = "its codec is not known";
    else {
        uint32_t count = xtf_read32(head->count);
        uint32_t row = head->level > 0 ? sizeof(XtfDiskEntry) : count > 0 ? payload / count : 0;
        if (head->codec == XTF_CODEC_PLAIN && row < sizeof(XtfLe64))
            fault = "its rows are too short";
        else
            fault = payload_fault(head->level, head->codec, xtf_read64(head->first_n), count, row, data + sizeof *head,
                                  payload);
    }
    return !fault || xtf_damaged(error, "page %" PRIu64 " (byte %" PRIu64 "): %s", context->place, offset, fault);
}

static const XtfSegment *segment_of(const XtfArray *array)
{
    return &array->trace->catalog.segments[array->segment];
}

bool xtf_page_locate(const XtfArray *array, uint64_t place, uint64_t *offset, GError **error)
{
    const XtfSegment *segment = segment_of(array);
    uint32_t page_size = array->trace->superblock.info.page_size;

    if (place < xtf_first_place(page_size) || place >= segment->pages)
        return xtf_damaged(error, "array %u: it names page %" PRIu64 " of %" PRIu64, array->id, place, segment->pages);
    *offset = (segment->first_page + place) * page_size;
    return true;
}

static XtfCodec codec_of(const XtfArray *array, unsigned level)
{
    return level > 0 ? XTF_CODEC_PLAIN : array->codec;
}

/* Whether a page, sound in itself, is of an array's level, and what is in it is of the array's kind. */
static bool page_belongs(const XtfArray *array, unsigned level, const XtfDiskPage *head)
{
    uint64_t row = level > 0 ? sizeof(XtfDiskEntry) : array->schema->row_size;
    XtfCodec codec = codec_of(array, level);

    return xtf_read32(head->array) == array->id && head->level == level && head->codec == codec &&
           (codec == XTF_CODEC_COMPACT || xtf_read32(head->count) * row == xtf_read32(head->length));
}

XtfBlock *xtf_page_get(const XtfArray *array, uint64_t place, unsigned level, GError **error)
{
    XtfTrace *trace = array->trace;
    PageContext context = {.segment = segment_of(array), .place = place};
    uint64_t offset = 0;

    if (!xtf_page_locate(array, place, &offset, error))
        return NULL;
    XtfBlock *block =
        xtf_cache_get(trace->cache, offset, trace->superblock.info.page_size, check_page, &context, error);
    if (!block)
        return NULL;

    const XtfDiskPage *head = xtf_page_head(block);
    uint64_t first_n = xtf_read64(head->first_n);
    bool belongs = page_belongs(array, level, head);
    /* An entry stands for a row at least, so this holds on every level. */
    if (belongs && first_n <= array->n_rows && xtf_read32(head->count) <= array->n_rows - first_n)
        return block;
    if (belongs)
        xtf_damaged(error, "page %" PRIu64 ": it ends behind the last row of array %u", place, array->id);
    else
        xtf_damaged(error,
                    "page %" PRIu64 ": a page of array %u, level %u, codec %u, should be here; it is of array %u, "
                    "level %u, codec %u",
                    place, array->id, level, codec_of(array, level), xtf_read32(head->array), head->level, head->codec);
    xtf_cache_put(trace->cache, block);
    return NULL;
}

/* How the levels of a right edge lie in it, and whether they lead to one another. Memory safety hangs on this, so it is
 * looked at at every visit: another array, with other rows, may name the same bytes. */
static const char *edge_layout_fault(const XtfArray *array, const uint8_t *data, uint32_t length)
{
    const XtfDiskEdge *edges = (const XtfDiskEdge *)data;
    uint64_t heads = array->height * sizeof *edges;
    const uint8_t *payload = data + heads, *end = data + length;

    if (length < heads)
        return "it is cut short";
    for (unsigned level = 0; level < array->height; level++) {
        const XtfDiskEdge *edge = &edges[level];
        uint32_t row = level > 0 ? sizeof(XtfDiskEntry) : array->schema->row_size;
        uint64_t count = xtf_read32(edge->count), bytes = xtf_read32(edge->length);
        if (count == 0 || (codec_of(array, level) == XTF_CODEC_PLAIN && count * row != bytes))
            return "a level is empty, or its rows do not fill it";
        if (codec_of(array, level) == XTF_CODEC_PLAIN &&
            bytes > array->trace->superblock.info.page_size - sizeof(XtfDiskPage))
            return "a level takes more than a page";
        if (bytes > (uint64_t)(end - payload))
            return "it is cut short";
        if (level > 0) {
            const XtfDiskEntry *last = (const XtfDiskEntry *)payload + count - 1;
            if (xtf_read64(last->before) != xtf_read64(edges[level - 1].first_n) ||
                xtf_read64(last->child) != xtf_read64(edges[level - 1].place))
                return "a level does not lead to the one below it";
        }
        payload += bytes;
    }
    uint64_t first_n = xtf_read64(edges[0].first_n);
    if (first_n > array->n_rows || xtf_read32(edges[0].count) != array->n_rows - first_n)
        return "its rows do not end where the array does";
    return xtf_read64(edges[array->height - 1].first_n) == 0 ? NULL : "its root does not begin with the first row";
}

static bool edge_damaged(const XtfArray *array, const char *fault, GError **error)
{
    return xtf_damaged(error, "array %u: its right edge (byte %" PRIu64 "): %s", array->id, array->edge_offset, fault);
}

static bool check_edge(const uint8_t *data, uint32_t length, uint64_t offset, const void *user, GError **error)
{
    const XtfArray *array = user;

    if (xtf_checksum(data, length) != array->edge_checksum)
        return edge_damaged(array, "its checksum is wrong", error);
    const char *fault = edge_layout_fault(array, data, length);
    const XtfDiskEdge *edges = (const XtfDiskEdge *)data;
    const uint8_t *payload = data + array->height * sizeof *edges;
    for (unsigned level = 0; !fault && level < array->height; level++) {
        uint32_t row = level > 0 ? sizeof(XtfDiskEntry) : array->schema->row_size;
        uint32_t bytes = xtf_read32(edges[level].length);
        fault = payload_fault(level, codec_of(array, level), xtf_read64(edges[level].first_n),
                              xtf_read32(edges[level].count), row, payload, bytes);
        payload += bytes;
    }
    return !fault || edge_damaged(array, fault, error);
}

XtfBlock *xtf_edge_get(const XtfArray *array, GError **error)
{
    XtfTrace *trace = array->trace;
    uint64_t base = segment_of(array)->first_page * trace->superblock.info.page_size;

    /* The offset was compared with the size of any file when the array was looked up, so the sum does not overflow. */
    XtfBlock *block =
        xtf_cache_get(trace->cache, base + array->edge_offset, array->edge_length, check_edge, array, error);
    if (!block)
        return NULL;
    const char *fault = edge_layout_fault(array, block->data, block->length);
    if (!fault)
        return block;
    edge_damaged(array, fault, error);
    xtf_cache_put(trace->cache, block);
    return NULL;
}

static bool check_item(const uint8_t *data, uint32_t length, uint64_t offset, const void *user, GError **error)
{
    const uint32_t *checksum = user;
    return xtf_checksum(data, length) == *checksum ||
           xtf_damaged(error, "item at byte %" PRIu64 ", %u bytes: its checksum is wrong", offset, length);
}

XtfBlock *xtf_item_get(XtfTrace *trace, XtfRef ref, GError **error)
{
    return xtf_cache_get(trace->cache, ref.offset, ref.length, check_item, &ref.checksum, error);
}
