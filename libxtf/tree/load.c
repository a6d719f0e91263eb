/*
 * Loads pages, right edges and items through the cache, and checks them when they enter it.
 *
 * A page's content is checked once, when it enters the cache. The checksum must be correct, the rows or entries must
 * fill the payload, and their keys must never fall. Packed rows are checked when they are unpacked (leaf.c). The
 * properties that depend on the link to the page (its array, level and first N) are compared at every visit.
 */
#include "libxtf/base/checksum.h"
#include "libxtf/base/fetching-source.h"
#include "libxtf/disk/page.h"
#include "libxtf/schema/schema-codec.h"
#include "libxtf/tree/trace-private.h"

typedef struct {
    const XtfSegment *segment;
    uint64_t place;
} PageContext;

static bool check_page(const uint8_t *data, uint32_t length, uint64_t offset, const void *user, GError **error)
{
    const PageContext *context = user;
    const char *fault = xtf_page_fault(data, length, context->place, context->segment);

    return !fault || xtf_damaged(error, "page %" PRIu64 " (byte %" PRIu64 "): %s", context->place, offset, fault);
}

bool xtf_page_locate(const XtfArray *array, uint64_t place, uint64_t *offset, GError **error)
{
    const XtfSegment *segment = xtf_array_segment(array);
    uint32_t page_size = xtf_array_page_size(array);

    if (place < xtf_first_place(page_size) || place >= segment->pages)
        return xtf_damaged(error, "array %u: it refers to page %" PRIu64 ", but its segment has %" PRIu64 " pages",
                           array->id, place, segment->pages);
    *offset = xtf_page_offset(segment, page_size, place);
    return true;
}

/* True if a valid page is of an array's level and has the array's kind of content. */
static bool page_belongs(const XtfArray *array, unsigned level, const XtfDiskPage *head)
{
    unsigned codec = xtf_level_codec(array->codec, level);

    return xtf_read32(head->array) == array->id && head->level == level && head->codec == codec &&
           (!xtf_codec(codec)->side_by_side ||
            (uint64_t)xtf_read32(head->count) * xtf_level_stride(array->schema, level) == xtf_read32(head->length));
}

XtfBlock *xtf_page_get(const XtfArray *array, uint64_t place, unsigned level, GError **error)
{
    PageContext context = {.segment = xtf_array_segment(array), .place = place};
    uint64_t offset = 0;

    if (!xtf_page_locate(array, place, &offset, error))
        return NULL;
    g_autoptr(XtfBlock) block = xtf_cache_get(xtf_array_cache(array), offset, xtf_array_page_size(array),
                                              xtf_array_page_version(array), check_page, &context, error);
    if (!block) {
        xtf_trace_explain(array->trace, error);
        return NULL;
    }

    const XtfDiskPage *head = xtf_page_head(block);
    uint64_t first_n = xtf_read64(head->first_n);
    if (!page_belongs(array, level, head))
        xtf_damaged(error,
                    "page %" PRIu64 ": expected array %u, level %u, codec %u, but found array %u, level %u, codec %u",
                    place, array->id, level, xtf_level_codec(array->codec, level), xtf_read32(head->array), head->level,
                    head->codec);
    else if (first_n > array->n_rows || xtf_read32(head->count) > array->n_rows - first_n)
        xtf_damaged(error, "page %" PRIu64 ": it extends beyond the last row of array %u", place, array->id);
    else /* an entry covers at least one row, so the bound holds on every level */
        return g_steal_pointer(&block);
    xtf_trace_explain(array->trace, error);
    return NULL;
}

/* An item within the opening run, and the check of its content. */
typedef struct {
    const uint8_t *bytes;
    XtfRef ref;
    XtfBlockCheck check;
    const void *user;
} KnownItem;

/* Makes the block of an item from the opening run. */
static bool copy_item(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    const KnownItem *item = context;

    if (!item->check(item->bytes, item->ref.length, item->ref.offset, item->user, error))
        return false;
    *data = g_memdup2(item->bytes, item->ref.length);
    *length = item->ref.length;
    return true;
}

/* Returns the pinned block of an item. Takes the bytes from the opening run if they are in it. */
static XtfBlock *get_item(XtfTrace *trace, XtfCache *cache, XtfRef ref, XtfBlockCheck check, const void *user,
                          GError **error)
{
    KnownItem item = {.bytes = xtf_opening_item(&trace->opening, ref), .ref = ref, .check = check, .user = user};

    return item.bytes && ref.length > 0
               ? xtf_cache_make(cache, ref.offset, ref.length, ref.checksum, copy_item, &item, error)
               : xtf_cache_get(cache, ref.offset, ref.length, ref.checksum, check, user, error);
}

