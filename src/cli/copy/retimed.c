#include "src/cli/copy/retimed.h"

#include <string.h>

#include "libxtf/array.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/model/schemas.h"

/* How rows of a schema are copied. */
typedef struct {
    GArray *strings;      /* references to strings */
    XtfArrayWriter *to;   /* the present location's array; NULL: none yet */
    const XtfField *stop; /* of a BUFFER_FLUSH: its end; NULL: the type has none */
    GPtrArray *instants;  /* XtfField: other times of a row */
} Output;

/* A side array of the present location. */
typedef struct {
    XtfCursor cursor;
    const XtfSchema *schema;
    XtfFieldLoad seq;
    bool has_row;
} Side;

typedef struct {
    const XtfCopyRows *copy;
    const XtfNewTimes *times;
    XtfSteps *steps;
    Output *outputs; /* by schema id of the trace */
    GArray *sides;   /* Side */
    XtfArrayWriter *changes;
    uint32_t changes_id;
    uint64_t location;
    const XtfSchema *calls;        /* NULL: no calls */
    uint64_t entered, new_entered; /* times of the last ENTER or LEAVE */
    uint64_t time, new_time;       /* of the last record */
} Retimed;

/* ---- Tables. */

bool xtf_copy_is_left_out(const XtfSchema *schema)
{
    static const char *const names[] = {XTF_TABLE_ANALYSES,       XTF_TABLE_CLOCK_ALIGNMENTS, XTF_TABLE_EARLIER_CLOCKS,
                                        XTF_TABLE_CLOCK_READINGS, XTF_TABLE_CLOCK_NODES,      NULL};

    return schema->kind == XTF_SCHEMA_TABLE && g_strv_contains(names, schema->name);
}

static bool add_text_property(XtfWriter *writer, XtfTableWriter *table, const XtfSchema *schema, const char *name,
                              const char *value, GError **error)
{
    const XtfField *fields[] = {xtf_schema_field(schema, "name"), xtf_schema_field(schema, "value")};
    const char *const texts[] = {name, value};
    uint8_t row[XTF_ROW_MAX] = {0};

    for (unsigned i = 0; i < G_N_ELEMENTS(fields); i++) {
        uint32_t id;
        if (!xtf_writer_add_string(writer, texts[i], &id, error))
            return false;
        if (fields[i])
            xtf_field_set(fields[i], row, id);
    }
    return xtf_table_writer_append(table, row, NULL, error);
}

static bool add_properties(const XtfCopyRows *copy, const XtfCopyProperty *properties, unsigned n, GError **error)
{
    const XtfSchema *schema = xtf_trace_find_schema(copy->trace, XTF_TABLE_PROPERTIES);
    uint32_t id;

    if (!schema || schema->kind != XTF_SCHEMA_TABLE)
        schema = xtf_model_schema(XTF_MODEL_PROPERTIES);
    if (!xtf_writer_add_schema(copy->writer, schema, &id, error))
        return false;
    XtfTableWriter *table = xtf_writer_table(copy->writer, id, error);
    for (unsigned i = 0; table && i < n; i++)
        if (!add_text_property(copy->writer, table, schema, properties[i].name, properties[i].value, error))
            return false;
    return table;
}

/* ---- Rows. */

static void find_times(Output *output, const XtfSchema *schema)
{
    output->instants = g_ptr_array_new();
    for (uint32_t i = 1; i < schema->n_fields; i++) {
        const XtfField *field = &schema->fields[i];
        if (!(field->flags & XTF_FIELD_INSTANT))
            continue;
        if (g_str_equal(field->name, "stop"))
            output->stop = field;
        else
            g_ptr_array_add(output->instants, (gpointer)field);
    }
}

/* Returns the new time of another time in the last record's row. The time of the last ENTER or LEAVE becomes the new
 * time of that record. Other times keep their distance from the record. */
