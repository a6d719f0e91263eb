/* Clocks of nodes, by readings that the tests make up. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>

#include "libxtf/trace.h"
#include "libxtf/writer.h"
#include "src/analysis/align/node-clocks.h"
#include "src/model/schemas.h"

#define SECOND UINT64_C(1000000000)

/* A reading: process `reader` has the time `local` when process `reference` has the time `at`. */
typedef struct {
    uint64_t id; /* 0: the reference's row is missing */
    uint32_t reader, reference;
    uint64_t local, at, round_trip;
} Made;

static void add_row(XtfWriter *writer, unsigned tag, const void *row)
{
    GError *error = NULL;
    uint32_t id;

    cr_assert(xtf_writer_add_schema(writer, xtf_model_schema(tag), &id, &error));
    XtfTableWriter *table = xtf_writer_table(writer, id, &error);
    cr_assert(table && xtf_table_writer_append(table, row, NULL, &error));
}

/* Loads the clocks of a trace in which each of n processes is a node. */
static XtfNodeClocks load_clocks(const Made *readings, size_t n_readings, uint32_t n)
{
    const XtfWriterOptions options = {
        .resolution_num = SECOND, .resolution_den = 1, .origin = UINT64_MAX, .no_sync = true};
    g_autofree char *path = g_build_filename(g_get_tmp_dir(), "xtf-node-clocks-XXXXXX", NULL);
    XtfNodeClocks clocks;
    GError *error = NULL;

    close(g_mkstemp(path));
    XtfWriter *writer = xtf_writer_create(path, &options, &error);
    cr_assert(writer);
    for (uint32_t i = 0; i < n; i++)
        add_row(writer, XTF_MODEL_CLOCK_NODES, &(XtfClockNodeRow){.proc = i, .node = 1000 - i});
    for (size_t i = 0; i < n_readings; i++) {
        const Made *made = &readings[i];
        const XtfClockReadingRow reader = {.reading = made->id,
                                           .proc = made->reader,
                                           .partner = made->reference,
                                           .local = made->local,
                                           .round_trip = made->round_trip};
        const XtfClockReadingRow reference = {.reading = made->id,
                                              .proc = made->reference,
                                              .partner = made->reader,
                                              .is_reference = 1,
                                              .local = made->at};
        add_row(writer, XTF_MODEL_CLOCK_READINGS, &reader);
        if (made->id > 0)
            add_row(writer, XTF_MODEL_CLOCK_READINGS, &reference);
    }
    cr_assert(xtf_writer_close(writer, &error));
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, &error);
    cr_assert(trace && xtf_node_clocks_load(&clocks, trace, &error));
    g_unlink(path);
    return clocks;
}

static uint64_t corrected(const XtfNodeClocks *clocks, uint32_t proc, uint64_t local)
{
    return xtf_clock_map_to_global(xtf_node_clocks_map(clocks, (uint64_t)proc << 32), local);
}

Test(node_clocks, drift)
{
    const Made readings[] = {{1, 1, 0, 100 * SECOND, 50 * SECOND, 2000},
                             {2, 1, 0, 200 * SECOND, 150 * SECOND + 5000000, 1000}};
    g_auto(XtfNodeClocks) clocks = load_clocks(readings, G_N_ELEMENTS(readings), 2);

    cr_assert_eq(corrected(&clocks, 0, 7), 7);
    cr_assert_eq(corrected(&clocks, 1, 150 * SECOND), 100 * SECOND + 2500000);
    cr_assert_eq(xtf_node_clocks_bound(&clocks), 1001);
    cr_assert_null(xtf_node_clock_fault(xtf_node_clock_of(&clocks, 1)));
}

Test(node_clocks, tree)
{
    /* Process 3 reads process 1, which reads process 0. The rows are in another order. */
    const Made readings[] = {{1, 3, 1, 900 * SECOND, 100 * SECOND, 600}, {1, 1, 0, 100 * SECOND, 50 * SECOND, 400}};
    g_auto(XtfNodeClocks) clocks = load_clocks(readings, G_N_ELEMENTS(readings), 4);

    cr_assert_eq(corrected(&clocks, 3, 901 * SECOND), 51 * SECOND);
    cr_assert_eq(xtf_node_clock_bound(xtf_node_clock_of(&clocks, 3)), 502);
    cr_assert_null(xtf_node_clocks_map(&clocks, UINT64_C(2) << 32));
}

