/* Definitions in any order, repeated, or missing, and the numbers of processes and threads. */
#include <criterion/criterion.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <unistd.h>

#include "libxtf/xtf.h"
#include "src/import/definitions/definitions.h"
#include "src/import/definitions/process-numbers.h"

enum { COMM_LOCATIONS = 4, COMM_GROUP = 5, COMM_SELF = 6 };
enum { OPENMP = 3, MPI = 4 };

static void add_region(XtfDefinitions *definitions, uint32_t id, uint32_t name, uint32_t file, uint32_t line)
{
    XtfRegionDefinitionRow row = {
        .id = id,
        .region = id,
        .line = line,
        .end_line = 0,
        .canonical = name,
        .description = XTF_NONE32,
        .file = file,
        .name = name,
    };
    xtf_definitions_add(definitions, XTF_MODEL_REGION_DEFINITIONS, &row);
}

static void add_process(XtfDefinitions *definitions, uint32_t id)
{
    XtfProcessRow row = {.id = id, .system_tree_node = XTF_NONE32, .creator = XTF_NONE32, .name = XTF_NONE32};
    xtf_definitions_add(definitions, XTF_MODEL_PROCESSES, &row);
}

static void add_location(XtfDefinitions *definitions, uint64_t id, uint32_t process)
{
    XtfLocationRow row = {.id = id, .process = process, .name = XTF_NONE32};
    xtf_definitions_add(definitions, XTF_MODEL_LOCATIONS, &row);
}

static void add_group(XtfDefinitions *definitions, uint32_t id, uint8_t type, uint8_t paradigm, uint32_t n,
                      const uint64_t *members)
{
    XtfGroupRow row = {.id = id, .type = type, .paradigm = paradigm, .name = XTF_NONE32};
    g_autofree XtfMemberRow *parts = g_new(XtfMemberRow, n);

    for (uint32_t i = 0; i < n; i++)
        parts[i] = (XtfMemberRow){.member = members[i], .proc = XTF_NONE32};
    xtf_definitions_add_list(definitions, XTF_MODEL_GROUPS, &row, XTF_MODEL_MEMBERS, parts, n);
}

/* Resolves the definitions, calls `look_up` if it is not NULL, writes them, and opens the trace. */
static XtfTrace *store_definitions(XtfDefinitions *definitions, void (*look_up)(XtfDefinitions *definitions))
{
    g_autofree char *path = NULL;
    g_autoptr(GError) error = NULL;

    close(g_file_open_tmp("xtf-definitions-XXXXXX", &path, NULL));
    XtfWriter *writer = xtf_writer_create(path, NULL, &error);
    cr_assert(xtf_definitions_resolve(definitions, writer, &error), "%s", error ? error->message : "");
    if (look_up != NULL)
        look_up(definitions);
    cr_assert(xtf_definitions_write(definitions, &error), "%s", error ? error->message : "");
    cr_assert(xtf_writer_close(writer, &error), "%s", error ? error->message : "");
    XtfTrace *trace = xtf_trace_open(path, NULL, &error);
    cr_assert_not_null(trace, "%s", error ? error->message : "");
    g_unlink(path);
    return trace;
}

/* Returns row n of a table, which must exist. */
static const void *row_of(XtfTrace *trace, const char *name, uint64_t n)
{
    const XtfTable *table;

    cr_assert(xtf_trace_table(trace, name, &table, NULL));
    cr_assert_not_null(table, "%s", name);
    cr_assert_lt(n, table->n_rows);
    return table->rows + n * table->schema->row_size;
}

static uint64_t n_rows(XtfTrace *trace, const char *name)
{
    const XtfTable *table;

    cr_assert(xtf_trace_table(trace, name, &table, NULL));
    return table != NULL ? table->n_rows : 0;
}

static const char *text_of(XtfTrace *trace, uint32_t string)
{
    const char *found;

    cr_assert(xtf_trace_string(trace, string, &found, NULL));
    return found;
}

static uint32_t late_region_5, late_region_6, late_string;

