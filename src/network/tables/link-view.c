#include "src/network/tables/link-view.h"

#include <math.h>

#include "src/network/tables/cells.h"
#include "src/network/tables/statistics.h"
#include "src/tables/format/table.h"

static const XtfColumn statistics_columns[] = {
    XTF_COLUMN("length", XTF_COLUMN_TIME, NULL, "length of messages"),
    XTF_COLUMN("what", XTF_COLUMN_TEXT, NULL, "statistic that was measured"),
    XTF_COLUMN("pairs", XTF_COLUMN_NUMBER, NULL, "number of pairs of processes"),
    XTF_COLUMN("min", XTF_COLUMN_REAL, "us", "least value"),
    XTF_COLUMN("q1", XTF_COLUMN_REAL, "us", "first quartile"),
    XTF_COLUMN("median", XTF_COLUMN_REAL, "us", "median of the pairs"),
    XTF_COLUMN("mean", XTF_COLUMN_REAL, "us", "mean of the pairs"),
    XTF_COLUMN("q3", XTF_COLUMN_REAL, "us", "third quartile"),
    XTF_COLUMN("max", XTF_COLUMN_REAL, "us", "greatest value"),
    XTF_COLUMN("stddev", XTF_COLUMN_REAL, "us", "standard deviation"),
    XTF_COLUMN("asymmetry%", XTF_COLUMN_REAL, "%", "difference of a pair's two directions"),
    XTF_COLUMN("outliers", XTF_COLUMN_NUMBER, NULL, "number of outliers"),
};

const XtfTableDeclaration xtf_table_statistics =
    XTF_TABLE("statistics", "each length and statistic that was measured", statistics_columns);

static const XtfColumn pairs_columns[] = {
    XTF_COLUMN("sender", XTF_COLUMN_NUMBER, NULL, "process that sends"),
    XTF_COLUMN("receiver", XTF_COLUMN_NUMBER, NULL, "process that receives"),
    XTF_COLUMN("value", XTF_COLUMN_REAL, "us", "value of the pair"),
};

const XtfTableDeclaration xtf_table_pairs =
    XTF_TABLE("table", "a matrix, as CSV and JSON a line for each pair", pairs_columns);

static const XtfColumn outliers_columns[] = {
    XTF_COLUMN("sender", XTF_COLUMN_NUMBER, NULL, "process that sends"),
    XTF_COLUMN("receiver", XTF_COLUMN_NUMBER, NULL, "process that receives"),
    XTF_COLUMN("value", XTF_COLUMN_REAL, "us", "value of the pair"),
    XTF_COLUMN("expected", XTF_COLUMN_REAL, "us", "value expected of sender and receiver"),
    XTF_COLUMN("factor", XTF_COLUMN_REAL, NULL, "value / expected value"),
    XTF_COLUMN("reason", XTF_COLUMN_WORD, NULL, "pair, sender or receiver stands out"),
};

const XtfTableDeclaration xtf_table_outliers = XTF_TABLE("outliers", "pairs whose value stands out", outliers_columns);

enum {
    OUTLIERS_MAX = 1000,   /* most lines of the table of outliers */
    PAIRS_AT_ONCE = 65536, /* approximate number of rows in a batch */
    REASON_WIDTH = 8,
    FACTOR_WIDTH = 9,
};

bool xtf_link_view_init(XtfLinkView *view, XtfResolver *resolver, XtfSelection *selection, GError **error)
{
    XtfLinkView new_view = {.resolver = resolver, .selection = selection};

    if (!xtf_link_type_find(&new_view.type, resolver->context) ||
        !xtf_links_statistic(resolver, selection, &new_view.type, &new_view.statistic, error))
        return false;
    if (!xtf_link_sides_init(&new_view.sides, resolver->context, selection, error)) {
        xtf_link_sides_finish(&new_view.sides);
        return false;
    }
    new_view.links = xtf_links_select(selection, &new_view.type, new_view.statistic);
    *view = new_view;
    return true;
}

