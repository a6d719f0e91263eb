/*
 * simulated-waiting [--programs N] [--first N] [--show]
 *
 * Makes random programs of MPI and stops each at a random time. The table `waiting` of its trace must agree with the
 * rest of the run:
 * - Soundness: a thread with the verdict deadlock, behind or ended never leaves its call. MPI may buffer all later
 *   sends, or none.
 * - Completeness: a thread has such a verdict if the trace shows that it never leaves its call (expected.h).
 * - A stuck thread waits for a process that has ended or whose threads all are in calls.
 * - The process that a thread of a deadlock waits for has a thread in the same deadlock.
 *
 * The number of a program is its seed. `--first N --programs 1 --show` shows one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/rounds.h"
#include "tests/waiting/expected.h"
#include "tests/waiting/traced.h"

enum { VERDICTS = 5, ENOUGH = 1500 /* a run of this many must show every verdict */ };

static const char *const verdicts[VERDICTS] = {"deadlock", "behind", "ended", "possible", "waits"};

typedef struct {
    unsigned number;
    bool growing, skewed; /* skewed: the locations' rows end at different times */
    bool at_rest;         /* the program was stopped when nothing happened any more */
    uint64_t stopped, cuts[LOCATIONS_MAX];
    const Simulation *simulation;
    GArray *lines; /* Line */
    bool expected[LOCATIONS_MAX];
    unsigned n_faults;
    bool show;
} Case;

typedef struct {
    unsigned n[VERDICTS][N_STEP_KINDS];
    unsigned growing, skewed, stuck,
        unnamed; /* stuck: in programs at rest; unnamed: stuck threads without a certain verdict */
} Counts;

static bool is_stuck_verdict(const char *verdict)
{
    return g_str_equal(verdict, "deadlock") || g_str_equal(verdict, "behind") || g_str_equal(verdict, "ended");
}

static void G_GNUC_PRINTF(3, 4) complain(Case *test, unsigned location, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    printf("program %u, process %u, thread %u: %s\n", test->number, proc_of(location), location % THREADS_MAX, text);
    test->n_faults++;
}

/* ---- Showing a program. */

static void show_step(const Step *step, bool is_present)
{
    printf("   %s %s", is_present ? ">" : " ", step_names[step->kind] ? step_names[step->kind] : "-");
    if (step->kind == STEP_COMPUTE)
        printf(" for %.3f s", (double)step->ticks / SECOND);
    if (step->kind == STEP_SEND || step->kind == STEP_ISEND || step->kind == STEP_SENDRECV)
        printf(" to %d tag %d%s delay %.3f", step->dest, step->sendtag, step->synchronous ? " synchronous" : "",
               (double)step->ticks / SECOND);
    if (step->kind == STEP_RECV || step->kind == STEP_IRECV || step->kind == STEP_SENDRECV)
        printf(" from %d tag %d", step->source, step->recvtag);
    if (step->kind == STEP_JOIN)
        printf(" join");
    printf(" comm %d root %d n %u\n", step->comm, step->root, step->n);
}

static void show_case(const Case *test)
{
    const Simulation *simulation = test->simulation;
    const Program *program = simulation->program;

    for (unsigned i = 0; i < program->n_procs; i++)
        printf("process %u: level %u\n", i, program->levels[i]);
    printf("program %u: stopped at %.9f s%s%s, rooted %u, finalize_waits %d, lists_requests %d, sub", test->number,
           (double)test->stopped / SECOND, test->growing ? ", growing" : ", killed", test->skewed ? ", skewed" : "",
           program->rooted, program->finalize_waits, program->lists_requests);
    for (unsigned i = 0; i < program->n_members[SUB]; i++)
        printf(" %d", program->members[SUB][i]);
    printf("\n");
    for (unsigned i = 0; i < LOCATIONS_MAX; i++) {
        if (!simulation_exists(simulation, i))
            continue;
        const Thread *thread = &simulation->threads[i];
        printf("process %u, thread %u: state %u since %.9f expected %d\n", proc_of(i), i % THREADS_MAX, thread->state,
               (double)thread->since / SECOND, test->expected[i]);
        for (unsigned k = 0; k < program->n_steps[i]; k++)
            show_step(&program->steps[i][k], k == thread->step);
    }
    for (unsigned i = 0; i < test->lines->len; i++) {
        const Line *line = &g_array_index(test->lines, Line, i);
        printf("line: %u.%u %s group %d waits for %d\n", proc_of(line->location), line->location % THREADS_MAX,
               line->verdict, (int)line->group, (int)line->waits_for);
    }
}

/* ---- Checks. */

static const Line *line_of(const Case *test, unsigned location)
{
    for (unsigned i = 0; i < test->lines->len; i++)
        if (g_array_index(test->lines, Line, i).location == location)
            return &g_array_index(test->lines, Line, i);
    return NULL;
}

