#include "src/record/launch/process-table.h"

#include <inttypes.h>
#include <string.h>

#include "libxtf/trace.h"
#include "src/model/schemas.h"

#define OWNER_PROCESS "LOCATION_GROUP"
#define TYPE_STRING   "STRING"

static void clear_process(gpointer data)
{
    XtfRecordedProcess *process = data;

    g_hash_table_unref(process->properties);
}

static void add_process(GArray *processes, guint32 number)
{
    const XtfRecordedProcess process = {.number = number,
                                        .properties = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)};

    g_array_append_val(processes, process);
}

static bool has_label(const XtfField *field, const uint8_t *row, const char *label)
{
    uint64_t value = field ? xtf_field_get(field, row) : 0;
    const char *text = field && value < field->n_labels ? field->labels[value] : NULL;

    return text && g_str_equal(text, label);
}

static bool read_property(XtfTrace *trace, const XtfTable *table, const uint8_t *row, GArray *processes, GError **error)
{
    const XtfSchema *schema = table->schema;
    const XtfField *owner = xtf_schema_field(schema, "owner"), *name = xtf_schema_field(schema, "name"),
                   *value = xtf_schema_field(schema, "value");
    const char *key, *text;

    if (!owner || !name || !value || !has_label(xtf_schema_field(schema, "of"), row, OWNER_PROCESS) ||
        !has_label(xtf_schema_field(schema, "type"), row, TYPE_STRING))
        return true;
    uint64_t number = xtf_field_get(owner, row);
    if (number >= processes->len)
        return true;
    if (!xtf_trace_string(trace, (uint32_t)xtf_field_get(name, row), &key, error) ||
        !xtf_trace_string(trace, (uint32_t)xtf_field_get(value, row), &text, error))
        return false;
    g_hash_table_replace(g_array_index(processes, XtfRecordedProcess, number).properties, g_strdup(key),
                         g_strdup(text));
    return true;
}

static int compare_numbers(gconstpointer a, gconstpointer b)
{
    const XtfRecordedProcess *first = a, *second = b;

    return (first->number > second->number) - (first->number < second->number);
}

GArray *xtf_recorded_processes(XtfTrace *trace, GError **error)
{
    g_autoptr(GArray) processes = g_array_new(FALSE, FALSE, sizeof(XtfRecordedProcess));
    const XtfTable *table, *properties;

    g_array_set_clear_func(processes, clear_process);
    if (!xtf_trace_table(trace, XTF_TABLE_PROCESSES, &table, error) ||
        !xtf_trace_table(trace, XTF_TABLE_DEFINITION_PROPERTIES, &properties, error))
        return NULL;
    const XtfField *proc = table ? xtf_schema_field(table->schema, "proc") : NULL;
    for (uint64_t i = 0; proc && i < table->n_rows; i++)
        add_process(processes, (guint32)xtf_field_get(proc, table->rows + i * table->schema->row_size));
    for (uint64_t i = 0; properties && i < properties->n_rows; i++)
        if (!read_property(trace, properties, properties->rows + i * properties->schema->row_size, processes, error))
            return NULL;
    g_array_sort(processes, compare_numbers);
    return g_steal_pointer(&processes);
}

static int compare_texts(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char **xtf_recorded_names(const GArray *processes, const char *prefix)
{
    g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
    GPtrArray *sorted = g_ptr_array_new();
    GHashTableIter iter;
    gpointer name;

    for (guint i = 0; i < processes->len; i++) {
        g_hash_table_iter_init(&iter, g_array_index(processes, XtfRecordedProcess, i).properties);
        while (g_hash_table_iter_next(&iter, &name, NULL))
            if (g_str_has_prefix(name, prefix) && g_hash_table_add(names, name))
                g_ptr_array_add(sorted, g_strdup((const char *)name + strlen(prefix)));
    }
    g_ptr_array_sort(sorted, compare_texts);
    g_ptr_array_add(sorted, NULL);
    return (char **)g_ptr_array_free(sorted, FALSE);
}

const char *xtf_recorded_text(const XtfRecordedProcess *process, const char *name)
{
    return g_hash_table_lookup(process->properties, name);
}

guint64 xtf_recorded_number(const XtfRecordedProcess *process, const char *name)
{
    const char *text = xtf_recorded_text(process, name);

    return text ? g_ascii_strtoull(text, NULL, 10) : 0;
}

guint64 xtf_recorded_n_records(const XtfTrace *trace)
{
    guint64 n = 0;

    for (uint32_t i = 0; i < xtf_trace_n_schemas(trace); i++)
        if (xtf_trace_schema(trace, i)->kind == XTF_SCHEMA_RECORD)
            n += xtf_trace_n_rows(trace, i);
    return n;
}

char *xtf_process_ranges(const GArray *numbers)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (guint i = 0; i < numbers->len;) {
        guint32 first = g_array_index(numbers, guint32, i), last = first;
        for (i++; i < numbers->len && g_array_index(numbers, guint32, i) == last + 1; i++)
            last++;
        g_string_append_printf(text, "%s%" PRIu32, text->len > 0 ? "," : "", first);
        if (last > first)
            g_string_append_printf(text, "-%" PRIu32, last);
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}
