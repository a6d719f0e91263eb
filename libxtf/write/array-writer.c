/*
 * Arrays being written: rows go into open pages, full pages go to their places in the file.
 *
 * The head of a sealed page names the previous and the next page of its level. So the places of both must be known when
 * the page is written. Therefore sealing a page reserves the place of the next one. The first page of a level has no
 * reserved place; it gets one when it is sealed. So an array that never fills a page reserves none.
 *
 * The writer seals a page when a row or an entry has to go behind it, not when the page fills. So the last page of a
 * level is always open, and never empty. When rows are packed, a sealed leaf may leave out the last rows of the open
 * leaf; they stay open.
 */
#include "libxtf/base/checksum.h"
#include "libxtf/disk/address.h"
#include "libxtf/disk/edge.h"
#include "libxtf/disk/page.h"
#include "libxtf/error.h"
#include "libxtf/totals/tables/batches.h"
#include "libxtf/write/writer-private.h"

XtfArrayWriter *xtf_array_writer_new(XtfWriter *writer, uint64_t location, const XtfSchema *schema)
{
    XtfArrayWriter *array = xtf_object_pool_new(&writer->arrays);

    array->writer = writer;
    array->schema = schema;
    array->location = location;
    array->codec = (uint8_t)writer->codec;
    return array;
}

void xtf_array_writer_finish(XtfArrayWriter *array)
{
    if (!array->open) /* as in most arrays, whose memory stays untouched */
        return;
    xtf_open_edge_free(array->open, array->height);
    array->open = NULL;
}

void xtf_array_writer_reset(XtfArrayWriter *array)
{
    xtf_array_writer_finish(array);
    *array = (XtfArrayWriter){
        .writer = array->writer,
        .schema = array->schema,
        .location = array->location,
        .clock_map = array->clock_map,
        .remapped = array->remapped,
        .codec = (uint8_t)array->writer->codec,
    };
}

/* Returns a pointer to room for one more entry in an index page that is not full. */
static uint8_t *next_entry(const XtfArrayWriter *array, XtfLevel *level)
{
    enum { BYTES_FIRST = 512 };
    uint32_t used = (uint32_t)(sizeof(XtfDiskPage) + level->count * sizeof(XtfDiskEntry));

    if (G_UNLIKELY(used + sizeof(XtfDiskEntry) > level->allotted)) {
        level->allotted = MIN(MAX(2 * level->allotted, BYTES_FIRST), array->writer->page_size);
        level->page = g_realloc(level->page, level->allotted);
    }
    return level->page + used;
}

/* A page to be sealed: `bytes` has space for the head, then the payload, then padding to a multiple of the page size.
 */
typedef struct {
    uint8_t *bytes;
    uint32_t count, length;
    XtfPageKind kind;
    uint8_t codec;
    uint8_t batch;         /* of an index page and its companion: XtfDiskPage */
    GByteArray *companion; /* the companion of an index page, laid out as `bytes`; NULL: none */
} FullPage;

/* The places of a page and of its next page, and the distance of its companion. */
typedef struct {
    uint64_t place, next;
    uint32_t companion;
} Links;

static bool write_page(XtfArrayWriter *array, unsigned number, const FullPage *full, Links links, GError **error)
{
    XtfWriter *writer = array->writer;
    const XtfLevel *level = &array->open->levels[number];
    size_t used = sizeof(XtfDiskPage) + full->length;
    size_t whole = (used + writer->page_size - 1) / writer->page_size * writer->page_size;
    XtfDiskPage head = {
        .kind = (uint8_t)full->kind, .codec = full->codec, .level = (uint8_t)number, .batch = full->batch};
    uint8_t *payload = full->bytes + sizeof head;

    xtf_write32(&head.magic, XTF_PAGE_MAGIC);
    xtf_write32(&head.array, array->id);
    xtf_write32(&head.epoch, writer->epoch);
    xtf_write64(&head.segment, writer->segment);
    xtf_write64(&head.first_n, level->first_n);
    xtf_write32(&head.count, full->count);
    xtf_write32(&head.length, full->length);
    xtf_write64(&head.previous, level->previous);
    xtf_write64(&head.next, links.next);
    xtf_write32(&head.companion, links.companion);
    xtf_batches_set_checksum(&head, links.place, payload);
    xtf_write32(&head.checksum, xtf_page_checksum(&head, links.place, payload, full->length));
    memcpy(full->bytes, &head, sizeof head);
    memset(full->bytes + used, 0, whole - used);
    return xtf_writer_put(writer, links.place * writer->page_size, full->bytes, whole, error);
}

