#include "src/tables/format/call-sites.h"

#include "libxtf/aggregates.h"
#include "libxtf/spans.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/model/wait-kinds.h"
#include "src/trace/select/aggregate-ref.h"

#define WINDOWS "rma_collectives" /* operations on one-sided windows */

enum {
    PLACES = 32,     /* arrays that the reader remembers */
    MOST_STEPS = 64, /* most rows between two records that the reader visits one by one */
};

/* An array of a location, with the row that was found last. */
typedef struct {
    const XtfSchema *schema;      /* NULL: none yet */
    const XtfField *seq, *posted; /* may be NULL */
    uint32_t location;
    bool has_rows;
    uint64_t first; /* first row from the trace's kept time on */
    bool active;    /* the cursor has a current row */
    XtfArray array;
    XtfCursor cursor;
    uint64_t n; /* of the row that was found last */
} Place;

enum {
    KINDS = 256, /* values of the field of the kind of a wait */
};

/* Fields of waits, and the types of the culprits' records. */
typedef struct {
    const XtfSchema *schema; /* NULL: not known yet */
    const XtfField *event, *seq, *culprit, *culprit_thread, *match;
    const XtfWaitKind *kinds[KINDS]; /* NULL: unknown */
    const XtfSchema *types[KINDS];   /* NULL: the kind of wait names no record */
} Waits;

struct XtfSiteReader {
    XtfTraceContext *context; /* borrowed */
    const XtfLocations *locations;
    XtfAggregateRef frames;
    const XtfField *site, *is_leave, *enter;
    const XtfSchema *windows; /* the type `rma_collectives`; NULL: the trace has none */
    Waits waits;
    Place places[PLACES];
};

const XtfField *xtf_call_site_field(const XtfTraceContext *context)
{
    XtfAggregateRef frames;

    if (!xtf_aggregate_ref_frames(&frames, context))
        return NULL;
    const XtfField *site = xtf_schema_field_by_role(frames.schema, XTF_ROLE_SITE);
    return site && site->type == XTF_TYPE_U32 && g_str_equal(site->refers_to, XTF_TABLE_SITES) ? site : NULL;
}

XtfSiteReader *xtf_site_reader_new(XtfTraceContext *context, const XtfLocations *locations)
{
    XtfSiteReader *reader = g_new0(XtfSiteReader, 1);
    const XtfSchema *windows = xtf_trace_find_schema(context->trace, WINDOWS);

    reader->context = context;
    reader->locations = locations;
    xtf_aggregate_ref_frames(&reader->frames, context);
    const XtfField *fields = reader->frames.schema->fields;
    reader->site = xtf_call_site_field(context);
    reader->is_leave = &fields[reader->frames.aggregate->values[0]];
    reader->enter = &fields[reader->frames.aggregate->values[1]];
    if (windows && windows->kind == XTF_SCHEMA_RECORD && xtf_trace_n_rows(context->trace, windows->id) > 0)
        reader->windows = windows;
    return reader;
}

void xtf_site_reader_rest(XtfSiteReader *reader)
{
    for (unsigned i = 0; i < PLACES; i++) {
        if (reader->places[i].active)
            xtf_cursor_finish(&reader->places[i].cursor);
        reader->places[i].active = false;
    }
}

void xtf_site_reader_free(XtfSiteReader *reader)
{
    if (reader)
        xtf_site_reader_rest(reader);
    g_free(reader);
}

size_t xtf_site_reader_bytes(const XtfSiteReader *reader)
{
    return reader ? sizeof *reader : 0;
}

/* ---- Rows of arrays. */

/* Returns the place of an array, which may replace another array. NULL with an error. */
static Place *take_array(XtfSiteReader *reader, uint32_t location, const XtfSchema *schema, GError **error)
{
    Place *place = &reader->places[(location + 7 * schema->id) % PLACES];

    if (place->schema == schema && place->location == location)
        return place;
    if (place->active)
        xtf_cursor_finish(&place->cursor);
    *place = (Place){0};
    if (!xtf_trace_find_array(reader->context->trace, reader->locations->all[location].id, schema->id, &place->array,
                              &place->has_rows, error))
        return NULL;
    if (place->has_rows && !xtf_array_first_kept(&place->array, &place->first, error))
        return NULL;
    place->schema = schema;
    place->seq = xtf_schema_field_by_role(schema, XTF_ROLE_SEQ);
    place->posted = xtf_schema_field_by_role(schema, XTF_ROLE_POSTED);
    place->location = location;
    place->n = place->first;
    place->has_rows = place->has_rows && place->first < place->array.n_rows;
    return place;
}

/* Moves the cursor to row n, which exists. */
static bool move_to(Place *place, uint64_t n, GError **error)
{
    bool found, was_active = place->active;

    if (!was_active)
        xtf_cursor_init(&place->cursor, &place->array);
    place->active = true;
    place->n = n;
    return was_active ? xtf_cursor_next(&place->cursor, (int64_t)(n - place->cursor.n), &found, error)
                      : xtf_cursor_seek_n(&place->cursor, n, &found, error);
}

