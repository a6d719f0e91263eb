#include "src/analysis/kinds/kind-rows.h"

#include "libxtf/error.h"
#include "src/analysis/kinds/kind-fields.h"

enum {
    ARRAYS_AT_ONCE = 64,
    BATCH_BYTES = 8192,    /* bytes of a source's batch */
    FRAMES_MOST = 1 << 16, /* deeper frames are counted, but have no calls */
};

struct XtfKindSource {
    XtfArray array;
    const XtfKindType *type;
    uint64_t next;     /* number of the array's next row to read */
    uint64_t end;      /* row after the last one to read */
    uint32_t at, n;    /* position in the batch and its rows */
    XtfKindRow *batch; /* NULL until the first row is needed */
};

struct XtfKindFrame {
    uint64_t enter;
    uint32_t region;
    uint8_t special;
    XtfKindCall *call; /* NULL: no row happened in it */
};

/* ---- Calls. */

XtfKindCall *xtf_kind_call_ref(XtfKindCall *call)
{
    if (call)
        call->refs++;
    return call;
}

void xtf_kind_call_unref(XtfKindCall *call)
{
    if (!call || --call->refs > 0)
        return;
    g_clear_pointer(&call->waits, g_array_unref);
    for (guint i = 0; call->then && i < call->then->len; i++) {
        XtfKindThen *then = &g_array_index(call->then, XtfKindThen, i);
        if (then->free)
            then->free(then->data);
    }
    g_clear_pointer(&call->then, g_array_unref);
    g_free(call);
}

XtfKindCall *xtf_kind_rows_call(XtfKindRows *rows)
{
    if (rows->depth == 0 || rows->depth > FRAMES_MOST)
        return NULL;
    XtfKindFrame *frame = &rows->frames[rows->depth - 1];
    if (!frame->call) {
        frame->call = g_new(XtfKindCall, 1);
        *frame->call = (XtfKindCall){.refs = 1,
                                     .location = rows->number,
                                     .region = frame->region,
                                     .special = frame->special,
                                     .enter = frame->enter};
    }
    return frame->call;
}

/* ---- Sources. */

static const XtfKindType *type_of(const XtfKindFields *fields, const XtfSchema *schema)
{
    for (int i = 0; i < XTF_N_KIND_TYPES; i++)
        if (fields->types[i].schema == schema)
            return &fields->types[i];
    return NULL;
}

static bool add_source(XtfKindRows *rows, const XtfArray *array, const XtfKindType *type, GError **error)
{
    XtfKindSource source = {.array = *array, .type = type};

    if (!xtf_run_window_rows(&rows->window, array, &source.next, &source.end, error))
        return false;
    if (source.next >= source.end)
        return true;
    rows->sources = g_renew(XtfKindSource, rows->sources, rows->n_sources + 1);
    rows->sources[rows->n_sources++] = source;
    return true;
}

/* Adds an array that has rows which may cause waits. Most arrays have only beginnings and ends of threads. */
static bool add_known(XtfKindRows *rows, const XtfKindFields *fields, const XtfArray *array, GError **error)
{
    static const uint64_t CREATES_OR_WAITS = 1 << XTF_KIND_ROW_THREAD_CREATE | 1 << XTF_KIND_ROW_THREAD_WAIT;
    const XtfKindType *type = type_of(fields, array->schema);
    bool matter = true;

    if (!type || !xtf_array_is_supported(array, NULL))
        return true;
    if (type != &fields->types[XTF_KIND_TYPE_CALLS] &&
        !xtf_kind_fields_matter(type, array, fields->row_events, &matter, error))
        return false;
    if (type == &fields->types[XTF_KIND_TYPE_THREADS] && matter &&
        !xtf_kind_fields_matter(type, array, CREATES_OR_WAITS, &rows->any_thread, error))
        return false;
    return !matter || add_source(rows, array, type, error);
}

