#include "src/query/network/link-view.h"

#include <math.h>

#include "src/query/format/table.h"
#include "src/query/network/cells.h"
#include "src/query/network/statistics.h"

enum {
    OUTLIERS_MAX = 1000, /* lines */
    REASON_WIDTH = 8,
    FACTOR_WIDTH = 9,
};
#define AMOUNT       "amount"
#define REPEAT       "repeat"
#define MICROSECONDS 1e6

bool xtf_link_view_init(XtfLinkView *view, XtfResolver *resolver, XtfSelection *selection, GError **error)
{
    XtfLinkView made = {.resolver = resolver, .selection = selection};

    if (!xtf_link_type_find(&made.type, resolver->context) ||
        !xtf_links_statistic(resolver, selection, &made.type, &made.statistic, error))
        return false;
    if (!xtf_link_sides_init(&made.sides, resolver->context, selection, error)) {
        xtf_link_sides_finish(&made.sides);
        return false;
    }
    made.links = xtf_links_of(selection, &made.type, made.statistic);
    *view = made;
    return true;
}

void xtf_link_view_finish(XtfLinkView *view)
{
    xtf_link_sides_finish(&view->sides);
    g_clear_pointer(&view->links, xtf_selection_unref);
}

static bool is_statistic(const XtfLinkView *view, int event, const char *name)
{
    return event >= 0 && event == xtf_link_statistic(&view->type, name);
}

/* What values are multiplied by to be shown. */
static double factor_of(const XtfLinkView *view, int event)
{
    return is_statistic(view, event, AMOUNT) ? 1 : MICROSECONDS;
}

static double *matrix_of(XtfLinkView *view, uint32_t first, uint32_t n, GError **error)
{
    const XtfLinkPart part = {view->links, view->statistic, first, n};

    return xtf_links_matrix(view->resolver, &view->type, &view->sides, &part, error);
}

/* ---- table */

static size_t table_line(const XtfLinkView *view)
{
    return (size_t)view->sides.n_receivers * (XTF_LINK_CELL + 1);
}

uint64_t xtf_link_table_size(const XtfLinkView *view)
{
    return (uint64_t)view->sides.senders->len * table_line(view);
}

bool xtf_link_table_read(XtfLinkView *view, uint64_t offset, char *buffer, size_t length, GError **error)
{
    size_t line = table_line(view);

    if (line == 0 || length == 0)
        return true;
    uint32_t first = (uint32_t)(offset / line), n = (uint32_t)((offset + length - 1) / line - first + 1);
    double factor = factor_of(view, view->statistic);
    g_autofree double *values = matrix_of(view, first, n, error);
    g_autofree char *text = g_malloc(n * line);
    if (!values)
        return false;
    for (uint64_t i = 0; i < (uint64_t)n * view->sides.n_receivers; i++) {
        char *end = text + (i + 1) * (XTF_LINK_CELL + 1) - 1;
        xtf_link_put(end, values[i] * factor);
        *end = (i + 1) % view->sides.n_receivers == 0 ? '\n' : ' ';
    }
    xtf_copy_part(text, n * line, first * line, offset, buffer, length);
    return true;
}

/* ---- statistics */

static void append_lengths(const XtfLink *link, void *data)
{
    GArray *lengths = data;

    if (lengths->len == 0 || g_array_index(lengths, uint64_t, lengths->len - 1) != link->length)
        g_array_append_val(lengths, link->length);
}

static bool visit_lengths(XtfLinkView *view, uint32_t sender, GArray *lengths, GError **error)
{
    const XtfLinkPart part = {view->links, view->statistic, sender, 1};

    return xtf_links_visit(view->resolver, &view->type, &view->sides, &part, append_lengths, lengths, error);
}

/* The lengths that the first sender with links has. */
static GArray *lengths_of(XtfLinkView *view, GError **error)
{
    g_autoptr(GArray) lengths = g_array_new(FALSE, FALSE, sizeof(uint64_t));

    for (uint32_t s = 0; s < view->sides.senders->len && lengths->len == 0; s++)
        if (!visit_lengths(view, s, lengths, error))
            return NULL;
    return g_steal_pointer(&lengths);
}

