#include "src/cli/watch/watched-run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/trace/text/row-writer.h"

const char *const xtf_watched_colour_names[XTF_N_WATCHED_COLOURS] = {"red", "yellow", "grey", "green"};
const char *const xtf_watched_colour_words[XTF_N_WATCHED_COLOURS] = {"waiting", "communicating", "silent", "computing"};

#define SECONDS_PER_RECORD 1e-8 /* docs/RECORD.md: record.overhead_ns */

static XtfWatchedColour colour_of(const char *word, bool waits)
{
    if (waits || g_str_equal(word, "red"))
        return XTF_WATCHED_WAITING;
    return g_str_equal(word, "yellow")  ? XTF_WATCHED_COMMUNICATING
           : g_str_equal(word, "green") ? XTF_WATCHED_COMPUTING
                                        : XTF_WATCHED_SILENT;
}

/* Maps processes to their first line of `waiting`. */
static GHashTable *map_waiting(const XtfWatchedRun *run)
{
    GHashTable *lines = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, NULL);

    for (guint i = 0; run->waits.table && i < xtf_value_table_n(run->waits.table); i++) {
        gpointer proc = (gpointer)xtf_value_table_text(run->waits.table, i, "proc");
        if (!g_hash_table_contains(lines, proc))
            g_hash_table_insert(lines, proc, GUINT_TO_POINTER(i));
    }
    return lines;
}

static void add_watched_processes(XtfWatchedRun *run)
{
    g_autoptr(GHashTable) waiting = map_waiting(run);
    gpointer line;

    for (guint i = 0; run->state && i < xtf_value_table_n(run->state); i++) {
        const char *proc = xtf_value_table_text(run->state, i, "proc");
        bool waits = g_hash_table_lookup_extended(waiting, proc, NULL, &line);
        XtfWatchedProcess process = {.proc = g_ascii_strtoull(proc, NULL, 10),
                                     .line = i,
                                     .colour = colour_of(xtf_value_table_text(run->state, i, "colour"), waits),
                                     .waiting = waits ? GPOINTER_TO_UINT(line) : G_MAXUINT};
        double since = waits ? xtf_value_table_number(run->waits.table, process.waiting, "since")
                             : xtf_value_table_number(run->state, i, "since");
        bool in_call = waits || !g_str_equal(xtf_value_table_text(run->state, i, "since"), "-");
        process.for_seconds = in_call ? MAX(run->seconds - since, 0) : 0;
        run->n_by_colour[process.colour]++;
        g_array_append_val(run->processes, process);
    }
}

bool xtf_watched_run_init(XtfWatchedRun *run, XtfTree *tree, GError **error)
{
    const XtfTimeScale *scale = xtf_tree_scale(tree);

    *run = (XtfWatchedRun){.tree = tree, .processes = g_array_new(FALSE, FALSE, sizeof(XtfWatchedProcess))};
    run->seconds = (double)(scale->end - MIN(scale->origin, scale->end)) * (double)scale->den / (double)scale->num;
    if (!xtf_value_table_read_optional(tree, &run->state, error, "state") ||
        !xtf_value_table_read_optional(tree, &run->recent, error, "last/10s/state") ||
        !xtf_waits_report_init(&run->waits, tree, error))
        return false;
    add_watched_processes(run);
    return true;
}

void xtf_watched_run_finish(XtfWatchedRun *run)
{
    g_clear_pointer(&run->state, xtf_value_table_free);
    g_clear_pointer(&run->recent, xtf_value_table_free);
    xtf_waits_report_finish(&run->waits);
    g_clear_pointer(&run->processes, g_array_unref);
}

static int compare_processes(const void *a, const void *b, void *data)
{
    const XtfWatchedRun *run = data;
    const XtfWatchedProcess *x = xtf_watched_process(run, *(const guint *)a),
                            *y = xtf_watched_process(run, *(const guint *)b);

    if (x->colour != y->colour)
        return x->colour < y->colour ? -1 : 1;
    if (x->for_seconds != y->for_seconds && x->colour == XTF_WATCHED_WAITING)
        return x->for_seconds > y->for_seconds ? -1 : 1;
    return x->proc < y->proc ? -1 : x->proc > y->proc;
}

guint *xtf_watched_run_order(const XtfWatchedRun *run)
{
    guint *order = g_new(guint, run->processes->len + 1);

    for (guint i = 0; i < run->processes->len; i++)
        order[i] = i;
    if (run->processes->len > 0)
        g_qsort_with_data(order, (gint)run->processes->len, sizeof *order, compare_processes, (gpointer)run);
    return order;
}

