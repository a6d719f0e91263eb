/*
 * Adds the definitions of the first element, <trace>, and creates the output.
 */
#include "src/import/definitions/process-numbers.h"
#include "src/import/opents/import.h"
#include "src/import/opents/importer.h"

enum {
    CPU_THREAD = 1, /* index in xtf_location_types */
    PROCESS = 1,    /* index in xtf_process_types */
    TICKS_PER_SECOND = 1000000000,
};

static void add_source_property(XtfOpentsImport *import, const char *name, const char *value)
{
    const XtfPropertyRow row = {.name = xtf_definitions_intern_string(&import->definitions, name),
                                .value = xtf_definitions_intern_string(&import->definitions, value)};

    xtf_definitions_add(&import->definitions, XTF_MODEL_PROPERTIES, &row);
}

static void add_processes(XtfOpentsImport *import, uint32_t n_ranks)
{
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        g_autofree char *name = g_strdup_printf("Rank %u", rank);
        const XtfProcessRow process = {.id = rank,
                                       .type = PROCESS,
                                       .system_tree_node = XTF_NONE32,
                                       .creator = XTF_NONE32,
                                       .name = xtf_definitions_intern_string(&import->definitions, name)};
        const XtfLocationRow location = {.id = rank, .process = rank, .type = CPU_THREAD, .name = process.name};
        xtf_definitions_add(&import->definitions, XTF_MODEL_PROCESSES, &process);
        xtf_definitions_add(&import->definitions, XTF_MODEL_LOCATIONS, &location);
    }
}

bool xtf_opents_begin(XtfOpentsImport *import, uint32_t n_ranks, const char *command, const char *start, GError **error)
{
    g_autofree char *ranks = g_strdup_printf("%u", n_ranks);

    add_source_property(import, "source", import->job->importer->name);
    add_source_property(import, XTF_OPENTS_ID, import->identity);
    add_source_property(import, "ranks", ranks);
    if (command)
        add_source_property(import, "command", command);
    if (start)
        add_source_property(import, "start", start);
    add_processes(import, n_ranks);
    xtf_number_processes(&import->definitions);
    if (!xtf_import_create_output(import->job, TICKS_PER_SECOND, 0, error) ||
        !xtf_definitions_resolve(&import->definitions, import->job->writer, error))
        return false;
    xtf_opents_rows_init(&import->rows, import->job, n_ranks);
    import->last_slice = g_new0(uint64_t, n_ranks);
    return true;
}
