#include "src/cli/watch/watch-screen.h"

#include <inttypes.h>
#include <string.h>

#include "src/pictures/drawing/text-width.h"
#include "src/trace/text/digits.h"

enum {
    HEAD = 3,    /* lines above the boxes */
    DETAILS = 8, /* lines below the boxes */
    LEAST_COLUMNS = 40,
    LEAST_LINES = HEAD + DETAILS + 1,
    FRAME = 3, /* columns of a box beside its number: brackets and a blank */
};

static const XtfStyle styles[XTF_N_WATCHED_COLOURS] = {
    [XTF_WATCHED_WAITING] = XTF_STYLE_RED,
    [XTF_WATCHED_COMMUNICATING] = XTF_STYLE_YELLOW,
    [XTF_WATCHED_SILENT] = XTF_STYLE_DIM,
    [XTF_WATCHED_COMPUTING] = XTF_STYLE_GREEN,
};
/* A letter beside the colour, for screens without colours: waiting, communicating, silent, computing. */
static const char letters[XTF_N_WATCHED_COLOURS] = {'W', 'c', '?', '.'};

static int number_width(const XtfWatchedRun *run)
{
    uint64_t greatest = run->processes->len ? xtf_watched_process(run, run->processes->len - 1)->proc : 0;

    return (int)xtf_count_digits(greatest);
}

guint xtf_watch_boxes_per_row(const XtfWatchedRun *run, int columns)
{
    int width = number_width(run) + FRAME + 1;

    return (guint)MAX(columns / width, 1);
}

/* ---- The head. */

static void put_head(XtfScreen *screen, const XtfWatchView *view, const XtfWatchedRun *run)
{
    g_autofree char *name = xtf_text_elided(view->name, (size_t)MAX(screen->columns / 2, 1));
    g_autofree char *headline = xtf_waits_report_headline(&run->waits);
    bool worst = run->waits.verdict >= XTF_WAITS_POSSIBLE;
    int at = 0;

    xtf_screen_put(screen, 0, 0, XTF_STYLE_BOLD, "%s", name);
    xtf_screen_put_left_of(screen, 0, screen->columns - 1, XTF_STYLE_PLAIN, "%s %.1f s",
                           xtf_tree_is_final(run->tree) ? "the run has ended at" : "up to", run->seconds);
    for (unsigned i = 0; i < XTF_N_WATCHED_COLOURS; i++) {
        at = xtf_screen_put(screen, 1, at, styles[i], "%c %u", letters[i], run->n_by_colour[i]);
        at = xtf_screen_put(screen, 1, at, XTF_STYLE_PLAIN, " %s   ", xtf_watched_colour_words[i]);
    }
    if (run->waits.verdict > XTF_WAITS_NONE)
        xtf_screen_put(screen, 2, 0, worst ? XTF_STYLE_RED : XTF_STYLE_PLAIN, "%s", headline);
}

/* ---- The processes. */

static void put_boxes(XtfScreen *screen, const XtfWatchView *view, const XtfWatchedRun *run, int room)
{
    guint per_row = xtf_watch_boxes_per_row(run, screen->columns), first = 0;
    int width = number_width(run);

    for (guint i = 0; view->has_chosen && i < run->processes->len; i++)
        if (xtf_watched_process(run, i)->proc == view->chosen && i / per_row >= (guint)room)
            first = (i / per_row - (guint)room + 1) * per_row;
    for (guint i = first; i < run->processes->len && (i - first) / per_row < (guint)room; i++) {
        const XtfWatchedProcess *process = xtf_watched_process(run, i);
        int line = HEAD + (int)((i - first) / per_row), at = (int)((i - first) % per_row) * (width + FRAME + 1);
        bool chosen = view->has_chosen && process->proc == view->chosen;
        xtf_screen_put(screen, line, at, styles[process->colour], "%c%*" PRIu64 "%c%c", chosen ? '<' : '[', width,
                       process->proc, letters[process->colour], chosen ? '>' : ']');
    }
}

/* Draws a cell for each process, the worst first. If the screen is too small for all, the last ones are left out. */
static void put_cells(XtfScreen *screen, const XtfWatchedRun *run, int room)
{
    g_autofree guint *order = xtf_watched_run_order(run);

    for (guint i = 0; i < run->processes->len && i < (guint)(room * screen->columns); i++) {
        const XtfWatchedProcess *process = xtf_watched_process(run, order[i]);
        xtf_screen_put(screen, HEAD + (int)i / screen->columns, (int)i % screen->columns, styles[process->colour], "%c",
                       letters[process->colour]);
    }
}

/* ---- Details. */

/* Returns the share of a column of times, in percent. */
static double share_of(const XtfValueTable *monitor, guint line, const char *column)
{
    static const char *const all[] = {"computing", "communicating", "waiting", "other"};
    double whole = 0;

    for (unsigned i = 0; i < G_N_ELEMENTS(all); i++)
        whole += xtf_value_table_number(monitor, line, all[i]);
    return whole > 0 ? 100 * xtf_value_table_number(monitor, line, column) / whole : 0;
}

