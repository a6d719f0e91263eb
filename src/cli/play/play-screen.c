#include "src/cli/play/play-screen.h"

#include <math.h>
#include <string.h>

enum {
    MARK = 2, /* columns before the number of a process */
    NUMBER = 4,
    BAR = 9, /* first column of bars */
    MOSTLY = 16,
    BYTES = 12,
    WIDE = 150, /* columns from which on bars are longer, and A (the process) and B (all processes) list regions */
    LONG_BAR = 60,
    STRIP_LEAST = 20,
    GROUPS = 8, /* lines of A, B and C */
    REGIONS = 12,
    TALL = 20, /* lines below which a screen has no groups */
    HEAD = 2,  /* lines of titles */
    TAIL = 3,  /* lines below everything else */
    HELP_KEYS = 7,
    HELP_MEANINGS = 3,
};

/* Positions of the parts of a screen. */
typedef struct {
    const XtfFilm *film;
    const XtfFilmFrame *frame;
    XtfPlayLook *look;
    XtfScreen *screen;
    bool wide;
    int bar, mostly, strip; /* width of bars, and first columns of `mostly` and the strip; 0: none */
    int rows;               /* number of processes shown */
} Layout;

static const char *arrow_sign(const Layout *layout)
{
    return layout->screen->ascii ? ">" : "\u2192";
}

/* ---- Processes. */

static void put_head(const Layout *layout)
{
    XtfScreen *screen = layout->screen;
    guint n = xtf_value_table_n(layout->frame->state);
    char from[G_ASCII_DTOSTR_BUF_SIZE];

    int at = xtf_screen_put(screen, 0, 0, XTF_STYLE_BOLD, "%s", layout->film->name);
    xtf_screen_put(screen, 0, at, XTF_STYLE_PLAIN, "  %u process%s", n, n == 1 ? "" : "es");
    g_ascii_formatd(from, sizeof from, "%.6f", layout->frame->from);
    xtf_screen_put_left_of(screen, 0, screen->columns - 1, XTF_STYLE_PLAIN,
                           "  frame %" G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT "   %s s", layout->frame->k,
                           layout->film->n - 1, from);
    xtf_screen_put(screen, 1, 0, XTF_STYLE_DIM, "proc now");
    xtf_screen_put(screen, 1, BAR, XTF_STYLE_DIM, "in this frame");
    xtf_screen_put(screen, 1, layout->mostly, XTF_STYLE_DIM, "mostly");
    xtf_screen_put_left_of(screen, 1, layout->mostly + MOSTLY + BYTES, XTF_STYLE_DIM, "sent");
    xtf_screen_put_left_of(screen, 1, layout->mostly + MOSTLY + 2 * BYTES, XTF_STYLE_DIM, "received");
}

static XtfStyle find_style(const char *colour)
{
    return g_str_equal(colour, "green")    ? XTF_STYLE_GREEN
           : g_str_equal(colour, "yellow") ? XTF_STYLE_YELLOW
           : g_str_equal(colour, "red")    ? XTF_STYLE_RED
                                           : XTF_STYLE_DIM;
}

/* Draws the frames around this one, one per column. The strip keeps its frames while the film moves through them. */
static bool put_strip(const Layout *layout, int line, const char *proc, GError **error)
{
    const XtfFilm *film = layout->film;
    uint64_t width = (uint64_t)(layout->screen->columns - layout->strip - 1);
    uint64_t first = layout->frame->k / width * width, n = MIN(width, film->n - first);
    double length = film->length;

    /* The trace's end would cut the window and all slices, so a last frame that is cut is left out. */
    if (n > 1 && (double)(first + n) * length > film->duration)
        n--;
    g_autofree uint8_t *shares =
        xtf_film_strip(film, proc, (double)first * length, (double)(first + n) * length, (guint)n, error);
    if (!shares)
        return false;
    for (uint64_t i = 0; i < n; i++) {
        if (shares[i] < XTF_SCREEN_SHARES)
            xtf_screen_share(layout->screen, line, layout->strip + (int)i, shares[i]);
    }
    xtf_screen_put(layout->screen, line, layout->strip + (int)(layout->frame->k - first), XTF_STYLE_BOLD, "%s",
                   layout->screen->ascii ? "|" : "\u2503");
    return true;
}

