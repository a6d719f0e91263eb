#include "src/tables/totals/path/critical-window.h"

#include "libxtf/error.h"
#include "src/model/schemas.h"
#include "src/trace/select/aggregate-ref.h"

enum { AMOUNT = 1, SEGMENTS };

static const XtfField *find_field(const XtfSchema *schema, const char *name, XtfType type)
{
    for (uint32_t i = 0; i < schema->n_fields; i++) {
        if (g_str_equal(schema->fields[i].name, name))
            return schema->fields[i].type == type ? &schema->fields[i] : NULL;
    }
    return NULL;
}

static bool is_by_region(const XtfSchema *schema, const XtfAggregate *aggregate, const XtfField *region)
{
    const XtfField *fields = schema->fields;

    return aggregate->kind == XTF_AGGREGATE_GROUPS && !aggregate->extremes && aggregate->n_keys > 0 &&
           &fields[aggregate->keys[0]] == region && aggregate->n_values == 2 &&
           g_str_equal(fields[aggregate->values[0]].name, "amount") &&
           g_str_equal(fields[aggregate->values[1]].name, "segments") && !aggregate->real_values &&
           !aggregate->signed_values && !aggregate->typed_values;
}

static void critical_type_init(XtfCriticalType *type, XtfTraceContext *context)
{
    const XtfSchema *schema = xtf_trace_context_schema(context, "critical", XTF_SCHEMA_DERIVED);

    *type = (XtfCriticalType){0};
    if (!schema)
        return;
    XtfCriticalType found = {.schema = schema,
                             .seq = xtf_schema_field_by_role(schema, XTF_ROLE_SEQ),
                             .duration = find_field(schema, "duration", XTF_TYPE_U64),
                             .region = find_field(schema, "region", XTF_TYPE_U32),
                             .next_process = find_field(schema, "next_process", XTF_TYPE_U32),
                             .next_thread = find_field(schema, "next_thread", XTF_TYPE_U32),
                             .segments = find_field(schema, "segments", XTF_TYPE_U8)};
    if (!found.duration || !found.region || !found.next_process || !found.next_thread || !found.segments)
        return;
    while (found.aggregate < schema->n_aggregates &&
           !is_by_region(schema, &schema->aggregates[found.aggregate], found.region))
        found.aggregate++;
    if (found.aggregate < schema->n_aggregates)
        *type = found;
}

bool xtf_critical_type_is_selected(const XtfTraceContext *context, const XtfSelection *selection)
{
    XtfAggregateRef frames;
    XtfCriticalType type;

    if (selection->type < 0 || selection->base || xtf_selection_has_facets(selection) ||
        !xtf_aggregate_ref_frames(&frames, context))
        return false;
    critical_type_init(&type, (XtfTraceContext *)context);
    return type.schema && type.schema->id == (uint64_t)selection->type;
}

/* Returns the region as the call path, so that times are by region. */
static uint32_t region_as_callpath(void *data, uint32_t parent, uint32_t region, uint32_t depth)
{
    return region;
}

bool xtf_critical_window_init(XtfCriticalWindow *window, XtfTraceContext *context, GError **error)
{
    XtfAggregateRef frames;

    *window = (XtfCriticalWindow){.context = context};
    critical_type_init(&window->type, context);
    if (!window->type.schema || !xtf_aggregate_ref_frames(&frames, context))
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "the trace has no critical path");
    window->calls = frames.schema;
    window->frames = frames.number;
    window->groups = xtf_group_totals_new(&window->type.schema->aggregates[window->type.aggregate], 1);
    window->profile = xtf_group_totals_new(frames.aggregate, 1);
    xtf_callpath_times_init(&window->times, frames.number, region_as_callpath, NULL);
    return true;
}

void xtf_critical_window_finish(XtfCriticalWindow *window)
{
    xtf_group_totals_free(window->groups);
    xtf_group_totals_free(window->profile);
    xtf_callpath_times_finish(&window->times);
    xtf_location_arrays_finish(&window->arrays);
    *window = (XtfCriticalWindow){0};
}

/* ---- Segments that a window cuts. */

typedef struct {
    uint64_t begin, end;
    bool exists;
} Segment;

