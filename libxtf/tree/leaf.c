#include "libxtf/tree/leaf.h"

#include "libxtf/base/block-memory.h"
#include "libxtf/disk/lists/pieces.h"
#include "libxtf/disk/page.h"
#include "libxtf/tree/row-maps.h"

void xtf_page_view_of_page(const XtfArray *array, XtfBlock *page, XtfPageView *view)
{
    const XtfDiskPage *head = xtf_page_head(page);
    const uint8_t *payload = page->data + sizeof *head;

    *view = (XtfPageView){
        .block = page,
        .payload = payload,
        .keys = payload,
        .stride = xtf_level_stride(array->schema, head->level),
        .count = xtf_read32(head->count),
        .first_n = xtf_read64(head->first_n),
        .previous = xtf_read64(head->previous),
        .next = xtf_read64(head->next),
    };
}

void xtf_page_view_of_edge(const XtfArray *array, XtfBlock *edge, unsigned level, XtfPageView *view)
{
    XtfEdgeLevel page = xtf_edge_level(edge->data, array->height, level);

    *view = (XtfPageView){
        .block = edge,
        .payload = page.payload,
        .keys = page.payload,
        .stride = xtf_level_stride(array->schema, level),
        .count = page.count,
        .first_n = page.first_n,
        .previous = page.previous,
    };
}

/* Creates a view of the plain open leaf in its item. */
static void create_open_leaf_view(const XtfArray *array, const XtfBlock *edge, XtfBlock *item, XtfPageView *view)
{
    XtfEdgeLevel page = xtf_edge_level(edge->data, array->height, 0);

    *view = (XtfPageView){
        .block = item,
        .payload = item->data,
        .keys = item->data,
        .stride = array->schema->row_size,
        .count = page.count,
        .first_n = page.first_n,
        .previous = page.previous,
    };
}

/*
 * Head of an unpacked block. The cache identifies the block by the offset of the packed bytes, so every visit compares
 * the head with the array. In a crafted file another array, with other rows, may name the same bytes.
 */
typedef struct {
    const XtfSchema *schema;  /* schema of the rows */
    const XtfClockMap *clock; /* map of the instants; NULL: they are local */
    uint64_t shifts;          /* hash of the numbers added to the rows, as of a piece; 0: none */
    uint64_t first_n, previous, next;
    uint32_t array; /* id of the array */
    uint32_t count;
    uint8_t edge_height; /* height of the edge whose open leaf this is; 0: a sealed page */
} Unpacked;

_Static_assert(sizeof(Unpacked) % sizeof(uint64_t) == 0, "sampled times lie behind it");

/* Context of block makers: the packed leaf from which they make a block. */
typedef struct {
    const XtfArray *array;
    XtfBlock *edge; /* edge of an open leaf, pinned; NULL: the leaf is sealed */
    uint64_t place; /* place of a sealed leaf */
    unsigned index; /* for a part of frames or sums: the aggregate */
} PackedLeaf;

static const XtfClockMap *clock_for_part(const XtfArray *array, XtfLeafPart part)
{
    return part == XTF_LEAF_GLOBAL_ROWS ? array->clock : NULL;
}

/* Unpacks the columns of frames behind `before` bytes of a new allocation of *size bytes; no columns if the templates
 * do not hold them. */
static uint8_t *unpack_frames(const PackedLeaf *leaf, const XtfRowMap *map, XtfLeafPart part, const XtfPageView *packed,
                              uint32_t length, uint32_t before, uint32_t *size, const char **fault)
{
    const XtfSchema *schema = leaf->array->schema;
    const XtfAggregate *aggregate = &schema->aggregates[leaf->index];
    const XtfCodec *codec = xtf_codec(leaf->array->codec);
    const XtfFrameFields fields = {.key = aggregate->keys[0],
                                   .is_end = aggregate->values[0],
                                   .distance = aggregate->values[1],
                                   .outermost = aggregate->values[2],
                                   .without_keys = part == XTF_LEAF_FRAMES_WITHOUT_KEYS};
    uint8_t *memory = NULL;

    if (codec->unpack_frames && fields.key > 0 && fields.is_end > 0 && fields.distance > 0 && fields.outermost > 0)
        memory =
            codec->unpack_frames(schema, map, &fields, packed->payload, length, packed->count, before, size, fault);
    if (memory || *fault)
        return memory;
    *size = before;
    return g_malloc(before);
}

