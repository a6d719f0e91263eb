#include "libxtf/tree/leaf.h"

#include "libxtf/pack/codec.h"
#include "libxtf/pack/pack.h"

void xtf_page_view_of_page(const XtfArray *array, XtfBlock *block, XtfPageView *view)
{
    const XtfDiskPage *head = xtf_page_head(block);
    const uint8_t *payload = block->data + sizeof *head;

    *view = (XtfPageView){
        .block = block,
        .payload = payload,
        .keys = payload,
        .stride = head->level > 0 ? (uint32_t)sizeof(XtfDiskEntry) : array->schema->row_size,
        .count = xtf_read32(head->count),
        .first_n = xtf_read64(head->first_n),
        .previous = xtf_read64(head->previous),
        .next = xtf_read64(head->next),
    };
}

void xtf_page_view_of_edge(const XtfArray *array, XtfBlock *block, unsigned level, XtfPageView *view)
{
    const XtfDiskEdge *edges = (const XtfDiskEdge *)block->data;
    const uint8_t *payload = block->data + array->height * sizeof *edges;

    for (unsigned below = 0; below < level; below++)
        payload += xtf_read32(edges[below].length);
    *view = (XtfPageView){
        .block = block,
        .payload = payload,
        .keys = payload,
        .stride = level > 0 ? (uint32_t)sizeof(XtfDiskEntry) : array->schema->row_size,
        .count = xtf_read32(edges[level].count),
        .first_n = xtf_read64(edges[level].first_n),
        .previous = xtf_read64(edges[level].previous),
    };
}

/*
 * The beginning of a decoded block. It is found by where the packed bytes lie, so what it says of itself is compared
 * with the array at every visit: in a file made to deceive, another one, with other rows, may name the same bytes.
 */
typedef struct {
    const XtfSchema *schema; /* that the rows were decoded by */
    uint64_t first_n, previous, next;
    uint32_t array; /* id */
    uint32_t count;
    uint8_t edge_height; /* of the right edge that it was in; 0: it was a page */
} Decoded;

_Static_assert(sizeof(Decoded) % sizeof(uint64_t) == 0, "times lie behind it");

/* What a maker is told. */
typedef struct {
    const XtfArray *array;
    XtfBlock *edge; /* pinned; NULL: the leaf is sealed, */
    uint64_t place; /* and this is its place */
} Packed;

/* Where a leaf's packed rows lie, and what its head says. */
typedef struct {
    const uint8_t *bytes;
    uint32_t length;
    Decoded head;
} Leaf;

static Leaf leaf_of_page(const XtfArray *array, const XtfBlock *page)
{
    const XtfDiskPage *head = xtf_page_head(page);

    return (Leaf){
        .bytes = page->data + sizeof *head,
        .length = xtf_read32(head->length),
        .head =
            {
                .schema = array->schema,
                .first_n = xtf_read64(head->first_n),
                .previous = xtf_read64(head->previous),
                .next = xtf_read64(head->next),
                .array = array->id,
                .count = xtf_read32(head->count),
            },
    };
}

static Leaf leaf_of_edge(const XtfArray *array, const XtfBlock *edge)
{
    const XtfDiskEdge *head = (const XtfDiskEdge *)edge->data;

    return (Leaf){
        .bytes = edge->data + array->height * sizeof *head,
        .length = xtf_read32(head->length),
        .head =
            {
                .schema = array->schema,
                .first_n = xtf_read64(head->first_n),
                .previous = xtf_read64(head->previous),
                .array = array->id,
                .count = xtf_read32(head->count),
                .edge_height = array->height,
            },
    };
}

static bool unpack_times(const Leaf *leaf, uint8_t *at, const char **fault)
{
    uint64_t *times = (uint64_t *)at;

    if (!xtf_unpack_times(leaf->bytes, leaf->length, leaf->head.count, times, fault))
        return false;
    for (uint32_t i = 0; i < leaf->head.count; i++) /* keys are little-endian, wherever they lie */
        times[i] = GUINT64_TO_LE(times[i]);
    return true;
}