/* Returns the begin of a row's segment, in global time. The location's clock may have no tick for that moment. */
static uint64_t segment_begin(const XtfCriticalType *type, const uint8_t *row)
{
    uint64_t end = xtf_field_get(&type->schema->fields[0], row);

    return end - MIN(xtf_field_get(type->duration, row), end);
}

/* Finds the segment of row n; `exists` is false if there is no row n. */
static bool find_segment(const XtfCriticalWindow *window, const XtfArray *array, uint64_t n, Segment *segment,
                         GError **error)
{
    g_autofree uint8_t *row = g_malloc(array->schema->row_size);

    *segment = (Segment){.exists = n < array->n_rows};
    if (!segment->exists)
        return true;
    if (!xtf_array_row(array, n, row, error))
        return false;
    segment->begin = segment_begin(&window->type, row);
    segment->end = xtf_field_get(&array->schema->fields[0], row);
    return true;
}

/* Adds the times of a part of a segment from the index's profile. Works without a clock map only, where all ticks are
 * equally long. */
static bool take_profile(XtfCriticalWindow *window, const XtfArray *calls, uint64_t begin, uint64_t end, bool subtract,
                         XtfCriticalTake take, void *data, GError **error)
{
    uint64_t outside = end - begin;

    xtf_group_totals_clear(window->profile);
    if (!xtf_array_profile(calls, window->frames, begin, end, window->arrays.local_first, window->arrays.local_last,
                           window->profile, error))
        return false;
    for (uint32_t i = 0; i < xtf_group_totals_n(window->profile); i++) {
        uint64_t region = *xtf_group_totals_key(window->profile, i);
        uint64_t ticks = xtf_group_totals_cells(window->profile, i)[XTF_FRAMES_EXCLUSIVE];
        if (region == XTF_FRAMES_BEFORE)
            continue;
        take(data, region, ticks, subtract);
        outside -= MIN(outside, ticks);
    }
    take(data, XTF_OUTSIDE_CALLS, outside, subtract);
    return true;
}

static bool take_times(XtfCriticalWindow *window, const XtfArray *calls, uint64_t begin, uint64_t end, bool subtract,
                       XtfCriticalTake take, void *data, GError **error)
{
    xtf_callpath_times_clear(&window->times);
    if (!xtf_callpath_times_add(&window->times, calls, begin, end, error))
        return false;
    for (guint i = 0; i < window->times.entries->len; i++) {
        const XtfCallpathTime *time = &g_array_index(window->times.entries, XtfCallpathTime, i);
        take(data, time->region, time->ticks, subtract);
    }
    take(data, XTF_OUTSIDE_CALLS, window->times.outside.ticks, subtract);
    return true;
}

/* Adds the part before t of the segment that contains t or begins later. Row n is its first row. */
static bool take_segment_part(XtfCriticalWindow *window, const XtfArray *array, uint64_t n, uint64_t t, bool subtract,
                              XtfCriticalTake take, void *data, GError **error)
{
    const XtfArray *calls = xtf_location_arrays_find(&window->arrays, window->calls);
    Segment segment;

    if (!find_segment(window, array, n, &segment, error))
        return false;
    if (!segment.exists || segment.begin >= t)
        return true;
    if (calls && !calls->clock)
        return take_profile(window, calls, segment.begin, t, subtract, take, data, error);
    return take_times(window, calls, segment.begin, t, subtract, take, data, error);
}

/* Loads the array of a location; NULL if the path never visited it. */
static bool load_location(XtfCriticalWindow *window, const XtfLocation *location, const XtfArray **array,
                          GError **error)
{
    if (!xtf_location_arrays_load(&window->arrays, window->context, location, error))
        return false;
    *array = xtf_location_arrays_find(&window->arrays, window->type.schema);
    return true;
}

