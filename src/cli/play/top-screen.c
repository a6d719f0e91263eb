#include "src/cli/play/top-screen.h"

#include <stdlib.h>
#include <string.h>

#include "src/cli/play/film.h"
#include "src/pictures/drawing/text-width.h"

enum {
    FOOT = 2,
    LEAST_COLUMNS = 60,
    LEAST_LINES = 10,
    MARK = 2,        /* columns before the name of a region */
    GAP = 2,         /* between two columns of the table */
    NAME_LEAST = 12, /* least width of the names of regions */
    ONE_LINE = 120,  /* least width of a terminal, in columns, at which the bar has its numbers beside it, not below */
    PLACE = 46,      /* columns of the call of a process, on screens of ONE_LINE columns or more */
    DECIMALS = 78,   /* columns from which on shares have tenths of a percent */
};

static const struct {
    const char *title, *column; /* `column` is of `profile`, or of `imbalance` */
    const char *proc;           /* column with the process that has the number; NULL: none */
} columns_of_top[XTF_TOP_N_COLUMNS] = {{"calls", "calls", NULL},
                                       {"inclusive", "inclusive", NULL},
                                       {"exclusive", "exclusive", NULL},
                                       {"min (proc)", "min", "min_proc"},
                                       {"max (proc)", "max", "max_proc"}};

/* Widths of the parts of the table. */
typedef struct {
    int name;                      /* greatest width of names */
    int widths[XTF_TOP_N_COLUMNS]; /* widths of numbers with their gap; 0: not shown */
} Layout;

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
    guint line;      /* line in the profile */
    guint imbalance; /* line in `imbalance`; G_MAXUINT: none */
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

/* Finds the table and line of a cell. The table is NULL if the row has no such cell. */
static guint find_cell(const Rows *rows, const Row *row, XtfTopColumn column, const XtfValueTable **table)
{
    bool of_imbalance = columns_of_top[column].proc;

    *table = of_imbalance && row->imbalance == G_MAXUINT ? NULL : of_imbalance ? rows->imbalance : rows->profile;
    return of_imbalance ? row->imbalance : row->line;
}

/* Returns the text of a cell, which the caller frees. */
static char *format_cell(const Rows *rows, const Row *row, XtfTopColumn column)
{
    const XtfValueTable *table;
    guint line = find_cell(rows, row, column, &table);

    if (!table)
        return g_strdup("-");
    const char *cell = xtf_value_table_text(table, line, columns_of_top[column].column);
    if (!columns_of_top[column].proc)
        return g_strdup(cell);
    return g_strdup_printf("%s (%s)", cell, xtf_value_table_text(table, line, columns_of_top[column].proc));
}

static const char *row_name(const Rows *rows, const Row *row)
{
    return xtf_value_table_text(rows->profile, row->line, "region");
}

static double cell_number(const Rows *rows, const Row *row, XtfTopColumn column)
{
    const XtfValueTable *table;
    guint line = find_cell(rows, row, column, &table);
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
    if (!xtf_value_table_read_optional(top->tree, &rows->imbalance, error, "%simbalance", path))
        return false;
    guint n = xtf_value_table_n(rows->profile);
    rows->rows = g_new0(Row, MAX(n, 1));
    for (guint i = 0; i < n; i++) {
        const char *region = xtf_value_table_text(rows->profile, i, "region");
        Row row = {.line = i, .imbalance = G_MAXUINT};
        if (rows->imbalance)
            row.imbalance = xtf_value_table_find(rows->imbalance, "region", region);
        row.key = cell_number(rows, &row, top->sorted);
        if (xtf_value_table_number(rows->profile, i, "inclusive") > 0 ||
            xtf_value_table_number(rows->profile, i, "calls") > 0)
            rows->rows[rows->n++] = row;
    }
    qsort(rows->rows, rows->n, sizeof *rows->rows, compare_rows);
    return true;
}

/* ---- The head. */