static uint64_t move_instant(const Retimed *retimed, uint64_t instant)
{
    uint64_t time = retimed->time, new_time = retimed->new_time;

    if (instant == retimed->entered && retimed->entered <= time)
        return retimed->new_entered;
    return instant <= time ? new_time - MIN(new_time, time - instant) : new_time + (instant - time);
}

static void move_times(const Retimed *retimed, const Output *output, uint8_t *row)
{
    for (guint i = 0; i < output->instants->len; i++) {
        const XtfField *field = g_ptr_array_index(output->instants, i);
        if (!xtf_field_is_none(field, row))
            xtf_field_set(field, row, move_instant(retimed, xtf_field_get(field, row)));
    }
    if (output->stop && !xtf_field_is_none(output->stop, row))
        xtf_field_set(output->stop, row, retimed->new_time);
}

static bool append_row(Retimed *retimed, const XtfSchema *schema, const uint8_t *row, GError **error)
{
    Output *output = &retimed->outputs[schema->id];
    uint8_t copied_row[XTF_ROW_MAX];

    if (!output->to)
        output->to = xtf_writer_array(retimed->copy->writer, retimed->location, retimed->copy->ids[schema->id], error);
    if (!output->to || !xtf_copy_row(retimed->copy, schema, output->strings, row, copied_row, error))
        return false;
    uint64_t time = GUINT64_TO_LE(retimed->new_time);
    memcpy(copied_row, &time, sizeof time);
    if (output->instants->len > 0 || output->stop)
        move_times(retimed, output, copied_row);
    return xtf_array_writer_append(output->to, copied_row, error);
}

/* Copies the next rows of a side array, up to the rows of record `seq`. */
static bool copy_side(Retimed *retimed, Side *side, uint64_t seq, GError **error)
{
    while (side->has_row && xtf_load_bits(&side->seq, xtf_cursor_row(&side->cursor)) <= seq)
        if (!append_row(retimed, side->schema, xtf_cursor_row(&side->cursor), error) ||
            !xtf_cursor_next(&side->cursor, 1, &side->has_row, error))
            return false;
    return true;
}

static bool copy_record(void *data, const XtfWalkedRecord *record, uint64_t time, GError **error)
{
    Retimed *retimed = data;

    retimed->time = record->time;
    retimed->new_time = time;
    if (record->schema == retimed->calls) {
        retimed->entered = record->time;
        retimed->new_entered = time;
    }
    if (!append_row(retimed, record->schema, record->row, error))
        return false;
    for (guint i = 0; i < retimed->sides->len; i++)
        if (!copy_side(retimed, &g_array_index(retimed->sides, Side, i), record->seq, error))
            return false;
    return true;
}

static bool add_change(void *data, const XtfWalkedRecord *record, uint64_t time, const XtfOrderChange *change,
                       GError **error)
{
    Retimed *retimed = data;
    const XtfNewTimes *times = retimed->times;
    const XtfField *region = xtf_schema_field_by_role(record->schema, XTF_ROLE_REGION);
    const XtfOrderChangeRow row = {
        .time = time,
        .seq = record->seq,
        .region = region ? (uint32_t)xtf_field_get(region, record->row) : XTF_NONE32,
        .back = change->back,
        .sent = change->sent,
        .earlier_sent = change->earlier_sent,
        .sender = (uint32_t)times->proc(times->data, change->process),
        .earlier_sender = (uint32_t)times->proc(times->data, change->earlier_process),
        .comm = change->comm,
        .tag = change->tag,
    };

    if (!retimed->changes)
        retimed->changes = xtf_writer_array(retimed->copy->writer, retimed->location, retimed->changes_id, error);
    return retimed->changes && xtf_array_writer_append(retimed->changes, &row, error);
}

/* ---- Locations. */

static void clear_side(gpointer data)
{
    xtf_cursor_finish(&((Side *)data)->cursor);
}