void xtf_link_view_finish(XtfLinkView *view)
{
    xtf_link_sides_finish(&view->sides);
    g_clear_pointer(&view->links, xtf_selection_unref);
}

static double *load_matrix(XtfLinkView *view, uint32_t first, uint32_t n, GError **error)
{
    const XtfLinkPart part = {view->links, view->statistic, first, n};

    return xtf_links_matrix(view->resolver, &view->type, &view->sides, &part, error);
}

/* ---- table */

static size_t line_bytes(const XtfLinkView *view)
{
    return (size_t)view->sides.n_receivers * (XTF_LINK_CELL + 1);
}

uint64_t xtf_link_table_size(const XtfLinkView *view)
{
    return (uint64_t)view->sides.senders->len * line_bytes(view);
}

bool xtf_link_table_read(XtfLinkView *view, uint64_t offset, char *buffer, size_t length, GError **error)
{
    size_t line = line_bytes(view);

    if (line == 0 || length == 0)
        return true;
    uint32_t first = (uint32_t)(offset / line), n = (uint32_t)((offset + length - 1) / line - first + 1);
    double factor = xtf_link_factor(&view->type, view->statistic);
    g_autofree double *values = load_matrix(view, first, n, error);
    g_autofree char *text = g_malloc(n * line);
    if (!values)
        return false;
    for (uint64_t i = 0; i < (uint64_t)n * view->sides.n_receivers; i++) {
        char *end = text + (i + 1) * (XTF_LINK_CELL + 1) - 1;
        xtf_link_put_value(end, values[i] * factor);
        *end = (i + 1) % view->sides.n_receivers == 0 ? '\n' : ' ';
    }
    xtf_copy_part(text, n * line, first * line, offset, buffer, length);
    return true;
}

/* Adds the rows of n senders from `first` on. */
static bool add_pair_rows(XtfLinkView *view, uint32_t first, uint32_t n, XtfLines *lines, GError **error)
{
    double factor = xtf_link_factor(&view->type, view->statistic);
    g_autofree double *values = load_matrix(view, first, n, error);

    for (uint64_t i = 0; values && i < (uint64_t)n * view->sides.n_receivers; i++) {
        xtf_lines_number(lines, xtf_link_sender(&view->sides, first + (uint32_t)(i / view->sides.n_receivers)));
        xtf_lines_number(lines, view->sides.receivers[i % view->sides.n_receivers]);
        xtf_link_add_cell(lines, values[i] * factor);
    }
    return values;
}

bool xtf_link_table_rows(XtfLinkView *view, const XtfRowSink *sink, GError **error)
{
    uint32_t n_senders = view->sides.senders->len, step = MAX(PAIRS_AT_ONCE / MAX(view->sides.n_receivers, 1), 1);
    XtfGrid grid;
    XtfLines lines;

    xtf_grid_init(&grid, &xtf_table_pairs);
    xtf_grid_add(&grid, "sender", view->sides.locations->proc_width);
    xtf_grid_add(&grid, "receiver", view->sides.locations->proc_width);
    xtf_grid_add(&grid, "value", XTF_LINK_CELL);
    if (!xtf_row_sink_set_columns(sink, &grid, error))
        return false;
    for (uint32_t first = 0, n; first < n_senders; first += n) {
        g_auto(XtfRows) rows = {0};
        n = MIN(step, n_senders - first);
        xtf_rows_init(&rows, grid.n);
        xtf_lines_init_rows(&lines, &grid, &view->resolver->context->scale, &rows);
        if (!add_pair_rows(view, first, n, &lines, error) ||
            !sink->add_rows(sink->data, &rows, 0, xtf_rows_n(&rows), error))
            return false;
    }
    return true;
}

/* ---- statistics */

static void collect_length(const XtfLink *link, void *data)
{
    g_hash_table_add(data, GSIZE_TO_POINTER(link->length));
}