static void look_up_late(XtfDefinitions *definitions)
{
    late_region_5 = xtf_definitions_row(definitions, XTF_MODEL_REGIONS, 5);
    late_region_6 = xtf_definitions_row(definitions, XTF_MODEL_REGIONS, 6);
    cr_assert_eq(xtf_definitions_row(definitions, XTF_MODEL_REGIONS, 5), late_region_5);
    cr_assert_eq(xtf_definitions_row(definitions, XTF_MODEL_REGIONS, XTF_NONE32), XTF_NONE32);
    late_string = xtf_definitions_string(definitions, 999);
    cr_assert_eq(xtf_definitions_string(definitions, 999), late_string);
    cr_assert_eq(xtf_definitions_string(definitions, XTF_NONE32), 0);
}

Test(definitions, merges_regions_by_name_file_and_line)
{
    enum { SEND, AGAIN, FILE_C };
    XtfDefinitions definitions;

    xtf_definitions_init(&definitions);
    add_region(&definitions, 10, SEND, FILE_C, 5); /* the region is defined before its strings */
    xtf_definitions_add_string(&definitions, SEND, "MPI_Send");
    xtf_definitions_add_string(&definitions, AGAIN, "MPI_Send"); /* the same text with another number */
    xtf_definitions_add_string(&definitions, FILE_C, "f.c");
    add_region(&definitions, 536870911, AGAIN, FILE_C, 5);
    add_region(&definitions, 12, SEND, FILE_C, 6);
    add_region(&definitions, 13, SEND, XTF_NONE32, 0);
    add_region(&definitions, 14, SEND, XTF_NONE32, XTF_NONE32);
    g_autoptr(XtfTrace) trace = store_definitions(&definitions, look_up_late);

    cr_assert_eq(n_rows(trace, "region_definitions"), 5);
    const uint32_t merged[] = {0, 0, 1, 2, 2};
    for (size_t i = 0; i < G_N_ELEMENTS(merged); i++)
        cr_assert_eq(((const XtfRegionDefinitionRow *)row_of(trace, "region_definitions", i))->region, merged[i]);
    const XtfRegionRow *second = row_of(trace, "regions", 1), *third = row_of(trace, "regions", 2);
    cr_assert_str_eq(text_of(trace, second->name), "MPI_Send");
    cr_assert_str_eq(text_of(trace, second->file), "f.c");
    cr_assert_eq(second->line, 6);
    cr_assert_eq(third->line, XTF_NONE32);

    /* Rows for ids that were looked up but never defined are at the end. */
    cr_assert_eq(n_rows(trace, "regions"), 5);
    cr_assert_eq(late_region_5, 3);
    cr_assert_eq(late_region_6, 4);
    cr_assert_str_eq(text_of(trace, ((const XtfRegionRow *)row_of(trace, "regions", 3))->name),
                     "(undefined regions 5)");
    cr_assert_str_eq(text_of(trace, late_string), "(undefined string 999)");
    xtf_definitions_finish(&definitions);
}

Test(definitions, the_first_of_two_definitions_counts)
{
    XtfDefinitions definitions;
    XtfParameterDefinitionRow first = {.id = 3, .type = 1, .name = 0}, second = {.id = 3, .type = 2, .name = 0};
    XtfCallpathRow callpath = {.id = 0, .parent = XTF_NONE32, .region = XTF_NONE32};
    XtfCallpathParameterRow user = {.callpath = 0, .parameter = 3};

    xtf_definitions_init(&definitions);
    xtf_definitions_add(&definitions, XTF_MODEL_CALLPATH_PARAMETERS, &user);
    xtf_definitions_add(&definitions, XTF_MODEL_CALLPATHS, &callpath);
    xtf_definitions_add(&definitions, XTF_MODEL_PARAMETER_DEFINITIONS, &first);
    xtf_definitions_add(&definitions, XTF_MODEL_PARAMETER_DEFINITIONS, &first);
    xtf_definitions_add(&definitions, XTF_MODEL_PARAMETER_DEFINITIONS, &second);
    xtf_definitions_add_string(&definitions, 0, "one");
    xtf_definitions_add_string(&definitions, 0, "two");
    cr_assert_eq(definitions.tables[XTF_MODEL_PARAMETER_DEFINITIONS].repeats, 1);
    cr_assert_eq(definitions.tables[XTF_MODEL_PARAMETER_DEFINITIONS].conflicts, 1);
    cr_assert_eq(definitions.string_conflicts, 1);
    g_autoptr(XtfTrace) trace = store_definitions(&definitions, NULL);
    cr_assert_eq(n_rows(trace, "parameter_definitions"), 2);
    cr_assert_eq(((const XtfCallpathParameterRow *)row_of(trace, "callpath_parameters", 0))->parameter, 0);
    cr_assert_str_eq(
        text_of(trace, ((const XtfParameterDefinitionRow *)row_of(trace, "parameter_definitions", 0))->name), "one");
    xtf_definitions_finish(&definitions);
}

