#include "src/model/process-properties.h"

#include "libxtf/trace.h"
#include "src/model/schemas.h"

static void clear_property(gpointer data)
{
    XtfProcessProperty *property = data;

    g_free(property->text);
}

static void clear_end(gpointer data)
{
    XtfEarlyEnd *end = data;

    g_free(end->why);
}

/* The number of the process in a row of the table of processes; the row where there is no such number. */
static uint32_t process_in(const XtfTable *processes, uint64_t row)
{
    const XtfField *proc = processes ? xtf_schema_field(processes->schema, "proc") : NULL;

    if (!proc || row >= processes->n_rows)
        return (uint32_t)row;
    return (uint32_t)xtf_field_get(proc, processes->rows + row * processes->schema->row_size);
}

static bool add(XtfTrace *trace, const XtfTable *processes, const XtfTable *table, const uint8_t *row,
                const char *wanted, GArray *found, GError **error)
{
    const XtfField *name = xtf_schema_field(table->schema, "name"), *value = xtf_schema_field(table->schema, "value"),
                   *owner = xtf_schema_field(table->schema, "owner");
    const char *key, *text;

    if (!name || !value || !owner)
        return true;
    if (!xtf_trace_string(trace, (uint32_t)xtf_field_get(name, row), &key, error))
        return false;
    if (!g_str_equal(key, wanted))
        return true;
    if (!xtf_trace_string(trace, (uint32_t)xtf_field_get(value, row), &text, error))
        return false;
    const XtfProcessProperty property = {.proc = process_in(processes, xtf_field_get(owner, row)),
                                         .text = g_strdup(text)};
    g_array_append_val(found, property);
    return true;
}

GArray *xtf_process_properties(XtfTrace *trace, const char *name, GError **error)
{
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(XtfProcessProperty));
    const XtfTable *processes, *table;

    g_array_set_clear_func(found, clear_property);
    if (!xtf_trace_table(trace, XTF_TABLE_PROCESSES, &processes, error) ||
        !xtf_trace_table(trace, XTF_TABLE_DEFINITION_PROPERTIES, &table, error))
        return NULL;
    for (uint64_t i = 0; table && i < table->n_rows; i++)
        if (!add(trace, processes, table, table->rows + i * table->schema->row_size, name, found, error))
            return NULL;
    return g_steal_pointer(&found);
}

GArray *xtf_early_ends(XtfTrace *trace, GError **error)
{
    g_autoptr(GArray) ends = g_array_new(FALSE, FALSE, sizeof(XtfEarlyEnd));
    g_autoptr(GArray) properties = xtf_process_properties(trace, XTF_RECORD_ENDED_EARLY, error);

    g_array_set_clear_func(ends, clear_end);
    for (guint i = 0; properties && i < properties->len; i++) {
        XtfProcessProperty *property = &g_array_index(properties, XtfProcessProperty, i);
        const XtfEarlyEnd end = {.proc = property->proc, .why = g_steal_pointer(&property->text)};
        g_array_append_val(ends, end);
    }
    return properties ? g_steal_pointer(&ends) : NULL;
}

const char *const xtf_missing_words[XTF_N_MISSING] = {
    [XTF_MISSING_LIBGOMP] = "libgomp", [XTF_MISSING_LIBOMP] = "libomp", [XTF_MISSING_LIBIOMP5] = "libiomp5",
    [XTF_MISSING_TEAMS] = "teams",     [XTF_MISSING_LOCKS] = "locks",   [XTF_MISSING_FUNCTIONS] = "functions",
};

unsigned xtf_missing_parse(const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, " ", XTF_N_MISSING + 1);
    unsigned missing = 0;

    for (unsigned i = 0; i < XTF_N_MISSING; i++)
        if (g_strv_contains((const char *const *)words, xtf_missing_words[i]))
            missing |= XTF_MISSING_BIT(i);
    return missing;
}

bool xtf_missing_of(XtfTrace *trace, unsigned *missing, GError **error)
{
    g_autoptr(GArray) properties = xtf_process_properties(trace, XTF_RECORD_MISSING, error);
    unsigned all = 0;

    if (!properties)
        return false;
    for (guint i = 0; i < properties->len; i++)
        all |= xtf_missing_parse(g_array_index(properties, XtfProcessProperty, i).text);
    *missing = all;
    return true;
}

static void add_part(GString *text, const char *part)
{
    g_string_append_printf(text, "%s%s", text->len ? ", " : "", part);
}

char *xtf_missing_text(unsigned missing)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (unsigned i = 0; i < XTF_MISSING_TEAMS; i++) {
        g_autofree char *part = g_strdup_printf("OpenMP (%s is loaded)", xtf_missing_words[i]);
        if (missing & XTF_MISSING_BIT(i))
            add_part(text, part);
    }
    if (!text->len && (missing & XTF_MISSING_BIT(XTF_MISSING_TEAMS)))
        add_part(text, "OpenMP");
    if (missing & XTF_MISSING_BIT(XTF_MISSING_LOCKS))
        add_part(text, "locks of threads (xtf record --locks)");
    if (missing & XTF_MISSING_BIT(XTF_MISSING_FUNCTIONS))
        add_part(text, "functions (-finstrument-functions)");
    return text->len ? g_string_free(g_steal_pointer(&text), FALSE) : NULL;
}