static bool put_process(const Layout *layout, int line, guint i, GError **error)
{
    const XtfValueTable *state = layout->frame->state;
    XtfScreen *screen = layout->screen;
    const char *proc = xtf_value_table_text(state, i, "proc"), *colour = xtf_value_table_text(state, i, "colour");
    double shares[XTF_SCREEN_SHARES];
    g_autofree char *mostly = xtf_film_mostly(layout->film, layout->frame->k, proc);

    if (i == layout->look->process)
        xtf_screen_put(screen, line, 0, XTF_STYLE_BOLD, ">");
    xtf_screen_put_left_of(screen, line, MARK + NUMBER, XTF_STYLE_PLAIN, "%s", proc);
    xtf_screen_put(screen, line, MARK + NUMBER + 1, find_style(colour), "%c", g_ascii_toupper(colour[0]));
    xtf_film_shares(state, i, shares);
    xtf_screen_bar(screen, line, BAR, layout->bar, shares, layout->film->length);
    if (mostly)
        xtf_screen_put(screen, line, layout->mostly, XTF_STYLE_PLAIN, "%-.*s", MOSTLY - 1, mostly);
    xtf_screen_put_left_of(screen, line, layout->mostly + MOSTLY + BYTES, XTF_STYLE_PLAIN, "%s B",
                           xtf_value_table_text(state, i, "sent_bytes"));
    xtf_screen_put_left_of(screen, line, layout->mostly + MOSTLY + 2 * BYTES, XTF_STYLE_PLAIN, "%s B",
                           xtf_value_table_text(state, i, "received_bytes"));
    return !layout->strip || put_strip(layout, line, proc, error);
}

static bool put_processes(const Layout *layout, GError **error)
{
    guint n = xtf_value_table_n(layout->frame->state), rows = (guint)layout->rows;
    XtfPlayLook *look = layout->look;

    if (n > rows)
        rows--; /* the last row says how many processes are hidden */
    look->process = MIN(look->process, MAX(n, 1) - 1);
    if (look->process < look->first)
        look->first = look->process;
    if (look->process >= look->first + rows)
        look->first = look->process - rows + 1;
    for (guint i = 0; i < MIN(rows, n - MIN(n, look->first)); i++) {
        if (!put_process(layout, 2 + (int)i, look->first + i, error))
            return false;
    }
    if (n > rows)
        xtf_screen_put(layout->screen, 2 + (int)rows, MARK, XTF_STYLE_DIM, "and %u more", n - rows);
    return true;
}

/* ---- Messages. */

static void put_messages(const Layout *layout, int line)
{
    const XtfFilmFrame *frame = layout->frame;
    int at = xtf_screen_put(layout->screen, line, 0, XTF_STYLE_DIM, "arrows %c", layout->film->letter);
    guint i = 0;

    if (!frame->n_arrows)
        xtf_screen_put(layout->screen, line, at + 2, XTF_STYLE_PLAIN, "none");
    for (; i < frame->n_arrows; i++) {
        guint arrow = frame->by_bytes[i];
        const char *bytes = xtf_value_table_text(frame->arrows, arrow, "bytes");
        bool moved = g_str_equal(bytes, "-"); /* tasks, not bytes */
        const char *amount = moved ? xtf_value_table_text(frame->arrows, arrow, "count") : bytes;
        g_autofree char *text =
            g_strdup_printf("%s%s%s %s %s", xtf_value_table_text(frame->arrows, arrow, "from"), arrow_sign(layout),
                            xtf_value_table_text(frame->arrows, arrow, "to"), amount,
                            moved ? xtf_value_table_text(frame->arrows, arrow, "kind") : "B");
        if (at + 2 + g_utf8_strlen(text, -1) > layout->screen->columns - 14)
            break;
        at = xtf_screen_put(layout->screen, line, at + 2, XTF_STYLE_PLAIN, "%s", text);
    }
    if (i < frame->n_arrows)
        xtf_screen_put(layout->screen, line, at + 2, XTF_STYLE_DIM, "and %u more", frame->n_arrows - i);
}

