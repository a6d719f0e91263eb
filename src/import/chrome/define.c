/*
 * Adds all definitions after the last event, and creates the output.
 */
#include <inttypes.h>
#include <string.h>

#include "src/import/chrome/import.h"
#include "src/import/chrome/importer.h"
#include "src/import/definitions/source-order.h"

enum {
    CPU_THREAD = 1,     /* index in xtf_location_types */
    PROCESS = 1,        /* index in xtf_process_types */
    OTHER_METRIC = 0,   /* index in xtf_metric_types */
    ABSOLUTE_LAST = 33, /* index in xtf_metric_modes */
    ASYNCHRONOUS = 2,   /* index in xtf_metric_occurrences */
    OF_PROCESS = 1,     /* indices in xtf_property_owners */
    OF_LOCATION = 2,
    TYPES = 32, /* distance of the ids of attributes of two names */
    TICKS_PER_SECOND = 1000000000,
};

static uint32_t text_id(XtfChromeImport *import, const char *text)
{
    return xtf_definitions_intern_string(&import->definitions, text);
}

static uint32_t name_id(XtfChromeImport *import, uint32_t number)
{
    return text_id(import, xtf_chrome_name_at(&import->names, number)->text);
}

static void add_property(XtfChromeImport *import, const char *name, const char *value)
{
    const XtfPropertyRow row = {.name = text_id(import, name), .value = text_id(import, value)};

    xtf_definitions_add(&import->definitions, XTF_MODEL_PROPERTIES, &row);
}

static void add_properties(XtfChromeImport *import)
{
    g_autoptr(GList) names = g_list_sort(g_hash_table_get_keys(import->properties), (GCompareFunc)strcmp);

    add_property(import, "source", import->job->importer->name);
    add_property(import, XTF_CHROME_ID, import->identity);
    for (const GList *name = names; name; name = name->next)
        if (strcmp(name->data, "source") != 0 && strcmp(name->data, XTF_CHROME_ID) != 0)
            add_property(import, name->data, g_hash_table_lookup(import->properties, name->data));
}

/* ---- Processes and threads. */

static void add_owned(XtfChromeImport *import, unsigned of, uint64_t owner, const char *name, unsigned type,
                      uint64_t value)
{
    const XtfDefinitionPropertyRow row = {
        .of = (uint8_t)of, .owner = owner, .type = (uint8_t)type, .value = value, .name = text_id(import, name)};

    xtf_definitions_add_part(&import->definitions, XTF_MODEL_DEFINITION_PROPERTIES, &row);
}

static void define_process(XtfChromeImport *import, uint32_t i)
{
    const XtfChromeProcess *process = xtf_chrome_process_at(&import->places, i);
    const char *text = process->pid.is_text ? xtf_chrome_name_at(&import->names, process->pid.value)->text : NULL;
    g_autofree char *name = process->name ? g_strdup(xtf_chrome_name_at(&import->names, process->name)->text)
                            : text        ? g_strdup(text)
                                          : g_strdup_printf("process %" PRIu32, process->proc);
    const XtfProcessRow row = {.proc = process->proc,
                               .id = process->row,
                               .type = PROCESS,
                               .system_tree_node = XTF_NONE32,
                               .creator = XTF_NONE32,
                               .name = text_id(import, name)};

    xtf_definitions_add(&import->definitions, XTF_MODEL_PROCESSES, &row);
    if (process->has_order)
        add_owned(import, OF_PROCESS, process->row, "sort_index", XTF_CHROME_INT64, (uint64_t)process->order);
    if (process->labels)
        add_owned(import, OF_PROCESS, process->row, "labels", XTF_CHROME_STRING, name_id(import, process->labels));
}

static uint64_t location_key(const XtfChromeImport *import, const XtfChromeLocation *location)
{
    return (uint64_t)xtf_chrome_process_at(&import->places, location->process)->proc << 32 | location->thread;
}

static void define_location(XtfChromeImport *import, uint32_t i)
{
    const XtfChromeLocation *location = xtf_chrome_location_at(&import->places, i);
    const XtfChromeProcess *process = xtf_chrome_process_at(&import->places, location->process);
    const char *text = location->tid.is_text ? xtf_chrome_name_at(&import->names, location->tid.value)->text : NULL;
    g_autofree char *name = location->name ? g_strdup(xtf_chrome_name_at(&import->names, location->name)->text)
                            : text         ? g_strdup(text)
                                           : g_strdup_printf("thread %" PRIu32, location->thread);
    const XtfLocationRow row = {.id = location_key(import, location),
                                .proc = process->proc,
                                .thread = location->thread,
                                .process = process->row,
                                .type = CPU_THREAD,
                                .name = text_id(import, name)};

    xtf_definitions_add(&import->definitions, XTF_MODEL_LOCATIONS, &row);
    if (location->has_order)
        add_owned(import, OF_LOCATION, row.id, "sort_index", XTF_CHROME_INT64, (uint64_t)location->order);
}