Test(definitions, equal_lists_are_stored_once)
{
    const uint64_t members[] = {7, 8, 9}, other_members[] = {7, 8, 5};
    XtfDefinitions definitions;
    const XtfDefinitionTable *groups = &definitions.tables[XTF_MODEL_GROUPS];

    xtf_definitions_init(&definitions);
    add_group(&definitions, 2, COMM_GROUP, OPENMP, 0, NULL);
    add_group(&definitions, 1, COMM_GROUP, OPENMP, 3, members);
    add_group(&definitions, 1, COMM_GROUP, OPENMP, 3, members);
    add_group(&definitions, 2, COMM_GROUP, OPENMP, 0, NULL);
    cr_assert_eq(groups->repeats, 2);
    cr_assert_eq(groups->conflicts, 0);
    add_group(&definitions, 1, COMM_GROUP, OPENMP, 3, other_members);
    add_group(&definitions, 1, COMM_LOCATIONS, OPENMP, 3, members); /* the same id and members, but another type */
    cr_assert_eq(groups->conflicts, 2);
    g_autoptr(XtfTrace) trace = store_definitions(&definitions, NULL);
    const uint64_t expected[] = {7, 8, 9, 7, 8, 5, 7, 8, 9};
    cr_assert_eq(n_rows(trace, "members"), G_N_ELEMENTS(expected));
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++)
        cr_assert_eq(((const XtfMemberRow *)row_of(trace, "members", i))->member, expected[i]);
    const uint64_t firsts[] = {0, 0, 3, 6};
    for (size_t i = 0; i < G_N_ELEMENTS(firsts); i++)
        cr_assert_eq(((const XtfGroupRow *)row_of(trace, "groups", i))->first, firsts[i]);
    xtf_definitions_finish(&definitions);
}

static void check_location(XtfTrace *trace, uint64_t n, uint64_t id, uint32_t proc, uint32_t thread)
{
    const XtfLocationRow *location = row_of(trace, "locations", n);

    cr_assert_eq(location->id, id, "row %" PRIu64 ": %" PRIu64, n, location->id);
    cr_assert_eq(location->proc, proc);
    cr_assert_eq(location->thread, thread);
    cr_assert_eq(((const XtfProcessRow *)row_of(trace, "processes", location->process))->proc, proc);
}

/* Two ranks, in another order than their definitions. Each has a thread that is defined before MPI's thread; one
 * process also has a GPU. */
Test(definitions, numbers_processes_by_mpi_s_ranks)
{
    const uint64_t thread_a = 1, main_a = (UINT64_C(1) << 32) + 1, thread_b = 5, main_b = UINT64_C(7) << 32, gpu = 9;
    const uint64_t ranks[] = {main_b, main_a}, indices[] = {1, 0, 2}, threads[] = {thread_a};
    XtfDefinitions definitions;

    xtf_definitions_init(&definitions);
    add_location(&definitions, thread_a, 100);
    add_location(&definitions, main_a, 100);
    add_location(&definitions, gpu, 300);
    add_location(&definitions, thread_b, 200);
    add_location(&definitions, main_b, 200);
    add_location(&definitions, main_b, 100); /* repeated with another process */
    add_process(&definitions, 300);
    add_process(&definitions, 100);
    add_process(&definitions, 200);
    add_group(&definitions, 0, COMM_LOCATIONS, OPENMP, 1, threads);
    add_group(&definitions, 1, COMM_LOCATIONS, MPI, 2, ranks);
    add_group(&definitions, 2, COMM_GROUP, MPI, 3, indices);
    cr_assert_eq(xtf_number_processes(&definitions), 1);
    g_autoptr(XtfTrace) trace = store_definitions(&definitions, NULL);

    cr_assert_eq(n_rows(trace, "locations"), 5);
    check_location(trace, 0, main_b, 0, 0);
    check_location(trace, 1, thread_b, 0, 1);
    check_location(trace, 2, main_a, 1, 0);
    check_location(trace, 3, thread_a, 1, 1);
    check_location(trace, 4, gpu, 2, 0);
    const uint32_t procs[] = {1, 0,         1, 1,
                              0, XTF_NONE32}; /* of the members of OpenMP's group, MPI's group and the
                                               * communicator's group */
    cr_assert_eq(n_rows(trace, "members"), G_N_ELEMENTS(procs));
    for (size_t i = 0; i < G_N_ELEMENTS(procs); i++)
        cr_assert_eq(((const XtfMemberRow *)row_of(trace, "members", i))->proc, procs[i], "member %zu", i);
    xtf_definitions_finish(&definitions);
}