static size_t sums_bytes(const XtfAggregate *aggregate, uint32_t count)
{
    return sizeof(uint64_t) * aggregate->n_values * ((size_t)count + 1);
}

/* Unpacks the sums, then the times behind them, as unpack_frames() does. No sums if a map changes their values. */
static uint8_t *unpack_sums(const PackedLeaf *leaf, const XtfRowMap *map, const XtfPageView *packed, uint32_t length,
                            uint32_t before, uint32_t *size, const char **fault)
{
    const XtfSchema *schema = leaf->array->schema;
    const XtfAggregate *aggregate = &schema->aggregates[leaf->index];
    const XtfCodec *codec = xtf_codec(leaf->array->codec);
    uint32_t times_at = before + (uint32_t)sums_bytes(aggregate, packed->count);
    bool known = codec->unpack_sums && (!map || !xtf_row_map_changes(map, aggregate->values, aggregate->n_values));
    XTF_AUTO_BLOCK uint8_t *bytes =
        known ? codec->unpack_times(packed->payload, length, packed->count, times_at, size, fault) : NULL;

    if (bytes && !codec->unpack_sums(schema, aggregate->values, aggregate->n_values, packed->payload, length,
                                     packed->count, (uint64_t *)(void *)(bytes + before), &known, fault))
        return NULL;
    if (known || *fault)
        return g_steal_pointer(&bytes);
    *size = before;
    return g_malloc(before);
}

/* Unpacks the rows, or only their times, behind `before` bytes of a new allocation of *size bytes. */
static uint8_t *unpack_part(const XtfArray *array, const XtfRowMap *map, XtfLeafPart part, const XtfPageView *packed,
                            uint32_t length, uint32_t before, uint32_t *size, const char **fault)
{
    const XtfCodec *codec = xtf_codec(array->codec);

    if (part == XTF_LEAF_TIMES)
        return codec->unpack_times(packed->payload, length, packed->count, before, size, fault);
    *size = before + packed->count * array->schema->row_size;
    XTF_AUTO_BLOCK uint8_t *bytes = xtf_block_memory_new(*size);
    if (!codec->unpack_rows(array->schema, map, packed->payload, length, packed->count, bytes + before, fault))
        return NULL;
    xtf_shifts_apply(array->shifts, array->n_shifts, array->schema, bytes + before, packed->count);
    if (clock_for_part(array, part))
        xtf_clock_map_rows(array->clock, array->schema, bytes + before, packed->count);
    return g_steal_pointer(&bytes);
}

/* Returns the pinned page or item of a packed leaf. *length gets the number of bytes of its packed rows. */
static XtfBlock *get_packed(const PackedLeaf *leaf, XtfPageView *packed, uint32_t *length, GError **error)
{
    const XtfArray *array = leaf->array;
    XtfBlock *page =
        leaf->edge ? xtf_open_leaf_get(array, leaf->edge, error) : xtf_page_get(array, leaf->place, 0, error);

    if (page && leaf->edge) {
        create_open_leaf_view(array, leaf->edge, page, packed);
        *length = page->length;
    } else if (page) {
        xtf_page_view_of_page(array, page, packed);
        *length = xtf_read32(xtf_page_head(page)->length);
    }
    return page;
}

static bool fail_damaged(const PackedLeaf *leaf, const char *fault, GError **error)
{
    if (leaf->edge)
        return xtf_damaged(error, "array %u: its open leaf: %s", leaf->array->id, fault);
    return xtf_damaged(error, "page %" PRIu64 ": %s", leaf->place, fault);
}

static bool check_count(const XtfArray *array, const XtfPageView *packed, GError **error)
{
    return packed->count <= xtf_leaf_rows_max(xtf_array_page_size(array), array->schema->row_size) ||
           xtf_damaged(error, "array %u: a leaf of %u rows exceeds the maximum", array->id, packed->count);
}

static Unpacked unpacked_head(const PackedLeaf *leaf, const XtfPageView *packed, const XtfClockMap *clock)
{
    return (Unpacked){
        .schema = leaf->array->schema,
        .clock = clock,
        .shifts = xtf_shifts_hash(leaf->array->shifts, leaf->array->n_shifts),
        .first_n = packed->first_n,
        .previous = packed->previous,
        .next = packed->next,
        .array = leaf->array->id,
        .count = packed->count,
        .edge_height = leaf->edge ? leaf->array->height : 0,
    };
}

