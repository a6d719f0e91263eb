/* Views against what is remembered of a made-up run, added up naively. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"

static const RunRecipe ordinary = {.n_procs = 5, .events = 3000};
static const RunRecipe wide = {.n_procs = 300, .events = 20};

enum { PICKS = 25 };

/* ---- Random selections. */

typedef struct {
    GString *path;
    uint64_t a, b;
    gint32 proc, proc_last, thread; /* -1: any */
} Pick;

static uint64_t end_of(const Run *run)
{
    uint64_t last = 0;

    for (unsigned i = 0; i < run->n_locations; i++) {
        const GArray *events = run->locations[i].events;
        if (events->len)
            last = MAX(last, g_array_index(events, RunEvent, events->len - 1).t);
    }
    return last + 1;
}

static void add_window(Run *run, Pick *pick)
{
    uint64_t end = end_of(run), width = end >> g_rand_int_range(run->random, 0, 12);

    pick->a = (uint64_t)g_rand_double_range(run->random, 0, (double)end);
    pick->b = MIN(pick->a + width, end);
    if (g_rand_int_range(run->random, 0, 8) == 0)
        pick->b = pick->a;
    g_string_append_printf(pick->path, "/time/%lu.%09lu-%lu.%09lu", pick->a / 1000000000, pick->a % 1000000000,
                           pick->b / 1000000000, pick->b % 1000000000);
}

static Pick random_pick(Run *run)
{
    Pick pick = {g_string_new(NULL), 0, end_of(run), -1, -1, -1};
    gint32 n = (gint32)run->recipe.n_procs;

    if (g_rand_int_range(run->random, 0, 6))
        add_window(run, &pick);
    switch (g_rand_int_range(run->random, 0, 4)) {
    case 0:
        pick.proc = pick.proc_last = g_rand_int_range(run->random, 0, n);
        g_string_append_printf(pick.path, "/proc/%d", pick.proc);
        break;
    case 1:
        pick.proc = g_rand_int_range(run->random, 0, n);
        pick.proc_last = g_rand_int_range(run->random, pick.proc, n);
        g_string_append_printf(pick.path, "/proc/%d-%d", pick.proc, pick.proc_last);
        break;
    case 2:
        pick.thread = g_rand_int_range(run->random, 0, 2);
        g_string_append_printf(pick.path, "/thread/%d", pick.thread);
        break;
    default:
        break;
    }
    return pick;
}

static bool picks(const Pick *pick, const RunLocation *location)
{
    return (pick->proc < 0 || ((gint32)location->proc >= pick->proc && (gint32)location->proc <= pick->proc_last)) &&
           (pick->thread < 0 || (gint32)location->thread == pick->thread);
}

static bool in_window(const Pick *pick, const RunEvent *event)
{
    return event->t >= pick->a && event->t < pick->b;
}

/* ---- Lines: what stands in them, one blank between. */

static GPtrArray *read_lines(Run *run, const Pick *pick, const char *view, const char *header)
{
    g_autofree char *path = g_strconcat(pick->path->str, "/", view, NULL);
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    GString *text = run_read(run, path);
    size_t width = strchr(text->str, '\n') - text->str + 1;

    cr_assert_eq(text->len % width, 0, "%s", path);
    for (size_t at = 0; at < text->len; at += width) {
        g_autoptr(GString) line = g_string_new(NULL);
        cr_assert_eq(text->str[at + width - 1], '\n', "%s, line %zu", path, at / width);
        for (const char *p = text->str + at; *p != '\n'; p++) {
            if (*p != ' ' || (line->len && line->str[line->len - 1] != ' '))
                g_string_append_c(line, *p);
        }
        g_ptr_array_add(lines, g_strchomp(g_strdup(line->str)));
    }
    cr_assert_str_eq(lines->pdata[0], header);
    g_ptr_array_remove_index(lines, 0);
    g_string_free(text, TRUE);
    return lines;
}

static const char *line_at(const GPtrArray *lines, unsigned i)
{
    return lines->pdata[i];
}

#define assert_line(pick, lines, i, ...)                                               \
    do {                                                                               \
        g_autofree char *expected = g_strdup_printf(__VA_ARGS__);                      \
        cr_assert_lt(i, (lines)->len, "%s", (pick)->path->str);                        \
        cr_assert_str_eq(line_at(lines, i), expected, "%s: %u", (pick)->path->str, i); \
    } while (0)

/* As the views print it: seconds, of ticks of a nanosecond. */
static char *seconds(uint64_t ticks)
{
    return g_strdup_printf("%lu.%09lu", ticks / 1000000000, ticks % 1000000000);
}