Test(definitions, numbers_processes_in_order_without_mpi)
{
    XtfDefinitions definitions;

    xtf_definitions_init(&definitions);
    add_process(&definitions, 8);
    add_process(&definitions, 4);
    add_location(&definitions, 1, 4);
    add_location(&definitions, 2, 8);
    add_location(&definitions, 3, 77); /* its process has no definition */
    add_location(&definitions, 4, 4);
    cr_assert_eq(xtf_number_processes(&definitions), 0);
    g_autoptr(XtfTrace) trace = store_definitions(&definitions, NULL);
    check_location(trace, 0, 2, 0, 0);
    check_location(trace, 1, 1, 1, 0);
    check_location(trace, 2, 4, 1, 1);
    check_location(trace, 3, 3, 2, 0);
    cr_assert_str_eq(text_of(trace, ((const XtfProcessRow *)row_of(trace, "processes", 2))->name),
                     "(undefined process 77)");
    xtf_definitions_finish(&definitions);
}

Test(definitions, ranks_that_share_a_process_leave_numbers_unique)
{
    const uint64_t ranks[] = {1, 2, 3, 1000 /* not defined */};
    XtfDefinitions definitions;

    xtf_definitions_init(&definitions);
    for (uint32_t process = 0; process < 3; process++)
        add_process(&definitions, process);
    add_location(&definitions, 1, 2);
    add_location(&definitions, 2, 2);
    add_location(&definitions, 3, 1);
    add_location(&definitions, 4, 0);
    add_group(&definitions, 0, COMM_LOCATIONS, MPI, G_N_ELEMENTS(ranks), ranks);
    xtf_number_processes(&definitions);
    g_autoptr(XtfTrace) trace = store_definitions(&definitions, NULL);
    check_location(trace, 0, 1, 0, 0);
    check_location(trace, 1, 2, 0, 1);
    check_location(trace, 2, 3, 2, 0);
    check_location(trace, 3, 4, 4, 0);
    xtf_definitions_finish(&definitions);
}

Test(definitions, communicators_stay_apart_and_self_has_no_group)
{
    const uint64_t no_members[] = {0};
    XtfDefinitions definitions;

    xtf_definitions_init(&definitions);
    xtf_definitions_add_string(&definitions, 0, "");
    for (uint32_t id = 0; id < 3; id++) {
        XtfCommunicatorRow row = {
            .id = id,
            .group = id == 2 ? 1 : 0,
            .remote_group = XTF_NONE32,
            .parent = id == 1 ? 0 : XTF_NONE32,
            .name = 0,
        };
        xtf_definitions_add(&definitions, XTF_MODEL_COMMUNICATORS, &row);
    }
    add_group(&definitions, 1, COMM_SELF, MPI, 0, no_members);
    add_group(&definitions, 0, COMM_GROUP, MPI, 1, no_members);
    g_autoptr(XtfTrace) trace = store_definitions(&definitions, NULL);
    cr_assert_eq(n_rows(trace, "communicators"), 3);
    const uint32_t groups[] = {1, 1, XTF_NONE32}, parents[] = {XTF_NONE32, 0, XTF_NONE32};
    for (uint32_t i = 0; i < 3; i++) {
        const XtfCommunicatorRow *comm = row_of(trace, "communicators", i);
        cr_assert_eq(comm->group, groups[i]);
        cr_assert_eq(comm->parent, parents[i]);
    }
    xtf_definitions_finish(&definitions);
}