/* Draws the bytes between each pair of processes, one cell per pair; a darker cell is more. */
static void put_map(const Layout *layout, int line, int lines)
{
    static const char levels[] = ".:-=+*#%@";
    const XtfFilmFrame *frame = layout->frame;
    double most = frame->n_arrows ? xtf_film_weight(frame->arrows, frame->by_bytes[0]) : 0;

    xtf_screen_put(layout->screen, line, 0, XTF_STYLE_DIM, "bytes by sender (lines) and receiver; @ is %.0f B", most);
    for (guint i = 0; i < frame->n_arrows; i++) {
        guint arrow = frame->by_bytes[i];
        int from = (int)xtf_value_table_number(frame->arrows, arrow, "from"),
            to = (int)xtf_value_table_number(frame->arrows, arrow, "to");
        double share = most > 0 ? log1p(xtf_film_weight(frame->arrows, arrow)) / log1p(most) : 0;
        if (from < lines - 1)
            xtf_screen_put(layout->screen, line + 1 + from, MARK + NUMBER + 2 + 2 * to, XTF_STYLE_PLAIN, "%c",
                           levels[(int)(share * (sizeof levels - 2))]);
    }
    for (int i = 0; i < lines - 1 && i < (int)xtf_value_table_n(frame->state); i++)
        xtf_screen_put_left_of(layout->screen, line + 1 + i, MARK + NUMBER, XTF_STYLE_DIM, "%d", i);
}

/* ---- Groups A, B and C. */

static void put_milliseconds(const Layout *layout, int line, int end, const XtfValueTable *table, guint at,
                             const char *column)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];

    g_ascii_formatd(text, sizeof text, "%.3f", 1e3 * xtf_value_table_number(table, at, column));
    xtf_screen_put_left_of(layout->screen, line, end, XTF_STYLE_PLAIN, "%s ms", text);
}

static void put_run(const Layout *layout, int line, int column)
{
    const XtfValueTable *run = layout->frame->run;
    static const char *const names[] = {"command", "start", "processes", "duration", "frames"};
    int at = line;

    xtf_screen_put(layout->screen, at++, column, XTF_STYLE_DIM, "C the run");
    xtf_screen_put(layout->screen, at++, column, XTF_STYLE_PLAIN, "%s, speed %g",
                   layout->look->playing ? "playing" : "paused", layout->look->speed);
    xtf_screen_put(layout->screen, at++, column, XTF_STYLE_PLAIN, "rate %s", layout->film->rate);
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        guint fact = xtf_value_table_find(run, "what", names[i]);
        const char *value = xtf_value_table_text(run, fact, "value"), *unit = xtf_value_table_text(run, fact, "unit");
        bool has_unit = !g_str_equal(unit, "-");
        if (!g_str_equal(value, "-"))
            xtf_screen_put(layout->screen, at++, column, XTF_STYLE_PLAIN, "%s %s%s%s", names[i], value,
                           has_unit ? " " : "", has_unit ? unit : "");
    }
}

/* A line of groups A and B. */
typedef struct {
    const char *title, *columns[3]; /* columns of `state`, whose numbers are drawn side by side */
    bool time;
} GroupLine;

static const GroupLine call_lines[] = {{"program", {"program"}, true},
                                       {"point to point", {"p2p"}, true},
                                       {"collective, barrier", {"collective"}, true},
                                       {"waits, tests", {"wait"}, true},
                                       {"other", {"other"}, true},
                                       {"calls", {"calls"}, false},
                                       {"messages sent", {"sent_messages"}, false}};