static bool edge_damaged(const XtfArray *array, const char *fault, GError **error)
{
    return xtf_damaged(error, "array %u: its right edge (byte %" PRIu64 "): %s", array->id, array->edge_offset, fault);
}

static bool check_edge(const uint8_t *data, uint32_t length, uint64_t offset, const void *user, GError **error)
{
    const XtfArray *array = user;
    const char *fault = xtf_checksum(data, length) != array->edge_checksum
                            ? "its checksum is wrong"
                            : xtf_edge_fault(array, xtf_array_page_size(array), data, length);

    return !fault || edge_damaged(array, fault, error);
}

bool xtf_array_is_supported(const XtfArray *array, GError **error)
{
    if (!xtf_schema_is_readable(array->schema))
        return xtf_schema_is_supported(array->schema, error); /* this fails and sets the error */
    return xtf_codec(array->codec) ||
           xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                    "array %u of location %" PRIu64 ": its codec, number %u, is not known to this program", array->id,
                    array->location, array->codec);
}

const char *xtf_array_codec(const XtfArray *array)
{
    const XtfCodec *codec = xtf_codec(array->codec);

    return codec ? codec->name : NULL;
}

XtfBlock *xtf_edge_get(const XtfArray *array, GError **error)
{
    uint32_t page_size = xtf_array_page_size(array);
    uint64_t segment = xtf_page_offset(xtf_array_segment(array), page_size, 0);

    if (!xtf_array_is_supported(array, error))
        return NULL;
    /* The offset was compared with the file size when the array was decoded, so the sum does not overflow. */
    XtfRef edge = {segment + array->edge_offset, array->edge_length, array->edge_checksum};
    g_autoptr(XtfBlock) block = get_item(array->trace, xtf_array_cache(array), edge, check_edge, array, error);
    if (!block) { /* the open leaf, which mostly fits a page, is read next */
        xtf_gathering_expect(array->trace->source, edge.offset + edge.length, page_size);
        xtf_trace_explain(array->trace, error);
        return NULL;
    }
    const char *fault = xtf_edge_layout_fault(array, page_size, block->data, block->length);
    if (!fault)
        return g_steal_pointer(&block);
    edge_damaged(array, fault, error);
    return NULL;
}

typedef struct {
    const XtfArray *array;
    uint32_t checksum;
} LeafContext;

static bool check_open_leaf(const uint8_t *data, uint32_t length, uint64_t offset, const void *user, GError **error)
{
    const LeafContext *context = user;
    const XtfArray *array = context->array;
    const XtfCodec *codec = xtf_codec(array->codec);
    uint32_t row_size = array->schema->row_size;
    const char *fault = xtf_checksum(data, length) != context->checksum ? "its checksum is wrong" : NULL;

    if (!fault && codec->side_by_side)
        fault = xtf_payload_fault(0, codec, 0, length / row_size, row_size, data, length);
    return !fault || xtf_damaged(error, "array %u: its open leaf (byte %" PRIu64 "): %s", array->id, offset, fault);
}

uint64_t xtf_open_leaf_offset(const XtfArray *array, const XtfBlock *edge)
{
    return xtf_page_offset(xtf_array_segment(array), xtf_array_page_size(array), 0) +
           xtf_edge_leaf(array, edge->data).offset;
}

XtfBlock *xtf_open_leaf_get(const XtfArray *array, const XtfBlock *edge, GError **error)
{
    XtfRef leaf = xtf_edge_leaf(array, edge->data);
    const LeafContext context = {.array = array, .checksum = leaf.checksum};

    leaf.offset = xtf_open_leaf_offset(array, edge);
    XtfBlock *block = get_item(array->trace, xtf_array_cache(array), leaf, check_open_leaf, &context, error);
    if (!block)
        xtf_trace_explain(array->trace, error);
    return block;
}

static bool check_item(const uint8_t *data, uint32_t length, uint64_t offset, const void *user, GError **error)
{
    const uint32_t *checksum = user;
    return xtf_checksum(data, length) == *checksum ||
           xtf_damaged(error, "item at byte %" PRIu64 ", %u bytes: its checksum is wrong", offset, length);
}

XtfBlock *xtf_item_get(XtfTrace *trace, XtfRef ref, GError **error)
{
    XtfBlock *block = get_item(trace, trace->cache, ref, check_item, &ref.checksum, error);

    if (!block)
        xtf_trace_explain(trace, error);
    return block;
}