/* Draws shares as numbers, from a column on. */
static void put_shares(XtfScreen *screen, int line, int at, const double shares[static XTF_SCREEN_SHARES], double sum)
{
    static const char *const names[XTF_SCREEN_SHARES] = {"program", "p2p", "collective", "wait", "other"};
    bool wide = screen->columns >= DECIMALS;

    for (unsigned i = 0; i < XTF_SCREEN_SHARES; i++) {
        char percent[G_ASCII_DTOSTR_BUF_SIZE];
        g_ascii_formatd(percent, sizeof percent, wide ? "%.1f" : "%.0f", sum > 0 ? 100 * shares[i] / sum : 0);
        xtf_screen_share(screen, line, at, i);
        at = xtf_screen_put(screen, line, at + 1, XTF_STYLE_PLAIN, "%s%s %s%%", wide ? " " : "", names[i], percent) + 1;
    }
}

/* Draws the selection, and the shares of the classes in it. Returns the next line; -1 with an error. */
static int put_head(XtfScreen *screen, const XtfTop *top, const char *path, GError **error)
{
    char from[G_ASCII_DTOSTR_BUF_SIZE], to[G_ASCII_DTOSTR_BUF_SIZE];
    g_autoptr(XtfValueTable) total = NULL;
    bool one_line = screen->columns >= ONE_LINE;
    double shares[XTF_SCREEN_SHARES], sum = 0;

    if (!xtf_value_table_read_optional(top->tree, &total, error, "%stotal", path))
        return -1;
    g_ascii_formatd(from, sizeof from, "%.6f", top->from);
    g_ascii_formatd(to, sizeof to, "%.6f", top->to);
    g_autofree char *window = g_strdup_printf("  %s s to %s s", from, to);
    int room = screen->columns - 1 - (int)strlen(window);
    g_autofree char *name = xtf_text_elided(top->name, (size_t)MAX(room / 2, 1));
    int at = xtf_screen_put(screen, 0, 0, XTF_STYLE_BOLD, "%s", name) + GAP;
    g_autofree char *selected = xtf_text_elided(top->path->str, (size_t)MAX(room - at, 1));
    xtf_screen_put(screen, 0, at, XTF_STYLE_PLAIN, "%s", selected);
    xtf_screen_put_left_of(screen, 0, screen->columns - 1, XTF_STYLE_PLAIN, "%s", window);
    if (total && xtf_value_table_n(total)) {
        xtf_film_shares(total, 0, shares);
        for (unsigned i = 0; i < XTF_SCREEN_SHARES; i++)
            sum += shares[i];
        int width = one_line ? screen->columns / 3 : screen->columns - 1;
        xtf_screen_bar(screen, 1, 0, width, shares, sum);
        put_shares(screen, one_line ? 1 : 2, one_line ? width + 1 : 0, shares, sum);
    }
    return one_line ? 2 : 3;
}

/* ---- The table. */

/* Returns the width of a column with its title and all of its rows. */
static int column_width(const Rows *rows, XtfTopColumn column)
{
    glong width = (glong)strlen(columns_of_top[column].title) + 1; /* plus one for the mark of the sorted column */

    for (guint i = 0; i < rows->n; i++) {
        g_autofree char *cell = format_cell(rows, &rows->rows[i], column);
        width = MAX(width, g_utf8_strlen(cell, -1));
    }
    return (int)width + GAP;
}

/* Sets the widths. Names take their width first. The sorted column always gets its part of the remaining width, and the
 * others do by importance. */
static void set_widths(Layout *layout, const Rows *rows, const XtfTop *top, int columns)
{
    const XtfTopColumn order[] = {top->sorted,       XTF_TOP_EXCLUSIVE, XTF_TOP_CALLS,
                                  XTF_TOP_INCLUSIVE, XTF_TOP_MAX,       XTF_TOP_MIN};
    glong longest = NAME_LEAST;
    int room = columns - MARK - 1;

    for (guint i = 0; i < rows->n; i++)
        longest = MAX(longest, g_utf8_strlen(row_name(rows, &rows->rows[i]), -1));
    *layout = (Layout){0};
    for (unsigned i = 0; i < G_N_ELEMENTS(order); i++) {
        int width = column_width(rows, order[i]);
        if (layout->widths[order[i]] || (i > 0 && room - width < MIN(longest, columns / 2)))
            continue;
        layout->widths[order[i]] = width;
        room -= width;
    }
    layout->name = (int)MIN(longest, room);
}

