#include "src/analysis/waits/raw-points.h"

#include <stdlib.h>

enum {
    BUFFERS_BYTES = 16 << 20, /* bytes of the buffers of all locations together */
    BUFFER_MIN = 2,           /* least number of points in a location's buffer */
    BUFFER_MAX = 1024,
    POINTS_PER_RELEASE = 1024, /* points between releases of the pages of large tables */
    LOCATIONS_MANY = 4096,     /* with fewer locations, their buffers are small, and pages are released rarely */
};

bool xtf_raw_points_init(XtfRawPoints *raw, uint32_t n_locations, GError **error)
{
    size_t n = (size_t)n_locations + 1;

    *raw = (XtfRawPoints){
        .spool = XTF_SPOOL_NONE,
        .n_locations = n_locations,
        .room = CLAMP(BUFFERS_BYTES / sizeof(XtfPoint) / MAX(n_locations, 1), BUFFER_MIN, BUFFER_MAX),
        .pair_step = 1,
        .operations = XTF_OPERATIONS_NONE,
    };
    raw->locations = xtf_paged_grow(&raw->paged_locations, n * sizeof *raw->locations);
    raw->buffers = xtf_paged_grow(&raw->paged_buffers, n * raw->room * sizeof *raw->buffers);
    return xtf_spool_open(&raw->spool, error) && xtf_operations_open(&raw->operations, error);
}

void xtf_raw_points_finish(XtfRawPoints *raw)
{
    xtf_paged_free(&raw->paged_buffers);
    xtf_paged_free(&raw->paged_locations);
    raw->locations = NULL;
    raw->buffers = NULL;
    raw->n_locations = 0;
    xtf_spool_close(&raw->spool);
    xtf_operations_close(&raw->operations);
}

static bool may_share_record(const XtfPoint *point)
{
    return point->side == XTF_POINT_ALONE || point->side == XTF_POINT_MEETS || point->side == XTF_POINT_MET;
}

/* Returns the order of points of one record: waits and MET first, then other points, then PART. */
static unsigned order_of(const XtfPoint *point)
{
    return point->side == XTF_POINT_PART ? 2 : point->wait == 0 && point->side != XTF_POINT_MET;
}

static int compare_points(const void *a, const void *b)
{
    const XtfPoint *x = a, *y = b;

    if (x->seq != y->seq)
        return x->seq < y->seq ? -1 : 1;
    if (order_of(x) != order_of(y))
        return (int)order_of(x) - (int)order_of(y);
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return x->wait > y->wait ? -1 : x->wait < y->wait;
}

static bool write_buffer(XtfRawPoints *raw, XtfRawLocation *location, GError **error)
{
    XtfPoint *buffer = &raw->buffers[(size_t)(location - raw->locations) * raw->room];

    if (location->n == 0)
        return true;
    if (location->n > 1)
        qsort(buffer, location->n, sizeof *buffer, compare_points);
    size_t bytes = location->n * sizeof *buffer;
    const XtfRawPart before = location->last;
    location->last = (XtfRawPart){
        .at = xtf_spool_allot(&raw->spool, sizeof before + bytes), .least = buffer[0].seq, .n = location->n};
    location->n_parts++;
    location->n = 0;
    return xtf_spool_put(&raw->spool, location->last.at, &before, sizeof before, error) &&
           xtf_spool_put(&raw->spool, location->last.at + sizeof before, buffer, bytes, error);
}

static void release_pages(XtfRawPoints *raw)
{
    __atomic_store_n(&raw->n_added, 0, __ATOMIC_RELAXED);
    xtf_paged_page_out(&raw->paged_locations);
    xtf_paged_page_out(&raw->paged_buffers);
}

bool xtf_raw_points_add(XtfRawPoints *raw, uint32_t number, const XtfPoint *point, GError **error)
{
    XtfRawLocation *location = &raw->locations[number];

    raw->buffers[(size_t)number * raw->room + location->n++] = *point;
    location->total++;
    uint32_t most = raw->n_locations < LOCATIONS_MANY ? 16 * POINTS_PER_RELEASE : POINTS_PER_RELEASE;
    if (__atomic_add_fetch(&raw->n_added, 1, __ATOMIC_RELAXED) >= most)
        release_pages(raw);
    return location->n < raw->room || write_buffer(raw, location, error);
}

