#include "src/export/location-reader.h"

#include <string.h>

#include "libxtf/aggregates.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/trace/select/aggregate-ref.h"
#include "src/trace/select/matcher.h"

/* First fields of each side row (XTF_SIDE_HEAD): its time, and the seq of its record. */
typedef struct __attribute__((packed)) {
    uint64_t time, seq;
} SideHead;

void xtf_location_reader_init(XtfLocationReader *reader, XtfTree *tree, XtfSelection *selection)
{
    uint32_t n = xtf_trace_n_schemas(tree->trace);

    *reader = (XtfLocationReader){.tree = tree, .selection = selection};
    reader->maps = g_new0(XtfModelMap *, (gsize)n + 1);
    reader->tags = g_new(int, (gsize)n + 1);
    reader->seqs = g_new0(const XtfField *, (gsize)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const XtfSchema *schema = xtf_trace_schema(tree->trace, i);
        reader->tags[i] = xtf_model_map_tag(schema);
        reader->seqs[i] = xtf_schema_field_by_role(schema, XTF_ROLE_SEQ);
        if (reader->tags[i] >= 0)
            reader->maps[i] = xtf_model_map_new(schema, (unsigned)reader->tags[i]);
    }
}

static void end_location(XtfLocationReader *reader)
{
    g_clear_pointer(&reader->records, xtf_record_reader_free);
    for (unsigned i = 0; i < G_N_ELEMENTS(reader->sides); i++) {
        if (reader->sides[i].exists)
            xtf_cursor_finish(&reader->sides[i].cursor);
        reader->sides[i].exists = false;
    }
    reader->run = (XtfRowRun){0};
    reader->done = 0;
    reader->record = (XtfLocationRecord){0};
}

void xtf_location_reader_finish(XtfLocationReader *reader)
{
    if (!reader->tree)
        return;
    end_location(reader);
    for (uint32_t i = 0; i < xtf_trace_n_schemas(reader->tree->trace); i++)
        xtf_model_map_free(reader->maps[i]);
    g_free(reader->maps);
    g_free(reader->tags);
    g_free(reader->seqs);
    xtf_location_arrays_finish(&reader->arrays);
    reader->tree = NULL;
}

/* Returns the spans of one location, which are consecutive; NULL without an error if it has none. The caller unrefs
 * them. */
static XtfSpans *find_location_spans(const XtfSpans *spans, const XtfLocation *location, uint32_t index, GError **error)
{
    uint32_t low = 0, high = spans->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (spans->spans[middle].array.location < location->id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == spans->n || spans->spans[low].tag != index)
        return NULL;
    g_autoptr(XtfSpans) location_spans = xtf_spans_new(NULL, NULL);
    for (; low < spans->n && spans->spans[low].tag == index; low++)
        if (!xtf_spans_add(location_spans, &spans->spans[low], error))
            return NULL;
    return g_steal_pointer(&location_spans);
}

static bool find_sides(XtfLocationReader *reader, GError **error)
{
    for (uint32_t i = 0; i < reader->arrays.n; i++) {
        const XtfArray *array = &reader->arrays.all[i];
        int tag = reader->tags[array->schema->id];
        if (tag < XTF_N_RECORD_TYPES || !xtf_array_is_supported(array, NULL))
            continue;
        XtfSideReader *side = &reader->sides[tag - XTF_N_RECORD_TYPES];
        side->array = *array;
        side->exists = true;
        xtf_cursor_init(&side->cursor, array);
        if (!xtf_cursor_seek_n(&side->cursor, 0, &side->has_row, error))
            return false;
    }
    return true;
}

bool xtf_location_reader_begin(XtfLocationReader *reader, const XtfSpans *spans, uint32_t index, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(&reader->tree->context, error);
    GError *failure = NULL;

    end_location(reader);
    if (!locations ||
        !xtf_location_arrays_load(&reader->arrays, &reader->tree->context, &locations->all[index], error) ||
        !find_sides(reader, error))
        return false;
    g_autoptr(XtfSpans) location_spans = find_location_spans(spans, &locations->all[index], index, &failure);
    if (location_spans)
        reader->records = xtf_record_reader_new(location_spans, 0, &failure);
    if (failure)
        g_propagate_error(error, failure);
    return !failure;
}

const XtfArray *xtf_location_reader_array(const XtfLocationReader *reader, int tag)
{
    for (uint32_t i = 0; i < reader->arrays.n; i++)
        if (reader->tags[reader->arrays.all[i].schema->id] == tag)
            return &reader->arrays.all[i];
    return NULL;
}