/* ---- Time by region: from one call to the next, what is on top, and what is open. */

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

/* Adds one location's times; returns the width of its part of the window. */
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
        if (in_window(pick, event) && (lost || event->kind == RUN_ENTER))
            times[lost ? BEFORE : event->region].calls++;
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

static void check_profile(Run *run, const Pick *pick)
{
    g_autoptr(GPtrArray) lines =
        read_lines(run, pick, "profile", "# row calls inclusive exclusive inclusive% exclusive% region");
    Time times[N_ROWS] = {0};
    uint64_t whole = 0;

    for (unsigned i = 0; i < N_ROWS; i++)
        times[i].row = i;
    for (unsigned i = 0; i < run->n_locations; i++) {
        if (picks(pick, &run->locations[i]))
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
                    of_exclusive, time->row == BEFORE ? "(before trace)" : run_regions[time->row]);
    }
}

static void check_imbalance_line(const Pick *pick, const char *line, const uint64_t *ticks, const uint32_t *procs,
                                 unsigned n, double *over)
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
    cr_assert_leq(shown_max - shown_mean, *over + 2e-9, "%s: %s", pick->path->str, line);
    cr_assert_str_eq(line + at, run_regions[row]);
    *over = shown_max - shown_mean;
}

static void check_imbalance(Run *run, const Pick *pick)
{
    g_autoptr(GPtrArray) lines =
        read_lines(run, pick, "imbalance", "# row mean min max stddev min_proc max_proc region");
    g_autofree uint64_t *ticks = g_new0(uint64_t, RUN_REGIONS * run->n_locations);
    g_autofree uint32_t *procs = g_new0(uint32_t, run->n_locations);
    double over = INFINITY;
    unsigned n = 0;

    for (unsigned i = 0; i < run->n_locations; i++) {
        Time times[N_ROWS] = {0};
        if (!picks(pick, &run->locations[i]))
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
        check_imbalance_line(pick, line, ticks + strtoul(line, NULL, 10) * run->n_locations, procs, n, &over);
    }
}

/* ---- Stacks. */

static unsigned check_stack_of(Run *run, const Pick *pick, const RunLocation *location, GPtrArray *lines, unsigned at)
{
    const GArray *events = location->events, *stack = NULL;
    bool over = g_array_index(events, RunEvent, events->len - 1).t < pick->a;
    /* When what is at each level of the stack was entered. */
    g_autoptr(GArray) since = g_array_new(FALSE, TRUE, sizeof(uint64_t));

    for (unsigned i = 0; i < events->len && g_array_index(events, RunEvent, i).t < pick->a; i++) {
        const RunEvent *event = &g_array_index(events, RunEvent, i);
        if (!event->stack)
            continue;
        stack = event->stack;
        g_array_set_size(since, stack->len);
        if (event->kind == RUN_ENTER)
            g_array_index(since, uint64_t, since->len - 1) = event->t;
    }
    for (unsigned level = 1; level <= run->deepest; level++, at++) {
        if (over || !stack || level > stack->len) {
            assert_line(pick, lines, at, "%u %u %u - - -", location->proc, location->thread, level);
            continue;
        }
        uint64_t t = g_array_index(since, uint64_t, level - 1);
        g_autofree char *entered = seconds(t), *open = seconds(pick->a - t);
        assert_line(pick, lines, at, "%u %u %u %s %s %s", location->proc, location->thread, level, entered, open,
                    run_regions[g_array_index(stack, uint32_t, level - 1)]);
    }
    return at;
}

static void check_stack(Run *run, const Pick *pick)
{
    g_autoptr(GPtrArray) lines = read_lines(run, pick, "stack", "# proc thread level since time region");
    unsigned at = 0;

    for (unsigned i = 0; i < run->n_locations; i++) {
        if (picks(pick, &run->locations[i]))
            at = check_stack_of(run, pick, &run->locations[i], lines, at);
    }
    cr_assert_eq(at, lines->len);
}

/* ---- Messages. */

typedef struct {
    uint64_t messages, bytes;
} Traffic;

/* What a process exchanged with each other one. */
static void add_traffic(Run *run, const Pick *pick, uint32_t proc, RunKind kind, Traffic *with)
{
    for (unsigned i = 0; i < run->n_locations; i++) {
        const RunLocation *location = &run->locations[i];
        for (unsigned j = 0; location->proc == proc && picks(pick, location) && j < location->events->len; j++) {
            const RunEvent *event = &g_array_index(location->events, RunEvent, j);
            if (event->kind != kind || event->peer == RUN_NONE || !in_window(pick, event))
                continue;
            with[event->peer].messages++;
            with[event->peer].bytes += event->bytes;
        }
    }
}