static bool decode(const Packed *packed, const Leaf *leaf, XtfLeafPart part, uint8_t **data, uint32_t *length,
                   GError **error)
{
    const XtfSchema *schema = packed->array->schema;
    uint32_t stride = part == XTF_LEAF_TIMES ? (uint32_t)sizeof(uint64_t) : schema->row_size;
    uint32_t size = (uint32_t)sizeof(Decoded) + leaf->head.count * stride;
    g_autofree uint8_t *bytes = g_malloc(size);
    const char *fault = NULL;

    memcpy(bytes, &leaf->head, sizeof(Decoded));
    uint8_t *to = bytes + sizeof(Decoded);
    bool good = part == XTF_LEAF_TIMES
                    ? unpack_times(leaf, to, &fault)
                    : xtf_unpack_rows(schema, leaf->bytes, leaf->length, leaf->head.count, to, &fault);
    if (good) {
        *data = g_steal_pointer(&bytes);
        *length = size;
        return true;
    }
    if (packed->edge)
        return xtf_damaged(error, "array %u: its open leaf: %s", packed->array->id, fault);
    return xtf_damaged(error, "page %" PRIu64 ": %s", packed->place, fault);
}

static bool make(const Packed *packed, XtfLeafPart part, uint8_t **data, uint32_t *length, GError **error)
{
    const XtfArray *array = packed->array;

    if (packed->edge) {
        Leaf leaf = leaf_of_edge(array, packed->edge);
        return decode(packed, &leaf, part, data, length, error);
    }
    XtfBlock *page = xtf_page_get(array, packed->place, 0, error);
    if (!page)
        return false;
    Leaf leaf = leaf_of_page(array, page);
    bool good = decode(packed, &leaf, part, data, length, error);
    xtf_cache_put(array->trace->cache, page);
    return good;
}

static bool make_times(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    return make(context, XTF_LEAF_TIMES, data, length, error);
}

static bool make_rows(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    return make(context, XTF_LEAF_ROWS, data, length, error);
}

/* Takes the pin of a decoded block, also when it fails. */
static bool view_decoded(const Packed *packed, XtfBlock *block, XtfLeafPart part, XtfPageView *leaf, GError **error)
{
    const XtfArray *array = packed->array;
    const Decoded *head = (const Decoded *)block->data;
    const uint8_t *content = block->data + sizeof *head;
    bool belongs = head->schema == array->schema && head->array == array->id &&
                   head->edge_height == (packed->edge ? array->height : 0);

    if (!belongs || head->first_n > array->n_rows || head->count > array->n_rows - head->first_n) {
        xtf_cache_put(array->trace->cache, block);
        return xtf_damaged(error, "array %u: its leaf at place %" PRIu64 " is another array's, too", array->id,
                           packed->place);
    }
    *leaf = (XtfPageView){
        .block = block,
        .payload = part == XTF_LEAF_ROWS ? content : NULL,
        .keys = content,
        .stride = part == XTF_LEAF_ROWS ? array->schema->row_size : (uint32_t)sizeof(uint64_t),
        .count = head->count,
        .first_n = head->first_n,
        .previous = head->previous,
        .next = head->next,
    };
    return true;
}

bool xtf_leaf_get(const XtfArray *array, uint64_t place, XtfLeafPart part, XtfPageView *leaf, GError **error)
{
    XtfTrace *trace = array->trace;

    if (array->codec == XTF_CODEC_PLAIN) {
        XtfBlock *page = xtf_page_get(array, place, 0, error);
        if (page)
            xtf_page_view_of_page(array, page, leaf);
        return page != NULL;
    }
    uint64_t offset = 0;
    if (!xtf_page_locate(array, place, &offset, error))
        return false;
    Packed packed = {.array = array, .place = place};
    XtfBlock *block = xtf_cache_make(trace->cache, offset, trace->superblock.info.page_size,
                                     part == XTF_LEAF_TIMES ? make_times : make_rows, &packed, error);
    return block && view_decoded(&packed, block, part, leaf, error);
}

bool xtf_leaf_get_open(const XtfArray *array, XtfBlock *edge, XtfLeafPart part, XtfPageView *leaf, GError **error)
{
    XtfCache *cache = array->trace->cache;

    if (array->codec == XTF_CODEC_PLAIN) {
        xtf_page_view_of_edge(array, edge, 0, leaf);
        return true;
    }
    Packed packed = {.array = array, .edge = edge};
    XtfBlock *block = xtf_cache_make(cache, edge->offset, edge->length, part == XTF_LEAF_TIMES ? make_times : make_rows,
                                     &packed, error);
    bool good = block && view_decoded(&packed, block, part, leaf, error);
    xtf_cache_put(cache, edge);
    return good;
}