Test(node_clocks, step)
{
    const Made readings[] = {{1, 1, 0, 100 * SECOND, 50 * SECOND, 400},
                             {2, 1, 0, 110 * SECOND, 61 * SECOND, 400},
                             {1, 3, 1, 10 * SECOND, 100 * SECOND, 400},
                             {2, 3, 1, 20 * SECOND, 110 * SECOND, 400}};
    g_auto(XtfNodeClocks) clocks = load_clocks(readings, G_N_ELEMENTS(readings), 4);
    g_autofree char *fault = xtf_node_clock_fault(xtf_node_clock_of(&clocks, 1));
    g_autofree char *below = xtf_node_clock_fault(xtf_node_clock_of(&clocks, 3));

    cr_assert(strstr(fault, "has stepped by -1.000000 s"), "%s", fault);
    cr_assert_not_null(below);
    cr_assert_eq(corrected(&clocks, 1, 111 * SECOND), 61 * SECOND);
    cr_assert_eq(corrected(&clocks, 3, 11 * SECOND), 51 * SECOND);
}

Test(node_clocks, errors)
{
    /* Two readings in a microsecond: their errors explain the difference, and the more exact one counts. */
    const Made readings[] = {{1, 1, 0, 100000, 50000, 4000}, {2, 1, 0, 101000, 52000, 200}};
    g_auto(XtfNodeClocks) clocks = load_clocks(readings, G_N_ELEMENTS(readings), 2);

    cr_assert_eq(corrected(&clocks, 1, 101000), 52000);
    cr_assert_eq(xtf_node_clocks_bound(&clocks), 101);
}

Test(node_clocks, inexact)
{
    /* The second reading is inexact, so the clock seems to run backwards by 4 ms. The more exact ones around it count.
     */
    const Made readings[] = {{1, 1, 0, 100 * SECOND, 50 * SECOND, 2000},
                             {2, 1, 0, 110 * SECOND, 60 * SECOND + 4000000, 28000000},
                             {3, 1, 0, 111 * SECOND, 61 * SECOND, 1000},
                             {4, 1, 0, 112 * SECOND, 62 * SECOND + 5000000, 28000000}};
    g_auto(XtfNodeClocks) clocks = load_clocks(readings, G_N_ELEMENTS(readings), 2);

    cr_assert_eq(corrected(&clocks, 1, 110 * SECOND), 60 * SECOND);
    cr_assert_eq(corrected(&clocks, 1, 112 * SECOND), 62 * SECOND);
    cr_assert_eq(xtf_node_clocks_bound(&clocks), 1001);
}

Test(node_clocks, step_after_inexact)
{
    /* The inexact reading may be from before the step or after it. The exact ones show the step. */
    const Made readings[] = {{1, 1, 0, 100 * SECOND, 50 * SECOND, 2000},
                             {2, 1, 0, 101 * SECOND, 51 * SECOND + 500000, 28000000},
                             {3, 1, 0, 102 * SECOND, 52 * SECOND + 8000000, 1000}};
    g_auto(XtfNodeClocks) clocks = load_clocks(readings, G_N_ELEMENTS(readings), 2);
    g_autofree char *fault = xtf_node_clock_fault(xtf_node_clock_of(&clocks, 1));

    cr_assert(fault && strstr(fault, "has stepped by -0.008000 s"), "%s", fault ? fault : "no fault");
}

Test(node_clocks, damaged)
{
    /* A reading without the reference's row, and two that would read in a circle. */
    const Made readings[] = {
        {0, 1, 0, 100, 50, 4}, {2, 1, 2, 100, 50, 4}, {2, 2, 2, 100, 50, 4}, {3, 2, 1, UINT64_MAX, 0, UINT64_MAX}};
    g_auto(XtfNodeClocks) clocks = load_clocks(readings, G_N_ELEMENTS(readings), 3);

    cr_assert_null(xtf_node_clocks_map(&clocks, UINT64_C(1) << 32));
    cr_assert_eq(xtf_node_clocks_bound(&clocks), 0);
}