static int compare_lengths(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

/* Returns all lengths at which any sender has links, ascending. The caller frees the array. Returns NULL with an
 * error. */
static GArray *find_lengths(XtfLinkView *view, GError **error)
{
    g_autoptr(GArray) lengths = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    g_autoptr(GHashTable) set = g_hash_table_new(NULL, NULL);
    bool narrowed = view->selection->by[XTF_BY_KIND];
    g_autoptr(XtfSelection) links = xtf_links_select(view->selection, &view->type, narrowed ? view->statistic : -1);
    const XtfLinkPart part = {links, narrowed ? view->statistic : -1, 0, view->sides.senders->len};
    GHashTableIter iter;
    gpointer key;

    if (!xtf_links_visit(view->resolver, &view->type, &view->sides, &part, collect_length, set, error))
        return NULL;
    g_hash_table_iter_init(&iter, set);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        uint64_t length = GPOINTER_TO_SIZE(key);
        g_array_append_val(lengths, length);
    }
    g_array_sort(lengths, compare_lengths);
    return g_steal_pointer(&lengths);
}

static void add_statistics_columns(const XtfLinkView *view, XtfGrid *grid)
{
    static const char *const columns[] = {"min", "q1", "median", "mean", "q3", "max", "stddev"};

    xtf_grid_add(grid, "length", view->resolver->context->scale.width);
    xtf_grid_add(grid, "what", sizeof "deviation" - 1);
    xtf_grid_add(grid, "pairs", XTF_LINK_CELL);
    for (unsigned i = 0; i < G_N_ELEMENTS(columns); i++)
        xtf_grid_add(grid, columns[i], XTF_LINK_CELL);
    xtf_grid_add(grid, "asymmetry%", XTF_LINK_CELL);
    xtf_grid_add(grid, "outliers", XTF_LINK_CELL);
}

/* Adds the line of one length and statistic. *added is false if nothing was measured. */
static bool add_statistics(XtfLinkView *view, uint64_t length, int event, XtfLines *lines, bool *added, GError **error)
{
    g_autoptr(XtfSelection) at_length = xtf_selection_in_window(view->selection, length, length + 1);
    g_autoptr(XtfSelection) links = xtf_links_select(at_length, &view->type, event);
    const XtfLinkPart part = {links, event, 0, view->sides.senders->len};
    g_autofree double *values = xtf_links_matrix(view->resolver, &view->type, &view->sides, &part, error);
    g_autofree char *name = g_ascii_strdown(view->type.event->labels[event], -1);
    double factor = xtf_link_factor(&view->type, event);
    XtfLinkStatistics statistics;

    *added = false;
    if (!values || !xtf_link_statistics(values, &view->sides, &statistics, error))
        return false;
    if (statistics.pairs == 0)
        return true;
    g_autoptr(GArray) outliers = xtf_link_outliers(values, &view->sides, error);
    if (!outliers)
        return false;
    const double figures[] = {statistics.min, statistics.q1,  statistics.median, statistics.mean,
                              statistics.q3,  statistics.max, statistics.stddev};
    xtf_lines_ticks(lines, length);
    xtf_lines_text(lines, name, 0);
    xtf_lines_number(lines, statistics.pairs);
    for (unsigned i = 0; i < G_N_ELEMENTS(figures); i++)
        xtf_link_add_cell(lines, figures[i] * factor);
    xtf_link_add_cell(lines, statistics.asymmetry * 100);
    xtf_lines_number(lines, outliers->len);
    *added = true;
    return true;
}

/* Adds the lines of all selected statistics at one length. Repeats have no line: they are not a matrix. */
static bool add_selected_statistics(XtfLinkView *view, uint64_t length, XtfLines *lines, GError **error)
{
    const XtfNumberSet *wanted = view->selection->by[XTF_BY_KIND];
    int repeat = xtf_link_statistic(&view->type, XTF_LINK_REPEAT);
    bool good = true, added;

    for (int event = 0; good && event < (int)view->type.event->n_labels; event++)
        if (event != repeat && (!wanted || xtf_number_set_contains(wanted, (uint64_t)event)))
            good = add_statistics(view, length, event, lines, &added, error);
    return good;
}