/* Lines for a trace of OpenTS. */
static const GroupLine task_lines[] = {{"in tasks", {"program"}, true},
                                       {"in MPI", {"p2p"}, true},
                                       {"idle", {"wait"}, true},
                                       {"scheduling", {"other"}, true},
                                       {"started, finished", {"tasks_S", "tasks_F"}, false},
                                       {"exported, imported", {"tasks_X", "tasks_I"}, false},
                                       {"prenatal/active/susp.", {"tasks_P", "tasks_A", "tasks_W"}, false}};

G_STATIC_ASSERT(G_N_ELEMENTS(call_lines) == G_N_ELEMENTS(task_lines));

static bool has_tasks(const Layout *layout)
{
    return !g_str_equal(xtf_value_table_text(layout->frame->total, 0, "tasks_S"), "-");
}

static void put_cell(const Layout *layout, int line, int end, const GroupLine *group, const XtfValueTable *table,
                     guint at)
{
    g_autoptr(GString) text = g_string_new(NULL);

    if (group->time) {
        put_milliseconds(layout, line, end, table, at, group->columns[0]);
        return;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(group->columns) && group->columns[i]; i++)
        g_string_append_printf(text, "%s%s", i ? " " : "", xtf_value_table_text(table, at, group->columns[i]));
    xtf_screen_put_left_of(layout->screen, line, end, XTF_STYLE_PLAIN, "%s", text->str);
}

static void put_groups(const Layout *layout, int line)
{
    const XtfFilmFrame *frame = layout->frame;
    const GroupLine *lines = has_tasks(layout) ? task_lines : call_lines;
    guint i = layout->look->process;

    if (i >= xtf_value_table_n(frame->state))
        return;
    xtf_screen_put_left_of(layout->screen, line, 36, XTF_STYLE_DIM, "A process %s",
                           xtf_value_table_text(frame->state, i, "proc"));
    xtf_screen_put_left_of(layout->screen, line, 51, XTF_STYLE_DIM, "B all");
    for (int k = 0; k < (int)G_N_ELEMENTS(call_lines); k++) {
        xtf_screen_put(layout->screen, line + 1 + k, 0, XTF_STYLE_PLAIN, "%s", lines[k].title);
        put_cell(layout, line + 1 + k, 36, &lines[k], frame->state, i);
        put_cell(layout, line + 1 + k, 51, &lines[k], frame->total, 0);
    }
    put_run(layout, line, 55);
}

/* Draws the regions with most time. */
static void put_regions(const Layout *layout, int line, int column, const char *title, const XtfValueTable *profile)
{
    xtf_screen_put(layout->screen, line, column, XTF_STYLE_DIM, "%s", title);
    for (guint i = 0; profile && i < MIN(xtf_value_table_n(profile), (guint)REGIONS); i++) {
        int at = line + 1 + (int)i;
        if (xtf_value_table_number(profile, i, "exclusive") <= 0)
            break;
        put_milliseconds(layout, at, column + 16, profile, i, "exclusive");
        xtf_screen_put_left_of(layout->screen, at, column + 26, XTF_STYLE_PLAIN, "%s",
                               xtf_value_table_text(profile, i, "calls"));
        xtf_screen_put(layout->screen, at, column + 28, XTF_STYLE_PLAIN, "%-.34s",
                       xtf_value_table_text(profile, i, "region"));
    }
}

static void put_wide_groups(const Layout *layout, int line)
{
    const XtfFilmFrame *frame = layout->frame;
    guint i = layout->look->process;

    if (i >= xtf_value_table_n(frame->state))
        return;
    const char *proc = xtf_value_table_text(frame->state, i, "proc");
    g_autoptr(XtfValueTable) own = xtf_film_profile(layout->film, frame->k, proc, NULL);
    g_autofree char *title = g_strdup_printf("A process %s: time, calls, region", proc);
    put_regions(layout, line, 0, title, own);
    put_regions(layout, line, 66, "B all: time, calls, region", frame->profile);
    put_run(layout, line, 132);
}