/* Reports that `subject`, such as "it is", is too large. The writer fails, too: the array refers to pages that were not
 * written. */
static bool fail_too_large(const XtfArrayWriter *array, const char *subject, GError **error)
{
    array->writer->failed = true;
    return xtf_fail(error, XTF_ERROR_TOO_LARGE, "location %" PRIu64 ", %s: %s too large", array->location,
                    array->schema->name, subject);
}

/* Writes the companion of an index page and stores its distance in *links. */
static bool write_companion(XtfArrayWriter *array, unsigned number, const FullPage *page, Links *links, GError **error)
{
    uint32_t page_size = array->writer->page_size, used = page->companion->len;
    uint64_t n_pages = ((uint64_t)used + page_size - 1) / page_size;
    uint64_t place = xtf_writer_allot(array->writer, links->place, n_pages);

    if (n_pages * page_size > G_MAXUINT32 || place - links->place > G_MAXUINT32)
        return fail_too_large(array, "its totals are", error);
    g_byte_array_set_size(page->companion, (guint)(n_pages * page_size));
    const FullPage companion = {
        .bytes = page->companion->data,
        .count = page->count,
        .length = used - (uint32_t)sizeof(XtfDiskPage),
        .kind = XTF_PAGE_TOTALS,
        .codec = array->codec,
        .batch = page->batch,
    };
    links->companion = (uint32_t)(place - links->place);
    return write_page(array, number, &companion, (Links){.place = place, .next = links->next}, error);
}

static bool push_entry(XtfArrayWriter *array, unsigned number, uint64_t first_t, uint64_t before, uint64_t child,
                       GError **error);

/* Adds a level above the top level, whose first page was just sealed at `place`. */
static bool add_level(XtfArrayWriter *array, uint64_t place, GError **error)
{
    if (array->height == XTF_HEIGHT_MAX)
        return fail_too_large(array, "it is", error);
    array->open->levels = g_renew(XtfLevel, array->open->levels, array->height + 1);
    array->open->levels[array->height] = (XtfLevel){0};
    array->height++;
    return push_entry(array, array->height - 1u, array->first, 0, place, error);
}

/* Writes the full page of a level to its place and opens the next page. The next page's first row has the time first_t
 * and the number first_n. */
static bool seal_page(XtfArrayWriter *array, unsigned number, const FullPage *full, uint64_t first_t, uint64_t first_n,
                      GError **error)
{
    XtfWriter *writer = array->writer;
    XtfLevel *level = &array->open->levels[number];
    Links links = {.place = level->place ? level->place : xtf_writer_allot(writer, 0, 1)};

    links.next = xtf_writer_allot(writer, 0, 1);
    if (full->companion && !write_companion(array, number, full, &links, error))
        return false;
    if (!write_page(array, number, full, links, error))
        return false;
    if (number + 1u == array->height) {
        if (!add_level(array, links.place, error))
            return false;
        level = &array->open->levels[number]; /* add_level() reallocates the levels */
    }
    level->previous = links.place;
    level->place = links.next;
    level->first_n = first_n;
    level->count = 0;
    return push_entry(array, number + 1, first_t, first_n, links.next, error);
}

static bool seal_index_page(XtfArrayWriter *array, unsigned number, uint64_t first_t, uint64_t first_n, GError **error)
{
    uint32_t page_size = array->writer->page_size;
    XtfLevel *level = &array->open->levels[number];

    if (level->allotted < page_size) { /* entries do not fill a page to its last byte */
        level->page = g_realloc(level->page, page_size);
        level->allotted = page_size;
    }
    FullPage full = {
        .bytes = level->page,
        .count = level->count,
        .length = level->count * (uint32_t)sizeof(XtfDiskEntry),
        .kind = XTF_PAGE_INDEX,
        .codec = XTF_CODEC_PLAIN,
    };
    g_autoptr(GByteArray) companion = g_byte_array_new();
    if (array->open->aggregates) {
        g_byte_array_set_size(companion, sizeof(XtfDiskPage));
        full.batch = (uint8_t)xtf_aggregate_writer_seal_index(array->open->aggregates, number, companion);
        array->batches |= full.batch > 0;
        if (companion->len - sizeof(XtfDiskPage) > XTF_COMPANION_BYTES_MAX)
            return xtf_fail(error, XTF_ERROR_TOO_LARGE,
                            "%s: the totals of a page of array %u take more than %d MiB: use smaller pages",
                            array->writer->path, array->id, XTF_COMPANION_BYTES_MAX >> 20);
        full.companion = companion;
    }
    return seal_page(array, number, &full, first_t, first_n, error);
}