static bool unpack_leaf(const PackedLeaf *leaf, const XtfPageView *packed, uint32_t packed_length, XtfLeafPart part,
                        uint8_t **data, uint32_t *length, GError **error)
{
    const XtfArray *array = leaf->array;
    const XtfRowMap *map;
    const char *fault = NULL;

    if (!check_count(array, packed, error) || !xtf_array_row_map(array, &map, error))
        return false;
    const Unpacked head = unpacked_head(leaf, packed, clock_for_part(array, part));
    uint8_t *bytes = part >= XTF_LEAF_FRAMES && part < XTF_LEAF_SUMS
                         ? unpack_frames(leaf, map, part, packed, packed_length, (uint32_t)sizeof head, length, &fault)
                     : part == XTF_LEAF_SUMS
                         ? unpack_sums(leaf, map, packed, packed_length, (uint32_t)sizeof head, length, &fault)
                         : unpack_part(array, map, part, packed, packed_length, (uint32_t)sizeof head, length, &fault);
    if (!bytes)
        return fail_damaged(leaf, fault, error);
    *data = memcpy(bytes, &head, sizeof head);
    return true;
}

static bool make_leaf_block(const PackedLeaf *leaf, XtfLeafPart part, uint8_t **data, uint32_t *length, GError **error)
{
    XtfPageView packed;
    uint32_t packed_length = 0;
    XtfBlock *page = get_packed(leaf, &packed, &packed_length, error);
    bool good = page && unpack_leaf(leaf, &packed, packed_length, part, data, length, error);

    xtf_block_drop(page);
    return good;
}

static bool make_times(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    return make_leaf_block(context, XTF_LEAF_TIMES, data, length, error);
}

static bool make_rows(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    return make_leaf_block(context, XTF_LEAF_ROWS, data, length, error);
}

static bool make_global_rows(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    return make_leaf_block(context, XTF_LEAF_GLOBAL_ROWS, data, length, error);
}

static bool make_frames(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    return make_leaf_block(context, XTF_LEAF_FRAMES, data, length, error);
}

static bool make_frames_without_keys(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    return make_leaf_block(context, XTF_LEAF_FRAMES_WITHOUT_KEYS, data, length, error);
}

static bool make_sums(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    return make_leaf_block(context, XTF_LEAF_SUMS, data, length, error);
}

/* Returns the head of a block made from a leaf. Fails if the leaf is another array's. */
static const Unpacked *check_block(const PackedLeaf *packed, const XtfClockMap *clock, const XtfBlock *block,
                                   GError **error)
{
    const XtfArray *array = packed->array;
    const Unpacked *head = (const Unpacked *)(const void *)block->data;
    bool matches = head->schema == array->schema && head->clock == clock && head->array == array->id &&
                   head->shifts == xtf_shifts_hash(array->shifts, array->n_shifts) &&
                   head->edge_height == (packed->edge ? array->height : 0);

    if (matches && head->first_n <= array->n_rows && head->count <= array->n_rows - head->first_n)
        return head;
    xtf_damaged(error, "array %u: its leaf at place %" PRIu64 " also belongs to another array", array->id,
                packed->place);
    return NULL;
}

static const XtfFrameColumns *cast_frames(const XtfCodecTimes *times)
{
    return (const XtfFrameColumns *)(const void *)times;
}

static uint64_t frames_time_at(const XtfCodecTimes *times, uint32_t i)
{
    return xtf_frame_time(cast_frames(times), i);
}

static uint32_t frames_times_rank(const XtfCodecTimes *times, uint64_t t, uint64_t *comparisons)
{
    return xtf_frames_rank(cast_frames(times), t, comparisons);
}

/* Reads the times of columns of frames. */
static const XtfCodec frames_codec = {.time_at = frames_time_at, .times_rank = frames_times_rank};

