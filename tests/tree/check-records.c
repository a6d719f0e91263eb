/* Checks of the views of messages and of slices of the window against the events of a random run. */
#include <math.h>
#include <string.h>

#include "pick.h"

/* ---- Messages. */

typedef struct {
    uint64_t messages, bytes;
} Traffic;

/* Adds the messages that one process exchanged with each other process. */
static void add_traffic(Run *run, const Pick *pick, uint32_t proc, RunKind kind, Traffic *traffic)
{
    for (unsigned i = 0; i < run->n_locations; i++) {
        const RunLocation *location = &run->locations[i];
        for (unsigned j = 0; location->proc == proc && pick_takes(pick, location) && j < location->events->len; j++) {
            const RunEvent *event = &g_array_index(location->events, RunEvent, j);
            if (event->kind != kind || event->peer == RUN_NONE || !pick_in_window(pick, event))
                continue;
            traffic[event->peer].messages++;
            traffic[event->peer].bytes += event->bytes;
        }
    }
}

static bool picks_proc(const Run *run, const Pick *pick, uint32_t proc)
{
    for (unsigned i = 0; i < run->n_locations; i++) {
        if (run->locations[i].proc == proc && pick_takes(pick, &run->locations[i]))
            return true;
    }
    return false;
}

/* Compares a matrix: it has a line for each pair that exchanges messages anywhere in the trace. */
void check_matrix(Run *run, const Pick *pick, const char *view, RunKind kind)
{
    g_autoptr(GPtrArray) lines = pick_read_lines(run, pick, view, "# sender receiver messages bytes");
    g_autofree Traffic *traffic = g_new(Traffic, run->recipe.n_procs), *ever = g_new(Traffic, run->recipe.n_procs);
    Pick all = pick_all(run);
    unsigned at = 0;

    for (uint32_t proc = 0; proc < run->recipe.n_procs; proc++) {
        if (!picks_proc(run, pick, proc))
            continue;
        memset(traffic, 0, run->recipe.n_procs * sizeof *traffic);
        memset(ever, 0, run->recipe.n_procs * sizeof *ever);
        add_traffic(run, pick, proc, kind, traffic);
        add_traffic(run, &all, proc, kind, ever);
        for (uint32_t peer = 0; peer < run->recipe.n_procs; peer++) {
            if (!ever[peer].messages)
                continue;
            assert_line(pick, lines, at, "%u %u %lu %lu", kind == RUN_SEND ? proc : peer,
                        kind == RUN_SEND ? peer : proc, traffic[peer].messages, traffic[peer].bytes);
            at++;
        }
    }
    cr_assert_eq(at, lines->len);
    g_string_free(all.path, TRUE);
}

void check_bytes(Run *run, const Pick *pick)
{
    g_autoptr(GPtrArray) lines = pick_read_lines(run, pick, "bytes",
                                                 "# proc messages_sent bytes_sent messages_received bytes_received "
                                                 "collectives collective_sent collective_received");
    unsigned at = 0;

    for (uint32_t proc = 0; proc < run->recipe.n_procs; proc++) {
        uint64_t sum[7] = {0};
        if (!picks_proc(run, pick, proc))
            continue;
        for (unsigned i = 0; i < run->n_locations; i++) {
            const RunLocation *location = &run->locations[i];
            for (unsigned j = 0; location->proc == proc && pick_takes(pick, location) && j < location->events->len;
                 j++) {
                const RunEvent *event = &g_array_index(location->events, RunEvent, j);
                if (!pick_in_window(pick, event))
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

static uint64_t slice_bound(const Pick *pick, unsigned i)
{
    return pick->a + (uint64_t)((unsigned __int128)(pick->b - pick->a) * i / 100);
}

void check_histogram(Run *run, const Pick *pick)
{
    g_autoptr(GPtrArray) lines = pick_read_lines(
        run, pick, "histogram", "# from to count calls sent_messages sent_bytes received_messages received_bytes");

    cr_assert_eq(lines->len, 100);
    for (unsigned slice = 0; slice < 100; slice++) {
        Pick part = *pick;
        uint64_t sum[6] = {0};
        part.a = slice_bound(pick, slice);
        part.b = slice_bound(pick, slice + 1);
        for (unsigned i = 0; i < run->n_locations; i++) {
            const RunLocation *location = &run->locations[i];
            for (unsigned j = 0; pick_takes(pick, location) && j < location->events->len; j++) {
                const RunEvent *event = &g_array_index(location->events, RunEvent, j);
                if (!pick_in_window(&part, event))
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

static char *print_value(const RunEvent *event)
{
    char text[64];

    if (event->metric == 0)
        return g_strdup_printf("%lu", event->value.u);
    if (event->metric == 2)
        return g_strdup_printf("%ld", event->value.i);
    return g_strdup(g_ascii_formatd(text, sizeof text, "%.17g", event->value.d));
}

/* True if value x follows value y in the order (T, location, seq). */
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
        const unsigned taken = pick_takes(pick, location) ? location->events->len : 0;
        for (unsigned j = 0; j < taken; j++) {
            const RunEvent *event = &g_array_index(location->events, RunEvent, j);
            if (event->kind != RUN_METRIC || event->metric != metric || !pick_in_window(part, event))
                continue;
            n++;
            sum += metric == 0 ? (long double)event->value.u : (long double)real_of(event);
            bool is_min = !min || (metric == 0 ? event->value.u < min->value.u : real_of(event) < real_of(min));
            bool is_max = !max || (metric == 0 ? event->value.u > max->value.u : real_of(event) > real_of(max));
            min = is_min ? event : min;
            max = is_max ? event : max;
            last = !last || is_later(run, event, last) ? event : last;
        }
    }
    g_autofree char *from = seconds(part->a), *to = seconds(part->b);
    if (!n) {
        assert_line(pick, lines, at, "%s %s %u 0 - - - - %s", from, to, metric, run_metrics[metric]);
        return;
    }
    g_auto(GStrv) fields = g_strsplit(line_at(lines, at), " ", -1);
    g_autofree char *least = print_value(min), *most = print_value(max), *latest = print_value(last);
    cr_assert_eq(g_strv_length(fields), 9);
    assert_line(pick, lines, at, "%s %s %u %u %s %s %s %s %s", from, to, metric, n, least, fields[5], most, latest,
                run_metrics[metric]);
    double mean = (double)(sum / n);
    cr_assert_leq(fabs(g_ascii_strtod(fields[5], NULL) - mean), fabs(mean) * 1e-9 + 1e-9, "%s: %s is not %.17g",
                  pick->path->str, line_at(lines, at), mean);
}

void check_values(Run *run, const Pick *pick, const char *view)
{
    g_autoptr(GPtrArray) lines = pick_read_lines(run, pick, view, "# from to row count min mean max last metric");

    cr_assert_eq(lines->len, RUN_METRICS * 100);
    for (unsigned at = 0; at < lines->len; at++) {
        Pick part = *pick;
        part.a = slice_bound(pick, at % 100);
        part.b = slice_bound(pick, at % 100 + 1);
        check_values_line(run, pick, &part, at / 100, lines, at);
    }
}
