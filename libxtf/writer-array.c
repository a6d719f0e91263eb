/*
 * Arrays being written: rows into open pages, full pages onto their places.
 *
 * A sealed page names its neighbours on both sides, so its place and that of the page behind it must be known when it
 * is written. Therefore sealing a page reserves the place of the next one. The first page of a level has no reserved
 * place; it gets one when it is sealed. So an array that never fills a page reserves none.
 *
 * A page is sealed when there is something to put behind it, not when its last row comes: a level's last page is always
 * open, and never empty.
 */
#include "libxtf/codec.h"
#include "libxtf/checksum.h"
#include "libxtf/limits.h"
#include "libxtf/writer-private.h"

enum {
    LEAF_BYTES_FIRST = 512
}; /* what the first leaf is allotted before it grows: most arrays of a large trace are small */

static uint8_t *level_payload(const XtfLevel *level)
{
    return level->page + sizeof(XtfDiskPage);
}

XtfArrayWriter *xtf_array_writer_new(XtfWriter *writer, uint64_t location, const XtfSchema *schema)
{
    XtfArrayWriter *array = g_new0(XtfArrayWriter, 1);

    array->writer = writer;
    array->schema = schema;
    array->location = location;
    array->rows_per_page = (writer->page_size - (uint32_t)sizeof(XtfDiskPage)) / schema->row_size;
    return array;
}

static void free_levels(XtfArrayWriter *array)
{
    for (unsigned i = 0; array->levels && i < array->height; i++)
        g_free(array->levels[i].page);
    g_clear_pointer(&array->levels, g_free);
}

void xtf_array_writer_free(XtfArrayWriter *array)
{
    if (!array)
        return;
    free_levels(array);
    g_free(array);
}

static uint32_t row_size_of(const XtfArrayWriter *array, unsigned level)
{
    return level > 0 ? (uint32_t)sizeof(XtfDiskEntry) : array->schema->row_size;
}

/* Room for one more row in a page that is not full. */
static uint8_t *next_slot(XtfArrayWriter *array, XtfLevel *level, uint32_t row_size)
{
    uint32_t used = (uint32_t)sizeof(XtfDiskPage) + level->count * row_size;

    if (G_UNLIKELY(used + row_size > level->allotted)) {
        uint32_t larger = MAX(2 * level->allotted, MAX(LEAF_BYTES_FIRST, used + row_size));
        level->allotted = MIN(larger, array->writer->page_size);
        level->page = g_realloc(level->page, level->allotted);
    }
    return level->page + used;
}

static void fill_head(const XtfArrayWriter *array, unsigned number, uint64_t place, uint64_t next)
{
    const XtfWriter *writer = array->writer;
    const XtfLevel *level = &array->levels[number];
    XtfDiskPage *head = (XtfDiskPage *)level->page;
    uint32_t length = level->count * row_size_of(array, number);

    memset(head, 0, sizeof *head);
    xtf_write32(&head->magic, XTF_PAGE_MAGIC);
    head->kind = number == 0 ? XTF_PAGE_LEAF : XTF_PAGE_INDEX;
    head->codec = XTF_CODEC_PLAIN;
    head->level = (uint8_t)number;
    xtf_write32(&head->array, array->id);
    xtf_write32(&head->epoch, writer->epoch);
    xtf_write64(&head->segment, writer->segment);
    xtf_write64(&head->first_n, level->first_n);
    xtf_write32(&head->count, level->count);
    xtf_write32(&head->length, length);
    xtf_write64(&head->previous, level->previous);
    xtf_write64(&head->next, next);

    xtf_write32(&head->checksum, xtf_page_checksum(head, place, level_payload(level), length));
}

static bool push_entry(XtfArrayWriter *array, unsigned number, uint64_t first_t, uint64_t before, uint64_t child,
                       GError **error);

/* A level above the topmost, whose first page was just sealed at `place`. */
static bool add_level(XtfArrayWriter *array, uint64_t place, GError **error)
{
    XtfLe64 first_t;

    if (array->height == XTF_HEIGHT_MAX) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_INVALID, "array of location %" G_GUINT64_FORMAT ": it is too large",
                    array->location);
        return false;
    }
    memcpy(&first_t, level_payload(&array->levels[array->height - 1]), sizeof first_t);
    array->levels = g_renew(XtfLevel, array->levels, array->height + 1);
    array->levels[array->height] = (XtfLevel){0};
    array->height++;
    return push_entry(array, array->height - 1u, xtf_read64(first_t), 0, place, error);
}