/* Draws the shares of time of a process, and its numbers of messages and bytes. */
static void put_figures(XtfScreen *screen, int line, const char *period, const XtfValueTable *monitor, guint of)
{
    xtf_screen_put(screen, line, 2, XTF_STYLE_PLAIN,
                   "%s: computing %.1f %%, communicating %.1f %%, in waits and tests %.1f %%; sent %s messages, %s B; "
                   "received %s, %s B",
                   period, share_of(monitor, of, "computing"), share_of(monitor, of, "communicating"),
                   share_of(monitor, of, "waiting"), xtf_value_table_text(monitor, of, "sent_messages"),
                   xtf_value_table_text(monitor, of, "sent_bytes"),
                   xtf_value_table_text(monitor, of, "received_messages"),
                   xtf_value_table_text(monitor, of, "received_bytes"));
}

static void put_wait(XtfScreen *screen, int line, const XtfValueTable *monitor, guint of)
{
    const char *verdict = xtf_value_table_text(monitor, of, "verdict");

    if (g_str_equal(verdict, "-"))
        return;
    xtf_screen_put(screen, line, 2, XTF_STYLE_PLAIN, "waits for process %s (%s of %s), tag %s: %s",
                   xtf_value_table_text(monitor, of, "waits_for"), xtf_value_table_text(monitor, of, "needs"),
                   xtf_value_table_text(monitor, of, "procs"), xtf_value_table_text(monitor, of, "tag"), verdict);
}

static const XtfWatchedProcess *find_chosen(const XtfWatchView *view, const XtfWatchedRun *run)
{
    for (guint i = 0; view->has_chosen && i < run->processes->len; i++)
        if (xtf_watched_process(run, i)->proc == view->chosen)
            return xtf_watched_process(run, i);
    return NULL;
}

static void put_chain(XtfScreen *screen, int line, const XtfWatchedRun *run)
{
    g_autoptr(GArray) chain = xtf_waits_report_chain(&run->waits);
    int at;

    if (chain->len < 2)
        return;
    at = xtf_screen_put(screen, line, 0, XTF_STYLE_PLAIN, "longest chain of waits:");
    for (guint i = 0; i < chain->len && at < screen->columns; i++)
        at = xtf_screen_put(screen, line, at, XTF_STYLE_PLAIN, "%s %" PRIu64, i ? " ->" : "",
                            g_array_index(chain, uint64_t, i));
}

static void put_details(XtfScreen *screen, int line, const XtfWatchView *view, const XtfWatchedRun *run)
{
    const XtfWatchedProcess *process = find_chosen(view, run);

    put_chain(screen, line, run);
    if (!process)
        return;
    g_autofree char *call = xtf_watched_call(run, process);
    xtf_screen_put(screen, line + 1, 0, styles[process->colour], "process %" PRIu64 " is %s, %s", process->proc,
                   xtf_watched_colour_words[process->colour], call);
    put_wait(screen, line + 2, run->monitor, process->line);
    put_figures(screen, line + 3, "whole run", run->monitor, process->line);
    if (run->recent && process->line < xtf_value_table_n(run->recent))
        put_figures(screen, line + 4, "last 10 s", run->recent, process->line);
    xtf_screen_put(screen, line + 5, 2, XTF_STYLE_PLAIN, "slowed down by recording: %.3f %%, estimated",
                   xtf_value_table_number(run->monitor, process->line, "slowdown%"));
    const char *stack = xtf_value_table_text(run->monitor, process->line, "stack");
    if (!g_str_equal(stack, "-"))
        xtf_screen_put(screen, line + 6, 2, XTF_STYLE_PLAIN, "stack: %s", stack);
}

static void put_help(XtfScreen *screen, int line)
{
    static const char *const texts[] = {
        "arrows       choose a process",  "0 to 9       its number", "w            the process that has waited longest",
        "?            the details again", "q            quit",
    };

    for (int i = 0; i < (int)G_N_ELEMENTS(texts); i++)
        xtf_screen_put(screen, line + i, 0, XTF_STYLE_PLAIN, "%s", texts[i]);
}

XtfScreen *xtf_watch_screen(const XtfWatchView *view, const XtfWatchedRun *run, int columns, int lines, bool ascii)
{
    XtfScreen *screen = xtf_screen_new(columns, lines, ascii);
    int room = MAX(lines - HEAD - DETAILS, 1);

    if (columns < LEAST_COLUMNS || lines < LEAST_LINES) {
        xtf_screen_put(screen, 0, 0, XTF_STYLE_PLAIN, "xtf watch needs %dx%d", LEAST_COLUMNS, LEAST_LINES);
        return screen;
    }
    guint rows =
        (run->processes->len + xtf_watch_boxes_per_row(run, columns) - 1) / xtf_watch_boxes_per_row(run, columns);

    put_head(screen, view, run);
    if (rows <= (guint)room)
        put_boxes(screen, view, run, room);
    else
        put_cells(screen, run, room);
    int foot = lines - DETAILS;
    if (view->help)
        put_help(screen, foot + 1);
    else
        put_details(screen, foot, view, run);
    xtf_screen_put(screen, lines - 1, 0, XTF_STYLE_DIM, "%s",
                   view->note ? view->note : "arrows: a process   w: the longest wait   ?: help   q: quit");
    return screen;
}