bool xtf_raw_points_end(XtfRawPoints *raw, GError **error)
{
    for (uint32_t i = 0; i < raw->n_locations; i++) {
        if (!write_buffer(raw, &raw->locations[i], error))
            return false;
        if (i % POINTS_PER_RELEASE == 0)
            release_pages(raw);
    }
    xtf_paged_free(&raw->paged_buffers);
    raw->buffers = NULL;
    return true;
}

/* ---- Reading. */

static int compare_parts(const void *a, const void *b)
{
    const XtfRawPart *x = a, *y = b;
    return x->least < y->least ? -1 : x->least > y->least;
}

bool xtf_raw_reader_init(XtfRawReader *reader, const XtfRawPoints *raw, uint32_t number, GError **error)
{
    const XtfRawLocation *location = &raw->locations[number];
    XtfRawPart part = location->last;

    *reader = (XtfRawReader){
        .raw = raw,
        .parts = g_new(XtfRawPart, location->n_parts + 1),
        .n_parts = location->n_parts,
        .runs = g_array_new(FALSE, FALSE, sizeof(XtfRawRun)),
    };
    for (uint32_t i = 0; i < location->n_parts; i++) {
        reader->parts[i] = part;
        if (!xtf_spool_get(&raw->spool, part.at, &part, sizeof part, error))
            return false;
    }
    qsort(reader->parts, reader->n_parts, sizeof *reader->parts, compare_parts);
    return true;
}

void xtf_raw_reader_finish(XtfRawReader *reader)
{
    for (guint i = 0; i < reader->runs->len; i++)
        g_free(g_array_index(reader->runs, XtfRawRun, i).points);
    g_array_unref(reader->runs);
    g_free(reader->parts);
}

static XtfRawRun *first_run(const XtfRawReader *reader)
{
    XtfRawRun *first = NULL;

    for (guint i = 0; i < reader->runs->len; i++) {
        XtfRawRun *run = &g_array_index(reader->runs, XtfRawRun, i);
        if (!first || compare_points(&run->points[run->at], &first->points[first->at]) < 0)
            first = run;
    }
    return first;
}

static bool open_part(XtfRawReader *reader, const XtfRawPart *part, GError **error)
{
    XtfRawRun run = {.points = g_new(XtfPoint, part->n), .n = part->n};

    g_array_append_val(reader->runs, run);
    reader->next++;
    return xtf_spool_get(&reader->raw->spool, part->at + sizeof *part, run.points, part->n * sizeof *run.points, error);
}

/* Reads the next raw point of all open parts, in the order of compare_points(). */
static bool read_raw_point(XtfRawReader *reader, XtfPoint *point, bool *found, GError **error)
{
    XtfRawRun *first = first_run(reader);

    while (reader->next < reader->n_parts) {
        const XtfRawPart *part = &reader->parts[reader->next];
        if (first && first->points[first->at].seq < part->least)
            break;
        if (!open_part(reader, part, error))
            return false;
        first = first_run(reader);
    }
    *found = first;
    if (!first)
        return true;
    *point = first->points[first->at++];
    if (first->at == first->n) {
        g_free(first->points);
        g_array_remove_index_fast(reader->runs, (guint)(first - (XtfRawRun *)(void *)reader->runs->data));
    }
    return true;
}

bool xtf_raw_reader_next(XtfRawReader *reader, XtfPoint *point, bool *found, GError **error)
{
    if (!reader->any_ahead && !read_raw_point(reader, &reader->ahead, &reader->any_ahead, error))
        return false;
    *found = reader->any_ahead;
    if (!*found)
        return true;
    *point = reader->ahead;
    for (;;) {
        if (!read_raw_point(reader, &reader->ahead, &reader->any_ahead, error))
            return false;
        if (!reader->any_ahead || reader->ahead.seq != point->seq || may_share_record(&reader->ahead) ||
            may_share_record(point))
            return true;
        if (reader->ahead.side == XTF_POINT_PART) {
            point->part = reader->ahead.part;
            point->part_kind = reader->ahead.part_kind;
        }
    }
}
