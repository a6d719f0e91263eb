/*
 * Arrays being written: rows into open pages, full pages onto their places.
 *
 * A sealed page names its neighbours on both sides, so its place and that of the page behind it must be known when it
 * is written. Therefore sealing a page reserves the place of the next one. The first page of a level has no reserved
 * place; it gets one when it is sealed. So an array that never fills a page reserves none.
 *
 * A page is sealed when there is something to put behind it, not when its last row comes: a level's last page is always
 * open, and never empty. A packed leaf may turn out to be sealed by some rows that it holds itself: they stay open.
 */
#include "libxtf/base/checksum.h"
#include "libxtf/pack/codec.h"
#include "libxtf/write/writer-private.h"

XtfArrayWriter *xtf_array_writer_new(XtfWriter *writer, uint64_t location, const XtfSchema *schema)
{
    XtfArrayWriter *array = g_new0(XtfArrayWriter, 1);

    array->writer = writer;
    array->schema = schema;
    array->location = location;
    xtf_array_writer_set_codec(array, writer->codec);
    return array;
}

static void free_open(XtfArrayWriter *array)
{
    for (unsigned i = 0; array->levels && i < array->height; i++)
        g_free(array->levels[i].page);
    g_clear_pointer(&array->levels, g_free);
    xtf_leaf_writer_finish(&array->leaf);
    g_clear_pointer(&array->aggregates, xtf_aggregate_writer_free);
}

void xtf_array_writer_free(XtfArrayWriter *array)
{
    if (!array)
        return;
    free_open(array);
    g_free(array);
}

void xtf_array_writer_set_codec(XtfArrayWriter *array, XtfCodec codec)
{
    const XtfWriter *writer = array->writer;

    xtf_aggregate_writer_free(array->aggregates);
    array->aggregates = xtf_aggregate_writer_new(array->schema, codec);
    xtf_leaf_writer_init(&array->leaf, array->schema, codec, writer->level,
                         writer->page_size - (uint32_t)sizeof(XtfDiskPage));
}

/* Room for one more entry in an index page that is not full. */
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

/* A page about to be sealed: room for its head, its payload, and room up to the end of its last page. */
typedef struct {
    uint8_t *bytes;
    uint32_t count, length;
    XtfPageKind kind;
    XtfCodec codec;
    GByteArray *companion; /* of an index page: its companion, room for a head and the payload; NULL: none */
} Full;

/* Where pages go, and what their heads say of others. */
typedef struct {
    uint64_t place, next;
    uint32_t companion;
} Links;

static bool write_page(XtfArrayWriter *array, unsigned number, const Full *full, Links links, GError **error)
{
    XtfWriter *writer = array->writer;
    const XtfLevel *level = &array->levels[number];
    XtfDiskPage *head = (XtfDiskPage *)full->bytes;
    size_t used = sizeof *head + full->length;
    size_t whole = (used + writer->page_size - 1) / writer->page_size * writer->page_size;

    memset(head, 0, sizeof *head);
    memset(full->bytes + used, 0, whole - used);
    xtf_write32(&head->magic, XTF_PAGE_MAGIC);
    head->kind = (uint8_t)full->kind;
    head->codec = (uint8_t)full->codec;
    head->level = (uint8_t)number;
    xtf_write32(&head->array, array->id);
    xtf_write32(&head->epoch, writer->epoch);
    xtf_write64(&head->segment, writer->segment);
    xtf_write64(&head->first_n, level->first_n);
    xtf_write32(&head->count, full->count);
    xtf_write32(&head->length, full->length);
    xtf_write64(&head->previous, level->previous);
    xtf_write64(&head->next, links.next);
    xtf_write32(&head->companion, links.companion);
    xtf_write32(&head->checksum, xtf_page_checksum(head, links.place, full->bytes + sizeof *head, full->length));
    return xtf_writer_put(writer, links.place * writer->page_size, full->bytes, whole, error);
}

/* What was sealed already is known to the array, yet not in the file. */
static bool too_large(const XtfArrayWriter *array, const char *what, GError **error)
{
    array->writer->failed = true;
    g_set_error(error, XTF_ERROR, XTF_ERROR_INVALID, "location %" G_GUINT64_FORMAT ", %s: %s too large",
                array->location, array->schema->name, what);
    return false;
}

/* Writes the sums of an index page's children behind it; its distance goes into the page's links. */
static bool write_companion(XtfArrayWriter *array, unsigned number, const Full *page, Links *links, GError **error)
{
    uint32_t page_size = array->writer->page_size, used = page->companion->len;
    uint64_t n_pages = ((uint64_t)used + page_size - 1) / page_size;
    uint64_t place = xtf_writer_allot(array->writer, n_pages);

    if (n_pages * page_size > G_MAXUINT32 || place - links->place > G_MAXUINT32)
        return too_large(array, "its sums are", error);
    g_byte_array_set_size(page->companion, (guint)(n_pages * page_size));
    const Full companion = {
        .bytes = page->companion->data,
        .count = page->count,
        .length = used - (uint32_t)sizeof(XtfDiskPage),
        .kind = XTF_PAGE_TOTALS,
        .codec = array->leaf.codec,
    };
    links->companion = (uint32_t)(place - links->place);
    return write_page(array, number, &companion, (Links){.place = place, .next = links->next}, error);
}