static bool picks_proc(const Run *run, const Pick *pick, uint32_t proc)
{
    for (unsigned i = 0; i < run->n_locations; i++) {
        if (run->locations[i].proc == proc && picks(pick, &run->locations[i]))
            return true;
    }
    return false;
}

static void check_matrix(Run *run, const Pick *pick, const char *view, RunKind kind)
{
    g_autoptr(GPtrArray) lines = read_lines(run, pick, view, "# sender receiver messages bytes");
    g_autofree Traffic *with = g_new(Traffic, run->recipe.n_procs);
    unsigned at = 0;

    for (uint32_t proc = 0; proc < run->recipe.n_procs; proc++) {
        if (!picks_proc(run, pick, proc))
            continue;
        memset(with, 0, run->recipe.n_procs * sizeof *with);
        add_traffic(run, pick, proc, kind, with);
        for (uint32_t peer = 0; peer < run->recipe.n_procs; peer++, at++)
            assert_line(pick, lines, at, "%u %u %lu %lu", kind == RUN_SEND ? proc : peer,
                        kind == RUN_SEND ? peer : proc, with[peer].messages, with[peer].bytes);
    }
    cr_assert_eq(at, lines->len);
}

static void check_bytes(Run *run, const Pick *pick)
{
    g_autoptr(GPtrArray) lines = read_lines(run, pick, "bytes",
                                            "# proc messages_sent bytes_sent messages_received bytes_received "
                                            "collectives collective_sent collective_received");
    unsigned at = 0;

    for (uint32_t proc = 0; proc < run->recipe.n_procs; proc++) {
        uint64_t sum[7] = {0};
        if (!picks_proc(run, pick, proc))
            continue;
        for (unsigned i = 0; i < run->n_locations; i++) {
            const RunLocation *location = &run->locations[i];
            for (unsigned j = 0; location->proc == proc && picks(pick, location) && j < location->events->len; j++) {
                const RunEvent *event = &g_array_index(location->events, RunEvent, j);
                if (!in_window(pick, event))
                    continue;
                bool sent = event->kind == RUN_SEND, received = event->kind == RUN_RECV;
                bool collective = event->kind == RUN_COLLECTIVE && event->completes;
                sum[0] += sent;
                sum[1] += sent ? event->bytes : 0;
                sum[2] += received;
                sum[3] += received ? event->bytes : 0;
                sum[4] += collective;
                sum[5] += collective ? event->bytes : 0;
                sum[6] += collective ? event->received : 0;
            }
        }
        assert_line(pick, lines, at, "%u %lu %lu %lu %lu %lu %lu %lu", proc, sum[0], sum[1], sum[2], sum[3], sum[4],
                    sum[5], sum[6]);
        at++;
    }
    cr_assert_eq(at, lines->len);
}

/* ---- Slices of the window. */

static uint64_t bound(const Pick *pick, unsigned i)
{
    return pick->a + (uint64_t)((unsigned __int128)(pick->b - pick->a) * i / 100);
}

static void check_histogram(Run *run, const Pick *pick)
{
    g_autoptr(GPtrArray) lines = read_lines(
        run, pick, "histogram", "# from to count calls sent_messages sent_bytes received_messages received_bytes");

    cr_assert_eq(lines->len, 100);
    for (unsigned slice = 0; slice < 100; slice++) {
        Pick part = *pick;
        uint64_t sum[6] = {0};
        part.a = bound(pick, slice);
        part.b = bound(pick, slice + 1);
        for (unsigned i = 0; i < run->n_locations; i++) {
            const RunLocation *location = &run->locations[i];
            for (unsigned j = 0; picks(pick, location) && j < location->events->len; j++) {
                const RunEvent *event = &g_array_index(location->events, RunEvent, j);
                if (!in_window(&part, event))
                    continue;
                sum[0]++;
                sum[1] += event->kind == RUN_ENTER;
                sum[2] += event->kind == RUN_SEND;
                sum[3] += event->kind == RUN_SEND ? event->bytes : 0;
                sum[4] += event->kind == RUN_RECV;
                sum[5] += event->kind == RUN_RECV ? event->bytes : 0;
            }
        }
        g_autofree char *from = seconds(part.a), *to = seconds(part.b);
        assert_line(pick, lines, slice, "%s %s %lu %lu %lu %lu %lu %lu", from, to, sum[0], sum[1], sum[2], sum[3],
                    sum[4], sum[5]);
    }
}

static double real_of(const RunEvent *event)
{
    return event->metric == 0 ? (double)event->value.u : event->metric == 1 ? event->value.d : (double)event->value.i;
}