static void statistics_grid(const XtfLinkView *view, XtfGrid *grid)
{
    static const char *const columns[] = {"min", "q1", "median", "mean", "q3", "max", "stddev"};

    xtf_grid_add(grid, "length", view->resolver->context->scale.width);
    xtf_grid_add_text(grid, "what", sizeof "deviation" - 1);
    xtf_grid_add(grid, "pairs", XTF_LINK_CELL);
    for (unsigned i = 0; i < G_N_ELEMENTS(columns); i++)
        xtf_grid_add(grid, columns[i], XTF_LINK_CELL);
    xtf_grid_add(grid, "asymmetry%", XTF_LINK_CELL);
    xtf_grid_add(grid, "outliers", XTF_LINK_CELL);
}

static bool add_statistics(XtfLinkView *view, uint64_t length, int event, XtfLines *lines, GError **error)
{
    g_autoptr(XtfSelection) of_length = xtf_selection_in_window(view->selection, length, length + 1);
    g_autoptr(XtfSelection) links = xtf_links_of(of_length, &view->type, event);
    const XtfLinkPart part = {links, event, 0, view->sides.senders->len};
    g_autofree double *values = xtf_links_matrix(view->resolver, &view->type, &view->sides, &part, error);
    g_autofree char *name = g_ascii_strdown(view->type.event->labels[event], -1);
    double factor = factor_of(view, event);
    XtfLinkStatistics is;

    if (!values)
        return false;
    xtf_link_statistics(values, &view->sides, &is);
    if (is.pairs == 0)
        return true;
    g_autoptr(GArray) outliers = xtf_link_outliers(values, &view->sides);
    const double figures[] = {is.min, is.q1, is.median, is.mean, is.q3, is.max, is.stddev};
    xtf_lines_ticks(lines, length);
    xtf_lines_text(lines, name, 0);
    xtf_lines_number(lines, is.pairs);
    for (unsigned i = 0; i < G_N_ELEMENTS(figures); i++)
        xtf_link_cell(lines, figures[i] * factor);
    xtf_link_cell(lines, is.asymmetry * 100);
    xtf_lines_number(lines, outliers->len);
    return true;
}

/* Of one length all statistics, else of each length the one that is shown. */
GString *xtf_link_statistics_text(XtfLinkView *view, GError **error)
{
    g_autoptr(GArray) lengths = lengths_of(view, error);
    bool all = xtf_links_one_length(view->selection) && !view->selection->by[XTF_BY_KIND];
    GString *text = g_string_new(NULL);
    XtfGrid grid = {0};
    XtfLines lines;
    bool good = lengths;

    statistics_grid(view, &grid);
    xtf_lines_init(&lines, &grid, &view->resolver->context->scale, text);
    xtf_lines_header(&lines);
    for (guint i = 0; good && i < lengths->len; i++)
        for (int event = 0; good && event < (int)view->type.event->n_labels; event++)
            if (!is_statistic(view, event, REPEAT) && (all || event == view->statistic))
                good = add_statistics(view, g_array_index(lengths, uint64_t, i), event, &lines, error);
    if (good && xtf_lines_finish(&lines, error))
        return text;
    g_string_free(text, TRUE);
    return NULL;
}

/* ---- outliers */

static void outliers_grid(const XtfLinkView *view, XtfGrid *grid)
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
    double factor = factor_of(view, view->statistic), ratio = outlier->value / outlier->expected;

    xtf_lines_number(lines, xtf_link_sender(&view->sides, outlier->sender));
    xtf_lines_number(lines, view->sides.receivers[outlier->receiver]);
    xtf_link_cell(lines, outlier->value * factor);
    xtf_link_cell(lines, outlier->expected * factor);
    if (isfinite(ratio))
        xtf_lines_real(lines, ratio < 1e5 ? "%.3f" : "%.2e", ratio);
    else
        xtf_lines_none(lines);
    xtf_lines_word(lines, reasons[outlier->reason]);
}

GString *xtf_link_outliers_text(XtfLinkView *view, GError **error)
{
    g_autofree double *values = matrix_of(view, 0, view->sides.senders->len, error);
    XtfGrid grid = {0};
    XtfLines lines;

    if (!values)
        return NULL;
    g_autoptr(GArray) outliers = xtf_link_outliers(values, &view->sides);
    g_autoptr(GString) text = g_string_new(NULL);
    outliers_grid(view, &grid);
    xtf_lines_init(&lines, &grid, &view->resolver->context->scale, text);
    xtf_lines_header(&lines);
    for (guint i = 0; i < MIN(outliers->len, OUTLIERS_MAX); i++)
        add_outlier(view, &g_array_index(outliers, XtfOutlier, i), &lines);
    return xtf_lines_finish(&lines, error) ? g_steal_pointer(&text) : NULL;
}
