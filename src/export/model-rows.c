#include "src/export/model-rows.h"

#include <string.h>

#include "libxtf/trace.h"

typedef struct {
    const XtfField *from; /* NULL: the trace lacks the field */
    const XtfField *to;
    uint8_t *labels; /* by label of the trace: label of the model; NULL: values are no labels */
    uint32_t n_labels;
} FieldMap;

struct XtfModelMap {
    const XtfSchema *to;
    bool same;
    FieldMap fields[XTF_FIELDS_MAX];
};

/* True if values of both fields mean the same: the model's labels are the first of the trace's. */
static bool has_same_labels(const XtfField *from, const XtfField *to)
{
    if (from->n_labels < to->n_labels)
        return false;
    for (uint32_t i = 0; i < to->n_labels; i++)
        if (!g_str_equal(from->labels[i], to->labels[i]))
            return false;
    return to->n_labels > 0 || from->n_labels == 0;
}

static bool has_same_layout(const XtfSchema *from, const XtfSchema *to)
{
    if (from->n_fields < to->n_fields || from->row_size < to->row_size)
        return false;
    for (uint32_t i = 0; i < to->n_fields; i++) {
        const XtfField *a = &from->fields[i], *b = &to->fields[i];
        if (!g_str_equal(a->name, b->name) || a->type != b->type || a->offset != b->offset || !has_same_labels(a, b) ||
            (a->flags & XTF_FIELD_OPTIONAL) != (b->flags & XTF_FIELD_OPTIONAL))
            return false;
    }
    return true;
}

static void map_labels(FieldMap *field_map)
{
    field_map->n_labels = field_map->from->n_labels;
    field_map->labels = g_new(uint8_t, field_map->n_labels + 1);
    for (uint32_t i = 0; i < field_map->n_labels; i++) {
        field_map->labels[i] = XTF_NO_LABEL;
        for (uint32_t j = 0; j < field_map->to->n_labels && j < XTF_NO_LABEL; j++)
            if (g_str_equal(field_map->from->labels[i], field_map->to->labels[j]))
                field_map->labels[i] = (uint8_t)j;
    }
}

XtfModelMap *xtf_model_map_new(const XtfSchema *from, unsigned tag)
{
    XtfModelMap *map = g_new0(XtfModelMap, 1);

    map->to = xtf_model_schema(tag);
    map->same = has_same_layout(from, map->to);
    for (uint32_t i = 0; i < map->to->n_fields; i++) {
        FieldMap *field_map = &map->fields[i];
        field_map->to = &map->to->fields[i];
        field_map->from = xtf_schema_field(from, field_map->to->name);
        if (!field_map->from && *field_map->to->role)
            field_map->from = xtf_schema_field_by_role(from, field_map->to->role);
        if (field_map->from && (field_map->from->type == XTF_TYPE_STRING) != (field_map->to->type == XTF_TYPE_STRING))
            field_map->from = NULL;
        if (field_map->from && field_map->to->n_labels > 0 && field_map->from->n_labels > 0)
            map_labels(field_map);
    }
    return map;
}

void xtf_model_map_free(XtfModelMap *map)
{
    for (uint32_t i = 0; map && i < map->to->n_fields; i++)
        g_free(map->fields[i].labels);
    g_free(map);
}

static bool fits_field(const XtfField *to, uint64_t value)
{
    return to->width >= 8 || value >> (8 * to->width) == 0;
}

static uint64_t map_value(const FieldMap *field_map, const uint8_t *row)
{
    const uint64_t none = field_map->to->flags & XTF_FIELD_OPTIONAL ? UINT64_MAX : 0;

    if (!field_map->from || xtf_field_is_none(field_map->from, row))
        return none;
    uint64_t value = xtf_field_get(field_map->from, row);
    if (field_map->labels)
        return value < field_map->n_labels ? field_map->labels[value] : MIN(value, (uint64_t)XTF_NO_LABEL);
    return fits_field(field_map->to, value) ? value : none;
}

const void *xtf_model_map_apply(const XtfModelMap *map, const uint8_t *row, uint8_t *buffer)
{
    if (map->same)
        return row;
    for (uint32_t i = 0; i < map->to->n_fields; i++)
        xtf_field_set(map->fields[i].to, buffer, map_value(&map->fields[i], row));
    return buffer;
}

int xtf_model_map_tag(const XtfSchema *schema)
{
    for (unsigned tag = 0; tag < XTF_N_ARRAY_TYPES; tag++)
        if (xtf_model_schema(tag)->kind == schema->kind && g_str_equal(xtf_model_schema(tag)->name, schema->name))
            return (int)tag;
    return -1;
}

const char *xtf_model_label(const char *const *labels, uint64_t number)
{
    for (; number > 0 && *labels; number--)
        labels++;
    return *labels ? *labels : "";
}

bool xtf_model_table_load(XtfModelTable *table, XtfTrace *trace, unsigned tag, GError **error)
{
    *table = (XtfModelTable){0};
    if (!xtf_trace_table(trace, xtf_model_schema(tag)->name, &table->table, error))
        return false;
    if (table->table) {
        table->map = xtf_model_map_new(table->table->schema, tag);
        table->n = table->table->n_rows;
    }
    return true;
}

void xtf_model_table_finish(XtfModelTable *table)
{
    g_clear_pointer(&table->map, xtf_model_map_free);
}

const void *xtf_model_table_row(const XtfModelTable *table, uint64_t i, uint8_t *buffer)
{
    return xtf_model_map_apply(table->map, table->table->rows + i * table->table->schema->row_size, buffer);
}
