/* Checks of the views of calls against the events of a random run: time by region, and stacks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pick.h"

/* ---- Time by region: the innermost frame and all open frames between two calls. */

enum { BEFORE = RUN_REGIONS, N_ROWS };

typedef struct {
    unsigned row;
    uint64_t calls, inclusive, exclusive;
} Time;

static uint64_t overlap(const Pick *pick, uint64_t from, uint64_t to)
{
    from = MAX(from, pick->a);
    to = MIN(to, pick->b);
    return from < to ? to - from : 0;
}

static void add_interval(const Pick *pick, const GArray *stack, uint64_t from, uint64_t to, Time *times)
{
    bool open[RUN_REGIONS] = {false};
    uint64_t ticks = overlap(pick, from, to);

    for (unsigned i = 0; stack && i < stack->len; i++)
        open[g_array_index(stack, uint32_t, i)] = true;
    for (unsigned region = 0; region < RUN_REGIONS; region++)
        times[region].inclusive += open[region] ? ticks : 0;
    if (stack && stack->len)
        times[g_array_index(stack, uint32_t, stack->len - 1)].exclusive += ticks;
}

/* Adds the times of one location. Returns the length of the part of the window in which the location has records. */
static uint64_t add_times(const Pick *pick, const RunLocation *location, Time *times)
{
    const GArray *events = location->events, *stack = NULL;
    uint64_t first = g_array_index(events, RunEvent, 0).t, t = first;
    uint64_t last = g_array_index(events, RunEvent, events->len - 1).t;
    bool has_calls = false;

    for (unsigned i = 0; i < events->len; i++) {
        const RunEvent *event = &g_array_index(events, RunEvent, i);
        if (!event->stack)
            continue;
        bool lost = event->kind == RUN_LEAVE && event->region == RUN_NONE;
        add_interval(pick, stack, t, event->t, times);
        if (lost && !(stack && stack->len)) {
            times[BEFORE].inclusive += overlap(pick, t, event->t);
            times[BEFORE].exclusive += overlap(pick, t, event->t);
        }
        if (pick_in_window(pick, event) && event->kind == RUN_ENTER)
            times[event->region].calls++;
        stack = event->stack;
        t = event->t;
        has_calls = true;
    }
    add_interval(pick, stack, t, last, times);
    return has_calls ? overlap(pick, first, last) : 0;
}

static int compare_times(const void *a, const void *b)
{
    const Time *x = a, *y = b;
    if (x->exclusive != y->exclusive)
        return x->exclusive > y->exclusive ? -1 : 1;
    if (x->calls != y->calls)
        return x->calls > y->calls ? -1 : 1;
    return (int)x->row - (int)y->row;
}

static char *percent(uint64_t part, uint64_t whole)
{
    uint64_t hundredths = whole ? (part * 20000 / whole + 1) / 2 : 0;
    return whole ? g_strdup_printf("%lu.%02lu", hundredths / 100, hundredths % 100) : g_strdup("-");
}

void check_profile(Run *run, const Pick *pick)
{
    g_autoptr(GPtrArray) lines =
        pick_read_lines(run, pick, "profile", "# row calls inclusive exclusive inclusive% exclusive% region");
    Time times[N_ROWS] = {0};
    uint64_t whole = 0;

    for (unsigned i = 0; i < N_ROWS; i++)
        times[i].row = i;
    for (unsigned i = 0; i < run->n_locations; i++) {
        if (pick_takes(pick, &run->locations[i]))
            whole += add_times(pick, &run->locations[i], times);
    }
    qsort(times, N_ROWS, sizeof *times, compare_times);
    cr_assert_eq(lines->len, N_ROWS);
    for (unsigned i = 0; i < N_ROWS; i++) {
        const Time *time = &times[i];
        g_autofree char *row = time->row == BEFORE ? g_strdup("-") : g_strdup_printf("%u", time->row);
        g_autofree char *inclusive = seconds(time->inclusive), *exclusive = seconds(time->exclusive);
        g_autofree char *of_inclusive = percent(time->inclusive, whole),
                        *of_exclusive = percent(time->exclusive, whole);
        assert_line(pick, lines, i, "%s %lu %s %s %s %s %s", row, time->calls, inclusive, exclusive, of_inclusive,
                    of_exclusive, time->row == BEFORE ? "(unmatched LEAVE)" : run_regions[time->row]);
    }
}