static bool add_sides(Retimed *retimed, const XtfLocation *location, GError **error)
{
    for (uint64_t i = 0; i < location->n_arrays; i++) {
        XtfArray array;
        if (!xtf_trace_get_arrays(retimed->copy->trace, location->first_array + i, 1, &array, error))
            return false;
        const XtfField *seq = xtf_schema_field_by_role(array.schema, XTF_ROLE_SEQ);
        if (array.schema->kind != XTF_SCHEMA_SIDE || !seq)
            continue;
        g_array_set_size(retimed->sides, retimed->sides->len + 1);
        Side *side = &g_array_index(retimed->sides, Side, retimed->sides->len - 1);
        side->schema = array.schema;
        side->seq = xtf_field_load(seq);
        xtf_cursor_init(&side->cursor, &array);
        if (!xtf_cursor_seek_n(&side->cursor, 0, &side->has_row, error))
            return false;
    }
    return true;
}

static bool close_arrays(Retimed *retimed, GError **error)
{
    uint32_t n = xtf_trace_n_schemas(retimed->copy->trace);

    for (uint32_t i = 0; i < n; i++) {
        XtfArrayWriter *to = retimed->outputs[i].to;
        retimed->outputs[i].to = NULL;
        if (to && !xtf_array_writer_close(to, error))
            return false;
    }
    XtfArrayWriter *changes = retimed->changes;
    retimed->changes = NULL;
    return !changes || xtf_array_writer_close(changes, error);
}

static bool copy_location(Retimed *retimed, uint32_t index, GError **error)
{
    const XtfLocation *location = &retimed->times->locations->all[index];
    const XtfNewTimesVisitor visitor = {.data = retimed, .record = copy_record, .order = add_change};

    retimed->location = location->id;
    retimed->entered = UINT64_MAX;
    g_array_set_size(retimed->sides, 0);
    if (!add_sides(retimed, location, error) ||
        !retimed->times->visit(retimed->times->data, index, &visitor, retimed->steps, error))
        return false;
    for (guint i = 0; i < retimed->sides->len; i++)
        if (!copy_side(retimed, &g_array_index(retimed->sides, Side, i), UINT64_MAX, error))
            return false;
    return close_arrays(retimed, error);
}

static bool copy_locations(Retimed *retimed, GError **error)
{
    const XtfLocations *locations = retimed->times->locations;

    xtf_steps_begin(retimed->steps, "copying", retimed->times->n_records);
    for (uint32_t i = 0; i < locations->n; i++)
        if (!copy_location(retimed, i, error))
            return false;
    return true;
}

bool xtf_copy_retimed(const XtfCopyRows *copy, const XtfNewTimes *times, const XtfCopyProperty *properties,
                      unsigned n_properties, XtfSteps *steps, GError **error)
{
    Retimed retimed = {.copy = copy,
                       .times = times,
                       .steps = steps,
                       .calls = xtf_trace_find_schema(copy->trace, XTF_RECORD_ENTERS_LEAVES)};
    uint32_t n = xtf_trace_n_schemas(copy->trace);

    if (!add_properties(copy, properties, n_properties, error))
        return false;
    if (times->proc &&
        !xtf_writer_add_schema(copy->writer, xtf_model_schema(XTF_MODEL_ORDER_CHANGES), &retimed.changes_id, error))
        return false;
    retimed.outputs = g_new0(Output, n + 1);
    retimed.sides = g_array_new(FALSE, TRUE, sizeof(Side));
    g_array_set_clear_func(retimed.sides, clear_side);
    for (uint32_t i = 0; i < n; i++) {
        const XtfSchema *schema = xtf_trace_schema(copy->trace, i);
        retimed.outputs[i].strings = xtf_copy_string_references(schema);
        find_times(&retimed.outputs[i], schema);
    }
    bool good = copy_locations(&retimed, error);
    for (uint32_t i = 0; i < n; i++) {
        g_array_unref(retimed.outputs[i].strings);
        g_ptr_array_unref(retimed.outputs[i].instants);
    }
    g_array_unref(retimed.sides);
    g_free(retimed.outputs);
    return good;
}