static uint64_t current_seq(const Place *place)
{
    return xtf_row_seq(place->seq, xtf_cursor_row(&place->cursor), place->cursor.n);
}

/* Moves step by step to the last row whose seq is at most `seq`. *near is false if it is too far, or does not exist. */
static bool step_to_seq(Place *place, uint64_t seq, bool *near, GError **error)
{
    unsigned steps = 0;

    while (current_seq(place) > seq) {
        *near = place->cursor.n > place->first && steps++ < MOST_STEPS;
        if (!*near || !move_to(place, place->cursor.n - 1, error))
            return !*near;
    }
    for (*near = true; place->cursor.n + 1 < place->array.n_rows; steps++) {
        *near = steps < MOST_STEPS;
        if (!*near || !move_to(place, place->cursor.n + 1, error))
            return !*near;
        if (current_seq(place) > seq)
            return move_to(place, place->cursor.n - 1, error);
    }
    return true;
}

/* Moves to the last row whose seq is at most `seq`. In each array of a location, seqs increase. */
static bool move_to_seq(Place *place, uint64_t seq, bool *found, GError **error)
{
    XtfSpan span;
    uint64_t n;

    *found = false;
    if (!place->has_rows)
        return true;
    if (!move_to(place, place->n, error) || !step_to_seq(place, seq, found, error))
        return false;
    if (*found)
        return true;
    xtf_span_init(&span, &place->array);
    if (!xtf_span_rank_of_seq(&span, seq + 1, place->first, place->array.n_rows, &n, error))
        return false;
    *found = n > place->first;
    return !*found || move_to(place, n - 1, error);
}

/* ---- Sites. */

/* Finds the row of the ENTER of the innermost call that is open before row n. Only for LEAVEs without an ENTER. */
static bool find_open_call(const XtfSiteReader *reader, const XtfArray *calls, uint64_t n, uint64_t *enter, bool *found,
                           GError **error)
{
    g_autofree XtfOpenFrame *frames = NULL;
    size_t depth = 0;

    *found = false;
    if (!xtf_array_stack(calls, reader->frames.number, n, &frames, &depth, error))
        return false;
    *found = depth > 0;
    if (*found)
        *enter = frames[depth - 1].row;
    return true;
}

/* Finds the ENTER of the call around a LEAVE, at which the cursor is. The LEAVE points to its own ENTER, which points
 * to the one around it. */
static bool find_call_around(const XtfSiteReader *reader, const Place *place, uint64_t *enter, bool *found,
                             GError **error)
{
    uint64_t back = xtf_field_get(reader->enter, xtf_cursor_row(&place->cursor)), n = place->cursor.n;
    uint8_t row[XTF_ROW_MAX];

    if (back == 0 || back > n - place->first)
        return find_open_call(reader, &place->array, n + 1, enter, found, error);
    if (!xtf_array_row(&place->array, n - back, row, error))
        return false;
    n -= back;
    back = xtf_field_get(reader->enter, row);
    *found = back > 0 && back <= n;
    *enter = n - back;
    return true;
}

static uint32_t site_of(const XtfSiteReader *reader, const uint8_t *row)
{
    return xtf_field_is_none(reader->site, row) ? XTF_NONE32 : (uint32_t)xtf_field_get(reader->site, row);
}

/* Finds the site of the innermost call that is open after the cursor's row, or if it is `inside` the row's own call. */
static bool find_site_here(const XtfSiteReader *reader, const Place *place, bool inside, uint32_t *site, GError **error)
{
    const uint8_t *here = xtf_cursor_row(&place->cursor);
    uint8_t row[XTF_ROW_MAX];
    uint64_t enter;
    bool found;

    *site = XTF_NONE32;
    if (inside || xtf_field_get(reader->is_leave, here) == 0) {
        *site = site_of(reader, here);
        return true;
    }
    if (!find_call_around(reader, place, &enter, &found, error))
        return false;
    if (!found || enter < place->first)
        return true;
    if (!xtf_array_row(&place->array, enter, row, error))
        return false;
    *site = site_of(reader, row);
    return true;
}

bool xtf_site_reader_find(XtfSiteReader *reader, uint32_t location, uint64_t seq, uint32_t *site, GError **error)
{
    Place *place = take_array(reader, location, reader->frames.schema, error);
    bool found;

    *site = XTF_NONE32;
    if (!place || !move_to_seq(place, seq, &found, error))
        return false;
    if (!found)
        return true;
    return find_site_here(reader, place, current_seq(place) == seq, site, error);
}

bool xtf_site_reader_find_at(XtfSiteReader *reader, uint32_t location, uint64_t t, uint32_t *site, GError **error)
{
    Place *place = take_array(reader, location, reader->frames.schema, error);
    uint64_t n;

    *site = XTF_NONE32;
    if (!place)
        return false;
    if (!place->has_rows || t < place->array.first)
        return true;
    n = place->array.n_rows;
    if (t < place->array.last && !xtf_array_rank(&place->array, t + 1, &n, error))
        return false;
    return n <= place->first || (move_to(place, n - 1, error) && find_site_here(reader, place, false, site, error));
}

/* ---- Culprits of waits. */