char *xtf_watched_call(const XtfWatchedRun *run, const XtfWatchedProcess *process)
{
    const XtfValueTable *table = process->waiting != G_MAXUINT ? run->waits.table : run->state;
    guint line = process->waiting != G_MAXUINT ? process->waiting : process->line;
    const char *region = xtf_value_table_text(table, line, "region"), *site = xtf_value_table_text(table, line, "site");

    if (g_str_equal(region, "-"))
        return g_strdup("in no call");
    bool has_site = !g_str_equal(site, "-");
    return g_strdup_printf("in %s%s%s, for %.1f s", region, has_site ? ", called by " : "", has_site ? site : "",
                           process->for_seconds);
}

char *xtf_watched_stack(const XtfWatchedRun *run, const XtfWatchedProcess *process)
{
    g_autoptr(XtfValueTable) stack = NULL;
    GString *words = g_string_new(NULL);

    if (!xtf_value_table_read_optional(run->tree, &stack, NULL, "proc/%" PRIu64 "/at/100%%/stack", process->proc) ||
        !stack)
        return g_string_free(words, TRUE);
    const char *thread = xtf_value_table_n(stack) > 0 ? xtf_value_table_text(stack, 0, "thread") : "";
    for (guint i = 0; i < xtf_value_table_n(stack); i++) {
        const char *region = xtf_value_table_text(stack, i, "region");
        if (g_str_equal(xtf_value_table_text(stack, i, "thread"), thread) && !g_str_equal(region, "-"))
            g_string_append_printf(words, "%s%s", words->len ? " > " : "", region);
    }
    return g_string_free(words, words->len == 0);
}

double xtf_watched_slowdown(const XtfWatchedRun *run, const XtfWatchedProcess *process)
{
    static const char *const columns[] = {"sent_messages", "received_messages"};
    double records = 2 * xtf_value_table_number(run->state, process->line, "calls");

    for (unsigned i = 0; i < G_N_ELEMENTS(columns); i++)
        records += xtf_value_table_number(run->state, process->line, columns[i]);
    return run->seconds > 0 ? records * SECONDS_PER_RECORD / run->seconds : 0;
}

/* ---- JSON. */

static void append_json_cells(const XtfValueTable *table, guint line, GString *out)
{
    static const char *const columns[] = {
        "program", "p2p",        "collective",    "wait",           "other",
        "calls",   "sent_bytes", "sent_messages", "received_bytes", "received_messages"};

    for (unsigned i = 0; i < G_N_ELEMENTS(columns); i++) {
        const char *text = xtf_value_table_text(table, line, columns[i]);
        g_string_append_printf(out, ",\"%s\":%s", columns[i], g_str_equal(text, "-") ? "null" : text);
    }
}

static void append_json_process(const XtfWatchedRun *run, const XtfWatchedProcess *process, GString *out)
{
    static const char *const names[] = {"region", "site"};

    g_string_append_printf(out, "{\"proc\":%" PRIu64 ",\"colour\":\"%s\",\"seconds\":%.6f", process->proc,
                           xtf_watched_colour_names[process->colour], process->for_seconds);
    append_json_cells(run->state, process->line, out);
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        const char *text = xtf_value_table_text(run->state, process->line, names[i]);
        g_string_append_printf(out, ",\"%s\":", names[i]);
        if (g_str_equal(text, "-"))
            g_string_append(out, "null");
        else
            xtf_json_add(out, text);
    }
    g_string_append_c(out, '}');
}

void xtf_watched_run_json(const XtfWatchedRun *run, GString *out)
{
    g_string_append_printf(out, "{\"time\":%.6f,\"growing\":%s", run->seconds,
                           xtf_tree_is_final(run->tree) ? "false" : "true");
    for (unsigned i = 0; i < XTF_N_WATCHED_COLOURS; i++)
        g_string_append_printf(out, ",\"%s\":%u", xtf_watched_colour_words[i], run->n_by_colour[i]);
    g_string_append(out, ",\"processes\":[");
    for (guint i = 0; i < run->processes->len; i++) {
        if (i)
            g_string_append_c(out, ',');
        append_json_process(run, xtf_watched_process(run, i), out);
    }
    g_string_append(out, "],\"waits\":");
    xtf_waits_report_json(&run->waits, out);
    g_string_append_c(out, '}');
}
