#include "src/cli/play/top-screen.h"

#include <stdlib.h>

#include "src/cli/play/film.h"

enum {
    HEAD = 3, /* lines above the table */
    FOOT = 2,
    LEAST_COLUMNS = 60,
    LEAST_LINES = 8,
};

static const struct {
    const char *title, *column; /* of `profile`, or of `imbalance` */
    bool of_imbalance;
    int width;
} columns_of_top[XTF_TOP_N_COLUMNS] = {{"calls", "calls", false, 12},
                                       {"inclusive", "inclusive", false, 14},
                                       {"exclusive", "exclusive", false, 14},
                                       {"min", "min", true, 20},
                                       {"max", "max", true, 20}};

char *xtf_top_path(const XtfTop *top)
{
    char from[G_ASCII_DTOSTR_BUF_SIZE], to[G_ASCII_DTOSTR_BUF_SIZE];

    if (top->from <= 0 && top->to >= top->duration)
        return g_strdup(top->path->str);
    g_ascii_formatd(from, sizeof from, "%.9f", top->from);
    g_ascii_formatd(to, sizeof to, "%.9f", top->to);
    return g_strdup_printf("%stime/%s-%s/", top->path->str, from, to);
}

/* ---- Lines, sorted. */

typedef struct {
    guint line;      /* of the profile */
    guint imbalance; /* its line there; G_MAXUINT: none */
    double key;
} Row;

typedef struct {
    XtfValueTable *profile, *imbalance;
    Row *rows;
    guint n;
} Rows;

static void rows_finish(Rows *rows)
{
    xtf_value_table_free(rows->profile);
    xtf_value_table_free(rows->imbalance);
    g_free(rows->rows);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rows, rows_finish)

/* Where a column of a row stands; the table is NULL if the row has no such cell. */
static guint place_of(const Rows *rows, const Row *row, XtfTopColumn column, const XtfValueTable **table)
{
    *table = columns_of_top[column].of_imbalance ? rows->imbalance : rows->profile;
    return columns_of_top[column].of_imbalance ? row->imbalance : row->line;
}

static const char *cell_of(const Rows *rows, const Row *row, XtfTopColumn column)
{
    const XtfValueTable *table;
    guint line = place_of(rows, row, column, &table);
    return table ? xtf_value_table_text(table, line, columns_of_top[column].column) : "-";
}

static double number_of(const Rows *rows, const Row *row, XtfTopColumn column)
{
    const XtfValueTable *table;
    guint line = place_of(rows, row, column, &table);
    return table ? xtf_value_table_number(table, line, columns_of_top[column].column) : 0;
}

static int compare_rows(const void *a, const void *b)
{
    const Row *x = a, *y = b;
    return x->key > y->key ? -1 : x->key < y->key ? 1 : x->line < y->line ? -1 : x->line > y->line;
}

static bool read_rows(Rows *rows, const XtfTop *top, const char *path, GError **error)
{
    if (!(rows->profile = xtf_value_table_read(top->tree, error, "%sprofile", path)))
        return false;
    rows->imbalance = xtf_value_table_read(top->tree, NULL, "%simbalance", path);
    guint n = xtf_value_table_n(rows->profile);
    rows->rows = g_new0(Row, MAX(n, 1));
    for (guint i = 0; i < n; i++) {
        const char *region = xtf_value_table_text(rows->profile, i, "region");
        Row row = {.line = i, .imbalance = G_MAXUINT};
        if (rows->imbalance)
            row.imbalance = xtf_value_table_find(rows->imbalance, "region", region);
        row.key = number_of(rows, &row, top->sorted);
        if (xtf_value_table_number(rows->profile, i, "inclusive") > 0 ||
            xtf_value_table_number(rows->profile, i, "calls") > 0)
            rows->rows[rows->n++] = row;
    }
    qsort(rows->rows, rows->n, sizeof *rows->rows, compare_rows);
    return true;
}

/* ---- The screen. */

static void put_head(XtfScreen *screen, const XtfTop *top, const char *path)
{
    char from[G_ASCII_DTOSTR_BUF_SIZE], to[G_ASCII_DTOSTR_BUF_SIZE];
    g_autoptr(XtfValueTable) total = xtf_value_table_read(top->tree, NULL, "%stotal", path);
    int at = xtf_screen_put(screen, 0, 0, XTF_STYLE_BOLD, "%s", top->name);

    g_ascii_formatd(from, sizeof from, "%.6f", top->from);
    g_ascii_formatd(to, sizeof to, "%.6f", top->to);
    xtf_screen_put(screen, 0, at + 2, XTF_STYLE_PLAIN, "%s", top->path->str);
    xtf_screen_put_left_of(screen, 0, screen->columns - 1, XTF_STYLE_PLAIN, "  %s s to %s s", from, to);
    if (!total || !xtf_value_table_n(total))
        return;
    double shares[XTF_SCREEN_SHARES], sum = 0;
    static const char *const names[XTF_SCREEN_SHARES] = {"program", "p2p", "collective", "wait", "other"};
    xtf_film_shares(total, 0, shares);
    for (unsigned i = 0; i < XTF_SCREEN_SHARES; i++)
        sum += shares[i];
    int width = screen->columns / 3;
    xtf_screen_bar(screen, 1, 0, width, shares, sum);
    at = width + 1;
    for (unsigned i = 0; i < XTF_SCREEN_SHARES; i++) {
        xtf_screen_share(screen, 1, at, i);
        char percent[G_ASCII_DTOSTR_BUF_SIZE];
        g_ascii_formatd(percent, sizeof percent, "%.1f", sum > 0 ? 100 * shares[i] / sum : 0);
        at = xtf_screen_put(screen, 1, at + 1, XTF_STYLE_PLAIN, " %s %s%%", names[i], percent) + 1;
    }
}