static void check_imbalance_line(const Pick *pick, const char *line, const uint64_t *ticks, const uint32_t *procs,
                                 unsigned n, double *excess)
{
    double mean = 0, squares = 0, shown_mean, shown_deviation, shown_max;
    unsigned least = 0, most = 0, row, min_proc, max_proc;
    char min[40], max[40];
    int at;

    for (unsigned i = 0; i < n; i++) {
        mean += (double)ticks[i] / n;
        least = ticks[i] < ticks[least] ? i : least;
        most = ticks[i] > ticks[most] ? i : most;
    }
    for (unsigned i = 0; i < n; i++)
        squares += ((double)ticks[i] - mean) * ((double)ticks[i] - mean) / n;
    g_autofree char *expected_min = seconds(ticks[least]), *expected_max = seconds(ticks[most]);
    cr_assert_eq(sscanf(line, "%u %lf %39s %39s %lf %u %u %n", &row, &shown_mean, min, max, &shown_deviation, &min_proc,
                        &max_proc, &at),
                 7, "%s", line);
    shown_max = g_ascii_strtod(max, NULL);
    cr_assert_str_eq(min, expected_min, "%s: %s", pick->path->str, line);
    cr_assert_str_eq(max, expected_max, "%s: %s", pick->path->str, line);
    cr_assert(min_proc == procs[least] && max_proc == procs[most], "%s: %s", pick->path->str, line);
    cr_assert_lt(fabs(shown_mean - mean / 1e9), 2e-9, "%s: %s", pick->path->str, line);
    cr_assert_lt(fabs(shown_deviation - sqrt(squares) / 1e9), 2e-9, "%s: %s", pick->path->str, line);
    cr_assert_leq(shown_max - shown_mean, *excess + 2e-9, "%s: %s", pick->path->str, line);
    cr_assert_str_eq(line + at, run_regions[row]);
    *excess = shown_max - shown_mean;
}

void check_imbalance(Run *run, const Pick *pick)
{
    g_autoptr(GPtrArray) lines =
        pick_read_lines(run, pick, "imbalance", "# row mean min max stddev min_proc max_proc region");
    g_autofree uint64_t *ticks = g_new0(uint64_t, RUN_REGIONS * run->n_locations);
    g_autofree uint32_t *procs = g_new0(uint32_t, run->n_locations);
    double excess = INFINITY;
    unsigned n = 0;

    for (unsigned i = 0; i < run->n_locations; i++) {
        Time times[N_ROWS] = {0};
        if (!pick_takes(pick, &run->locations[i]))
            continue;
        add_times(pick, &run->locations[i], times);
        if (!n || procs[n - 1] != run->locations[i].proc)
            procs[n++] = run->locations[i].proc;
        for (unsigned region = 0; region < RUN_REGIONS; region++)
            ticks[region * run->n_locations + n - 1] += times[region].exclusive;
    }
    cr_assert_eq(lines->len, RUN_REGIONS);
    for (unsigned i = 0; n && i < RUN_REGIONS; i++) {
        const char *line = line_at(lines, i);
        check_imbalance_line(pick, line, ticks + strtoul(line, NULL, 10) * run->n_locations, procs, n, &excess);
    }
}

/* ---- Stacks. */

static unsigned check_stack_of(Run *run, const Pick *pick, const RunLocation *location, GPtrArray *lines, unsigned at)
{
    const GArray *events = location->events, *stack = NULL;
    uint64_t last = g_array_index(events, RunEvent, events->len - 1).t;
    /* The stack of the whole run is the one after the last event. */
    bool is_whole = !strstr(pick->path->str, "/time/"), is_over = !is_whole && last < pick->a;
    uint64_t shown_at = is_whole ? last : pick->a, before = is_whole ? last + 1 : pick->a;
    /* Time at which the frame at each level of the stack was entered. */
    g_autoptr(GArray) entry_times = g_array_new(FALSE, TRUE, sizeof(uint64_t));

    for (unsigned i = 0; i < events->len && g_array_index(events, RunEvent, i).t < before; i++) {
        const RunEvent *event = &g_array_index(events, RunEvent, i);
        if (!event->stack)
            continue;
        stack = event->stack;
        g_array_set_size(entry_times, stack->len);
        if (event->kind == RUN_ENTER)
            g_array_index(entry_times, uint64_t, entry_times->len - 1) = event->t;
    }
    for (unsigned level = 1; level <= run->deepest; level++, at++) {
        if (is_over || !stack || level > stack->len) {
            assert_line(pick, lines, at, "%u %u %u - - -", location->proc, location->thread, level);
            continue;
        }
        uint64_t t = g_array_index(entry_times, uint64_t, level - 1);
        g_autofree char *entered = seconds(t), *open = seconds(shown_at - t);
        assert_line(pick, lines, at, "%u %u %u %s %s %s", location->proc, location->thread, level, entered, open,
                    run_regions[g_array_index(stack, uint32_t, level - 1)]);
    }
    return at;
}

void check_stack(Run *run, const Pick *pick)
{
    g_autoptr(GPtrArray) lines = pick_read_lines(run, pick, "stack", "# proc thread level since time region");
    unsigned at = 0;

    for (unsigned i = 0; i < run->n_locations; i++) {
        if (pick_takes(pick, &run->locations[i]))
            at = check_stack_of(run, pick, &run->locations[i], lines, at);
    }
    cr_assert_eq(at, lines->len);
}
