/*
 * Writes the system of a profile to anchor.xml: nodes, the processes on each, and their locations.
 */
#include <inttypes.h>

#include "libxtf/trace.h"
#include "src/export/cube/profile.h"

enum {
    NODES_DEEP = 32, /* deeper nodes and circles are left out; their processes are in no node */
    NONE = UINT32_MAX,
};

typedef struct {
    const XtfCubeProfile *profile;
    XtfXml *xml;
    XtfModelTable processes, nodes;
    uint32_t n_nodes;        /* in the table; number n_nodes means no node */
    uint32_t *process_names; /* by process of the selection: strings of the trace; NONE: no name */
    uint32_t *first_process; /* by node: the first of its processes; `next_process` has its others */
    uint32_t *next_process;
    uint32_t *first_node, *next_node;
    GHashTable *location_names; /* by location */
    GError *error;
} System;

/* Returns a string of the trace; `unknown` if there is none. After an error, returns "". */
static const char *read_string(System *system, uint32_t string, const char *unknown)
{
    const char *text = unknown;

    if (string != NONE && !system->error)
        xtf_trace_string(system->profile->job->tree->trace, string, &text, &system->error);
    return system->error ? "" : text;
}

/* ---- Nodes and their processes. */

static const XtfSystemTreeRow *node_at(const System *system, uint32_t node, uint8_t *buffer)
{
    return xtf_model_table_row(&system->nodes, node, buffer);
}

/* Returns the node if its chain of parents ends in fewer than NODES_DEEP steps; else n_nodes. */
static uint32_t find_reachable_node(const System *system, uint32_t node)
{
    uint8_t buffer[XTF_ROW_MAX];
    uint32_t above = node;

    for (unsigned depth = 0; depth < NODES_DEEP; depth++) {
        if (above >= system->n_nodes)
            return MIN(node, system->n_nodes);
        above = node_at(system, above, buffer)->parent;
    }
    return system->n_nodes;
}

static void list_nodes(System *system)
{
    uint8_t buffer[XTF_ROW_MAX];

    for (uint32_t i = 0; i <= system->n_nodes; i++)
        system->first_node[i] = system->first_process[i] = NONE;
    for (uint32_t i = system->n_nodes; i-- > 0;) {
        if (find_reachable_node(system, i) != i)
            continue;
        uint32_t parent = MIN(node_at(system, i, buffer)->parent, system->n_nodes);
        system->next_node[i] = system->first_node[parent];
        system->first_node[parent] = i;
    }
}

static void list_processes(System *system)
{
    const XtfSelectedLocations *locations = &system->profile->locations;
    g_autoptr(GHashTable) rows = g_hash_table_new(NULL, NULL); /* process number -> row, plus 1 */
    uint8_t buffer[XTF_ROW_MAX];

    for (uint64_t i = 0; i < system->processes.n; i++) {
        const XtfProcessRow *row = xtf_model_table_row(&system->processes, i, buffer);
        g_hash_table_insert(rows, GUINT_TO_POINTER(row->proc), GUINT_TO_POINTER(i + 1));
    }
    for (uint32_t i = locations->n_procs; i-- > 0;) {
        uint32_t row = GPOINTER_TO_UINT(g_hash_table_lookup(rows, GUINT_TO_POINTER(locations->procs[i].proc)));
        uint32_t node = system->n_nodes;
        system->process_names[i] = NONE;
        if (row > 0) {
            const XtfProcessRow *process = xtf_model_table_row(&system->processes, row - 1, buffer);
            system->process_names[i] = process->name;
            node = find_reachable_node(system, process->system_tree_node);
        }
        system->next_process[i] = system->first_process[node];
        system->first_process[node] = i;
    }
}

static bool name_locations(System *system, GError **error)
{
    XtfModelTable table;
    uint8_t buffer[XTF_ROW_MAX];

    if (!xtf_model_table_load(&table, system->profile->job->tree->trace, XTF_MODEL_LOCATIONS, error))
        return false;
    for (uint64_t i = 0; i < table.n; i++) {
        const XtfLocationRow *row = xtf_model_table_row(&table, i, buffer);
        const uint64_t id = row->id;
        g_hash_table_insert(system->location_names, g_memdup2(&id, sizeof id), GUINT_TO_POINTER(row->name));
    }
    xtf_model_table_finish(&table);
    return true;
}

/* ---- Writing. */

