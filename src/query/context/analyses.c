#include "src/query/context/analyses.h"

#include "libxtf/vocabulary.h"

static bool any_derived(const XtfTrace *trace)
{
    for (uint32_t i = 0; i < xtf_trace_n_schemas(trace); i++)
        if (xtf_trace_schema(trace, i)->kind == XTF_SCHEMA_DERIVED)
            return true;
    return false;
}

/* Marks the type that a row names, if the row names other clocks. */
static bool judge_row(XtfTrace *trace, uint64_t name, bool current, bool **outdated, GError **error)
{
    const char *text;

    if (!xtf_trace_string(trace, (uint32_t)name, &text, error))
        return false;
    const XtfSchema *schema = xtf_trace_find_schema(trace, text);
    if (current || !schema || schema->kind != XTF_SCHEMA_DERIVED)
        return true;
    if (!*outdated)
        *outdated = g_new0(bool, xtf_trace_n_schemas(trace));
    (*outdated)[schema->id] = true;
    return true;
}

bool xtf_analyses_find_outdated(XtfTrace *trace, bool **outdated, GError **error)
{
    g_autofree bool *found = NULL;
    const XtfTable *table;
    uint64_t digest;

    *outdated = NULL;
    if (!any_derived(trace))
        return true;
    if (!xtf_trace_table(trace, XTF_TABLE_ANALYSES, &table, error))
        return false;
    const XtfField *records = table ? xtf_schema_field(table->schema, "records") : NULL;
    const XtfField *clocks = table ? xtf_schema_field(table->schema, "clocks") : NULL;
    if (!records || !clocks || records->type != XTF_TYPE_STRING || table->n_rows == 0)
        return true;
    if (!xtf_trace_clocks_digest(trace, &digest, error))
        return false;
    for (uint64_t i = 0; i < table->n_rows; i++) {
        const uint8_t *row = table->rows + i * table->schema->row_size;
        if (!judge_row(trace, xtf_field_get(records, row), xtf_field_get(clocks, row) == digest, &found, error))
            return false;
    }
    *outdated = g_steal_pointer(&found);
    return true;
}

bool xtf_analyses_find_tool(XtfTrace *trace, const char *records, const char **tool, GError **error)
{
    const XtfTable *table;
    const char *name;

    *tool = NULL;
    if (!xtf_trace_table(trace, XTF_TABLE_ANALYSES, &table, error))
        return false;
    const XtfField *names = table ? xtf_schema_field(table->schema, "records") : NULL;
    const XtfField *tools = table ? xtf_schema_field(table->schema, "tool") : NULL;
    if (!names || !tools || names->type != XTF_TYPE_STRING || tools->type != XTF_TYPE_STRING)
        return true;
    for (uint64_t i = 0; i < table->n_rows && !*tool; i++) {
        const uint8_t *row = table->rows + i * table->schema->row_size;
        if (!xtf_trace_string(trace, (uint32_t)xtf_field_get(names, row), &name, error))
            return false;
        if (g_str_equal(name, records) && !xtf_trace_string(trace, (uint32_t)xtf_field_get(tools, row), tool, error))
            return false;
    }
    return true;
}
