#include "src/pictures/timeline/rows/picture-calls.h"

#include "libxtf/records.h"
#include "libxtf/vocabulary.h"
#include "src/trace/calls/call-readers.h"
#include "src/trace/context/sorted.h"
#include "src/trace/select/aggregate-ref.h"

typedef struct {
    XtfTraceContext *context;
    const XtfSelectedLocations *selected;
    const XtfNumberSet *regions; /* selected regions; NULL: all */
    XtfAggregateRef frames;
    XtfCallReaders *readers;
    XtfLocationArrays arrays;
    XtfPictureCallVisit visit;
    void *data;
} CallWalk;

uint32_t xtf_selected_number(const XtfSelectedLocations *selected, uint32_t location)
{
    uint32_t rank = xtf_sorted_rank(selected->indices, selected->n, location);

    return rank < selected->n && selected->indices[rank] == location ? rank : selected->n;
}

/* Returns the call site in a row of calls. */
static uint64_t site_of_row(const XtfSchema *schema, const uint8_t *row)
{
    const XtfField *site = xtf_schema_field_by_role(schema, XTF_ROLE_SITE);

    return xtf_field_get_or(site, row, UINT64_MAX);
}

/* Adds the call that begins at row n of a span's array. */
static bool add_call(CallWalk *walk, const XtfSpan *span, uint64_t n, uint32_t level, uint64_t line, uint64_t site,
                     GError **error)
{
    XtfFrameReader *reader = xtf_call_readers_get(walk->readers, span, error);
    XtfPictureCall call = {
        .location = xtf_selected_number(walk->selected, span->tag), .level = level, .line = line, .site = site};
    XtfFrameTimes frame;

    if (!reader || !xtf_frame_reader_find(reader, n, &frame, error))
        return false;
    call.begin = xtf_clock_map_to_global(span->array.clock, frame.span.begin);
    call.end = xtf_clock_map_to_global(span->array.clock, frame.span.end);
    if (call.location < walk->selected->n)
        walk->visit(&call, walk->data);
    return true;
}

/* Adds the calls that are open at `from` on a location. */
static bool add_open_calls(CallWalk *walk, uint32_t index, uint64_t from, GError **error)
{
    const XtfLocation *location = &walk->selected->locations->all[index];
    XtfLocationArrays *arrays = &walk->arrays;
    g_autofree XtfOpenFrame *frames = NULL;
    size_t n_frames;
    uint64_t n, first_kept;
    XtfSpan span;

    if (!xtf_location_arrays_load(arrays, walk->context, location, error))
        return false;
    const XtfArray *calls = xtf_location_arrays_find(arrays, walk->frames.schema);
    if (!calls || from > arrays->last)
        return true;
    if (!xtf_array_first_kept(calls, &first_kept, error) || !xtf_array_rank(calls, from, &n, error) ||
        !xtf_array_stack(calls, walk->frames.number, n, &frames, &n_frames, error))
        return false;
    xtf_span_init(&span, calls);
    span.tag = index;
    for (size_t i = 0; i < n_frames; i++) {
        uint8_t row[XTF_ROW_MAX];
        if (!xtf_number_set_contains(walk->regions, frames[i].key))
            continue;
        bool removed = frames[i].row < first_kept; /* the ENTER of the call may be in a removed volume */
        if ((!removed && !xtf_array_row(calls, frames[i].row, row, error)) ||
            !add_call(walk, &span, frames[i].row, (uint32_t)i, frames[i].key,
                      removed ? UINT64_MAX : site_of_row(calls->schema, row), error))
            return false;
    }
    return true;
}

typedef struct {
    CallWalk *walk;
    const XtfField *depth, *region;
} BegunCalls;

static bool add_begun_call(void *data, const XtfSpan *span, uint64_t number, const uint8_t *row, GError **error)
{
    const BegunCalls *begun = data;
    uint64_t level = begun->depth ? xtf_field_get(begun->depth, row) : 1;

    return add_call(begun->walk, span, number, (uint32_t)MIN(MAX(level, 1) - 1, UINT32_MAX),
                    begun->region ? xtf_field_get(begun->region, row) : UINT64_MAX,
                    site_of_row(span->array.schema, row), error);
}

/* Adds the calls that begin in the window. */
static bool add_begun_calls(CallWalk *walk, XtfSpans *spans, GError **error)
{
    const XtfSchema *schema = walk->frames.schema;
    BegunCalls begun = {.walk = walk,
                        .depth = xtf_schema_field_by_role(schema, XTF_ROLE_DEPTH),
                        .region = xtf_schema_field_by_role(schema, XTF_ROLE_REGION)};

    return xtf_records_each(spans, add_begun_call, &begun, error);
}

bool xtf_picture_calls(XtfResolver *resolver, XtfSelection *selection, const XtfSelectedLocations *selected,
                       XtfPictureCallVisit visit, void *data, GError **error)
{
    g_autoptr(XtfSelection) calls = xtf_selection_in_calls(selection, resolver->context);
    g_autoptr(XtfSpans) spans = xtf_resolver_spans(resolver, calls, error);
    CallWalk walk = {.context = resolver->context,
                     .selected = selected,
                     .regions = selection->by[XTF_BY_REGION],
                     .visit = visit,
                     .data = data};

    if (!spans || !xtf_aggregate_ref_frames(&walk.frames, resolver->context))
        return false;
    g_autoptr(XtfCallReaders) readers = xtf_call_readers_new(resolver->context, selected->locations);
    walk.readers = readers;
    bool good = true;
    for (uint32_t i = 0; good && i < selected->n; i++)
        good = add_open_calls(&walk, selected->indices[i], selection->time_from, error);
    xtf_location_arrays_finish(&walk.arrays);
    return good && add_begun_calls(&walk, spans, error);
}