static bool push_entry(XtfArrayWriter *array, unsigned number, uint64_t first_t, uint64_t before, uint64_t child,
                       GError **error);

/* A level above the topmost, whose first page was just sealed at `place`. */
static bool add_level(XtfArrayWriter *array, uint64_t place, GError **error)
{
    if (array->height == XTF_HEIGHT_MAX)
        return too_large(array, "it is", error);
    array->levels = g_renew(XtfLevel, array->levels, array->height + 1);
    array->levels[array->height] = (XtfLevel){0};
    array->height++;
    return push_entry(array, array->height - 1u, array->first, 0, place, error);
}

/* Writes a level's full page onto its place and opens the one behind it, which begins with (first_t, first_n). */
static bool seal_page(XtfArrayWriter *array, unsigned number, const Full *full, uint64_t first_t, uint64_t first_n,
                      GError **error)
{
    XtfWriter *writer = array->writer;
    XtfLevel *level = &array->levels[number];
    Links links = {.place = level->place ? level->place : xtf_writer_allot(writer, 1)};

    links.next = xtf_writer_allot(writer, 1);
    if (full->companion && !write_companion(array, number, full, &links, error))
        return false;
    if (!write_page(array, number, full, links, error))
        return false;
    if (number + 1u == array->height) {
        if (!add_level(array, links.place, error))
            return false;
        level = &array->levels[number]; /* they may have moved */
    }
    level->previous = links.place;
    level->place = links.next;
    level->first_n = first_n;
    level->count = 0;
    return push_entry(array, number + 1, first_t, first_n, links.next, error);
}

/* Seals an index page. */
static bool seal_index_page(XtfArrayWriter *array, unsigned number, uint64_t first_t, uint64_t first_n, GError **error)
{
    uint32_t page_size = array->writer->page_size;
    XtfLevel *level = &array->levels[number];

    if (level->allotted < page_size) { /* full, yet not grown to the last byte */
        level->page = g_realloc(level->page, page_size);
        level->allotted = page_size;
    }
    Full full = {
        .bytes = level->page,
        .count = level->count,
        .length = level->count * (uint32_t)sizeof(XtfDiskEntry),
        .kind = XTF_PAGE_INDEX,
        .codec = XTF_CODEC_PLAIN,
    };
    g_autoptr(GByteArray) companion = g_byte_array_new();
    if (array->aggregates) {
        g_byte_array_set_size(companion, sizeof(XtfDiskPage));
        xtf_aggregate_writer_seal_index(array->aggregates, number, companion);
        full.companion = companion;
    }
    return seal_page(array, number, &full, first_t, first_n, error);
}

static bool push_entry(XtfArrayWriter *array, unsigned number, uint64_t first_t, uint64_t before, uint64_t child,
                       GError **error)
{
    uint32_t most = (array->writer->page_size - (uint32_t)sizeof(XtfDiskPage)) / (uint32_t)sizeof(XtfDiskEntry);
    XtfDiskEntry entry;

    if (array->levels[number].count == most && !seal_index_page(array, number, first_t, before, error))
        return false;
    XtfLevel *level = &array->levels[number];
    xtf_write64(&entry.first_t, first_t);
    xtf_write64(&entry.before, before);
    xtf_write64(&entry.child, child);
    memcpy(next_entry(array, level), &entry, sizeof entry);
    level->count++;
    return true;
}

/* Seals a leaf if enough rows are there, the next one having the time t. */
static bool seal_leaf(XtfArrayWriter *array, uint64_t t, GError **error)
{
    XtfLeafWriter *leaf = &array->leaf;
    g_autofree uint8_t *page = g_malloc(array->writer->page_size);
    Full full = {.bytes = page, .kind = XTF_PAGE_LEAF, .codec = leaf->codec};

    full.count = xtf_leaf_writer_pack(leaf, page + sizeof(XtfDiskPage), &full.length);
    if (full.count == 0)
        return true;
    xtf_writer_widen_limits(array->writer, array->schema, leaf->rows, full.count);
    xtf_aggregate_writer_seal_leaf(array->aggregates, leaf->rows, full.count);
    xtf_leaf_writer_drop(leaf, full.count);
    uint64_t first_t = leaf->next > leaf->rows ? xtf_load64(leaf->rows) : t;
    return seal_page(array, 0, &full, first_t, array->levels[0].first_n + full.count, error);
}