/* ---- The bottom. */

/* Draws the help. On a low screen it replaces the last lines. */
static void put_help(const Layout *layout, int line)
{
    static const char *const texts[HELP_KEYS] = {
        "space         play, pause; from the end: all of it again",
        "left, right   a frame; with shift, or , . ten; Home, End",
        "[ ]  + -      slower, faster; shorter, longer frames",
        "up, down      the process of column A",
        "m             the map of bytes",
        "g /           go to a time; to the next call of a region",
        "f ? q         the next finding; this help; quit",
    };
    static const char *const of_calls[HELP_MEANINGS] = {
        "G Y R         now, at the end of the frame, a process is:",
        "              G in the program, Y in a library, R waiting",
        "A B C         groups of numbers: process, all, the run",
    };
    static const char *const of_tasks[HELP_MEANINGS] = {
        "G Y R         what a process does for most of the frame:",
        "              G tasks, Y MPI and scheduling, R it is idle",
        "A B C         groups of numbers: process, all, the run",
    };
    const char *const *meanings = has_tasks(layout) ? of_tasks : of_calls;

    for (int i = 0; i < HELP_KEYS; i++)
        xtf_screen_put(layout->screen, line + i, 0, XTF_STYLE_PLAIN, "%s", texts[i]);
    for (int i = 0; i < HELP_MEANINGS; i++)
        xtf_screen_put(layout->screen, line + HELP_KEYS + i, 0, XTF_STYLE_PLAIN, "%s", meanings[i]);
}

static void put_legend(const Layout *layout, int line)
{
    static const char *const names[XTF_SCREEN_SHARES] = {"program", "point to point", "collective, barrier", "waiting",
                                                         "other"};
    const char *letters =
        has_tasks(layout) ? "  G mostly tasks, Y MPI, R idle" : "  now: G program, Y library, R waits";
    int at = 1;

    for (unsigned i = 0; i < XTF_SCREEN_SHARES; i++) {
        xtf_screen_share(layout->screen, line, at, i);
        at = xtf_screen_put(layout->screen, line, at + 2, XTF_STYLE_DIM, "%s", names[i]) + 1;
    }
    xtf_screen_put(layout->screen, line, at, XTF_STYLE_DIM, "%s",
                   layout->screen->columns - at > (int)strlen(letters) ? letters : "G Y R: see ?");
}

static void put_position(const Layout *layout, int line)
{
    XtfScreen *screen = layout->screen;
    bool ascii = screen->ascii;
    int width = screen->columns - 24;
    double share = layout->film->n > 1 ? (double)layout->frame->k / (double)(layout->film->n - 1) : 1;

    for (int i = 0; i < width; i++)
        xtf_screen_put(screen, line, i, XTF_STYLE_DIM, "%s",
                       i == 0           ? ascii ? "|" : "\u251c"
                       : i == width - 1 ? ascii ? "|" : "\u2524"
                       : ascii          ? "-"
                                        : "\u2500");
    xtf_screen_put(screen, line, 1 + (int)lround(share * (width - 3)), XTF_STYLE_BOLD, "%s", ascii ? "o" : "\u25cf");
    xtf_screen_put(screen, line, width + 1, XTF_STYLE_PLAIN, "%.0f %% of the run", 100 * share);
}

/* Draws a message. A message longer than one line begins above the last line. */
static void put_message(const Layout *layout, int line, const char *message)
{
    int width = layout->screen->columns - 1;
    g_autofree char *valid = g_utf8_make_valid(message, -1);
    glong length = g_utf8_strlen(valid, -1), first = length > width ? MIN(width, length) : 0;
    g_autofree char *above = g_utf8_substring(valid, 0, first);

    if (first) {
        for (int column = 0; column <= width; column++)
            xtf_screen_put(layout->screen, line - 1, column, XTF_STYLE_PLAIN, " ");
        xtf_screen_put(layout->screen, line - 1, 0, XTF_STYLE_BOLD, "%s", above);
    }
    xtf_screen_put(layout->screen, line, 0, XTF_STYLE_BOLD, "%s", g_utf8_offset_to_pointer(valid, first));
}

