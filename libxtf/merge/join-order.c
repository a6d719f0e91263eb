#include <stdlib.h>

#include "libxtf/merge/join-private.h"

/* Returns the value of a field, mapped so that unsigned comparison orders it. */
static uint64_t order_value(const XtfField *field, const uint8_t *row)
{
    uint64_t value = xtf_field_get(field, row);
    bool has_sign = field->type == XTF_TYPE_I32 || field->type == XTF_TYPE_I64;

    return has_sign ? value ^ UINT64_C(1) << 63 : value;
}

static int compare_rows(const void *a, const void *b, void *data)
{
    const XtfJoinedTable *table = data;
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    for (uint32_t f = 0; f < table->schema->n_fields; f++) {
        const XtfField *field = &table->schema->fields[f];
        if (!(field->flags & XTF_FIELD_ORDERS))
            continue;
        uint64_t x = order_value(field, xtf_joined_at(table, left)),
                 y = order_value(field, xtf_joined_at(table, right));
        if (x != y)
            return x < y ? -1 : 1;
    }
    return (left > right) - (left < right);
}

static bool is_ordered(const XtfSchema *schema)
{
    for (uint32_t f = 0; f < schema->n_fields; f++)
        if (schema->fields[f].flags & XTF_FIELD_ORDERS)
            return true;
    return false;
}

/* Computes the rows' numbers in sorted order. The rows are moved after all references are updated. */
static void order_table(XtfJoinedTable *table)
{
    g_autofree uint32_t *sorted = g_new(uint32_t, table->n_rows);

    for (uint32_t i = 0; i < table->n_rows; i++)
        sorted[i] = i;
    if (table->n_rows > 0)
        qsort_r(sorted, table->n_rows, sizeof *sorted, compare_rows, table);
    table->order = g_new(uint32_t, table->n_rows);
    for (uint32_t i = 0; i < table->n_rows; i++)
        table->order[sorted[i]] = i;
}

/* Replaces arrival numbers by sorted numbers in the references of a field. */
static void update_references(const XtfJoin *join, const XtfJoinedTable *table, const XtfReference *reference)
{
    const XtfJoinedTable *target = reference->table ? xtf_join_find_table(join, reference->table) : NULL;
    const XtfField *field = &table->schema->fields[reference->field];

    if (!target || !target->order)
        return;
    for (uint32_t row = 0; row < table->n_rows; row++) {
        uint8_t *at = xtf_joined_at(table, row);
        uint64_t value = xtf_field_get(field, at);
        if (value < target->n_rows && xtf_reference_holds(reference, table->schema, at))
            xtf_field_set(field, at, target->order[value]);
    }
}

/* Maps references to rows that do not exist to numbers without a row in the whole. */
static void map_dangling_references(const XtfJoin *join)
{
    for (guint i = 0; i < join->beyond->len; i++) {
        const XtfBeyond *beyond = &g_array_index(join->beyond, XtfBeyond, i);
        const XtfField *field = &beyond->table->schema->fields[beyond->field];
        const XtfNumberMap map = {.n = beyond->n, .n_all = beyond->target->n_rows};
        xtf_field_set(field, xtf_joined_at(beyond->table, beyond->row), xtf_number_map(&map, beyond->number));
    }
}

static void move_rows(XtfJoinedTable *table)
{
    uint32_t row_size = table->schema->row_size;
    g_autoptr(GByteArray) moved = g_byte_array_sized_new(table->rows->len);

    g_byte_array_set_size(moved, table->rows->len);
    for (uint32_t row = 0; row < table->n_rows; row++)
        memcpy(moved->data + (size_t)table->order[row] * row_size, xtf_joined_at(table, row), row_size);
    g_byte_array_unref(table->rows);
    table->rows = g_steal_pointer(&moved);
}

/* Checks that fields are wide enough for numbers with a row, numbers without a row, and "none": see xtf_number_map().
 */
static bool check_widths(const XtfJoin *join, const XtfSchema *schema, GError **error)
{
    g_autoptr(GArray) references = xtf_schema_references(schema);

    for (guint i = 0; i < references->len; i++) {
        const XtfReference *reference = xtf_reference_at(references, i);
        const XtfField *field = &schema->fields[reference->field];
        const XtfJoinedTable *target = reference->table ? xtf_join_find_table(join, reference->table) : NULL;
        if (target && field->width < 8 && UINT64_C(2) * target->n_rows >= UINT64_C(1) << 8 * field->width)
            return xtf_fail(error, XTF_ERROR_TOO_LARGE,
                            "table \"%s\" has %u rows in all parts, too many for field \"%s\" of \"%s\"",
                            target->schema->name, target->n_rows, field->name, schema->name);
    }
    return true;
}

bool xtf_join_finish_tables(XtfJoin *join, GError **error)
{
    for (guint id = 0; id < join->schemas->len; id++) {
        XtfJoinedTable *table = join->tables->pdata[id];
        if (!check_widths(join, join->schemas->pdata[id], error))
            return false;
        if (table && !join->keeps_order && !table->is_list && is_ordered(table->schema))
            order_table(table);
    }
    for (guint id = 0; id < join->schemas->len; id++) {
        const XtfJoinedTable *table = join->tables->pdata[id];
        for (guint i = 0; table && i < table->references->len; i++)
            update_references(join, table, xtf_reference_at(table->references, i));
    }
    map_dangling_references(join);
    for (guint id = 0; id < join->schemas->len; id++) {
        XtfJoinedTable *table = join->tables->pdata[id];
        if (table && table->order)
            move_rows(table);
    }
    return true;
}