/* Compares the lines with the expected ones. The simulation is at the time at which the run was stopped. */
static void check_complete(Case *test)
{
    for (unsigned i = 0; i < LOCATIONS_MAX; i++) {
        const Line *line = line_of(test, i);
        bool counts = simulation_exists(test->simulation, i) && expected_counts(test->simulation, test->growing, i);
        if (counts != (line != NULL))
            complain(test, i, counts ? "it is in a call, but has no line" : "it has a line without a call");
        else if (line && is_stuck_verdict(line->verdict) != test->expected[i])
            complain(test, i, "%s, although the trace says that it is%s stuck", line->verdict,
                     test->expected[i] ? "" : " not");
    }
}

/* Checks that a stuck thread waits for a process that has ended or whose threads all are in calls. */
static void check_targets(Case *test)
{
    const Simulation *simulation = test->simulation;

    for (unsigned i = 0; i < test->lines->len; i++) {
        const Line *line = &g_array_index(test->lines, Line, i);
        unsigned proc = (unsigned)line->waits_for;
        if (!is_stuck_verdict(line->verdict))
            continue;
        if (line->waits_for < 0 || proc >= simulation->program->n_procs) {
            complain(test, line->location, "it waits for no process");
            continue;
        }
        for (unsigned thread = 0; thread < simulation->program->n_threads[proc]; thread++)
            if (!simulation_has_ended(simulation, proc) &&
                expected_may_call(simulation, test->growing, location_of(proc, thread)) &&
                simulation->threads[location_of(proc, thread)].state != THREAD_CALLS)
                complain(test, line->location, "it waits for process %u, which computes", proc);
    }
}

/* Checks that the waits of a deadlocked thread lead only to deadlocked threads of its group. */
static void check_groups(Case *test)
{
    for (unsigned i = 0; i < test->lines->len; i++) {
        const Line *line = &g_array_index(test->lines, Line, i), *at = line;
        if (!g_str_equal(line->verdict, "deadlock"))
            continue;
        for (unsigned steps = 0; at && steps < 2 * LOCATIONS_MAX; steps++) {
            const Line *next = NULL;
            for (unsigned k = 0; k < test->lines->len && !next; k++) {
                const Line *candidate = &g_array_index(test->lines, Line, k);
                if ((int64_t)proc_of(candidate->location) == at->waits_for && candidate->group == line->group &&
                    g_str_equal(candidate->verdict, "deadlock"))
                    next = candidate;
            }
            at = next;
        }
        if (!at)
            complain(test, line->location, "its deadlock leads out of group %d", (int)line->group);
    }
}

/* Checks the verdicts after the simulation has run on until nothing happens any more. */
static void check_sound(Case *test, const Simulation *ended, Counts *counts)
{
    for (unsigned i = 0; i < LOCATIONS_MAX; i++) {
        if (!simulation_exists(ended, i))
            continue;
        const Thread *thread = &ended->threads[i];
        bool is_stuck = thread->state == THREAD_CALLS && thread->since <= test->cuts[i];
        const Line *line = line_of(test, i);
        counts->stuck += is_stuck && line && test->at_rest;
        counts->unnamed += is_stuck && line && test->at_rest && !is_stuck_verdict(line->verdict);
        if (line && is_stuck_verdict(line->verdict) && !is_stuck)
            complain(test, i, "%s, but its call ends", line->verdict);
        if (test->expected[i] && !is_stuck)
            complain(test, i, "the test is wrong: it expects that a call never ends, but the call ends");
    }
}

/* Runs a program again until it was stopped, and then to its end. All later sends are buffered, or none is. */
static void check_other_end(Case *test, bool synchronous, Counts *counts)
{
    g_autofree Program *program = g_memdup2(test->simulation->program, sizeof *program);
    g_auto(Simulation) simulation = {0};

    simulation_init(&simulation, program);
    simulation_run(&simulation, test->simulation->now);
    for (unsigned i = 0; i < LOCATIONS_MAX; i++)
        for (unsigned k = 0; k < program->n_steps[i]; k++)
            program->steps[i][k].synchronous = synchronous;
    simulation_run(&simulation, UINT64_MAX);
    check_sound(test, &simulation, counts);
}

static void count_lines(const Case *test, Counts *counts)
{
    for (unsigned i = 0; i < test->lines->len; i++) {
        const Line *line = &g_array_index(test->lines, Line, i);
        for (unsigned verdict = 0; verdict < VERDICTS && !test->skewed; verdict++)
            if (g_str_equal(line->verdict, verdicts[verdict]))
                counts->n[verdict][step_of(test->simulation, line->location)->kind]++;
    }
    counts->growing += test->growing;
    counts->skewed += test->skewed;
}

/* ---- A program. */

/* Returns the time from which on nothing happens. */
static uint64_t last_change(const Program *program)
{
    g_auto(Simulation) simulation = {0};

    simulation_init(&simulation, program);
    simulation_run(&simulation, UINT64_MAX);
    return simulation.now;
}