static bool add_arrays(XtfKindRows *rows, const XtfKindFields *fields, XtfTrace *trace, const XtfLocation *location,
                       GError **error)
{
    for (uint64_t i = 0; i < location->n_arrays; i += ARRAYS_AT_ONCE) {
        XtfArray arrays[ARRAYS_AT_ONCE];
        uint64_t n = MIN(location->n_arrays - i, (uint64_t)ARRAYS_AT_ONCE);
        if (!xtf_trace_get_arrays(trace, location->first_array + i, n, arrays, error))
            return false;
        for (uint64_t a = 0; a < n; a++) {
            if (arrays[a].schema->kind != XTF_SCHEMA_RECORD)
                continue;
            uint64_t first = arrays[a].first, last = arrays[a].last;
            bool any = true;
            if (xtf_array_is_supported(&arrays[a], NULL) &&
                !xtf_run_window_times(&rows->window, &arrays[a], &first, &last, &any, error))
                return false;
            rows->first = any ? MIN(rows->first, first) : rows->first;
            rows->last = any ? MAX(rows->last, last) : rows->last;
            if (!add_known(rows, fields, &arrays[a], error))
                return false;
        }
    }
    return true;
}

static bool fill_batch(XtfKindSource *source, uint32_t size, GError **error)
{
    g_auto(XtfCursor) cursor = {0};
    bool found = false;

    source->at = source->n = 0;
    if (source->next >= source->end)
        return true;
    if (!source->batch)
        source->batch = g_new(XtfKindRow, size);
    xtf_cursor_init(&cursor, &source->array);
    if (!xtf_cursor_seek_n(&cursor, source->next, &found, error))
        return false;
    while (found && source->n < size && source->next < source->end) {
        xtf_kind_fields_read(source->type, xtf_cursor_row(&cursor), source->next, &source->batch[source->n]);
        source->n++;
        source->next++;
        if (source->n < size && !xtf_cursor_next(&cursor, 1, &found, error))
            return false;
    }
    return true;
}

/* Finds out if a thread is ever in a team, by the first batch of its records of threads. */
static bool find_team(XtfKindRows *rows, const XtfKindFields *fields, GError **error)
{
    for (uint32_t i = 0; i < rows->n_sources; i++) {
        XtfKindSource *source = &rows->sources[i];
        if (source->type != &fields->types[XTF_KIND_TYPE_THREADS])
            continue;
        if (!fill_batch(source, rows->batch_size, error))
            return false;
        for (uint32_t r = 0; r < source->n; r++)
            rows->any_team |= source->batch[r].row_event == XTF_KIND_ROW_TEAM_BEGIN;
    }
    return true;
}

bool xtf_kind_rows_init(XtfKindRows *rows, const XtfKindFields *fields, XtfTrace *trace, const XtfLocation *location,
                        uint32_t number, bool *any, GError **error)
{
    *rows = (XtfKindRows){
        .number = number, .window = rows->window, .first = UINT64_MAX, .batch_size = BATCH_BYTES / sizeof(XtfKindRow)};
    bool good = add_arrays(rows, fields, trace, location, error);
    *any = false;
    for (uint32_t i = 0; i < rows->n_sources; i++)
        *any |= rows->sources[i].type != &fields->types[XTF_KIND_TYPE_CALLS];
    good = good && (!*any || find_team(rows, fields, error));
    if (!good || !*any)
        xtf_kind_rows_finish(rows);
    return good;
}

void xtf_kind_rows_finish(XtfKindRows *rows)
{
    for (uint32_t i = 0; i < rows->n_sources; i++)
        g_free(rows->sources[i].batch);
    for (uint64_t i = 0; i < MIN(rows->depth, FRAMES_MOST); i++)
        xtf_kind_call_unref(rows->frames[i].call);
    xtf_kind_call_unref(rows->row.call);
    rows->row.call = NULL;
    g_clear_pointer(&rows->sources, g_free);
    g_clear_pointer(&rows->frames, g_free);
    rows->n_sources = 0;
    rows->depth = 0;
}