static char *exact(const RunEvent *event)
{
    char text[64];

    if (event->metric == 0)
        return g_strdup_printf("%lu", event->value.u);
    if (event->metric == 2)
        return g_strdup_printf("%ld", event->value.i);
    return g_strdup(g_ascii_formatd(text, sizeof text, "%.17g", event->value.d));
}

/* Whether a value comes after another: by (T, location, seq). */
static bool is_later(const Run *run, const RunEvent *x, const RunEvent *y)
{
    uint64_t a = run->locations[x->location].id, b = run->locations[y->location].id;
    if (x->t != y->t)
        return x->t > y->t;
    return a != b ? a > b : x->seq > y->seq;
}

static void check_values_line(Run *run, const Pick *pick, const Pick *part, unsigned metric, GPtrArray *lines,
                              unsigned at)
{
    const RunEvent *min = NULL, *max = NULL, *last = NULL;
    long double sum = 0;
    unsigned n = 0;

    for (unsigned i = 0; i < run->n_locations; i++) {
        const RunLocation *location = &run->locations[i];
        for (unsigned j = 0; picks(pick, location) && j < location->events->len; j++) {
            const RunEvent *event = &g_array_index(location->events, RunEvent, j);
            if (event->kind != RUN_METRIC || event->metric != metric || !in_window(part, event))
                continue;
            n++;
            sum += metric == 0 ? (long double)event->value.u : (long double)real_of(event);
            bool less = !min || (metric == 0 ? event->value.u < min->value.u : real_of(event) < real_of(min));
            bool more = !max || (metric == 0 ? event->value.u > max->value.u : real_of(event) > real_of(max));
            min = less ? event : min;
            max = more ? event : max;
            last = !last || is_later(run, event, last) ? event : last;
        }
    }
    g_autofree char *from = seconds(part->a), *to = seconds(part->b);
    if (!n) {
        assert_line(pick, lines, at, "%s %s %u 0 - - - - %s", from, to, metric, run_metrics[metric]);
        return;
    }
    g_auto(GStrv) fields = g_strsplit(line_at(lines, at), " ", -1);
    g_autofree char *least = exact(min), *most = exact(max), *latest = exact(last);
    cr_assert_eq(g_strv_length(fields), 9);
    assert_line(pick, lines, at, "%s %s %u %u %s %s %s %s %s", from, to, metric, n, least, fields[5], most, latest,
                run_metrics[metric]);
    double mean = (double)(sum / n);
    cr_assert_leq(fabs(g_ascii_strtod(fields[5], NULL) - mean), fabs(mean) * 1e-9 + 1e-9, "%s: %s is not %.17g",
                  pick->path->str, line_at(lines, at), mean);
}

static void check_values(Run *run, const Pick *pick, const char *view)
{
    g_autoptr(GPtrArray) lines = read_lines(run, pick, view, "# from to row count min mean max last metric");

    cr_assert_eq(lines->len, RUN_METRICS * 100);
    for (unsigned at = 0; at < lines->len; at++) {
        Pick part = *pick;
        part.a = bound(pick, at % 100);
        part.b = bound(pick, at % 100 + 1);
        check_values_line(run, pick, &part, at / 100, lines, at);
    }
}

/* ---- The tests. */

static void check_all(Run *run, const Pick *pick)
{
    check_profile(run, pick);
    check_imbalance(run, pick);
    check_stack(run, pick);
    check_matrix(run, pick, "matrix", RUN_SEND);
    check_matrix(run, pick, "sends/matrix", RUN_SEND);
    check_matrix(run, pick, "recvs/matrix", RUN_RECV);
    check_bytes(run, pick);
    check_histogram(run, pick);
    check_values(run, pick, "values");
    check_values(run, pick, "counters/values");
}

Test(views, show_what_happened, .timeout = 120)
{
    for (uint32_t seed = 1; seed <= 4; seed++) {
        g_autoptr(Run) run = run_new(seed, &ordinary);
        for (unsigned i = 0; i < PICKS; i++) {
            Pick pick = random_pick(run);
            check_all(run, &pick);
            g_string_free(pick.path, TRUE);
        }
    }
}

Test(views, many_processes_are_read_in_parts, .timeout = 120)
{
    g_autoptr(Run) run = run_new(7, &wide);
    Pick all = {g_string_new(""), 0, end_of(run), -1, -1, -1};

    check_matrix(run, &all, "matrix", RUN_SEND);
    check_bytes(run, &all);
    check_stack(run, &all);
    check_imbalance(run, &all);
    g_string_free(all.path, TRUE);
}