bool xtf_location_reader_next(XtfLocationReader *reader, XtfLocationRecord *record, GError **error)
{
    reader->record = *record = (XtfLocationRecord){0};
    if (reader->done == reader->run.n_rows) {
        if (!reader->records)
            return true;
        if (!xtf_record_reader_next(reader->records, UINT64_MAX, &reader->run, error))
            return false;
        reader->done = 0;
        if (reader->run.n_rows == 0) {
            g_clear_pointer(&reader->records, xtf_record_reader_free);
            return true;
        }
    }
    const XtfSchema *schema = reader->run.span->array.schema;
    const uint8_t *row = reader->run.rows + reader->done * schema->row_size;
    const XtfField *seq = reader->seqs[schema->id];
    int tag = reader->tags[schema->id];
    *record = (XtfLocationRecord){
        .schema = schema,
        .tag = tag,
        .time = xtf_field_get(&schema->fields[0], row),
        .seq = seq ? xtf_field_get(seq, row) : UINT64_MAX,
        .row = reader->run.first + reader->done,
        .raw = row,
        .fields = tag >= 0 ? xtf_model_map_apply(reader->maps[schema->id], row, reader->buffer) : NULL,
    };
    reader->record = *record;
    reader->done++;
    return true;
}

/* ---- Side arrays. */

static const SideHead *read_side_row(XtfLocationReader *reader, const XtfSideReader *side)
{
    return xtf_model_map_apply(reader->maps[side->array.schema->id], xtf_cursor_row(&side->cursor),
                               reader->side_buffer);
}

/* Skips rows of records before the current one. If the leaf's last row is earlier, seeks to the record's time. */
static bool skip_side_rows(XtfLocationReader *reader, XtfSideReader *side, GError **error)
{
    const uint64_t time = reader->record.time, seq = reader->record.seq;

    while (side->has_row) {
        const SideHead *head = read_side_row(reader, side);
        if (head->seq >= seq)
            return true;
        uint64_t available = xtf_cursor_available(&side->cursor), last;
        const uint8_t *row = xtf_cursor_row(&side->cursor) + (available - 1) * side->array.schema->row_size;
        last = xtf_field_get(&side->array.schema->fields[0], row);
        bool good = last < time ? xtf_cursor_seek_t(&side->cursor, time, &side->has_row, error)
                                : xtf_cursor_next(&side->cursor, 1, &side->has_row, error);
        if (!good)
            return false;
    }
    return true;
}

static bool take_side_row(XtfLocationReader *reader, XtfSideReader *side, const void **row, GError **error)
{
    const void *head = read_side_row(reader, side);

    if (head != reader->side_buffer)
        memcpy(reader->side_buffer, head, side->array.schema->row_size);
    *row = reader->side_buffer;
    return xtf_cursor_next(&side->cursor, 1, &side->has_row, error);
}

bool xtf_location_reader_side(XtfLocationReader *reader, unsigned tag, const void **row, GError **error)
{
    XtfSideReader *side = &reader->sides[tag - XTF_N_RECORD_TYPES];

    *row = NULL;
    if (!side->exists || !side->has_row)
        return true;
    if (!skip_side_rows(reader, side, error))
        return false;
    return !side->has_row || read_side_row(reader, side)->seq != reader->record.seq ||
           take_side_row(reader, side, row, error);
}

bool xtf_location_reader_side_so_far(XtfLocationReader *reader, unsigned tag, uint64_t time, uint64_t seq,
                                     const void **row, GError **error)
{
    XtfSideReader *side = &reader->sides[tag - XTF_N_RECORD_TYPES];

    *row = NULL;
    if (!side->exists || !side->has_row)
        return true;
    const SideHead *head = read_side_row(reader, side);
    return head->time > time || (head->time == time && head->seq > seq) || take_side_row(reader, side, row, error);
}

/* ---- Open calls. */

bool xtf_location_reader_open_calls(XtfLocationReader *reader, uint64_t t, XtfOpenCall **calls, size_t *n,
                                    GError **error)
{
    const XtfSelection *selection = reader->selection;
    g_autofree XtfOpenFrame *frames = NULL;
    XtfAggregateRef ref;
    size_t n_frames = 0;
    uint64_t row;

    *calls = NULL;
    *n = 0;
    if (!xtf_aggregate_ref_frames(&ref, &reader->tree->context) || selection->base ||
        !xtf_selection_has_type(selection, ref.schema) ||
        xtf_selection_matches(selection, ref.schema) == XTF_MATCH_NONE)
        return true;
    const XtfArray *array = xtf_location_arrays_find(&reader->arrays, ref.schema);
    if (!array || t <= array->first || t > reader->arrays.last)
        return true;
    const XtfArray local = xtf_array_local(array);
    if (!xtf_array_rank(array, t, &row, error) || !xtf_array_stack(&local, ref.number, row, &frames, &n_frames, error))
        return false;
    *calls = g_new(XtfOpenCall, n_frames + 1);
    for (size_t i = 0; i < n_frames; i++)
        if (xtf_number_set_contains(selection->by[XTF_BY_REGION], frames[i].key))
            (*calls)[(*n)++] = (XtfOpenCall){.region = frames[i].key, .enter = frames[i].row};
    return true;
}