/* Adds the communicator of all processes, in which flows are messages. A process without a location has no member. */
static void add_communicator(XtfChromeImport *import)
{
    const XtfChromePlaces *places = &import->places;
    g_autofree XtfMemberRow *members = g_new0(XtfMemberRow, (gsize)places->processes->len + 1);
    XtfGroupRow group = {.type = XTF_GROUP_TYPE_COMM_LOCATIONS, .name = text_id(import, "processes")};
    const XtfCommunicatorRow communicator = {
        .remote_group = XTF_NONE32, .parent = XTF_NONE32, .name = text_id(import, "flows")};

    for (guint i = 0; i < places->processes->len; i++) {
        const XtfChromeProcess *process = xtf_chrome_process_at(places, places->process_order[i]);
        bool has = process->location != UINT32_MAX;
        members[i].proc = process->proc;
        members[i].member = has ? location_key(import, xtf_chrome_location_at(places, process->location)) : XTF_NONE64;
    }
    xtf_definitions_add_list(&import->definitions, XTF_MODEL_GROUPS, &group, XTF_MODEL_MEMBERS, members,
                             places->processes->len);
    xtf_definitions_add(&import->definitions, XTF_MODEL_COMMUNICATORS, &communicator);
}

/* ---- Names. */

/* Returns the paradigm that a category names; UNKNOWN for any other category. */
static uint8_t paradigm_of(const char *category)
{
    for (unsigned i = 0; xtf_paradigm_names[i]; i++)
        if (strcmp(xtf_paradigm_names[i], category) == 0)
            return (uint8_t)i;
    return 0;
}

static void define_region(XtfChromeImport *import, uint32_t number)
{
    const XtfChromeName *name = xtf_chrome_name_at(&import->names, number);
    const char *category = xtf_chrome_name_at(&import->names, name->category)->text;
    const XtfRegionDefinitionRow row = {.id = number,
                                        .region = number,
                                        .line = XTF_NONE32,
                                        .end_line = XTF_NONE32,
                                        .paradigm = paradigm_of(category),
                                        .canonical = XTF_NONE32,
                                        .description = *category ? text_id(import, category) : XTF_NONE32,
                                        .file = XTF_NONE32,
                                        .name = text_id(import, name->text)};

    xtf_definitions_add(&import->definitions, XTF_MODEL_REGION_DEFINITIONS, &row);
}

static void add_attributes(XtfChromeImport *import, uint32_t number)
{
    const XtfChromeName *name = xtf_chrome_name_at(&import->names, number);

    for (unsigned type = 0; type < TYPES; type++) {
        const XtfAttributeDefinitionRow row = {.id = number * TYPES + type,
                                               .type = (uint8_t)type,
                                               .description = XTF_NONE32,
                                               .name = text_id(import, name->text)};
        if (name->attribute_types >> type & 1)
            xtf_definitions_add(&import->definitions, XTF_MODEL_ATTRIBUTE_DEFINITIONS, &row);
    }
}

static void add_metrics(XtfChromeImport *import)
{
    for (uint32_t i = 0; i < import->metrics->len; i++) {
        const XtfChromeMetric *metric = &g_array_index(import->metrics, XtfChromeMetric, i);
        const XtfMetricRow row = {.id = i,
                                  .type = OTHER_METRIC,
                                  .mode = ABSOLUTE_LAST,
                                  .value_type = metric->real ? XTF_CHROME_DOUBLE : XTF_CHROME_INT64,
                                  .unit = XTF_NONE32,
                                  .description = XTF_NONE32,
                                  .name = name_id(import, metric->name)};
        XtfMetricClassRow class = {.id = i,
                                   .occurrence = ASYNCHRONOUS,
                                   .class = XTF_NONE32,
                                   .recorder = XTF_NONE64,
                                   .scope_kind = UINT8_MAX,
                                   .scope = XTF_NONE64};
        const XtfMetricClassMemberRow member = {.metric = i};
        xtf_definitions_add(&import->definitions, XTF_MODEL_METRICS, &row);
        xtf_definitions_add_list(&import->definitions, XTF_MODEL_METRIC_CLASSES, &class, XTF_MODEL_METRIC_CLASS_MEMBERS,
                                 &member, 1);
    }
}

/* Notes the trace's ids of all texts, and the rows of regions. */
static void note_ids(XtfChromeImport *import, const uint32_t *ids, uint32_t n)
{
    import->texts = g_new(uint32_t, n);
    import->regions = g_new(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        bool region = xtf_chrome_name_at(&import->names, i)->is_region;
        import->texts[i] = xtf_definitions_string(&import->definitions, ids[i]);
        import->regions[i] = region ? xtf_definitions_row(&import->definitions, XTF_MODEL_REGIONS, i) : XTF_NONE32;
    }
}

bool xtf_chrome_define(XtfChromeImport *import, GError **error)
{
    const uint32_t n = import->names.all->len;
    g_autofree uint32_t *ids = g_new(uint32_t, n);

    add_properties(import);
    for (guint i = 0; i < import->places.processes->len; i++)
        define_process(import, import->places.process_order[i]);
    for (guint i = 0; i < import->places.locations->len; i++)
        define_location(import, import->places.order[i]);
    add_communicator(import);
    add_metrics(import);
    for (uint32_t i = 0; i < n; i++) {
        ids[i] = name_id(import, i);
        if (xtf_chrome_name_at(&import->names, i)->is_region)
            define_region(import, i);
        add_attributes(import, i);
    }
    if (!xtf_import_create_output(import->job, TICKS_PER_SECOND, 0, error) ||
        !xtf_definitions_resolve(&import->definitions, import->job->writer, error))
        return false;
    note_ids(import, ids, n);
    xtf_chrome_names_finish(&import->names);
    return true;
}