/* Returns the view of a block made from a leaf. The view takes over the pin of the block. */
static XtfPageView view_of_unpacked(const PackedLeaf *packed, XtfLeafPart part, const Unpacked *head, XtfBlock *block)
{
    const XtfArray *array = packed->array;
    const uint8_t *content = block->data + sizeof *head;
    XtfPageView view = {
        .block = block,
        .stride = array->schema->row_size,
        .count = head->count,
        .first_n = head->first_n,
        .previous = head->previous,
        .next = head->next,
    };

    if (part == XTF_LEAF_SUMS) {
        view.sums = (const uint64_t *)(const void *)content;
        content += sums_bytes(&array->schema->aggregates[packed->index], head->count);
    }
    if (part == XTF_LEAF_TIMES || part == XTF_LEAF_SUMS) {
        view.times = (const XtfCodecTimes *)(const void *)content;
        view.codec = xtf_codec(array->codec);
    } else if (part >= XTF_LEAF_FRAMES) {
        view.times = (const XtfCodecTimes *)(const void *)content;
        view.codec = &frames_codec;
        view.frames = cast_frames(view.times);
    } else {
        view.payload = view.keys = content;
    }
    return view;
}

/* Returns the unpacked leaf. The cache identifies it by the offset of the packed bytes. */
static bool get_unpacked(const PackedLeaf *packed, uint64_t offset, uint32_t length, XtfLeafPart part,
                         XtfPageView *leaf, GError **error)
{
    static const XtfBlockMaker makers[] = {
        [XTF_LEAF_TIMES] = make_times,
        [XTF_LEAF_ROWS] = make_rows,
        [XTF_LEAF_GLOBAL_ROWS] = make_global_rows,
        [XTF_LEAF_FRAMES] = make_frames,
        [XTF_LEAF_SUMS] = make_sums,
        [XTF_LEAF_FRAMES_WITHOUT_KEYS] = make_frames_without_keys,
    };
    const XtfArray *array = packed->array;
    const XtfClockMap *clock = clock_for_part(array, part);
    uint64_t version = packed->edge ? packed->edge->version : xtf_array_page_version(array);
    if (clock) /* another commit may have another map for the array */
        version = version * UINT64_C(0x9e3779b97f4a7c15) + clock->id;
    g_autoptr(XtfBlock) block =
        xtf_cache_make(xtf_array_cache(array), offset, length, version, makers[part], (void *)packed, error);
    if (!block)
        return false;

    const Unpacked *head = check_block(packed, clock, block, error);
    if (!head)
        return false;
    if (part >= XTF_LEAF_FRAMES && block->length == sizeof *head)
        return get_unpacked(packed, offset, length - packed->index, XTF_LEAF_ROWS, leaf, error);
    *leaf = view_of_unpacked(packed, part, head, g_steal_pointer(&block));
    return true;
}

/* Sets *in_place if a leaf's rows, or times, can be read from its page or item without a copy. */
static bool find_in_place(const XtfArray *array, XtfLeafPart part, bool *in_place, GError **error)
{
    const XtfRowMap *map = NULL;

    *in_place = xtf_codec(array->codec)->side_by_side && part != XTF_LEAF_GLOBAL_ROWS;
    if (!*in_place || part == XTF_LEAF_TIMES)
        return true;
    if (!xtf_array_row_map(array, &map, error))
        return false;
    *in_place = !map && array->n_shifts == 0;
    return true;
}

/* Returns the unpacked leaf. If the part is of an aggregate, sets packed->index. A piece adds numbers to its rows,
 * which the templates do not have. */
static bool get_unpacked_part(PackedLeaf *packed, uint64_t offset, uint32_t length, XtfLeafPart part, XtfPageView *leaf,
                              GError **error)
{
    if (part < XTF_LEAF_FRAMES)
        return get_unpacked(packed, offset, length, part, leaf, error);
    if (packed->array->n_shifts > 0)
        return get_unpacked(packed, offset, length, XTF_LEAF_ROWS, leaf, error);
    packed->index = (part - XTF_LEAF_FRAMES) % XTF_AGGREGATES_MAX;
    return get_unpacked(packed, offset, length + packed->index, part - packed->index, leaf, error);
}

bool xtf_leaf_get(const XtfArray *array, uint64_t place, XtfLeafPart part, XtfPageView *leaf, GError **error)
{
    uint64_t offset = 0;
    bool in_place;

    if (!find_in_place(array, part, &in_place, error))
        return false;
    if (in_place) {
        XtfBlock *page = xtf_page_get(array, place, 0, error);
        if (page)
            xtf_page_view_of_page(array, page, leaf);
        return page != NULL;
    }
    return xtf_page_locate(array, place, &offset, error) &&
           get_unpacked_part(&(PackedLeaf){.array = array, .place = place}, offset, xtf_array_page_size(array), part,
                             leaf, error);
}