static void put_keys(const Layout *layout, int line)
{
    const XtfPlayLook *look = layout->look;

    if (look->typing)
        xtf_screen_put(layout->screen, line, 1, XTF_STYLE_BOLD, "%s %s_", look->typing, look->typed->str);
    else if (look->message)
        put_message(layout, line, look->message);
    else
        xtf_screen_put(layout->screen, line, 1, XTF_STYLE_DIM, "%s",
                       layout->screen->ascii
                           ? "space play  left right frame  , . x10  [ ] speed  +- zoom  up down proc  m map  ? q"
                           : "space play  \u2190\u2192 frame  \u21e7\u2190\u2192 x10  [ ] speed  +- zoom  \u2191\u2193 "
                             "process  m map  ? q");
}

/* ---- The whole screen. */

static void set_layout(Layout *layout, guint n)
{
    int columns = layout->screen->columns, lines = layout->screen->lines;
    int groups = lines < TALL ? 0 : layout->wide ? REGIONS + 2 : GROUPS + 1;
    int fixed = HEAD + 1 + groups + TAIL;

    layout->bar = layout->wide ? LONG_BAR : columns - BAR - 1 - MOSTLY - 2 * BYTES;
    layout->mostly = BAR + layout->bar + 1;
    layout->strip = layout->mostly + MOSTLY + 2 * BYTES + 2;
    if (columns - layout->strip < STRIP_LEAST)
        layout->strip = 0;
    layout->rows = MAX(lines - fixed, 1);
    if ((guint)layout->rows > n)
        layout->rows = (int)n;
}

/* Draws everything between the titles and the legend. */
static bool put_middle(const Layout *layout, GError **error)
{
    int lines = layout->screen->lines, below = 2 + layout->rows;

    if (!put_processes(layout, error))
        return false;
    put_messages(layout, below);
    if (lines < TALL)
        return true;
    if (layout->look->map)
        put_map(layout, below + 2, lines - 3 - below - 2);
    else if (layout->wide && !has_tasks(layout)) /* a trace of tasks has no regions */
        put_wide_groups(layout, below + 2);
    else
        put_groups(layout, below + 1);
    return true;
}

XtfScreen *xtf_play_screen(const XtfFilm *film, const XtfFilmFrame *frame, XtfPlayLook *look, int columns, int lines,
                           bool ascii, GError **error)
{
    g_autoptr(XtfScreen) screen = xtf_screen_new(columns, lines, ascii);
    Layout layout = {.film = film, .frame = frame, .look = look, .screen = screen, .wide = columns >= WIDE};

    if (columns < XTF_PLAY_COLUMNS_MIN || lines < XTF_PLAY_LINES_MIN) {
        xtf_screen_put(screen, 0, 0, XTF_STYLE_BOLD, "needs %dx%d", XTF_PLAY_COLUMNS_MIN, XTF_PLAY_LINES_MIN);
        return g_steal_pointer(&screen);
    }
    set_layout(&layout, xtf_value_table_n(frame->state));
    put_head(&layout);
    bool is_low = lines < HEAD + HELP_KEYS + HELP_MEANINGS + TAIL;
    if (look->help && is_low && !look->typing && !look->message) {
        put_help(&layout, HEAD);
        return g_steal_pointer(&screen);
    }
    if (look->help && !is_low)
        put_help(&layout, HEAD);
    else if (!put_middle(&layout, error))
        return NULL;
    put_legend(&layout, lines - 3);
    put_position(&layout, lines - 2);
    put_keys(&layout, lines - 1);
    return g_steal_pointer(&screen);
}