static void put_titles(XtfScreen *screen, const XtfTop *top)
{
    int end = 1;

    for (unsigned column = 0; column < XTF_TOP_N_COLUMNS; column++) {
        end += columns_of_top[column].width;
        xtf_screen_put_left_of(screen, 2, end, column == top->sorted ? XTF_STYLE_BOLD : XTF_STYLE_DIM, "%s%s",
                               columns_of_top[column].title, column == top->sorted ? "*" : "");
    }
    xtf_screen_put(screen, 2, end + 2, XTF_STYLE_DIM, "region");
}

static void put_row(XtfScreen *screen, int line, const Rows *rows, const Row *row, bool chosen)
{
    XtfStyle style = chosen ? XTF_STYLE_BOLD : XTF_STYLE_PLAIN;
    int end = 1;

    if (chosen)
        xtf_screen_put(screen, line, 0, style, ">");
    for (unsigned column = 0; column < XTF_TOP_N_COLUMNS; column++) {
        const char *cell = cell_of(rows, row, column);
        end += columns_of_top[column].width;
        if (!columns_of_top[column].of_imbalance || row->imbalance == G_MAXUINT)
            xtf_screen_put_left_of(screen, line, end, style, "%s", cell);
        else
            xtf_screen_put_left_of(
                screen, line, end, style, "%s (%s)", cell,
                xtf_value_table_text(rows->imbalance, row->imbalance, column == XTF_TOP_MIN ? "min_proc" : "max_proc"));
    }
    xtf_screen_put(screen, line, end + 2, style, "%s", xtf_value_table_text(rows->profile, row->line, "region"));
}

/* Moves the chosen line into what there is, and the top so that it is seen. */
static void settle(XtfTop *top, guint n, guint room)
{
    top->line = MIN(top->line, MAX(n, 1) - 1);
    if (top->line < top->first)
        top->first = top->line;
    if (top->line >= top->first + room)
        top->first = top->line - room + 1;
    g_clear_pointer(&top->chosen, g_free);
}

static bool put_regions(XtfScreen *screen, XtfTop *top, const char *path, GError **error)
{
    g_auto(Rows) rows = {0};
    guint room = (guint)(screen->lines - HEAD - FOOT);

    if (!read_rows(&rows, top, path, error))
        return false;
    settle(top, rows.n, room);
    put_titles(screen, top);
    for (guint i = top->first; i < MIN(rows.n, top->first + room); i++)
        put_row(screen, HEAD + (int)(i - top->first), &rows, &rows.rows[i], i == top->line);
    if (rows.n)
        top->chosen = g_strdup(xtf_value_table_text(rows.profile, rows.rows[top->line].line, "region"));
    return true;
}

static bool put_processes(XtfScreen *screen, XtfTop *top, const char *path, GError **error)
{
    g_autoptr(XtfValueTable) state = xtf_value_table_read(top->tree, error, "%sstate", path);
    guint room = (guint)(screen->lines - HEAD - FOOT), n = state ? xtf_value_table_n(state) : 0;
    int bar = screen->columns - 46;

    if (!state)
        return false;
    settle(top, n, room);
    xtf_screen_put(screen, 2, 0, XTF_STYLE_DIM, " process  in this window");
    xtf_screen_put_left_of(screen, 2, bar + 22, XTF_STYLE_DIM, "calls");
    xtf_screen_put_left_of(screen, 2, bar + 36, XTF_STYLE_DIM, "sent");
    for (guint i = top->first; i < MIN(n, top->first + room); i++) {
        int line = HEAD + (int)(i - top->first);
        XtfStyle style = i == top->line ? XTF_STYLE_BOLD : XTF_STYLE_PLAIN;
        double shares[XTF_SCREEN_SHARES];
        xtf_film_shares(state, i, shares);
        xtf_screen_put(screen, line, 0, style, "%s", i == top->line ? ">" : " ");
        xtf_screen_put_left_of(screen, line, 8, style, "%s", xtf_value_table_text(state, i, "proc"));
        xtf_screen_bar(screen, line, 10, bar, shares, top->to - top->from);
        xtf_screen_put_left_of(screen, line, bar + 22, style, "%s", xtf_value_table_text(state, i, "calls"));
        xtf_screen_put_left_of(screen, line, bar + 36, style, "%s B", xtf_value_table_text(state, i, "sent_bytes"));
    }
    if (n)
        top->chosen = g_strdup(xtf_value_table_text(state, top->line, "proc"));
    return true;
}

XtfScreen *xtf_top_screen(XtfTop *top, int columns, int lines, bool ascii, GError **error)
{
    g_autoptr(XtfScreen) screen = xtf_screen_new(columns, lines, ascii);
    g_autofree char *path = xtf_top_path(top);

    if (columns < LEAST_COLUMNS || lines < LEAST_LINES) {
        xtf_screen_put(screen, 0, 0, XTF_STYLE_BOLD, "needs %dx%d", LEAST_COLUMNS, LEAST_LINES);
        return g_steal_pointer(&screen);
    }
    put_head(screen, top, path);
    if (top->by_process ? !put_processes(screen, top, path, error) : !put_regions(screen, top, path, error))
        return NULL;
    xtf_screen_put(screen, lines - 1, 1, XTF_STYLE_DIM,
                   "< > sort  left right window  + - zoom  0 all  p by process  Enter into  Backspace out  o path  q");
    return g_steal_pointer(&screen);
}