bool xtf_leaf_get_open(const XtfArray *array, XtfBlock *edge, XtfLeafPart part, XtfPageView *leaf, GError **error)
{
    bool in_place;

    if (!find_in_place(array, part, &in_place, error))
        return false;
    if (in_place) {
        XtfBlock *item = xtf_open_leaf_get(array, edge, error);
        if (item)
            create_open_leaf_view(array, edge, item, leaf);
        return item != NULL;
    }
    return get_unpacked_part(&(PackedLeaf){.array = array, .edge = edge}, xtf_open_leaf_offset(array, edge),
                             xtf_edge_leaf(array, edge->data).length, part, leaf, error);
}

/* ---- Zeros of a field. */

typedef struct {
    PackedLeaf leaf;
    unsigned field;
} ZerosSource;

/* Makes a block of the head and the words; without words if the templates do not show the zeros. */
static bool unpack_zeros_block(const ZerosSource *source, const XtfPageView *packed, uint32_t packed_length,
                               uint8_t **data, uint32_t *length, GError **error)
{
    const XtfArray *array = source->leaf.array;
    const char *fault = NULL;
    bool known;

    if (!check_count(array, packed, error))
        return false;
    const Unpacked head = unpacked_head(&source->leaf, packed, NULL);
    uint32_t size = (packed->count + 63) / 64 * (uint32_t)sizeof(uint64_t);
    g_autofree uint8_t *bytes = g_malloc(sizeof head + size);
    memcpy(bytes, &head, sizeof head);
    if (!xtf_codec(array->codec)
             ->unpack_zeros(array->schema, source->field, packed->payload, packed_length, packed->count,
                            (uint64_t *)(void *)(bytes + sizeof head), &known, &fault))
        return fail_damaged(&source->leaf, fault, error);
    *length = (uint32_t)sizeof head + (known ? size : 0);
    *data = g_realloc(g_steal_pointer(&bytes), *length); /* so that the cache counts the bytes in use */
    return true;
}

static bool make_zeros(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    const ZerosSource *source = context;
    XtfPageView packed;
    uint32_t packed_length = 0;
    XtfBlock *page = get_packed(&source->leaf, &packed, &packed_length, error);
    bool good = page && unpack_zeros_block(source, &packed, packed_length, data, length, error);

    xtf_block_drop(page);
    return good;
}

bool xtf_leaf_get_zeros(const XtfArray *array, uint64_t place, XtfBlock *edge, unsigned field, XtfLeafZeros *zeros,
                        GError **error)
{
    ZerosSource source = {.leaf = {.array = array, .edge = edge, .place = place}, .field = field};
    uint64_t offset = edge ? xtf_open_leaf_offset(array, edge) : 0;
    uint32_t length = edge ? xtf_edge_leaf(array, edge->data).length : xtf_array_page_size(array);

    *zeros = (XtfLeafZeros){0};
    if (xtf_codec(array->codec)->side_by_side)
        return true;
    if (!edge && !xtf_page_locate(array, place, &offset, error))
        return false;
    uint64_t version = edge ? edge->version : xtf_array_page_version(array);
    g_autoptr(XtfBlock) block =
        xtf_cache_make(xtf_array_cache(array), offset, length + field, version, make_zeros, &source, error);
    if (!block)
        return false;
    const Unpacked *head = check_block(&source.leaf, NULL, block, error);
    if (!head || block->length == sizeof *head)
        return head != NULL;
    *zeros = (XtfLeafZeros){.words = (const uint64_t *)(const void *)(block->data + sizeof *head),
                            .count = head->count,
                            .first_n = head->first_n};
    zeros->block = g_steal_pointer(&block);
    return true;
}

/* Returns how many of the first n bits of the words are set. */
static uint32_t count_bits(const uint64_t *words, uint32_t n)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < n / 64; i++)
        count += (uint32_t)__builtin_popcountll(words[i]);
    return n % 64 == 0 ? count : count + (uint32_t)__builtin_popcountll(words[n / 64] << (64 - n % 64));
}

uint32_t xtf_leaf_zeros_count(const XtfLeafZeros *zeros, uint32_t from, uint32_t to)
{
    return count_bits(zeros->words, to) - count_bits(zeros->words, from);
}
