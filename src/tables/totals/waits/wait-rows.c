#include "src/tables/totals/waits/wait-rows.h"

#include "libxtf/aggregates.h"
#include "libxtf/error.h"
#include "libxtf/spans.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/model/schemas.h"
#include "src/model/wait-kinds.h"
#include "src/trace/select/aggregate-ref.h"

#define WINDOWS "rma_collectives" /* operations on one-sided windows */

/* Returns the kind of a label; NULL if it is unknown. */
static const XtfWaitKind *wait_kind_of(uint64_t label)
{
    return label < XTF_N_WAIT_KINDS ? &xtf_wait_kinds[label] : NULL;
}

/* Finds a field of numbers; NULL if there is none. */
static const XtfField *find_number_field(const XtfSchema *schema, const char *name)
{
    const XtfField *field = xtf_schema_field(schema, name);

    return field && xtf_type_width(field->type) > 0 ? field : NULL;
}

/* Gets the value of a field; UINT64_MAX if it is none or the field is missing. */
static uint64_t get_value(const XtfField *field, const uint8_t *row)
{
    return !field || xtf_field_is_none(field, row) ? UINT64_MAX : xtf_field_get(field, row);
}

bool xtf_wait_array(XtfTraceContext *context, const XtfLocation *location, const char *type, XtfArray *array,
                    bool *found, GError **error)
{
    const XtfSchema *schema = xtf_trace_find_schema(context->trace, type);

    *found = false;
    return !schema || xtf_trace_find_array(context->trace, location->id, schema->id, array, found, error);
}

void xtf_wait_row_fields_init(XtfWaitRowFields *fields, const XtfSchema *waits)
{
    *fields = (XtfWaitRowFields){
        .kind = find_number_field(waits, "event"),
        .seq = find_number_field(waits, "seq"),
        .end = find_number_field(waits, "time"),
        .amount = find_number_field(waits, "amount"),
        .callpath = find_number_field(waits, "context"),
        .match = find_number_field(waits, "match"),
        .culprit = find_number_field(waits, "culprit"),
        .culprit_thread = find_number_field(waits, "culprit_thread"),
        .met = find_number_field(waits, "met"),
        .met_idle = find_number_field(waits, "met_idle"),
        .culprit_met = find_number_field(waits, "culprit_met"),
        .culprit_met_idle = find_number_field(waits, "culprit_met_idle"),
    };
}

bool xtf_wait_row_parse(const XtfWaitRowFields *fields, const uint8_t *bytes, uint64_t n, XtfWaitRow *row,
                        GError **error)
{
    *row = (XtfWaitRow){
        .kind = wait_kind_of(get_value(fields->kind, bytes)),
        .seq = get_value(fields->seq, bytes),
        .end = get_value(fields->end, bytes),
        .amount = get_value(fields->amount, bytes),
        .callpath = get_value(fields->callpath, bytes),
        .match = get_value(fields->match, bytes),
        .culprit = get_value(fields->culprit, bytes),
        .culprit_thread = get_value(fields->culprit_thread, bytes),
        .met = {.back = get_value(fields->met, bytes), .idle = (int64_t)get_value(fields->met_idle, bytes)},
        .culprit_met = {.back = get_value(fields->culprit_met, bytes),
                        .idle = (int64_t)get_value(fields->culprit_met_idle, bytes)},
    };
    row->met.of_team = row->culprit_met.of_team = row->kind && row->kind->rule == XTF_WAIT_TEAM;
    if (row->amount > row->end)
        return xtf_damaged(
            error, "wait %" PRIu64 " ends at %" PRIu64 " and is %" PRIu64 " ticks long: it would begin before 0", n,
            row->end, row->amount);
    return true;
}

bool xtf_wait_row_read(const XtfArray *waits, uint64_t n, XtfWaitRow *row, GError **error)
{
    uint8_t bytes[XTF_ROW_MAX];
    XtfWaitRowFields fields;

    xtf_wait_row_fields_init(&fields, waits->schema);
    return xtf_array_row(waits, n, bytes, error) && xtf_wait_row_parse(&fields, bytes, n, row, error);
}

bool xtf_wait_row_shares_record(const XtfWaitRow *row)
{
    return row->kind && (row->kind->one_sided || row->kind->behind);
}

