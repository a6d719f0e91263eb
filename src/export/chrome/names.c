#include "src/export/chrome/names.h"

#include <string.h>

#include "libxtf/trace.h"
#include "src/export/chrome/json-file.h"

enum { OF_PROCESS = 1, OF_LOCATION = 2 }; /* indices in xtf_property_owners */

const char *xtf_chrome_string(XtfChromeExportNames *names, uint32_t string, GError **error)
{
    const char *text;

    return xtf_trace_string(names->trace, string, &text, error) ? text : NULL;
}

static void insert_number(GHashTable *table, uint64_t key, uint64_t value)
{
    g_hash_table_insert(table, g_memdup2(&key, sizeof key), g_memdup2(&value, sizeof value));
}

static GHashTable *new_table(void)
{
    return g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
}

static bool load_places(XtfChromeExportNames *names, GError **error)
{
    XtfModelTable processes, locations;
    uint8_t buffer[XTF_ROW_MAX];

    if (!xtf_model_table_load(&processes, names->trace, XTF_MODEL_PROCESSES, error))
        return false;
    for (uint64_t i = 0; i < processes.n; i++) {
        const XtfProcessRow *row = xtf_model_table_row(&processes, i, buffer);
        insert_number(names->processes, row->proc, row->name);
    }
    xtf_model_table_finish(&processes);
    if (!xtf_model_table_load(&locations, names->trace, XTF_MODEL_LOCATIONS, error))
        return false;
    for (uint64_t i = 0; i < locations.n; i++) {
        const XtfLocationRow *row = xtf_model_table_row(&locations, i, buffer);
        insert_number(names->threads, row->id, row->name);
    }
    xtf_model_table_finish(&locations);
    return true;
}

/* Loads the sort indices of processes and threads. */
static bool load_orders(XtfChromeExportNames *names, GError **error)
{
    XtfModelTable properties, processes;
    uint8_t buffer[XTF_ROW_MAX], process[XTF_ROW_MAX];
    bool good = true;

    if (!xtf_model_table_load(&properties, names->trace, XTF_MODEL_DEFINITION_PROPERTIES, error))
        return false;
    if (!xtf_model_table_load(&processes, names->trace, XTF_MODEL_PROCESSES, error)) {
        xtf_model_table_finish(&properties);
        return false;
    }
    for (uint64_t i = 0; i < properties.n && good; i++) {
        const XtfDefinitionPropertyRow *row = xtf_model_table_row(&properties, i, buffer);
        const char *name = xtf_chrome_string(names, row->name, error);
        good = name;
        if (!good || strcmp(name, "sort_index") != 0)
            continue;
        if (row->of == OF_LOCATION)
            insert_number(names->thread_orders, row->owner, row->value);
        else if (row->of == OF_PROCESS && row->owner < processes.n)
            insert_number(names->process_orders,
                          ((const XtfProcessRow *)xtf_model_table_row(&processes, row->owner, process))->proc,
                          row->value);
    }
    xtf_model_table_finish(&processes);
    xtf_model_table_finish(&properties);
    return good;
}

bool xtf_chrome_export_names_load(XtfChromeExportNames *names, XtfTrace *trace, GError **error)
{
    *names = (XtfChromeExportNames){.trace = trace,
                                    .processes = new_table(),
                                    .threads = new_table(),
                                    .process_orders = new_table(),
                                    .thread_orders = new_table()};
    if (!xtf_model_table_load(&names->regions, trace, XTF_MODEL_REGIONS, error) ||
        !xtf_model_table_load(&names->metrics, trace, XTF_MODEL_METRICS, error) ||
        !xtf_model_table_load(&names->attributes, trace, XTF_MODEL_ATTRIBUTE_DEFINITIONS, error) ||
        !load_places(names, error) || !load_orders(names, error))
        return false;
    names->calls = g_new0(char *, names->regions.n + 1);
    return true;
}

void xtf_chrome_export_names_finish(XtfChromeExportNames *names)
{
    if (!names->trace)
        return;
    for (uint64_t i = 0; names->calls && i < names->regions.n; i++)
        g_free(names->calls[i]);
    g_free(names->calls);
    xtf_model_table_finish(&names->regions);
    xtf_model_table_finish(&names->metrics);
    xtf_model_table_finish(&names->attributes);
    g_hash_table_unref(names->processes);
    g_hash_table_unref(names->threads);
    g_hash_table_unref(names->process_orders);
    g_hash_table_unref(names->thread_orders);
    names->trace = NULL;
}

/* Makes the members of a region. Its category is its paradigm, or else its description. */
static char *make_call_names(XtfChromeExportNames *names, uint32_t region, GError **error)
{
    uint8_t buffer[XTF_ROW_MAX];
    const XtfRegionRow *row = xtf_model_table_row(&names->regions, region, buffer);
    const char *name = xtf_chrome_string(names, row->name, error),
               *description = name ? xtf_chrome_string(names, row->description, error) : NULL;

    if (!description)
        return NULL;
    g_autoptr(GString) members = g_string_new("\"name\":");
    xtf_json_append_text(members, name);
    const char *category = row->paradigm > 0 ? xtf_model_label(xtf_paradigm_names, row->paradigm) : description;
    if (*category) {
        g_string_append(members, ",\"cat\":");
        xtf_json_append_text(members, category);
    }
    return g_string_free(g_steal_pointer(&members), FALSE);
}

const char *xtf_chrome_call_names(XtfChromeExportNames *names, uint32_t region, GError **error)
{
    if (region >= names->regions.n)
        return "\"name\":\"?\"";
    if (!names->calls[region])
        names->calls[region] = make_call_names(names, region, error);
    return names->calls[region];
}

const char *xtf_chrome_metric_name(XtfChromeExportNames *names, uint32_t metric, GError **error)
{
    uint8_t buffer[XTF_ROW_MAX];

    if (metric >= names->metrics.n)
        return "";
    const XtfMetricRow *row = xtf_model_table_row(&names->metrics, metric, buffer);
    return xtf_chrome_string(names, row->name, error);
}

const char *xtf_chrome_attribute_name(XtfChromeExportNames *names, uint32_t attribute, GError **error)
{
    uint8_t buffer[XTF_ROW_MAX];

    if (attribute >= names->attributes.n)
        return "";
    const XtfAttributeDefinitionRow *row = xtf_model_table_row(&names->attributes, attribute, buffer);
    return xtf_chrome_string(names, row->name, error);
}
