#include "src/query/totals/waits/wait-rows.h"

#include "libxtf/error.h"
#include "libxtf/vocabulary.h"
#include "src/model/schemas.h"

/* Where the row that `match` means lies, by kind of wait. */
static const struct {
    uint8_t kind;
    const char *records;
} matches[] = {
    {XTF_LABEL_late_sender, XTF_RECORD_SENDS},          {XTF_LABEL_late_receiver, XTF_RECORD_RECVS},
    {XTF_LABEL_wait_barrier, XTF_RECORD_COLLECTIVES},   {XTF_LABEL_wait_nxn, XTF_RECORD_COLLECTIVES},
    {XTF_LABEL_late_broadcast, XTF_RECORD_COLLECTIVES}, {XTF_LABEL_early_reduce, XTF_RECORD_COLLECTIVES},
    {XTF_LABEL_wait_create, XTF_RECORD_COLLECTIVES},    {XTF_LABEL_wait_destroy, XTF_RECORD_COLLECTIVES},
};

/* NULL if there is no such field, or it is no number. */
static const XtfField *number(const XtfSchema *schema, const char *name)
{
    const XtfField *field = xtf_schema_field(schema, name);

    return field && xtf_type_width(field->type) > 0 ? field : NULL;
}

/* UINT64_MAX if the field is none, or not there. */
static uint64_t value_of(const XtfField *field, const uint8_t *row)
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
        .kind = number(waits, "event"),
        .seq = number(waits, "seq"),
        .end = number(waits, "time"),
        .amount = number(waits, "amount"),
        .context = number(waits, "context"),
        .match = number(waits, "match"),
        .culprit = number(waits, "culprit"),
        .culprit_thread = number(waits, "culprit_thread"),
        .met = number(waits, "met"),
        .met_idle = number(waits, "met_idle"),
        .culprit_met = number(waits, "culprit_met"),
        .culprit_met_idle = number(waits, "culprit_met_idle"),
    };
}

bool xtf_wait_row_parse(const XtfWaitRowFields *fields, const uint8_t *bytes, uint64_t n, XtfWaitRow *row,
                        GError **error)
{
    *row = (XtfWaitRow){
        .kind = value_of(fields->kind, bytes),
        .seq = value_of(fields->seq, bytes),
        .end = value_of(fields->end, bytes),
        .amount = value_of(fields->amount, bytes),
        .context = value_of(fields->context, bytes),
        .match = value_of(fields->match, bytes),
        .culprit = value_of(fields->culprit, bytes),
        .culprit_thread = value_of(fields->culprit_thread, bytes),
        .met = {value_of(fields->met, bytes), (int64_t)value_of(fields->met_idle, bytes)},
        .culprit_met = {value_of(fields->culprit_met, bytes), (int64_t)value_of(fields->culprit_met_idle, bytes)},
    };
    if (row->amount > row->end)
        return xtf_damaged(error, "wait %" PRIu64 " ends at %" PRIu64 " and is %" PRIu64 " ticks long", n, row->end,
                           row->amount);
    return true;
}

bool xtf_wait_row_read(const XtfArray *waits, uint64_t n, XtfWaitRow *row, GError **error)
{
    uint8_t bytes[XTF_ROW_MAX];
    XtfWaitRowFields fields;

    xtf_wait_row_fields_init(&fields, waits->schema);
    return xtf_array_row(waits, n, bytes, error) && xtf_wait_row_parse(&fields, bytes, n, row, error);
}

/* The record that a row of another location is of. */
static bool read_match(const XtfWaitRow *wait, XtfTraceContext *context, const XtfLocation *culprit, const char *type,
                       uint64_t *seq, bool *known, GError **error)
{
    uint8_t row[XTF_ROW_MAX];
    XtfArray array;
    bool found;

    if (!xtf_wait_array(context, culprit, type, &array, &found, error))
        return false;
    if (!found || wait->match >= array.n_rows)
        return xtf_damaged(error, "a wait leads to row %" PRIu64 " of '%s' of a location that has %" PRIu64,
                           wait->match, type, found ? array.n_rows : 0);
    if (!xtf_array_row(&array, wait->match, row, error))
        return false;
    uint64_t posted = wait->kind == XTF_LABEL_late_receiver ? value_of(number(array.schema, "posted"), row) : 0;
    *seq = value_of(number(array.schema, "seq"), row);
    *known = *seq != UINT64_MAX && (posted == UINT64_MAX || posted <= *seq);
    *seq -= posted == UINT64_MAX ? 0 : posted;
    return true;
}

bool xtf_wait_row_culprit(const XtfWaitRow *row, XtfTraceContext *context, const XtfLocations *locations,
                          uint32_t *culprit, uint64_t *seq, bool *known, GError **error)
{
    *known = false;
    if (row->culprit == UINT64_MAX)
        return true;
    if (!xtf_locations_find(locations, row->culprit, row->culprit_thread, culprit))
        return xtf_damaged(error, "a wait is for thread %" PRIu64 " of process %" PRIu64 ", which is none",
                           row->culprit_thread, row->culprit);
    for (size_t i = 0; i < G_N_ELEMENTS(matches); i++) {
        if (matches[i].kind == row->kind && row->match != UINT64_MAX && xtf_wait_row_has_causes(row))
            return read_match(row, context, &locations->all[*culprit], matches[i].records, seq, known, error);
    }
    return true;
}
