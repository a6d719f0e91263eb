/* Efficiencies and times by class in traces of a few calls, with figures computed by hand. Ticks are nanoseconds. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/tree/traces/writing.h"

enum { MAIN, INIT, SEND, FINALIZE, FLUSH, PROGRAM_ITSELF, PARALLEL, OMP_BARRIER, N_REGIONS, LEAVE };

static const struct {
    const char *name, *paradigm, *role;
} regions[N_REGIONS] = {
    [MAIN] = {"main", "COMPILER", "FUNCTION"},
    [INIT] = {"MPI_Init", "MPI", "FUNCTION"},
    [SEND] = {"MPI_Send", "MPI", "POINT2POINT"},
    [FINALIZE] = {"MPI_Finalize", "MPI", "FUNCTION"},
    [FLUSH] = {"TRACE BUFFER FLUSH", "MEASUREMENT_SYSTEM", "ARTIFICIAL"},
    [PROGRAM_ITSELF] = {"a.out", "MEASUREMENT_SYSTEM", "ARTIFICIAL"},
    [PARALLEL] = {"!$omp parallel", "OPENMP", "PARALLEL"},
    [OMP_BARRIER] = {"!$omp barrier", "OPENMP", "BARRIER"},
};

/* At time t a thread of process `proc` enters a region or leaves the innermost one. */
typedef struct {
    uint64_t t;
    uint32_t proc, thread, region;
} Event;

static uint8_t label_of(const char *const *labels, const char *text)
{
    uint8_t i = 0;

    while (labels[i] && strcmp(labels[i], text) != 0)
        i++;
    return i;
}

/* Writes the tables. Threads from number `stream` on are accelerator streams; regions from number `n_regions` on are
 * not defined. */
static void define_tables(Writing *writing, uint32_t n_regions, uint32_t stream)
{
    for (unsigned i = 0; i < n_regions; i++)
        writing_define(writing, XTF_MODEL_REGIONS,
                       &(XtfRegionRow){.line = XTF_NONE32,
                                       .name = writing_string(writing, regions[i].name),
                                       .paradigm = label_of(xtf_paradigm_names, regions[i].paradigm),
                                       .role = label_of(xtf_region_roles, regions[i].role)});
    for (uint32_t i = 0; i < 16; i++)
        writing_define(writing, XTF_MODEL_LOCATIONS,
                       &(XtfLocationRow){
                           .id = i,
                           .proc = i / 4,
                           .thread = i % 4,
                           .type = label_of(xtf_location_types, i % 4 < stream ? "CPU_THREAD" : "ACCELERATOR_STREAM")});
}

static void write_trace(Written *written, uint32_t n_regions, uint32_t stream, const Event *events, unsigned n)
{
    struct {
        uint64_t n, depth, rows[8];
        uint32_t regions[8];
    } stacks[16] = {0};
    Writing writing;

    writing_begin(&writing);
    define_tables(&writing, n_regions, stream);
    for (const Event *event = events; event < events + n; event++) {
        uint64_t location = event->proc * 4 + event->thread, depth = stacks[location].depth, row = stacks[location].n++;
        bool leaves = event->region == LEAVE;
        uint64_t top = depth ? stacks[location].rows[depth - 1] : row;
        XtfEntersLeavesRow call = {.time = event->t, .seq = row, .region = event->region, .event = leaves};
        call.enter = depth ? row - top : 0;
        call.outermost = 1;
        if (leaves) {
            call.region = stacks[location].regions[depth - 1];
            call.depth = (uint32_t)stacks[location].depth--;
        } else {
            stacks[location].rows[depth] = row;
            stacks[location].regions[depth] = event->region;
            call.depth = (uint32_t)++stacks[location].depth;
        }
        writing_append(&writing, location, XTF_MODEL_ENTERS_LEAVES, &call);
    }
    writing_end(&writing, written);
}

#define TRACE(written, n_regions, stream, ...)                             \
    g_auto(Written) written;                                               \
    write_trace(&written, n_regions, stream, (const Event[]){__VA_ARGS__}, \
                sizeof((const Event[]){__VA_ARGS__}) / sizeof(Event))

/* Asserts that a line of the file begins with `cells`. */
static void assert_line(const Written *written, const char *path, const char *cells)
{
    g_autoptr(GRegex) blanks = g_regex_new(" +", 0, 0, NULL);
    GString *text = written_read(written, path);
    g_autofree char *lines = g_regex_replace_literal(blanks, text->str, -1, 0, " ", 0, NULL);
    g_autofree char *wanted = g_strconcat("\n", *cells == '-' || g_ascii_isdigit(*cells) ? " " : "", cells, NULL);

    const char *found = strstr(lines, wanted);
    cr_assert(found && strchr(" \n", found[strlen(wanted)]), "%s has no \"%s\":\n%s", path, cells, lines);
    g_string_free(text, TRUE);
}