/* Finds the record of the culprit that a wait names: of row `match` of an array, or of its posting. */
static bool read_match(const XtfWaitRow *wait, XtfTraceContext *context, const XtfLocation *culprit, const char *type,
                       uint64_t *seq, bool *known, GError **error)
{
    uint8_t row[XTF_ROW_MAX];
    XtfArray array;
    bool found;

    if (!xtf_wait_array(context, culprit, type, &array, &found, error))
        return false;
    if (!found || wait->match >= array.n_rows)
        return xtf_damaged(error, "a wait names row %" PRIu64 " of '%s', of which its location has %" PRIu64 " rows",
                           wait->match, type, found ? array.n_rows : 0);
    if (!xtf_array_row(&array, wait->match, row, error))
        return false;
    uint64_t posted = wait->kind->of_posting ? get_value(find_number_field(array.schema, "posted"), row) : 0;
    *seq = get_value(find_number_field(array.schema, "seq"), row);
    *known = *seq != UINT64_MAX && (posted == UINT64_MAX || posted <= *seq);
    *seq -= posted == UINT64_MAX ? 0 : posted;
    return true;
}

/* Finds the record after the call around a record. */
static bool find_record_after_call(XtfTraceContext *context, const XtfLocation *culprit, uint64_t *seq, GError **error)
{
    g_autofree XtfOpenFrame *frames = NULL;
    uint8_t row[XTF_ROW_MAX];
    XtfAggregateRef calls;
    size_t depth = 0;
    XtfArray array;
    uint64_t n, end;
    XtfSpan span;
    bool found;

    if (!xtf_aggregate_ref_frames(&calls, context))
        return true;
    if (!xtf_trace_find_array(context->trace, culprit->id, calls.schema->id, &array, &found, error))
        return false;
    if (!found)
        return true;
    xtf_span_init(&span, &array);
    if (!xtf_span_rank_of_seq(&span, *seq, 0, array.n_rows, &n, error) ||
        !xtf_array_stack(&array, calls.number, n, &frames, &depth, error))
        return false;
    if (depth == 0)
        return true;
    if (!xtf_array_frame_end(&array, calls.number, frames[depth - 1].row, &end, error))
        return false;
    if (end >= array.n_rows)
        return true;
    if (!xtf_array_row(&array, end, row, error))
        return false;
    uint64_t left = get_value(find_number_field(array.schema, "seq"), row);
    *seq = left == UINT64_MAX ? *seq : left + 1;
    return true;
}

/* True if a record is of an operation on a one-sided window. */
static bool is_of_window(XtfTraceContext *context, const XtfLocation *location, uint64_t seq, bool *in_window,
                         GError **error)
{
    uint8_t row[XTF_ROW_MAX];
    XtfArray array;
    XtfSpan span;
    bool found;
    uint64_t n;

    *in_window = false;
    if (!xtf_wait_array(context, location, WINDOWS, &array, &found, error))
        return false;
    if (!found)
        return true;
    xtf_span_init(&span, &array);
    if (!xtf_span_rank_of_seq(&span, seq, 0, array.n_rows, &n, error))
        return false;
    if (n == array.n_rows)
        return true;
    if (!xtf_array_row(&array, n, row, error))
        return false;
    *in_window = get_value(find_number_field(array.schema, "seq"), row) == seq;
    return true;
}

bool xtf_wait_row_culprit(const XtfWaitRow *row, uint32_t waiter, XtfTraceContext *context,
                          const XtfLocations *locations, uint32_t *culprit, uint64_t *seq, bool *known, GError **error)
{
    const XtfWaitKind *kind = row->kind;
    bool of_window = false;

    *known = false;
    if (row->culprit == UINT64_MAX)
        return true;
    if (!xtf_locations_find(locations, row->culprit, row->culprit_thread, culprit))
        return xtf_damaged(error, "a wait is for thread %" PRIu64 " of process %" PRIu64 ", which does not exist",
                           row->culprit_thread, row->culprit);
    if (!kind || kind->rule == XTF_WAIT_NOBODY || row->match == UINT64_MAX ||
        (!kind->apart && !xtf_wait_row_has_causes(row)))
        return true;
    const XtfLocation *culprit_location = &locations->all[*culprit];
    if (g_str_equal(kind->match, XTF_RECORD_COLLECTIVES) &&
        !is_of_window(context, &locations->all[waiter], row->seq, &of_window, error))
        return false;
    if (!read_match(row, context, culprit_location, of_window ? WINDOWS : kind->match, seq, known, error))
        return false;
    *seq += *known && kind->behind;
    return !*known || !kind->to_leave || find_record_after_call(context, culprit_location, seq, error);
}

bool xtf_wait_row_culprit_in_call(const XtfWaitRow *row, uint32_t waiter, XtfTraceContext *context,
                                  const XtfLocations *locations, uint32_t *culprit, uint64_t *seq, bool *known,
                                  GError **error)
{
    if (!xtf_wait_row_culprit(row, waiter, context, locations, culprit, seq, known, error))
        return false;
    if (*known && row->kind->to_leave && *seq > 0)
        *seq -= 1;
    return true;
}