static void put_titles(XtfScreen *screen, int line, const Layout *layout, const XtfTop *top)
{
    int end = MARK + layout->name;

    xtf_screen_put(screen, line, MARK, XTF_STYLE_DIM, "region");
    for (unsigned column = 0; column < XTF_TOP_N_COLUMNS; column++) {
        end += layout->widths[column];
        if (layout->widths[column])
            xtf_screen_put_left_of(screen, line, end, column == top->sorted ? XTF_STYLE_BOLD : XTF_STYLE_DIM, "%s%s",
                                   columns_of_top[column].title, column == top->sorted ? "*" : "");
    }
}

static void put_row(XtfScreen *screen, int line, const Layout *layout, const Rows *rows, const Row *row, bool chosen)
{
    XtfStyle style = chosen ? XTF_STYLE_BOLD : XTF_STYLE_PLAIN;
    g_autofree char *name = xtf_text_elided(row_name(rows, row), (size_t)layout->name);
    int end = MARK + layout->name;

    if (chosen)
        xtf_screen_put(screen, line, 0, style, ">");
    xtf_screen_put(screen, line, MARK, style, "%s", name);
    for (unsigned column = 0; column < XTF_TOP_N_COLUMNS; column++) {
        g_autofree char *cell = layout->widths[column] ? format_cell(rows, row, column) : NULL;
        end += layout->widths[column];
        if (cell)
            xtf_screen_put_left_of(screen, line, end, style, "%s", cell);
    }
}

/* Limits the chosen line to the table, and moves the top so that the line is visible. */
static void limit_chosen_line(XtfTop *top, guint n, guint room)
{
    top->line = MIN(top->line, MAX(n, 1) - 1);
    if (top->line < top->first)
        top->first = top->line;
    if (top->line >= top->first + room)
        top->first = top->line - room + 1;
    g_clear_pointer(&top->chosen, g_free);
}

static bool put_regions(XtfScreen *screen, int line, XtfTop *top, const char *path, GError **error)
{
    g_auto(Rows) rows = {0};
    guint room = (guint)(screen->lines - line - 1 - FOOT);
    Layout layout;

    if (!read_rows(&rows, top, path, error))
        return false;
    limit_chosen_line(top, rows.n, room);
    set_widths(&layout, &rows, top, screen->columns);
    put_titles(screen, line, &layout, top);
    for (guint i = top->first; i < MIN(rows.n, top->first + room); i++)
        put_row(screen, line + 1 + (int)(i - top->first), &layout, &rows, &rows.rows[i], i == top->line);
    if (rows.n)
        top->chosen = g_strdup(row_name(&rows, &rows.rows[top->line]));
    return true;
}

/* Draws the call that a process is in at the end of the window, and its call site: "MPI_Recv, get (solver.c:7)". */
static void put_place(XtfScreen *screen, int line, XtfStyle style, const XtfValueTable *state, guint i)
{
    const char *region = xtf_value_table_text(state, i, "region"), *site = xtf_value_table_text(state, i, "site");
    g_autofree char *place = g_strdup_printf("%s, %s", region, site);
    g_autofree char *shown = xtf_text_elided(g_str_equal(site, "-") ? region : place, PLACE - 1);

    xtf_screen_put(screen, line, screen->columns - PLACE, style, "%s", shown);
}