static bool push_entry(XtfArrayWriter *array, unsigned number, uint64_t first_t, uint64_t before, uint64_t child,
                       GError **error)
{
    XtfDiskEntry entry;

    if (array->open->levels[number].count == xtf_index_entries_max(array->writer->page_size) &&
        !seal_index_page(array, number, first_t, before, error))
        return false;
    XtfLevel *level = &array->open->levels[number];
    xtf_write64(&entry.first_t, first_t);
    xtf_write64(&entry.before, before);
    xtf_write64(&entry.child, child);
    memcpy(next_entry(array, level), &entry, sizeof entry);
    level->count++;
    return true;
}

/* Seals the open leaf if its rows fill a page. `t` is the time of the next row. */
static bool seal_leaf(XtfArrayWriter *array, uint64_t t, GError **error)
{
    XtfLeafWriter *leaf = &array->open->leaf;
    g_autofree uint8_t *page = g_malloc(array->writer->page_size);
    FullPage full = {.bytes = page, .kind = XTF_PAGE_LEAF, .codec = leaf->codec};

    full.count = xtf_leaf_writer_pack(leaf, page + sizeof(XtfDiskPage), &full.length);
    if (full.count == 0)
        return true;
    xtf_writer_widen_limits(array->writer, array->schema, leaf->rows, full.count);
    xtf_aggregate_writer_seal_leaf(array->open->aggregates, leaf->rows, full.count);
    xtf_leaf_writer_drop(leaf, full.count);
    uint64_t first_t = leaf->next > leaf->rows ? xtf_load64(leaf->rows) : t;
    return seal_page(array, 0, &full, first_t, array->open->levels[0].first_n + full.count, error);
}

static bool report_invalid_append(XtfArrayWriter *array, uint64_t t, GError **error)
{
    if (array->closed)
        return xtf_fail(error, XTF_ERROR_INVALID, "location %" PRIu64 ", %s: the array is closed, no row can be added",
                        array->location, array->schema->name);
    if (t >= array->last)
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "location %" PRIu64 ", %s, row %" PRIu64 ": time %" PRIu64 " is before %" PRIu64
                        ", up to which the trace is complete",
                        array->location, array->schema->name, array->n_rows, t, array->writer->complete);
    return xtf_fail(error, XTF_ERROR_INVALID,
                    "location %" PRIu64 ", %s, row %" PRIu64 ": time goes backwards, from %" PRIu64 " to %" PRIu64,
                    array->location, array->schema->name, array->n_rows, array->last, t);
}

/* Opens the edge of an array without rows, whose first row has time t. */
static void open_empty(XtfArrayWriter *array, uint64_t t)
{
    array->first = t;
    array->open = xtf_open_edge_new(array);
    array->open->levels = g_new0(XtfLevel, 1);
    array->height = 1;
}

/* Makes room for a row of time t in the open leaf; first opens the edge if it is not in memory. */
static bool make_row_room(XtfArrayWriter *array, uint64_t t, GError **error)
{
    if (array->closed || t < array->earliest)
        return report_invalid_append(array, t, error);
    if (array->n_rows == 0)
        open_empty(array, t);
    if (!array->open) {
        if (!xtf_array_writer_open_stored(array, error))
            return false;
        if (array->edge.offset < array->writer->own_first * array->writer->page_size)
            xtf_array_writer_move_places(array); /* the edge was stored in an earlier volume */
    }
    XtfLeafWriter *leaf = &array->open->leaf;
    while (xtf_leaf_writer_count(leaf) >= leaf->target)
        if (!seal_leaf(array, t, error))
            return false;
    xtf_leaf_writer_grow(leaf);
    return true;
}

/* ---- Joined arrays. */