static void put_rank(System *system, uint64_t rank, const char *type)
{
    char text[24];

    g_snprintf(text, sizeof text, "%" PRIu64, rank);
    xtf_xml_element(system->xml, "rank", text);
    xtf_xml_element(system->xml, "type", type);
}

static void put_location(System *system, uint32_t number)
{
    const XtfLocation *location = xtf_selected_location(&system->profile->locations, number);
    g_autofree char *unknown = g_strdup_printf("thread %" PRIu64, location->thread);
    gpointer name = GUINT_TO_POINTER(NONE);

    g_hash_table_lookup_extended(system->location_names, &location->id, NULL, &name);
    xtf_xml_begin(system->xml, "location");
    xtf_xml_count(system->xml, "Id", number);
    xtf_xml_element(system->xml, "name", read_string(system, GPOINTER_TO_UINT(name), unknown));
    put_rank(system, location->thread, location->is_cpu_thread ? "thread" : "accelerator");
    xtf_xml_end(system->xml);
}

static void put_process(System *system, uint32_t number)
{
    const XtfSelectedProcess *process = &system->profile->locations.procs[number];
    g_autofree char *unknown = g_strdup_printf("process %" PRIu64, process->proc);

    xtf_xml_begin(system->xml, "locationgroup");
    xtf_xml_count(system->xml, "Id", number);
    xtf_xml_element(system->xml, "name", read_string(system, system->process_names[number], unknown));
    put_rank(system, process->proc, "process");
    for (uint32_t i = 0; i < process->n; i++)
        put_location(system, process->first + i);
    xtf_xml_end(system->xml);
}

static void put_node(System *system, uint32_t node)
{
    uint8_t buffer[XTF_ROW_MAX];
    uint32_t name = NONE, class = NONE;

    if (node < system->n_nodes) {
        name = node_at(system, node, buffer)->name;
        class = node_at(system, node, buffer)->class_name;
    }
    xtf_xml_begin(system->xml, "systemtreenode");
    xtf_xml_count(system->xml, "Id", node);
    xtf_xml_element(system->xml, "name", read_string(system, name, "machine"));
    xtf_xml_element(system->xml, "class", read_string(system, class, "machine"));
    for (uint32_t i = system->first_process[node]; i != NONE; i = system->next_process[i])
        put_process(system, i);
    for (uint32_t i = node < system->n_nodes ? system->first_node[node] : NONE; i != NONE; i = system->next_node[i])
        put_node(system, i);
    xtf_xml_end(system->xml);
}

static void put_system(System *system)
{
    uint32_t none = system->n_nodes;

    xtf_xml_begin(system->xml, "system");
    for (uint32_t i = system->first_node[none]; i != NONE; i = system->next_node[i])
        put_node(system, i);
    if (none == 0 || system->first_process[none] != NONE)
        put_node(system, none);
    xtf_xml_end(system->xml);
}

bool xtf_cube_write_system(const XtfCubeProfile *profile, XtfXml *xml, GError **error)
{
    XtfTrace *trace = profile->job->tree->trace;
    System system = {.profile = profile, .xml = xml};

    if (!xtf_model_table_load(&system.processes, trace, XTF_MODEL_PROCESSES, error) ||
        !xtf_model_table_load(&system.nodes, trace, XTF_MODEL_SYSTEM_TREE, error))
        return false;
    system.n_nodes = (uint32_t)system.nodes.n;
    system.process_names = g_new(uint32_t, (gsize)profile->locations.n_procs + 1);
    system.next_process = g_new(uint32_t, (gsize)profile->locations.n_procs + 1);
    system.first_process = g_new(uint32_t, (gsize)system.n_nodes + 1);
    system.first_node = g_new(uint32_t, (gsize)system.n_nodes + 1);
    system.next_node = g_new(uint32_t, (gsize)system.n_nodes + 1);
    system.location_names = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    list_nodes(&system);
    list_processes(&system);
    bool good = name_locations(&system, error);
    if (good)
        put_system(&system);
    g_hash_table_unref(system.location_names);
    g_free(system.process_names);
    g_free(system.next_process);
    g_free(system.first_process);
    g_free(system.first_node);
    g_free(system.next_node);
    xtf_model_table_finish(&system.processes);
    xtf_model_table_finish(&system.nodes);
    if (system.error)
        g_propagate_error(error, system.error);
    return good && !system.error;
}
