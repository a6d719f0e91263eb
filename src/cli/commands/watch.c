/*
 * xtf watch RUN: shows on a terminal what each process of a running program does.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/cli/commands/commands.h"
#include "src/cli/play/terminal.h"
#include "src/cli/ui/common.h"
#include "src/cli/watch/live-tree.h"
#include "src/cli/watch/watch-screen.h"

enum {
    COLUMNS = 100,
    LINES = 30,
    SIDE_MAX = 10000,
    INTERVAL_DEFAULT = 250, /* milliseconds */
    INTERVAL_LEAST = 40,
    PATIENCE = 5, /* seconds in which parts that are being removed become a merged file */
};

typedef struct {
    XtfTree *tree;
    XtfMergedFile *merged; /* NULL: the run names none */
    XtfWatchedRun run;
    XtfWatchView view;
    const char *source; /* borrowed */
    char *fault;        /* why the latest commit cannot be read; NULL: it can */
    gint64 fault_since; /* monotonic time in microseconds */
    bool typing;        /* the last key was a digit of a number */
} Watch;

static void watch_clear(Watch *watch)
{
    xtf_watched_run_finish(&watch->run);
    g_clear_pointer(&watch->tree, xtf_tree_free);
    g_clear_pointer(&watch->merged, xtf_merged_file_free);
    g_clear_pointer(&watch->fault, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Watch, watch_clear)

/* Notes why the latest commit cannot be read; NULL: it can. */
static void note_fault(Watch *watch, const GError *fault)
{
    if (fault && !watch->fault)
        watch->fault_since = g_get_monotonic_time();
    g_clear_pointer(&watch->fault, g_free);
    if (fault)
        watch->fault = g_file_test(watch->source, G_FILE_TEST_EXISTS)
                           ? g_strdup_printf("cannot read a later commit: %s", fault->message)
                           : g_strdup("the run has ended: its folder of parts is gone");
    watch->view.note = watch->fault;
}

/* True if no later commit can be read. While parts are removed, the merged file may still be found. */
static bool has_failed(const Watch *watch)
{
    return watch->fault && (!watch->merged || g_get_monotonic_time() - watch->fault_since > PATIENCE * G_USEC_PER_SEC);
}

/* Reads the latest commit, if it is not shown yet. If that fails, the monitor keeps showing the earlier one: the folder
 * of a run may be gone. */
static bool renew(Watch *watch, GError **error)
{
    g_autoptr(GError) fault = NULL;
    XtfTree *later;

    if (!xtf_tree_is_final(watch->tree))
        xtf_live_run_mark_watched(watch->source);
    xtf_live_tree_renew(watch->tree, watch->merged, &later, &fault);
    note_fault(watch, fault);
    if (!later && watch->run.tree)
        return true;
    xtf_watched_run_finish(&watch->run);
    if (later) {
        xtf_tree_free(watch->tree);
        watch->tree = later;
    }
    return xtf_watched_run_init(&watch->run, watch->tree, error);
}

/* ---- Keys. */

static guint find_index(const Watch *watch)
{
    for (guint i = 0; watch->view.has_chosen && i < watch->run.processes->len; i++)
        if (xtf_watched_process(&watch->run, i)->proc >= watch->view.chosen)
            return i;
    return 0;
}

static void choose_index(Watch *watch, gint64 index)
{
    guint n = watch->run.processes->len;

    if (n == 0)
        return;
    watch->view.chosen = xtf_watched_process(&watch->run, (guint)CLAMP(index, 0, (gint64)n - 1))->proc;
    watch->view.has_chosen = true;
}

/* Chooses the process that has waited longest. */
static void choose_worst(Watch *watch)
{
    g_autofree guint *order = xtf_watched_run_order(&watch->run);

    if (watch->run.processes->len > 0)
        choose_index(watch, order[0]);
}

/* Handles a key. Returns false if the user quits. */
static bool handle_key(Watch *watch, int key, int columns)
{
    gint64 row = xtf_watch_boxes_per_row(&watch->run, columns), at = find_index(watch);
    bool typing = key >= '0' && key <= '9';

    switch (key) {
    case XTF_KEY_LEFT:
        choose_index(watch, at - 1);
        break;
    case XTF_KEY_RIGHT:
        choose_index(watch, watch->view.has_chosen ? at + 1 : 0);
        break;
    case XTF_KEY_UP:
        choose_index(watch, at - row);
        break;
    case XTF_KEY_DOWN:
        choose_index(watch, watch->view.has_chosen ? at + row : 0);
        break;
    case 'w':
        choose_worst(watch);
        break;
    case '?':
        watch->view.help = !watch->view.help;
        break;
    default:
        if (!typing)
            break;
        watch->view.chosen = (watch->typing ? watch->view.chosen % 1000000000 * 10 : 0) + (uint64_t)(key - '0');
        watch->view.has_chosen = true;
        break;
    }
    if (key != XTF_KEY_NONE)
        watch->typing = typing;
    return key != 'q';
}

/* Shows the run until the user quits. Draws again at each key, and reads the run again at each interval. */
static bool run_monitor(Watch *watch, int interval, GError **error)
{
    gint64 next = 0;
    int columns, lines, key = XTF_KEY_NONE;

    if (!xtf_terminal_begin(error))
        return false;
    do {
        gint64 now = g_get_monotonic_time() / 1000;
        if (now >= next && !renew(watch, error)) {
            xtf_terminal_end();
            return false;
        }
        next = now >= next ? now + interval : next;
        xtf_terminal_size(&columns, &lines);
        g_autoptr(XtfScreen) screen =
            xtf_watch_screen(&watch->view, &watch->run, columns, lines, !xtf_terminal_has_utf8());
        xtf_terminal_show(screen);
        key = xtf_terminal_key((int)MAX(next - g_get_monotonic_time() / 1000, 1));
    } while (!xtf_terminal_ended() && handle_key(watch, key, columns));
    xtf_terminal_end();
    return true;
}

/* ---- Without a terminal. */

static void print_json(const Watch *watch)
{
    g_autoptr(GString) text = g_string_new(NULL);

    xtf_watched_run_json(&watch->run, text);
    puts(text->str);
    fflush(stdout);
}

static bool print_once(Watch *watch, bool json, int columns, int lines, GError **error)
{
    if (!renew(watch, error))
        return false;
    if (json) {
        print_json(watch);
        return true;
    }
    choose_worst(watch);
    g_autoptr(XtfScreen) screen =
        xtf_watch_screen(&watch->view, &watch->run, columns > 0 ? MIN(columns, SIDE_MAX) : COLUMNS,
                         lines > 0 ? MIN(lines, SIDE_MAX) : LINES, !xtf_terminal_has_utf8());
    xtf_screen_print(screen, stdout);
    return true;
}

/* Prints an object for each commit until the run has ended. */
static bool print_stream(Watch *watch, int interval, GError **error)
{
    do {
        const XtfTree *before = watch->run.tree;
        if (!renew(watch, error))
            return false;
        if (watch->run.tree != before)
            print_json(watch);
        if (has_failed(watch) || xtf_tree_is_final(watch->tree))
            break;
        g_usleep((gulong)interval * 1000);
    } while (!ferror(stdout));
    return !watch->fault || xtf_fail(error, XTF_ERROR_IO, "%s", watch->fault);
}

int xtf_command_watch(int argc, char **argv)
{
    gboolean once = FALSE, json = FALSE;
    int columns = 0, lines = 0, interval = INTERVAL_DEFAULT;
    const GOptionEntry entries[] = {
        {"once", '1', 0, G_OPTION_ARG_NONE, &once, "Print the state of now and exit", NULL},
        {"json", 0, 0, G_OPTION_ARG_NONE, &json, "Print JSON: an object a line at each commit, or once", NULL},
        {"interval", 'i', 0, G_OPTION_ARG_INT, &interval,
         "Look for a later commit after MS milliseconds (default: 250)", "MS"},
        {"columns", 0, 0, G_OPTION_ARG_INT, &columns, "Width of what --once prints", "N"},
        {"lines", 0, 0, G_OPTION_ARG_INT, &lines, "Height of what --once prints", "N"},
        {0},
    };
    g_auto(Watch) watch = {0};
    GError *error = NULL;

    if (!xtf_cli_parse(
            &argc, &argv, XTF_CLI_ANY, "[RUN]",
            "Shows what each process of a running program does: green . computing, yellow c communicating,\n"
            "red W waiting, grey ? silent. Keys choose a process, whose call, wait and figures are shown.\n"
            "RUN is the folder of parts, or a trace. Without it: the newest run that xtf record records on this\n"
            "machine. ? helps with the keys.\n"
            "\n"
            "  xtf watch\n"
            "  xtf watch run.xtf.d\n"
            "  xtf watch --once --json run.xtf.d     for a script",
            entries))
        return XTF_EXIT_USAGE;
    if (argc > 2) {
        fputs("xtf: watch: too many arguments\n", stderr);
        return XTF_EXIT_USAGE;
    }
    g_autofree char *source = xtf_live_run_find(argv[1], &error);
    if (!source)
        return xtf_cli_fail(error);
    g_autofree char *name = g_path_get_basename(source);
    interval = MAX(interval, INTERVAL_LEAST);
    watch.view.name = name;
    watch.source = source;
    watch.tree = xtf_live_tree_open(source, &watch.merged, &error);
    bool good = watch.tree && (once   ? print_once(&watch, json, columns, lines, &error)
                               : json ? print_stream(&watch, interval, &error)
                                      : run_monitor(&watch, interval, &error));
    if (!good)
        return xtf_cli_fail(error);
    xtf_terminal_end_as_asked();
    return XTF_EXIT_DONE;
}
