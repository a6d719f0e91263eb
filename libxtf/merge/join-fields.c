#include "libxtf/merge/join-private.h"
#include "libxtf/trace.h"

/* Converts the value of a reference to that of the whole. */
static bool join_reference(const XtfPartJoin *part, const XtfJoinedRow *joined, const XtfReference *reference,
                           uint64_t *value, GError **error)
{
    uint32_t whole = 0;

    if (!reference->table) {
        bool good = xtf_part_join_string(part, *value, &whole, error);
        *value = whole;
        return good;
    }
    XtfJoinedTable *target = xtf_join_find_table(part->join, reference->table);
    const XtfPartTable *in_part = target ? &part->tables[target->schema->id] : NULL;
    uint32_t n = in_part && in_part->to ? in_part->n : 0;
    if (*value < n) {
        *value = in_part->rows[*value];
    } else if (target) {
        XtfBeyond beyond = {joined->table->to, target, joined->whole, reference->field, n, *value};
        g_array_append_val(part->join->beyond, beyond);
    }
    return true;
}

/* True if a value is "none" or an empty string. */
static bool is_missing(const XtfField *field, const uint8_t *row)
{
    return xtf_field_is_none(field, row) || (field->type == XTF_TYPE_STRING && xtf_field_get(field, row) == 0);
}

/* Fills the fields that the row of the whole lacks. Skips fields whose meaning another field selects. */
static bool fill_missing_fields(const XtfPartJoin *part, const XtfJoinedRow *joined, GError **error)
{
    const XtfJoinedTable *table = joined->table->to;
    const XtfSchema *schema = table->schema;
    const uint8_t *from = xtf_part_row(joined->table, joined->row);
    uint8_t *to = xtf_joined_at(table, joined->whole);

    for (uint32_t f = 0; f < schema->n_fields; f++) {
        const XtfField *field = &schema->fields[f];
        uint64_t value = xtf_field_get(field, from);
        if (!is_missing(field, to) || is_missing(field, from) || strchr(field->refers_to, ':'))
            continue;
        for (guint i = 0; i < table->references->len; i++) {
            const XtfReference *reference = xtf_reference_at(table->references, i);
            if (reference->field == f && !join_reference(part, joined, reference, &value, error))
                return false;
        }
        xtf_field_set(field, to, value);
    }
    return true;
}

static bool join_fields(const XtfPartJoin *part, const XtfJoinedRow *joined, GError **error)
{
    const XtfJoinedTable *table = joined->table->to;
    const XtfSchema *schema = table->schema;
    const uint8_t *from = xtf_part_row(joined->table, joined->row);
    uint8_t *to = xtf_joined_at(table, joined->whole);

    for (guint i = 0; i < table->references->len; i++) {
        const XtfReference *reference = xtf_reference_at(table->references, i);
        const XtfField *field = &schema->fields[reference->field];
        uint64_t value = xtf_field_get(field, from);
        if (!xtf_reference_holds(reference, schema, from) || xtf_join_list(part->join, schema, reference->field))
            continue;
        if (!join_reference(part, joined, reference, &value, error))
            return false;
        xtf_field_set(field, to, value);
    }
    return true;
}

/* Converts the references and strings in a part's rows to the whole's, and fills missing values. */
static bool join_all_fields(XtfPartJoin *part, GError **error)
{
    for (guint i = 0; i < part->joined->len; i++) {
        const XtfJoinedRow *joined = &g_array_index(part->joined, XtfJoinedRow, i);
        if (!(joined->first ? join_fields : fill_missing_fields)(part, joined, error))
            return false;
    }
    return true;
}

static void free_part_tables(XtfPartJoin *part)
{
    for (guint id = 0; id < part->join->schemas->len; id++) {
        g_free(part->tables[id].rows);
        g_free(part->tables[id].shifted);
    }
    g_free(part->tables);
    g_array_unref(part->joined);
}

/* Adds the part's shifts to the numbers of a table. */
static void shift_numbers(const XtfJoin *join, XtfPartTable *table)
{
    const XtfSchema *schema = table->to->schema;

    for (size_t i = 0; i < join->n_shifts; i++) {
        const XtfNumberShift *shift = &join->shifts[i];
        const XtfField *field =
            g_str_equal(shift->schema, schema->name) ? xtf_schema_field(schema, shift->field) : NULL;
        if (!field || shift->by == 0)
            continue;
        if (!table->shifted)
            table->from = table->shifted = g_memdup2(table->from, (size_t)table->n * schema->row_size);
        for (uint32_t row = 0; row < table->n; row++) {
            uint8_t *at = table->shifted + (size_t)row * schema->row_size;
            if (!xtf_field_is_none(field, at))
                xtf_field_set(field, at, xtf_field_get(field, at) + shift->by);
        }
    }
}

static bool load_tables(XtfPartJoin *part, const XtfPartMap *map, GError **error)
{
    for (uint32_t i = 0; i < map->n_schemas; i++) {
        const XtfSchema *schema = xtf_trace_schema(part->trace, i);
        XtfPartTable *table = &part->tables[map->schemas[i]];
        const XtfTable *loaded = NULL;
        if (schema->kind == XTF_SCHEMA_TABLE && !xtf_trace_table(part->trace, schema->name, &loaded, error))
            return false;
        if (!loaded)
            continue;
        *table = (XtfPartTable){
            .to = part->join->tables->pdata[map->schemas[i]],
            .from = loaded->rows,
            .n = (uint32_t)loaded->n_rows,
            .rows = g_new(uint32_t, loaded->n_rows),
        };
        for (uint32_t row = 0; row < table->n; row++)
            table->rows[row] = XTF_ROW_UNKNOWN;
        shift_numbers(part->join, table);
    }
    return true;
}

bool xtf_join_tables(XtfJoin *join, XtfTrace *trace, XtfPartMap *map, GError **error)
{
    XtfPartJoin part = {
        .join = join,
        .trace = trace,
        .tables = g_new0(XtfPartTable, join->schemas->len),
        .joined = g_array_new(FALSE, FALSE, sizeof(XtfJoinedRow)),
    };

    join->n_parts++;
    bool good = load_tables(&part, map, error) && xtf_part_join_rows(&part, error) && join_all_fields(&part, error);
    for (guint id = 0; good && id < map->n_whole; id++) {
        if (!part.tables[id].to)
            continue;
        map->rows[id] = g_steal_pointer(&part.tables[id].rows);
        map->n_rows[id] = part.tables[id].n;
    }
    free_part_tables(&part);
    return good;
}