/* The trace has regions of MPI only. The process that leaves MPI_Init last enters MPI_Finalize first. */
Test(efficiency, time_in_no_region_is_useful)
{
    TRACE(written, 4, 4, {0, 0, 0, INIT}, {10, 0, 0, LEAVE}, {30, 0, 0, SEND}, {60, 0, 0, LEAVE}, {80, 0, 0, FINALIZE},
          {99, 0, 0, LEAVE}, {0, 1, 0, INIT}, {5, 1, 0, LEAVE}, {15, 1, 0, SEND}, {80, 1, 0, LEAVE},
          {90, 1, 0, FINALIZE}, {99, 1, 0, LEAVE});

    /* Useful ticks of the two processes: 40 and 20 of 100. Between MPI_Init and MPI_Finalize: 40 and 5 of 70. */
    assert_line(&written, "efficiency", "window time/0-0.0000001 - time/0.00000001-0.00000008 -");
    assert_line(&written, "efficiency", "parallel_efficiency 0.3000 - 0.3214 -");
    assert_line(&written, "efficiency", "load_balance 0.7500 0 0.5625 0");
    assert_line(&written, "efficiency", "communication_efficiency 0.4000 0 0.5714 0");
    assert_line(&written, "classes", "- 0.000000060 30.30 (no region)");
    assert_line(&written, "proc/1/efficiency", "communication_efficiency 0.2000 1 0.0714 1");
    assert_line(&written, "time/0-5ns/efficiency", "window time/0-0.000000005 - - -");
    assert_line(&written, "time/0-5ns/efficiency", "parallel_efficiency 0.0000 - - -");
}

Test(efficiency, a_function_that_mpi_calls_is_useful)
{
    TRACE(written, 4, 4, {0, 0, 0, MAIN}, {10, 0, 0, SEND}, {20, 0, 0, MAIN}, {50, 0, 0, LEAVE}, {60, 0, 0, LEAVE},
          {99, 0, 0, LEAVE});

    assert_line(&written, "efficiency", "parallel_efficiency 0.7900 - - -");
    assert_line(&written, "classes", "1 0.000000020 20.20 p2p");
    assert_line(&written, "classes", "2 0.000000079 79.80 program");
}

Test(efficiency, time_of_the_recorder_is_lost_but_not_that_of_a_program_of_its_name)
{
    TRACE(written, 6, 4, {0, 0, 0, PROGRAM_ITSELF}, {40, 0, 0, FLUSH}, {60, 0, 0, LEAVE}, {99, 0, 0, LEAVE});

    assert_line(&written, "efficiency", "parallel_efficiency 0.7900 - - -");
    assert_line(&written, "classes", "1 0.000000020 20.20 measurement");
}

/* A call that is never left ends with its location's last record. The time after that record is lost. */
Test(efficiency, mpi_that_never_ends)
{
    TRACE(written, 4, 4, {0, 0, 0, MAIN}, {99, 0, 0, LEAVE}, {0, 1, 0, MAIN}, {20, 1, 0, SEND}, {50, 1, 0, MAIN});

    assert_line(&written, "efficiency", "load_balance 0.6010 0 - -"); /* useful ticks: 99 and 20 */
    assert_line(&written, "proc/1/efficiency", "parallel_efficiency 0.2000 - - -");
}

/* Process 0: its first thread works 60 ticks in a parallel region and 30 around it, and waits 10 in OpenMP. Its
 * second thread is only in that region. Process 1 has one thread, which spends 40 ticks in MPI. */
Test(efficiency, threads_of_a_team_are_idle_outside_of_regions)
{
    TRACE(written, N_REGIONS, 4, {0, 0, 0, MAIN}, {15, 0, 0, PARALLEL}, {75, 0, 0, OMP_BARRIER}, {85, 0, 0, LEAVE},
          {85, 0, 0, LEAVE}, {100, 0, 0, LEAVE}, {15, 0, 1, PARALLEL}, {55, 0, 1, OMP_BARRIER}, {65, 0, 1, LEAVE},
          {65, 0, 1, LEAVE}, {85, 0, 1, PARALLEL}, {85, 0, 1, LEAVE}, {0, 1, 0, MAIN}, {50, 1, 0, SEND},
          {90, 1, 0, LEAVE}, {99, 1, 0, LEAVE});

    /* Useful ticks of the two processes: (90 + 40) / 2 and 59 of 101. Ticks outside MPI: 100 and 59. */
    assert_line(&written, "efficiency", "parallel_efficiency 0.6139 - - -");
    assert_line(&written, "efficiency", "load_balance 0.9538 0 - -");
    assert_line(&written, "efficiency", "mpi_parallel_efficiency 0.7871 - - -");
    assert_line(&written, "efficiency", "mpi_load_balance 0.7950 0 - -");
    assert_line(&written, "efficiency", "openmp_parallel_efficiency 0.7799 - - -");
    assert_line(&written, "thread/1/efficiency", "parallel_efficiency 0.3960 - - -");
}

Test(efficiency, streams_of_accelerators_do_not_count)
{
    TRACE(written, 4, 1, {0, 0, 0, MAIN}, {50, 0, 0, SEND}, {99, 0, 0, LEAVE}, {0, 0, 1, MAIN}, {99, 0, 1, LEAVE});

    assert_line(&written, "efficiency", "parallel_efficiency 0.5000 - - -");
    assert_line(&written, "thread/1/efficiency", "parallel_efficiency - - - -");
    assert_line(&written, "total", "4 0.000000050 0.000000049 0.000000000");
}

Test(efficiency, regions_that_are_not_defined_are_the_program)
{
    TRACE(written, 1, 4, {0, 0, 0, MAIN}, {50, 0, 0, SEND}, {99, 0, 0, LEAVE}, {99, 0, 0, LEAVE});

    assert_line(&written, "efficiency", "parallel_efficiency 0.9900 - - -");
    assert_line(&written, "classes", "2 0.000000099 100.00 program");
    assert_line(&written, "class/program/profile", "- 1 0.000000049 0.000000049 49.49 49.49 ?");
    assert_line(&written, "class/program/totals", "4");
}
