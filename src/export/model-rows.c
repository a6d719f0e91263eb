#include "src/export/model-rows.h"

#include <string.h>

#include "libxtf/trace.h"

typedef struct {
    const XtfField *from; /* NULL: the trace lacks it */
    const XtfField *to;
    uint8_t *labels; /* the model's label for each of the trace's; NULL: values are no labels */
    uint32_t n_labels;
} Step;

struct XtfModelMap {
    const XtfSchema *to;
    bool same;
    Step steps[XTF_FIELDS_MAX];
};

/* True if values of both fields mean the same: the model's labels are the first of the trace's. */
static bool has_labels_of(const XtfField *from, const XtfField *to)
{
    if (from->n_labels < to->n_labels)
        return false;
    for (uint32_t i = 0; i < to->n_labels; i++)
        if (!g_str_equal(from->labels[i], to->labels[i]))
            return false;
    return to->n_labels > 0 || from->n_labels == 0;
}

static bool is_same(const XtfSchema *from, const XtfSchema *to)
{
    if (from->n_fields < to->n_fields || from->row_size < to->row_size)
        return false;
    for (uint32_t i = 0; i < to->n_fields; i++) {
        const XtfField *a = &from->fields[i], *b = &to->fields[i];
        if (!g_str_equal(a->name, b->name) || a->type != b->type || a->offset != b->offset || !has_labels_of(a, b) ||
            (a->flags & XTF_FIELD_OPTIONAL) != (b->flags & XTF_FIELD_OPTIONAL))
            return false;
    }
    return true;
}

static void map_labels(Step *step)
{
    step->n_labels = step->from->n_labels;
    step->labels = g_new(uint8_t, step->n_labels + 1);
    for (uint32_t i = 0; i < step->n_labels; i++) {
        step->labels[i] = XTF_NO_LABEL;
        for (uint32_t j = 0; j < step->to->n_labels && j < XTF_NO_LABEL; j++)
            if (g_str_equal(step->from->labels[i], step->to->labels[j]))
                step->labels[i] = (uint8_t)j;
    }
}

XtfModelMap *xtf_model_map_new(const XtfSchema *from, unsigned tag)
{
    XtfModelMap *map = g_new0(XtfModelMap, 1);

    map->to = xtf_model_schema(tag);
    map->same = is_same(from, map->to);
    for (uint32_t i = 0; i < map->to->n_fields; i++) {
        Step *step = &map->steps[i];
        step->to = &map->to->fields[i];
        step->from = xtf_schema_field(from, step->to->name);
        if (!step->from && *step->to->role)
            step->from = xtf_schema_field_by_role(from, step->to->role);
        if (step->from && (step->from->type == XTF_TYPE_STRING) != (step->to->type == XTF_TYPE_STRING))
            step->from = NULL;
        if (step->from && step->to->n_labels > 0 && step->from->n_labels > 0)
            map_labels(step);
    }
    return map;
}

void xtf_model_map_free(XtfModelMap *map)
{
    for (uint32_t i = 0; map && i < map->to->n_fields; i++)
        g_free(map->steps[i].labels);
    g_free(map);
}

static bool fits(const XtfField *to, uint64_t value)
{
    return to->width >= 8 || value >> (8 * to->width) == 0;
}

static uint64_t value_of(const Step *step, const uint8_t *row)
{
    const uint64_t none = step->to->flags & XTF_FIELD_OPTIONAL ? UINT64_MAX : 0;

    if (!step->from || xtf_field_is_none(step->from, row))
        return none;
    uint64_t value = xtf_field_get(step->from, row);
    if (step->labels)
        return value < step->n_labels ? step->labels[value] : MIN(value, (uint64_t)XTF_NO_LABEL);
    return fits(step->to, value) ? value : none;
}

const void *xtf_model_map_apply(const XtfModelMap *map, const uint8_t *row, uint8_t *buffer)
{
    if (map->same)
        return row;
    for (uint32_t i = 0; i < map->to->n_fields; i++)
        xtf_field_set(map->steps[i].to, buffer, value_of(&map->steps[i], row));
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