static bool put_processes(XtfScreen *screen, int line, XtfTop *top, const char *path, GError **error)
{
    g_autoptr(XtfValueTable) state = xtf_value_table_read(top->tree, error, "%sstate", path);
    guint room = (guint)(screen->lines - line - 1 - FOOT), n = state ? xtf_value_table_n(state) : 0;

    if (!state)
        return false;
    bool has_place = screen->columns >= ONE_LINE && xtf_value_table_has(state, "site");
    int bar = screen->columns - 46 - (has_place ? PLACE : 0);
    limit_chosen_line(top, n, room);
    xtf_screen_put(screen, line, 0, XTF_STYLE_DIM, " process  in this window");
    xtf_screen_put_left_of(screen, line, bar + 22, XTF_STYLE_DIM, "calls");
    xtf_screen_put_left_of(screen, line, bar + 36, XTF_STYLE_DIM, "sent");
    if (has_place)
        xtf_screen_put(screen, line, screen->columns - PLACE, XTF_STYLE_DIM, "at its end in");
    for (guint i = top->first; i < MIN(n, top->first + room); i++) {
        int at = line + 1 + (int)(i - top->first);
        XtfStyle style = i == top->line ? XTF_STYLE_BOLD : XTF_STYLE_PLAIN;
        double shares[XTF_SCREEN_SHARES];
        xtf_film_shares(state, i, shares);
        xtf_screen_put(screen, at, 0, style, "%s", i == top->line ? ">" : " ");
        xtf_screen_put_left_of(screen, at, 8, style, "%s", xtf_value_table_text(state, i, "proc"));
        xtf_screen_bar(screen, at, 10, bar, shares, top->to - top->from);
        xtf_screen_put_left_of(screen, at, bar + 22, style, "%s", xtf_value_table_text(state, i, "calls"));
        xtf_screen_put_left_of(screen, at, bar + 36, style, "%s B", xtf_value_table_text(state, i, "sent_bytes"));
        if (has_place)
            put_place(screen, at, style, state, i);
    }
    if (n)
        top->chosen = g_strdup(xtf_value_table_text(state, top->line, "proc"));
    return true;
}

/* ---- The keys. */

static void put_help(XtfScreen *screen, int line)
{
    static const char *const texts[] = {
        "< >          sort by the column before, behind",
        "left, right  the window before, behind;  + - zoom;  0 all",
        "up, down     choose a line;  Enter narrows to it",
        "Backspace    takes the last narrowing back",
        "p            a line a process, a line a region",
        "o q          print the path of this, and quit; quit",
        "?            the table again",
    };

    for (int i = 0; i < (int)G_N_ELEMENTS(texts) && line + i < screen->lines - 1; i++)
        xtf_screen_put(screen, line + i, MARK, XTF_STYLE_PLAIN, "%s", texts[i]);
}

/* Draws as many keys as fit; `?` shows all of them. */
static void put_keys(XtfScreen *screen)
{
    static const char *const keys[] = {"? keys", "q quit",   "< > sort",   "p process",     "Enter into",
                                       "0 all",  "+ - zoom", "left right", "Backspace out", "o path"};
    int at = 1;

    for (unsigned i = 0; i < G_N_ELEMENTS(keys) && at + (int)strlen(keys[i]) < screen->columns; i++)
        at = xtf_screen_put(screen, screen->lines - 1, at, XTF_STYLE_DIM, "%s", keys[i]) + GAP;
}

XtfScreen *xtf_top_screen(XtfTop *top, int columns, int lines, bool ascii, GError **error)
{
    g_autoptr(XtfScreen) screen = xtf_screen_new(columns, lines, ascii);
    g_autofree char *path = xtf_top_path(top);

    if (columns < LEAST_COLUMNS || lines < LEAST_LINES) {
        xtf_screen_put(screen, 0, 0, XTF_STYLE_BOLD, "needs %dx%d", LEAST_COLUMNS, LEAST_LINES);
        return g_steal_pointer(&screen);
    }
    int line = put_head(screen, top, path, error);
    if (line < 0)
        return NULL;
    if (top->help)
        put_help(screen, line);
    else if (top->by_process ? !put_processes(screen, line, top, path, error)
                             : !put_regions(screen, line, top, path, error))
        return NULL;
    put_keys(screen);
    return g_steal_pointer(&screen);
}
