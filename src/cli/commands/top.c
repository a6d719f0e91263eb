/*
 * xtf top TRACE [PATH]: the profile of a window that moves, on a terminal.
 */
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/cli/commands/commands.h"
#include "src/cli/play/terminal.h"
#include "src/cli/play/top-screen.h"
#include "src/cli/trace/archive-cache.h"
#include "src/cli/ui/common.h"

enum {
    COLUMNS = 100,
    LINES = 30,
    SIDE_MAX = 10000,
};

/* ---- The window. */

static void set_window(XtfTop *top, double from, double width)
{
    width = fmin(fmax(width, 1e-9), top->duration);
    top->from = fmin(fmax(from, 0), top->duration - width);
    top->to = top->from + width;
}

static void zoom_window(XtfTop *top, double factor)
{
    double width = (top->to - top->from) * factor;
    set_window(top, (top->from + top->to - width) / 2, width);
}

/* ---- The selection. */

static void go_in(XtfTop *top)
{
    if (!top->chosen)
        return;
    g_string_append_printf(top->path, "%s/%s/", top->by_process ? "proc" : "region", top->chosen);
    top->by_process = false;
    top->line = top->first = 0;
}

/* Removes the last two parts of the path. */
static void go_out(XtfTop *top)
{
    for (unsigned i = 0; i < 2 && top->path->len; i++) {
        g_string_truncate(top->path, top->path->len - 1);
        const char *slash = strrchr(top->path->str, '/');
        g_string_truncate(top->path, slash ? (gsize)(slash + 1 - top->path->str) : 0);
    }
    top->line = top->first = 0;
}

/* Handles a key. Returns false if the user quits. */
static bool handle_key(XtfTop *top, int key)
{
    double width = top->to - top->from;

    switch (key) {
    case '<':
        top->sorted = (top->sorted + XTF_TOP_N_COLUMNS - 1) % XTF_TOP_N_COLUMNS;
        break;
    case '>':
        top->sorted = (top->sorted + 1) % XTF_TOP_N_COLUMNS;
        break;
    case XTF_KEY_LEFT:
        set_window(top, top->from - width, width);
        break;
    case XTF_KEY_RIGHT:
        set_window(top, top->to, width);
        break;
    case '+':
        zoom_window(top, 0.5);
        break;
    case '-':
        zoom_window(top, 2);
        break;
    case '0':
        set_window(top, 0, top->duration);
        break;
    case 'p':
        top->by_process = !top->by_process;
        top->line = top->first = 0;
        break;
    case '?':
        top->help = !top->help;
        break;
    case XTF_KEY_UP:
        top->line -= top->line > 0;
        break;
    case XTF_KEY_DOWN:
        top->line++;
        break;
    case XTF_KEY_ENTER:
        go_in(top);
        break;
    case XTF_KEY_BACK:
        go_out(top);
        break;
    default:
        break;
    }
    return key != 'q' && key != 'o';
}

static bool run_screen(XtfTop *top, bool *wants_path, GError **error)
{
    int columns, lines, key = XTF_KEY_NONE;

    if (!xtf_terminal_begin(error))
        return false;
    do {
        xtf_terminal_size(&columns, &lines);
        g_autoptr(XtfScreen) screen = xtf_top_screen(top, columns, lines, !xtf_terminal_has_utf8(), error);
        if (!screen) {
            xtf_terminal_end();
            return false;
        }
        xtf_terminal_show(screen);
        key = xtf_terminal_key(-1);
    } while (!xtf_terminal_ended() && handle_key(top, key));
    xtf_terminal_end();
    *wants_path = key == 'o';
    return true;
}

static bool print_once(XtfTop *top, int columns, int lines, GError **error)
{
    g_autoptr(XtfScreen) screen =
        xtf_top_screen(top, columns > 0 ? MIN(columns, SIDE_MAX) : COLUMNS, lines > 0 ? MIN(lines, SIDE_MAX) : LINES,
                       !xtf_terminal_has_utf8(), error);

    if (screen)
        xtf_screen_print(screen, stdout);
    return screen;
}

static bool top_init(XtfTop *top, const char *path, GError **error)
{
    g_autoptr(XtfValueTable) info = xtf_value_table_read(top->tree, error, "info");

    if (info)
        top->duration = xtf_value_table_number(info, xtf_value_table_find(info, "what", "duration"), "value");
    top->to = top->duration;
    top->sorted = XTF_TOP_EXCLUSIVE;
    top->path = g_string_new(path);
    if (top->path->len && !g_str_has_suffix(top->path->str, "/"))
        g_string_append_c(top->path, '/');
    return info;
}

int xtf_command_top(int argc, char **argv)
{
    gboolean once = FALSE;
    int columns = 0, lines = 0;
    gboolean incomplete = FALSE;
    const GOptionEntry entries[] = {
        {"once", '1', 0, G_OPTION_ARG_NONE, &once, "Print one screen and exit", NULL},
        {"columns", 0, 0, G_OPTION_ARG_INT, &columns, "Width of what is printed", "N"},
        {"lines", 0, 0, G_OPTION_ARG_INT, &lines, "Height of what is printed", "N"},
        XTF_INCOMPLETE_ENTRY(incomplete),
        {NULL},
    };
    GError *error = NULL;
    XtfTop top = {0};
    bool wants_path = false;

    if (!xtf_cli_parse(
            &argc, &argv, -1, "TRACE [PATH]",
            "Shows which functions take the time, in a trace or below a path of it. Keys move the window; o\n"
            "ends and prints the path of what is shown.\n"
            "\n"
            "  xtf top run.xtf\n"
            "  xtf top --once run.xtf time/40%-60%",
            entries))
        return XTF_EXIT_USAGE;
    if (argc > 3) {
        fputs("xtf: top: too many arguments\n", stderr);
        return XTF_EXIT_USAGE;
    }
    g_autoptr(XtfTree) tree = xtf_cli_open_tree(argv[1], incomplete, &error);
    g_autofree char *name = g_path_get_basename(argv[1]);
    top.tree = tree;
    top.name = name;
    bool good = tree && top_init(&top, argc > 2 ? argv[2] : "", &error) &&
                (once ? print_once(&top, columns, lines, &error) : run_screen(&top, &wants_path, &error));
    g_autofree char *path = good && wants_path ? xtf_top_path(&top) : NULL;
    if (path)
        puts(path);
    if (top.path)
        g_string_free(top.path, TRUE);
    g_free(top.chosen);
    if (!good)
        return xtf_cli_fail(error);
    xtf_terminal_end_as_asked();
    return XTF_EXIT_DONE;
}
