#include "src/cli/watch/watched-run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const xtf_watched_colour_names[XTF_N_WATCHED_COLOURS] = {"red", "yellow", "grey", "green"};
const char *const xtf_watched_colour_words[XTF_N_WATCHED_COLOURS] = {"waiting", "communicating", "silent", "computing"};

static XtfWatchedColour colour_of(const char *activity)
{
    for (unsigned i = 0; i < XTF_N_WATCHED_COLOURS; i++)
        if (g_str_equal(activity, xtf_watched_colour_words[i]))
            return i;
    return XTF_WATCHED_SILENT;
}

static void add_watched_processes(XtfWatchedRun *run)
{
    for (guint i = 0; run->monitor && i < xtf_value_table_n(run->monitor); i++) {
        XtfWatchedProcess process = {.proc = g_ascii_strtoull(xtf_value_table_text(run->monitor, i, "proc"), NULL, 10),
                                     .line = i,
                                     .colour = colour_of(xtf_value_table_text(run->monitor, i, "activity")),
                                     .for_seconds = xtf_value_table_number(run->monitor, i, "for")};
        run->n_by_colour[process.colour]++;
        g_array_append_val(run->processes, process);
    }
}

bool xtf_watched_run_init(XtfWatchedRun *run, XtfTree *tree, GError **error)
{
    const XtfTimeScale *scale = xtf_tree_scale(tree);

    *run = (XtfWatchedRun){.tree = tree, .processes = g_array_new(FALSE, FALSE, sizeof(XtfWatchedProcess))};
    run->seconds = (double)(scale->end - MIN(scale->origin, scale->end)) * (double)scale->den / (double)scale->num;
    if (!xtf_value_table_read_optional(tree, &run->monitor, error, "monitor") ||
        !xtf_value_table_read_optional(tree, &run->recent, error, "last/10s/monitor") ||
        !xtf_waits_report_init(&run->waits, tree, error))
        return false;
    add_watched_processes(run);
    return true;
}

void xtf_watched_run_finish(XtfWatchedRun *run)
{
    g_clear_pointer(&run->monitor, xtf_value_table_free);
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

/* Returns ", called by get(solver.c:7)", or an empty text. */
static char *called_by(const XtfWatchedRun *run, const XtfWatchedProcess *process, const char *column)
{
    const char *site = xtf_value_table_text(run->monitor, process->line, column);

    return g_str_equal(site, "-") ? g_strdup("") : g_strdup_printf(", called by %s", site);
}

char *xtf_watched_call(const XtfWatchedRun *run, const XtfWatchedProcess *process)
{
    const char *region = xtf_value_table_text(run->monitor, process->line, "region"),
               *last = xtf_value_table_text(run->monitor, process->line, "last_region");
    bool computes = process->colour == XTF_WATCHED_COMPUTING;

    if (computes && !g_str_equal(last, "-")) {
        g_autofree char *called = called_by(run, process, "last_site");
        double left = xtf_value_table_number(run->monitor, process->line, "last_left");
        return g_strdup_printf("%s%s since %s%s ended %.1f s ago", g_str_equal(region, "-") ? "" : "in ",
                               g_str_equal(region, "-") ? "in no call" : region, last, called,
                               MAX(run->seconds - left, 0));
    }
    if (g_str_equal(region, "-"))
        return g_strdup("in no call");
    g_autofree char *called = called_by(run, process, "site");
    return g_strdup_printf("in %s%s, for %.1f s", region, called, process->for_seconds);
}

/* ---- JSON. */

static void append_json_process(const XtfWatchedRun *run, const XtfWatchedProcess *process, GString *out)
{
    g_string_append_printf(out, "{\"colour\":\"%s\",\"seconds\":%.6f,", xtf_watched_colour_names[process->colour],
                           process->for_seconds);
    xtf_value_table_json_cells(run->monitor, process->line, out);
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