/* Adds the line of the first preferred statistic that was measured at one length. */
static bool add_preferred_statistic(XtfLinkView *view, uint64_t length, XtfLines *lines, GError **error)
{
    bool good = true, added = false;

    for (unsigned i = 0; good && !added && xtf_links_preferred[i]; i++) {
        int event = xtf_link_statistic(&view->type, xtf_links_preferred[i]);
        if (event >= 0 && !g_str_equal(xtf_links_preferred[i], XTF_LINK_REPEAT))
            good = add_statistics(view, length, event, lines, &added, error);
    }
    return good;
}

bool xtf_link_statistics_table(XtfLinkView *view, XtfTableOutput *output, GError **error)
{
    g_autoptr(GArray) lengths = find_lengths(view, error);
    bool all = xtf_links_one_length(view->selection) || view->selection->by[XTF_BY_KIND];
    XtfGrid *grid = &output->grid;

    if (!lengths)
        return false;
    xtf_grid_init(grid, &xtf_table_statistics);
    add_statistics_columns(view, grid);
    XtfLines *lines = xtf_table_output_begin(output, &view->resolver->context->scale);
    for (guint i = 0; i < lengths->len; i++) {
        uint64_t length = g_array_index(lengths, uint64_t, i);
        if (!(all ? add_selected_statistics : add_preferred_statistic)(view, length, lines, error))
            return false;
    }
    return xtf_lines_finish(lines, error);
}

/* ---- outliers */

static void add_outliers_columns(const XtfLinkView *view, XtfGrid *grid)
{
    xtf_grid_add(grid, "sender", view->sides.locations->proc_width);
    xtf_grid_add(grid, "receiver", view->sides.locations->proc_width);
    xtf_grid_add(grid, "value", XTF_LINK_CELL);
    xtf_grid_add(grid, "expected", XTF_LINK_CELL);
    xtf_grid_add(grid, "factor", FACTOR_WIDTH);
    xtf_grid_add(grid, "reason", REASON_WIDTH);
}

static void add_outlier(const XtfLinkView *view, const XtfOutlier *outlier, XtfLines *lines)
{
    static const char *const reasons[] = {"pair", "sender", "receiver"};
    double factor = xtf_link_factor(&view->type, view->statistic), ratio = outlier->value / outlier->expected;

    xtf_lines_number(lines, xtf_link_sender(&view->sides, outlier->sender));
    xtf_lines_number(lines, view->sides.receivers[outlier->receiver]);
    xtf_link_add_cell(lines, outlier->value * factor);
    xtf_link_add_cell(lines, outlier->expected * factor);
    if (isfinite(ratio))
        xtf_lines_real(lines, ratio < 1e5 ? "%.3f" : "%.2e", ratio);
    else
        xtf_lines_none(lines);
    xtf_lines_word(lines, reasons[outlier->reason]);
}

bool xtf_link_outliers_table(XtfLinkView *view, XtfTableOutput *output, GError **error)
{
    g_autofree double *values = load_matrix(view, 0, view->sides.senders->len, error);
    XtfGrid *grid = &output->grid;

    if (!values)
        return false;
    g_autoptr(GArray) outliers = xtf_link_outliers(values, &view->sides, error);
    if (!outliers)
        return false;
    xtf_grid_init(grid, &xtf_table_outliers);
    add_outliers_columns(view, grid);
    XtfLines *lines = xtf_table_output_begin(output, &view->resolver->context->scale);
    for (guint i = 0; i < MIN(outliers->len, OUTLIERS_MAX); i++)
        add_outlier(view, &g_array_index(outliers, XtfOutlier, i), lines);
    return xtf_lines_finish(lines, error);
}