bool xtf_critical_window_add(XtfCriticalWindow *window, const XtfLocation *location, uint64_t from, uint64_t to,
                             XtfCriticalTake take, void *data, GError **error)
{
    const XtfArray *array;
    uint64_t lo, hi;

    if (!load_location(window, location, &array, error))
        return false;
    if (!array || from >= to)
        return true;
    xtf_group_totals_clear(window->groups);
    if (!xtf_array_rank(array, from, &lo, error) || !xtf_array_rank(array, to, &hi, error) ||
        !xtf_array_totals(array, window->type.aggregate, NULL, lo, hi, window->groups, error))
        return false;
    for (uint32_t i = 0; i < xtf_group_totals_n(window->groups); i++) {
        uint64_t region = *xtf_group_totals_key(window->groups, i);
        take(data, xtf_key_is_none(window->type.region, region) ? XTF_OUTSIDE_CALLS : region,
             xtf_group_totals_cells(window->groups, i)[AMOUNT], false);
    }
    return take_segment_part(window, array, hi, to, false, take, data, error) &&
           take_segment_part(window, array, lo, from, true, take, data, error);
}

/* ---- Segments as rows. */

/* Finds the rows [*lo, *hi) that end in (from, to). */
static bool find_segment_rows(const XtfArray *array, uint64_t from, uint64_t to, uint64_t *lo, uint64_t *hi,
                              GError **error)
{
    return xtf_array_rank(array, from == UINT64_MAX ? from : from + 1, lo, error) &&
           xtf_array_rank(array, to, hi, error);
}

bool xtf_critical_window_count(XtfCriticalWindow *window, const XtfLocation *location, uint64_t from, uint64_t to,
                               uint64_t *count, GError **error)
{
    const XtfArray *array;
    Segment last;
    uint64_t lo, hi;

    *count = 0;
    if (!load_location(window, location, &array, error))
        return false;
    if (!array || from >= to)
        return true;
    xtf_group_totals_clear(window->groups);
    if (!find_segment_rows(array, from, to, &lo, &hi, error) ||
        !xtf_array_totals(array, window->type.aggregate, NULL, lo, MAX(lo, hi), window->groups, error) ||
        !find_segment(window, array, hi, &last, error))
        return false;
    for (uint32_t i = 0; i < xtf_group_totals_n(window->groups); i++)
        *count += xtf_group_totals_cells(window->groups, i)[SEGMENTS];
    *count += last.exists && last.begin < to;
    return true;
}

static uint64_t number_or_none(const XtfField *field, const uint8_t *row)
{
    return xtf_field_is_none(field, row) ? XTF_NONE32 : xtf_field_get(field, row);
}

static void append_segment(const XtfCriticalType *type, const XtfLocation *location, const uint8_t *row,
                           GArray *segments)
{
    XtfCriticalSegment segment = {.begin = segment_begin(type, row),
                                  .end = xtf_field_get(&type->schema->fields[0], row),
                                  .location = location,
                                  .seq = type->seq ? xtf_field_get(type->seq, row) : UINT64_MAX,
                                  .proc = location->proc,
                                  .thread = location->thread,
                                  .next_proc = number_or_none(type->next_process, row),
                                  .next_thread = number_or_none(type->next_thread, row)};

    g_array_append_val(segments, segment);
}

bool xtf_critical_window_list(XtfCriticalWindow *window, const XtfLocation *location, uint64_t from, uint64_t to,
                              GArray *segments, GError **error)
{
    g_auto(XtfCursor) cursor = {0};
    const XtfArray *array;
    uint64_t lo, hi;
    bool found;

    if (!load_location(window, location, &array, error))
        return false;
    if (!array || from >= to)
        return true;
    if (!find_segment_rows(array, from, to, &lo, &hi, error))
        return false;
    xtf_cursor_init(&cursor, array);
    found = lo < array->n_rows;
    if (found && !xtf_cursor_seek_n(&cursor, lo, &found, error))
        return false;
    /* The rows from hi on are of the segment that the window cuts; the first of them suffices. */
    for (bool cut = false; found && !cut;) {
        const uint8_t *row = xtf_cursor_row(&cursor);
        cut = cursor.n >= hi;
        if (cut ? segment_begin(&window->type, row) < to : xtf_field_get(window->type.segments, row) != 0)
            append_segment(&window->type, location, row, segments);
        if (!xtf_cursor_next(&cursor, 1, &found, error))
            return false;
    }
    return true;
}