/* ---- Rows one by one. */

static void push_kind_frame(XtfKindRows *rows, const XtfKindRow *row, uint8_t special)
{
    if (rows->depth < FRAMES_MOST) {
        if (rows->depth == rows->room) {
            rows->room = MAX(16, 2 * rows->room);
            rows->frames = g_renew(XtfKindFrame, rows->frames, rows->room);
        }
        rows->frames[rows->depth] = (XtfKindFrame){.enter = row->time, .region = row->region, .special = special};
    }
    rows->depth++;
}

/* Ends the innermost frame. True if the frame has a call or a special region. Then `row` is its LEAVE, with its
 * call. */
static bool pop_frame(XtfKindRows *rows, XtfKindRow *row)
{
    if (rows->depth-- > FRAMES_MOST)
        return false;
    XtfKindFrame *frame = &rows->frames[rows->depth];
    xtf_kind_call_unref(rows->row.call);
    row->call = frame->call;
    row->special = frame->special;
    row->region = frame->region;
    row->row_event = XTF_KIND_ROW_LEAVE;
    if (row->call) {
        row->call->left = true;
        row->call->leave = row->time;
        row->call->seq = row->seq;
        row->call->row = row->row;
    }
    rows->row = *row;
    return row->call || row->special;
}

static XtfKindSource *first_source(XtfKindRows *rows)
{
    XtfKindSource *first = NULL;

    for (uint32_t i = 0; i < rows->n_sources; i++) {
        XtfKindSource *source = &rows->sources[i];
        if (source->at < source->n && (!first || source->batch[source->at].seq < first->batch[first->at].seq))
            first = source;
    }
    return first;
}

/* Handles a row; true if callers need the row. A LEAVE ends its frame and all frames above, one per call: the row is
 * handled again until its own frame ends. */
static bool take_row(XtfKindRows *rows, XtfKindSource *source)
{
    XtfKindRow *row = &source->batch[source->at];
    uint64_t depth = row->lock;

    rows->last_seq = row->seq;

    if (row->row_event == XTF_KIND_ROW_LEAVE) {
        if (depth == 0 || depth > rows->depth) {
            source->at++;
            return false;
        }
        XtfKindRow leave = *row;
        if (rows->depth == depth)
            source->at++;
        return pop_frame(rows, &leave);
    }
    source->at++;
    if (row->row_event == XTF_KIND_ROW_ENTER) {
        row->special = row->region < rows->n_regions ? rows->regions[row->region] : XTF_KIND_REGION_OTHER;
        push_kind_frame(rows, row, row->special);
    }
    if (row->row_event == XTF_KIND_ROW_OTHER || (row->row_event == XTF_KIND_ROW_ENTER && !row->special))
        return false;
    xtf_kind_call_unref(rows->row.call);
    rows->row = *row;
    return true;
}

bool xtf_kind_rows_next(XtfKindRows *rows, const XtfKindFields *fields, bool *found, GError **error)
{
    for (;;) {
        for (uint32_t i = 0; i < rows->n_sources; i++) {
            XtfKindSource *source = &rows->sources[i];
            if (source->at == source->n && !fill_batch(source, rows->batch_size, error))
                return false;
        }
        XtfKindSource *source = first_source(rows);
        if (!source)
            break;
        if (take_row(rows, source)) {
            *found = true;
            return true;
        }
    }
    /* A call that is never left ends with the location's last record. */
    while (rows->depth > 0) {
        XtfKindRow row = {.time = MAX(rows->last, rows->row.time), .seq = rows->row.seq, .row = UINT64_MAX};
        if (pop_frame(rows, &row)) {
            *found = true;
            return true;
        }
    }
    xtf_kind_call_unref(rows->row.call);
    rows->row.call = NULL;
    *found = false;
    return true;
}
