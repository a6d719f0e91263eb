#include "src/trace/context/analyses.h"

#include <string.h>

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"

#define CUT_AT ", call paths up to level "

static bool has_derived_schema(const XtfTrace *trace)
{
    for (uint32_t i = 0; i < xtf_trace_n_schemas(trace); i++)
        if (xtf_trace_schema(trace, i)->kind == XTF_SCHEMA_DERIVED)
            return true;
    return false;
}

static const XtfField *field_of(const XtfTable *table, const char *name, XtfType type)
{
    const XtfField *field = xtf_schema_field(table->schema, name);

    return field && field->type == type ? field : NULL;
}

static bool read_analyses(XtfTrace *trace, const XtfTable *table, GArray *analyses, GError **error)
{
    const XtfField *records = field_of(table, "records", XTF_TYPE_STRING);
    const XtfField *clocks = field_of(table, "clocks", XTF_TYPE_U64);
    const XtfField *tool = field_of(table, "tool", XTF_TYPE_STRING);

    for (uint64_t i = 0; records && clocks && tool && i < table->n_rows; i++) {
        const uint8_t *row = table->rows + i * table->schema->row_size;
        XtfAnalysisEntry entry = {.clocks = xtf_field_get(clocks, row)};
        if (!xtf_trace_string(trace, (uint32_t)xtf_field_get(records, row), &entry.records, error) ||
            !xtf_trace_string(trace, (uint32_t)xtf_field_get(tool, row), &entry.tool, error))
            return false;
        g_array_append_val(analyses, entry);
    }
    return true;
}

GArray *xtf_analyses_read(XtfTrace *trace, GError **error)
{
    g_autoptr(GArray) analyses = g_array_new(FALSE, FALSE, sizeof(XtfAnalysisEntry));
    const XtfTable *table;

    if (!xtf_trace_table(trace, XTF_TABLE_ANALYSES, &table, error))
        return NULL;
    return !table || read_analyses(trace, table, analyses, error) ? g_steal_pointer(&analyses) : NULL;
}

bool xtf_analyses_find_outdated(XtfTrace *trace, bool **outdated, GError **error)
{
    g_autofree bool *flags = NULL;
    uint64_t digest;

    *outdated = NULL;
    if (!has_derived_schema(trace))
        return true;
    g_autoptr(GArray) analyses = xtf_analyses_read(trace, error);
    if (!analyses)
        return false;
    if (analyses->len > 0 && !xtf_trace_clocks_digest(trace, &digest, error))
        return false;
    for (guint i = 0; i < analyses->len; i++) {
        const XtfSchema *schema = xtf_trace_find_schema(trace, xtf_analyses_at(analyses, i)->records);
        if (xtf_analyses_at(analyses, i)->clocks == digest || !schema || schema->kind != XTF_SCHEMA_DERIVED)
            continue;
        flags = flags ? flags : g_new0(bool, xtf_trace_n_schemas(trace));
        flags[schema->id] = true;
    }
    *outdated = g_steal_pointer(&flags);
    return true;
}

bool xtf_analyses_find_tool(XtfTrace *trace, const char *records, const char **tool, GError **error)
{
    g_autoptr(GArray) analyses = xtf_analyses_read(trace, error);

    if (!analyses)
        return false;
    *tool = NULL;
    for (guint i = 0; i < analyses->len && !*tool; i++)
        if (g_str_equal(xtf_analyses_at(analyses, i)->records, records))
            *tool = xtf_analyses_at(analyses, i)->tool;
    return true;
}

bool xtf_analyses_find_waits(XtfTrace *trace, bool *exist, bool *shown, GError **error)
{
    const XtfSchema *waits = xtf_trace_find_schema(trace, XTF_DERIVED_WAITS);
    g_autofree bool *outdated = NULL;

    *exist = waits;
    *shown = false;
    if (waits && !xtf_analyses_find_outdated(trace, &outdated, error))
        return false;
    *shown = waits && !(outdated && outdated[waits->id]);
    return true;
}

char *xtf_analyses_cut_tool(const char *tool, uint32_t levels)
{
    return g_strdup_printf("%s" CUT_AT "%u", tool, levels);
}

bool xtf_analyses_is_cut(const char *tool)
{
    return strstr(tool, CUT_AT);
}