/* Returns the field of a number; NULL if there is none. */
static const XtfField *number_field(const XtfSchema *schema, const char *name)
{
    const XtfField *field = xtf_schema_field(schema, name);

    return field && xtf_type_width(field->type) > 0 ? field : NULL;
}

static void find_wait_fields(XtfSiteReader *reader, const XtfSchema *schema)
{
    Waits *waits = &reader->waits;

    *waits = (Waits){.schema = schema,
                     .event = xtf_schema_field_by_role(schema, XTF_ROLE_EVENT),
                     .seq = xtf_schema_field_by_role(schema, XTF_ROLE_SEQ),
                     .culprit = number_field(schema, "culprit"),
                     .culprit_thread = number_field(schema, "culprit_thread"),
                     .match = number_field(schema, "match")};
    for (uint32_t i = 0; waits->event && i < waits->event->n_labels && i < KINDS; i++) {
        const XtfWaitKind *kind = xtf_wait_kind_named(waits->event->labels[i]);
        const XtfSchema *type = kind && kind->match ? xtf_trace_find_schema(reader->context->trace, kind->match) : NULL;
        waits->kinds[i] = kind;
        waits->types[i] = type && type->kind == XTF_SCHEMA_RECORD ? type : NULL;
    }
}

/* Reads the value of a field. Returns false if the row has none. */
static bool read_value(const XtfField *field, const uint8_t *row, uint64_t *value)
{
    if (!field || xtf_field_is_none(field, row))
        return false;
    *value = xtf_field_get(field, row);
    return true;
}

/* True if the record of a wait is of an operation on a window. Then the culprit's record is one, too. */
static bool is_of_window(XtfSiteReader *reader, uint32_t waiter, const XtfWaitKind *kind, const uint8_t *row,
                         bool *in_window, GError **error)
{
    uint64_t seq;

    *in_window = false;
    if (!reader->windows || !g_str_equal(kind->match, XTF_RECORD_COLLECTIVES) ||
        !read_value(reader->waits.seq, row, &seq))
        return true;
    Place *place = take_array(reader, waiter, reader->windows, error);
    if (!place || !move_to_seq(place, seq, in_window, error))
        return false;
    *in_window = *in_window && current_seq(place) == seq;
    return true;
}

/* Finds the site of the call around a record, given by its row in an array. With `of_posting` the row is a receive, and
 * the record is the one that posts it. */
static bool find_site_of_row(XtfSiteReader *reader, uint32_t location, const XtfSchema *schema, uint64_t row,
                             bool of_posting, uint32_t *site, GError **error)
{
    Place *place = take_array(reader, location, schema, error);
    uint64_t posted = 0;

    *site = XTF_NONE32;
    if (!place)
        return false;
    if (!place->has_rows || row >= place->array.n_rows)
        return true;
    if (!move_to(place, row, error))
        return false;
    uint64_t seq = current_seq(place);
    if (of_posting && read_value(place->posted, xtf_cursor_row(&place->cursor), &posted))
        seq -= MIN(posted, seq);
    return xtf_site_reader_find(reader, location, seq, site, error);
}

bool xtf_site_reader_find_row(XtfSiteReader *reader, uint32_t location, const XtfSchema *schema, uint64_t row,
                              uint32_t *site, GError **error)
{
    return find_site_of_row(reader, location, schema, row, false, site, error);
}

bool xtf_site_reader_find_culprit(XtfSiteReader *reader, uint32_t waiter, const XtfSchema *schema, const uint8_t *row,
                                  uint32_t *site, GError **error)
{
    const Waits *waits = &reader->waits;
    uint64_t event, proc, thread, match;
    uint32_t culprit;
    bool in_window;

    *site = XTF_NONE32;
    if (waits->schema != schema)
        find_wait_fields(reader, schema);
    if (!read_value(waits->event, row, &event) || event >= KINDS || !waits->types[event] ||
        !read_value(waits->culprit, row, &proc) || !read_value(waits->culprit_thread, row, &thread) ||
        !read_value(waits->match, row, &match) || !xtf_locations_find(reader->locations, proc, thread, &culprit))
        return true;
    const XtfWaitKind *kind = waits->kinds[event];
    return is_of_window(reader, waiter, kind, row, &in_window, error) &&
           find_site_of_row(reader, culprit, in_window ? reader->windows : waits->types[event], match, kind->of_posting,
                            site, error);
}

bool xtf_site_reader_find_wait(XtfSiteReader *reader, uint32_t waiter, const XtfSchema *schema, uint64_t n,
                               uint32_t *own, uint32_t *culprit, GError **error)
{
    Place *place = take_array(reader, waiter, schema, error);
    uint8_t row[XTF_ROW_MAX];

    *own = *culprit = XTF_NONE32;
    if (!place)
        return false;
    if (!place->has_rows || n >= place->array.n_rows)
        return true;
    return xtf_array_row(&place->array, n, row, error) &&
           xtf_site_reader_find_row(reader, waiter, schema, n, own, error) &&
           xtf_site_reader_find_culprit(reader, waiter, schema, row, culprit, error);
}