/* Any block, in any order. */
Test(views, blocks_are_parts_of_the_whole, .timeout = 120)
{
    static const char *const files[] = {"matrix", "recvs/matrix", "stack", "profile", "values", "bytes", "info"};
    g_autoptr(Run) run = run_new(8, &wide);

    for (unsigned i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autoptr(XtfNode) node = xtf_tree_resolve(run->written.tree, files[i], NULL);
        GString *whole = run_read(run, files[i]);
        char buffer[70000];
        size_t got;
        cr_assert(node);
        for (unsigned j = 0; j < 50; j++) {
            uint64_t offset = (uint64_t)g_rand_double_range(run->random, 0, (double)whole->len);
            size_t length = (size_t)g_rand_int_range(run->random, 1, sizeof buffer);
            cr_assert(xtf_node_read(node, offset, buffer, length, &got, NULL));
            cr_assert_eq(got, MIN(length, whole->len - offset));
            cr_assert_eq(memcmp(buffer, whole->str + offset, got), 0, "%s: %lu from %lu", files[i], got, offset);
        }
        g_string_free(whole, TRUE);
    }
}

Test(views, stand_where_they_make_sense)
{
    static const char *const there[] = {"profile",
                                        "calls/profile",
                                        "calls/stack",
                                        "calls/imbalance",
                                        "sends/matrix",
                                        "recvs/bytes",
                                        "collectives/bytes",
                                        "counters/values",
                                        "values",
                                        "proc/0/thread/1/time/1us-/matrix",
                                        "time/5-5/profile",
                                        "num/1-5/histogram"};
    static const char *const not_there[] = {"sends/profile",       "calls/matrix",   "calls/bytes",
                                            "sends/stack",         "calls/values",   "num/0-5/profile",
                                            "num/0-5/matrix",      "num/0-5/stack",  "calls/num/0-5/imbalance",
                                            "num/0-5/bytes",       "num/0-5/values", "sends/calls/profile",
                                            "definitions/profile", "proc/profile",   "collectives/matrix",
                                            "measurement/bytes"};
    g_autoptr(Run) run = run_new(9, &wide);

    for (unsigned i = 0; i < G_N_ELEMENTS(there); i++)
        g_string_free(run_read(run, there[i]), TRUE);
    for (unsigned i = 0; i < G_N_ELEMENTS(not_there); i++)
        cr_assert_not(run_exists(run, not_there[i]), "%s", not_there[i]);
}

/* The text of a view is made once for those who read it on, whatever the size of their blocks. */
Test(views, reading_on_computes_nothing_again)
{
    g_autoptr(Run) run = run_new(10, &ordinary);
    g_autoptr(XtfNode) node = xtf_tree_resolve(run->written.tree, "time/10%-90%/values", NULL);
    XtfCounters before, after;
    char buffer[1000];
    size_t got;

    cr_assert(xtf_node_read(node, 0, buffer, sizeof buffer, &got, NULL));
    xtf_trace_get_counters(run->written.trace, &before);
    for (uint64_t offset = got; offset < xtf_node_size(node); offset += got)
        cr_assert(xtf_node_read(node, offset, buffer, sizeof buffer, &got, NULL));
    xtf_trace_get_counters(run->written.trace, &after);
    cr_assert_eq(after.page_visits, before.page_visits);
}

typedef struct {
    XtfNode *node;
    const GString *whole;
    unsigned first;
} Reader;

static void *read_blocks(void *data)
{
    Reader *reader = data;
    char buffer[4096];

    for (uint64_t offset = reader->first * sizeof buffer; offset < reader->whole->len; offset += 4 * sizeof buffer) {
        size_t got = 0;
        if (!xtf_node_read(reader->node, offset, buffer, sizeof buffer, &got, NULL) ||
            memcmp(buffer, reader->whole->str + offset, got) != 0)
            return "differs";
    }
    return NULL;
}

Test(views, threads_read_side_by_side, .timeout = 120)
{
    g_autoptr(Run) run = run_new(11, &wide);
    GString *whole = run_read(run, "matrix");
    g_autoptr(XtfNode) node = xtf_tree_resolve(run->written.tree, "time/0-/matrix", NULL);
    Reader readers[4];
    GThread *threads[4];

    for (unsigned i = 0; i < 4; i++) {
        readers[i] = (Reader){node, whole, i};
        threads[i] = g_thread_new("reader", read_blocks, &readers[i]);
    }
    for (unsigned i = 0; i < 4; i++)
        cr_assert_null(g_thread_join(threads[i]));
    g_string_free(whole, TRUE);
}