/* Runs a program until it is stopped. */
static void run_until_stopped(Case *test, Simulation *simulation, GRand *random)
{
    if (g_rand_int_range(random, 0, 2) > 0) {
        test->stopped = (uint64_t)(g_rand_double(random) * (double)last_change(simulation->program)) + 1;
        simulation_run(simulation, test->stopped);
    } else { /* when nothing happens any more */
        simulation_run(simulation, UINT64_MAX);
        test->at_rest = true;
        test->stopped = simulation->now + UINT64_C(5) * SECOND;
        simulation_run(simulation, test->stopped);
    }
    for (unsigned i = 0; i < LOCATIONS_MAX; i++) {
        test->cuts[i] = test->stopped;
        if (test->skewed && i % THREADS_MAX > 0) /* the recorder reads all threads of a process at once */
            test->cuts[i] = test->cuts[i - 1];
        else if (test->skewed)
            test->cuts[i] += (uint64_t)g_rand_int_range(random, 0, 6000) * (SECOND / 1000);
        if (!test->growing && simulation->threads[i].state == THREAD_CALLS)
            simulation_report(simulation, i);
    }
}

static bool try_program(unsigned number, bool show, Counts *counts)
{
    GRand *random = g_rand_new_with_seed(number);
    g_autofree Program *program = g_new(Program, 1);
    g_auto(Simulation) simulation = {0};
    Case test = {.number = number, .simulation = &simulation, .show = show};

    program_make(program, random);
    simulation_init(&simulation, program);
    test.growing = g_rand_boolean(random);
    test.skewed = test.growing && g_rand_int_range(random, 0, 3) == 0;
    program->reports_early |= test.growing;
    run_until_stopped(&test, &simulation, random);
    g_rand_free(random);
    if (test.skewed)
        simulation_run(&simulation, test.stopped + UINT64_C(6) * SECOND);
    else
        expected_find(&simulation, test.growing, test.expected);
    test.lines = traced_table(&simulation, test.cuts, test.growing, test.stopped);
    if (!test.skewed) {
        check_complete(&test);
        check_targets(&test);
    }
    check_groups(&test);
    count_lines(&test, counts);
    if (test.show || test.n_faults > 0)
        show_case(&test);
    check_other_end(&test, false, &(Counts){0});
    check_other_end(&test, true, &(Counts){0});
    simulation_run(&simulation, UINT64_MAX);
    check_sound(&test, &simulation, counts);
    g_array_unref(test.lines);
    return test.n_faults == 0;
}

/* Prints how often each verdict occurred for each function. Returns false if a verdict that should occur did not. */
static bool print_counts(const Counts *counts, unsigned n)
{
    bool all = true;

    printf("%-14s", "");
    for (unsigned verdict = 0; verdict < VERDICTS; verdict++)
        printf("%10s", verdicts[verdict]);
    printf("\n");
    for (unsigned kind = 0; kind < N_STEP_KINDS; kind++) {
        unsigned stuck = counts->n[0][kind] + counts->n[1][kind] + counts->n[2][kind];
        if (!step_names[kind] || kind == STEP_ISEND || kind == STEP_IRECV)
            continue;
        printf("%-14s", step_names[kind]);
        for (unsigned verdict = 0; verdict < VERDICTS; verdict++)
            printf("%10u", counts->n[verdict][kind]);
        printf("\n");
        bool rooted = kind == STEP_BCAST || kind == STEP_REDUCE; /* some members may return early */
        all &= stuck > 0 && counts->n[0][kind] > 0 && (!rooted || counts->n[3][kind] > 0);
        all &= counts->n[4][kind] > 0;
    }
    for (unsigned verdict = 0; verdict < VERDICTS; verdict++) {
        unsigned sum = 0;
        for (unsigned kind = 0; kind < N_STEP_KINDS; kind++)
            sum += counts->n[verdict][kind];
        all &= sum > 0;
    }
    printf("%u programs, %u growing, %u of them skewed; at rest %u threads are stuck, %u of them without a certain "
           "verdict\n",
           n, counts->growing, counts->skewed, counts->stuck, counts->unnamed);
    return all;
}

int main(int argc, char **argv)
{
    int programs = (int)TEST_ROUNDS(1500), first = 0;
    gboolean show = FALSE;
    const GOptionEntry entries[] = {{"programs", 0, 0, G_OPTION_ARG_INT, &programs, "number of programs", "N"},
                                    {"first", 0, 0, G_OPTION_ARG_INT, &first, "seed of the first one", "N"},
                                    {"show", 0, 0, G_OPTION_ARG_NONE, &show, "show each program", NULL},
                                    {0}};
    g_autoptr(GOptionContext) options = g_option_context_new(NULL);
    g_autoptr(GError) error = NULL;
    Counts counts = {0};
    unsigned n_wrong = 0;

    g_option_context_add_main_entries(options, entries, NULL);
    if (!g_option_context_parse(options, &argc, &argv, &error)) {
        fprintf(stderr, "%s\n", error->message);
        return 2;
    }
    for (int i = 0; i < programs; i++)
        n_wrong += !try_program((unsigned)(first + i), show, &counts);
    bool all = print_counts(&counts, (unsigned)programs);
    if (!all && programs >= ENOUGH)
        printf("a kind of verdict or call did not occur\n");
    if (n_wrong > 0)
        printf("%u programs with wrong verdicts\n", n_wrong);
    return n_wrong > 0 || (!all && programs >= ENOUGH);
}