/* Ends the last leaf, which lies elsewhere: the next one begins at time t, and has a place. */
static bool end_joined_leaf(XtfArrayWriter *array, uint64_t t, uint64_t place, GError **error)
{
    XtfOpenEdge *open = array->open;
    uint32_t count = xtf_leaf_writer_count(&open->leaf);

    xtf_writer_widen_limits(array->writer, array->schema, open->leaf.rows, count);
    xtf_aggregate_writer_seal_leaf(open->aggregates, open->leaf.rows, count);
    xtf_leaf_writer_finish(&open->leaf);
    if (array->height == 1 && !add_level(array, open->leaf_place, error))
        return false;
    open->levels[0].first_n += count;
    return push_entry(array, 1, t, open->levels[0].first_n, place, error);
}

bool xtf_array_writer_add_leaf(XtfArrayWriter *array, uint64_t place, const uint8_t *rows, uint32_t count,
                               GError **error)
{
    uint32_t row_size = array->schema->row_size;
    uint64_t t = xtf_load64(rows);

    if (array->closed || t < array->earliest)
        return report_invalid_append(array, t, error);
    if (array->n_rows > 0 && !end_joined_leaf(array, t, place, error))
        return false;
    if (array->n_rows == 0)
        array->first = t;
    xtf_leaf_writer_resume(&array->open->leaf, rows, count, 0);
    array->open->leaf_place = array->open->levels[0].place = place;
    array->n_rows += count;
    array->last = array->earliest = xtf_load64(rows + (size_t)(count - 1) * row_size);
    array->changed = true;
    return true;
}

/* Makes an empty array a joined one, without pieces yet. */
static void begin_joined(XtfArrayWriter *array)
{
    if (array->open)
        return;
    open_empty(array, 0);
    xtf_pieces_encoder_init(&array->open->pieces);
    array->joined = true;
}

bool xtf_array_writer_begin_piece(XtfArrayWriter *array, const XtfArray *source, const GArray *shifts, GError **error)
{
    begin_joined(array);
    xtf_pieces_add_array(&array->open->pieces, array->n_rows, source, shifts);
    return array->open->pieces.bodies->len <= XTF_ITEM_MAX || fail_too_large(array, "its pieces are", error);
}

bool xtf_array_writer_add_own_piece(XtfArrayWriter *array, const uint8_t *rows, uint32_t count, GError **error)
{
    if ((uint64_t)count * array->schema->row_size > XTF_ITEM_MAX)
        return fail_too_large(array, "the stack at the end of a run is", error);
    begin_joined(array);
    xtf_pieces_add_rows(&array->open->pieces, array->n_rows, rows, count * array->schema->row_size);
    return xtf_array_writer_add_leaf(array, 0, rows, count, error);
}

void xtf_array_writer_move_places(XtfArrayWriter *array)
{
    XtfLevel *levels = array->open->levels;

    for (unsigned i = 0; i < array->height && levels[i].place > 0; i++) {
        XtfLevel *above = &levels[i + 1]; /* its last entry leads to the open page of this level */
        XtfDiskEntry *entry = (XtfDiskEntry *)(void *)(above->page + sizeof(XtfDiskPage)) + (above->count - 1);
        levels[i].place = xtf_writer_allot(array->writer, 0, 1);
        xtf_write64(&entry->child, levels[i].place);
    }
}

bool xtf_array_writer_append(XtfArrayWriter *array, const void *row, GError **error)
{
    uint32_t row_size = array->schema->row_size;
    XtfOpenEdge *open = array->open;
    uint64_t t = xtf_load64(row);

    if (G_UNLIKELY(!open || open->leaf.next >= open->leaf.end || t < array->earliest) &&
        !make_row_room(array, t, error))
        return false;
    XtfLeafWriter *leaf = &array->open->leaf;
    memcpy(leaf->next, row, row_size);
    leaf->next += row_size;
    array->n_rows++;
    array->last = array->earliest = t;
    array->changed = true;
    return true;
}

uint64_t xtf_array_writer_n_rows(const XtfArrayWriter *array)
{
    return array->n_rows;
}

uint64_t xtf_array_writer_last(const XtfArrayWriter *array)
{
    return array->last;
}

/* Packs the totals of the right edge, which holds the array's open pages. Small packed arrays store none: the totals
 * would take more bytes than the rows. */