static bool append_refused(XtfArrayWriter *array, uint64_t t, GError **error)
{
    if (array->finished)
        g_set_error(error, XTF_ERROR, XTF_ERROR_INVALID, "location %" G_GUINT64_FORMAT ", %s: a row after the last one",
                    array->location, array->schema->name);
    else
        g_set_error(error, XTF_ERROR, XTF_ERROR_INVALID,
                    "location %" G_GUINT64_FORMAT ", %s, row %" G_GUINT64_FORMAT
                    ": time goes backwards, from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT,
                    array->location, array->schema->name, array->n_rows, array->last, t);
    return false;
}

/* Makes room for a row of time t in the open leaf. */
static bool make_room(XtfArrayWriter *array, uint64_t t, GError **error)
{
    if (array->finished || t < array->last)
        return append_refused(array, t, error);
    if (array->n_rows == 0) {
        array->first = t;
        array->levels = g_new0(XtfLevel, 1);
        array->height = 1;
    }
    while (xtf_leaf_writer_count(&array->leaf) >= array->leaf.target)
        if (!seal_leaf(array, t, error))
            return false;
    xtf_leaf_writer_grow(&array->leaf);
    return true;
}

bool xtf_array_writer_append(XtfArrayWriter *array, const void *row, GError **error)
{
    uint32_t row_size = array->schema->row_size;
    XtfLeafWriter *leaf = &array->leaf;
    uint64_t t = xtf_load64(row);

    if (G_UNLIKELY(leaf->next >= leaf->end || t < array->last) && !make_room(array, t, error))
        return false;
    memcpy(leaf->next, row, row_size);
    leaf->next += row_size;
    array->n_rows++;
    array->last = t;
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

/* The sums of the open index pages, behind the payloads of a right edge. */
static void pack_open_sums(const XtfArrayWriter *array, GByteArray *bytes)
{
    for (unsigned level = 1; array->aggregates && level < array->height; level++) {
        guint start = bytes->len;
        XtfLe32 length = {0};
        g_byte_array_append(bytes, length.bytes, sizeof length);
        xtf_aggregate_writer_pack_open(array->aggregates, level, bytes);
        xtf_write32(&length, bytes->len - start - (guint)sizeof length);
        memcpy(bytes->data + start, &length, sizeof length);
    }
}

void xtf_array_writer_pack_edge(XtfArrayWriter *array, GByteArray *bytes, XtfRef *at)
{
    const XtfLeafWriter *leaf = &array->leaf;
    uint32_t n_rows = xtf_leaf_writer_count(leaf);
    guint start = bytes->len;

    g_byte_array_set_size(bytes, start + array->height * (guint)sizeof(XtfDiskEdge));
    uint32_t leaf_length = xtf_leaf_writer_pack_open(leaf, bytes);
    XtfDiskEdge *edges = (XtfDiskEdge *)(bytes->data + start);
    for (unsigned i = 0; i < array->height; i++) {
        const XtfLevel *level = &array->levels[i];
        xtf_write64(&edges[i].first_n, level->first_n);
        xtf_write64(&edges[i].place, level->place);
        xtf_write64(&edges[i].previous, level->previous);
        xtf_write32(&edges[i].count, i == 0 ? n_rows : level->count);
        xtf_write32(&edges[i].length, i == 0 ? leaf_length : level->count * (uint32_t)sizeof(XtfDiskEntry));
    }
    for (unsigned i = 1; i < array->height; i++)
        g_byte_array_append(bytes, array->levels[i].page + sizeof(XtfDiskPage),
                            array->levels[i].count * (guint)sizeof(XtfDiskEntry));
    pack_open_sums(array, bytes);
    *at = (XtfRef){
        .offset = start,
        .length = bytes->len - start,
        .checksum = xtf_checksum(bytes->data + start, bytes->len - start),
    };
    xtf_writer_widen_limits(array->writer, array->schema, leaf->rows, n_rows);
}

bool xtf_array_writer_close(XtfArrayWriter *array, GError **error)
{
    enum { PENDING_BYTES_MOST = 1 << 20 };
    XtfWriter *writer = array->writer;
    bool good = true;

    if (array->finished)
        return true;
    array->finished = true;
    if (array->n_rows == 0)
        return true;

    g_autoptr(GByteArray) edge = g_byte_array_new(); /* packed before the lock is taken: packing widens limits */
    xtf_array_writer_pack_edge(array, edge, &array->edge);
    free_open(array);
    g_mutex_lock(&writer->lock);
    array->edge.offset = writer->pending->len;
    g_byte_array_append(writer->pending, edge->data, edge->len);
    g_ptr_array_add(writer->pending_arrays, array);
    if (writer->pending->len >= PENDING_BYTES_MOST)
        good = xtf_writer_flush_pending(writer, error);
    g_mutex_unlock(&writer->lock);
    return good;
}