/* Writes a level's full page onto its place and opens the one behind it, which begins with (first_t, first_n). */
static bool turn_page(XtfArrayWriter *array, unsigned number, uint64_t first_t, uint64_t first_n, GError **error)
{
    XtfWriter *writer = array->writer;
    XtfLevel *level = &array->levels[number];
    uint64_t place = level->place ? level->place : xtf_writer_allot(writer, 1);
    uint64_t next = xtf_writer_allot(writer, 1);

    if (level->allotted < writer->page_size) { /* full, yet not grown to the last byte */
        level->page = g_realloc(level->page, writer->page_size);
        level->allotted = writer->page_size;
    }
    uint32_t used = (uint32_t)sizeof(XtfDiskPage) + level->count * row_size_of(array, number);
    memset(level->page + used, 0, writer->page_size - used);
    fill_head(array, number, place, next);
    if (number == 0)
        xtf_writer_widen_limits(writer, array->schema, level_payload(level), level->count);
    if (!xtf_writer_put(writer, place * writer->page_size, level->page, writer->page_size, error))
        return false;
    if (number + 1u == array->height) {
        if (!add_level(array, place, error))
            return false;
        level = &array->levels[number]; /* they may have moved */
    }
    level->previous = place;
    level->place = next;
    level->first_n = first_n;
    level->count = 0;
    return push_entry(array, number + 1, first_t, first_n, next, error);
}

static bool push_entry(XtfArrayWriter *array, unsigned number, uint64_t first_t, uint64_t before, uint64_t child,
                       GError **error)
{
    uint32_t most = (array->writer->page_size - (uint32_t)sizeof(XtfDiskPage)) / (uint32_t)sizeof(XtfDiskEntry);
    XtfDiskEntry entry;

    if (array->levels[number].count == most && !turn_page(array, number, first_t, before, error))
        return false;
    XtfLevel *level = &array->levels[number];
    xtf_write64(&entry.first_t, first_t);
    xtf_write64(&entry.before, before);
    xtf_write64(&entry.child, child);
    memcpy(next_slot(array, level, sizeof entry), &entry, sizeof entry);
    level->count++;
    return true;
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

bool xtf_array_append(XtfArrayWriter *array, const void *row, GError **error)
{
    uint32_t row_size = array->schema->row_size;
    XtfLe64 le;

    memcpy(&le, row, sizeof le);
    uint64_t t = xtf_read64(le);
    if (G_UNLIKELY(array->finished || t < array->last))
        return append_refused(array, t, error);
    if (G_UNLIKELY(array->n_rows == 0)) {
        array->first = t;
        array->levels = g_new0(XtfLevel, 1);
        array->height = 1;
    }
    if (G_UNLIKELY(array->levels[0].count == array->rows_per_page) && !turn_page(array, 0, t, array->n_rows, error))
        return false;
    XtfLevel *leaf = &array->levels[0];
    memcpy(next_slot(array, leaf, row_size), row, row_size);
    leaf->count++;
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

void xtf_array_writer_pack_edge(XtfArrayWriter *array, GByteArray *bytes, XtfRef *at)
{
    guint start = bytes->len;

    for (unsigned i = 0; i < array->height; i++) {
        const XtfLevel *level = &array->levels[i];
        XtfDiskEdge edge;
        xtf_write64(&edge.first_n, level->first_n);
        xtf_write64(&edge.place, level->place);
        xtf_write64(&edge.previous, level->previous);
        xtf_write32(&edge.count, level->count);
        xtf_write32(&edge.length, level->count * row_size_of(array, i));
        g_byte_array_append(bytes, (const guint8 *)&edge, sizeof edge);
    }
    for (unsigned i = 0; i < array->height; i++)
        g_byte_array_append(bytes, level_payload(&array->levels[i]), array->levels[i].count * row_size_of(array, i));
    *at = (XtfRef){
        .offset = start,
        .length = bytes->len - start,
        .checksum = xtf_checksum(bytes->data + start, bytes->len - start),
    };
    xtf_writer_widen_limits(array->writer, array->schema, level_payload(&array->levels[0]), array->levels[0].count);
}

bool xtf_array_finish(XtfArrayWriter *array, GError **error)
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
    free_levels(array);
    g_mutex_lock(&writer->lock);
    array->edge.offset = writer->pending->len;
    g_byte_array_append(writer->pending, edge->data, edge->len);
    g_ptr_array_add(writer->pending_arrays, array);
    if (writer->pending->len >= PENDING_BYTES_MOST)
        good = xtf_writer_flush_pending(writer, error);
    g_mutex_unlock(&writer->lock);
    return good;
}