static void pack_totals(const XtfArrayWriter *array, uint32_t count, XtfEdgeEncoder *edge)
{
    bool is_small = array->height == 1 && count <= XTF_SMALL_ARRAY_ROWS;
    const XtfOpenEdge *open = array->open;

    if (open->aggregates && is_small && !xtf_codec(array->codec)->side_by_side) {
        xtf_edge_begin_totals(edge);
        xtf_edge_end_totals(edge);
        return;
    }
    xtf_aggregate_writer_pack_edge(open->aggregates, open->leaf.rows, count, array->height, edge);
}

bool xtf_array_writer_pack_edge(XtfArrayWriter *array, GByteArray *bytes, XtfRef *at, GError **error)
{
    const XtfLeafWriter *leaf = &array->open->leaf;
    uint32_t count = xtf_leaf_writer_count(leaf);
    g_autoptr(GByteArray) rows = g_byte_array_new();

    if (!array->joined) /* else the rows of the last leaf are elsewhere */
        xtf_leaf_writer_pack_open(leaf, rows);
    XtfEdgeEncoder edge = xtf_edge_encode(bytes, array->height, xtf_checksum(rows->data, rows->len));
    for (unsigned i = 0; i < array->height; i++) {
        const XtfLevel *level = &array->open->levels[i];
        if (i > 0)
            g_byte_array_append(bytes, level->page + sizeof(XtfDiskPage), level->count * (guint)sizeof(XtfDiskEntry));
        xtf_edge_end_level(&edge, &(XtfEdgeLevel){.first_n = level->first_n,
                                                  .place = level->place,
                                                  .previous = level->previous,
                                                  .count = i == 0 ? count : level->count,
                                                  .length = rows->len});
    }
    pack_totals(array, count, &edge);
    if (array->joined)
        xtf_pieces_encode(&array->open->pieces, bytes);
    *at = (XtfRef){
        .offset = edge.start,
        .length = bytes->len - edge.start,
        .checksum = xtf_checksum(bytes->data + edge.start, bytes->len - edge.start),
    };
    xtf_bytes_align(bytes);
    g_byte_array_append(bytes, rows->data, rows->len);
    xtf_bytes_align(bytes);
    xtf_writer_widen_limits(array->writer, array->schema, leaf->rows, count);
    return at->length <= XTF_ITEM_MAX || fail_too_large(array, "its right edge is", error);
}

bool xtf_array_writer_put_edge(XtfArrayWriter *array, const uint8_t *edge, uint32_t n_bytes, GError **error)
{
    static const guint flush_bytes[XTF_N_PENDING] = {[XTF_PENDING_LARGE] = 1 << 20, [XTF_PENDING_SMALL] = 256 << 10};
    enum { SMALL_EDGE_BYTES = 4096 };
    XtfPendingSize size = n_bytes > SMALL_EDGE_BYTES ? XTF_PENDING_LARGE : XTF_PENDING_SMALL;
    XtfWriter *writer = array->writer;
    XtfPendingEdges *pending = &writer->pending[size];

    array->edge_bytes = n_bytes;
    array->edge.offset = pending->bytes->len;
    g_byte_array_append(pending->bytes, edge, n_bytes);
    xtf_bytes_align(pending->bytes);
    g_ptr_array_add(pending->arrays, array);
    xtf_writer_trim_pools(writer, 1);
    return pending->bytes->len < flush_bytes[size] || xtf_writer_flush_pending(writer, size, NULL, error);
}

bool xtf_array_writer_close(XtfArrayWriter *array, GError **error)
{
    XtfWriter *writer = array->writer;

    if (array->closed)
        return true;
    array->closed = true;
    if (!array->changed) /* the array is empty, or all its rows are in the file */
        xtf_array_writer_finish(array);
    if (!array->open)
        return true;

    g_autoptr(GByteArray) edge = g_byte_array_new(); /* packed before the lock is taken: packing takes it, too */
    uint64_t before = array->edge.offset;
    if (!xtf_array_writer_pack_edge(array, edge, &array->edge, error))
        return false;
    xtf_array_writer_finish(array);
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&writer->lock);
    xtf_writer_drop(writer, before, array->edge_bytes);
    return xtf_array_writer_put_edge(array, edge->data, edge->len, error);
}
