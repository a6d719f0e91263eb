/*
 * Makes tables of curves: the statistics of a pair by length, and Hockney's model of them.
 */
#include <math.h>

#include "src/network/tables/cells.h"
#include "src/network/tables/hockney.h"
#include "src/network/tables/link-view.h"
#include "src/tables/format/table.h"

static const XtfColumn curve_columns[] = {
    XTF_COLUMN("length", XTF_COLUMN_TIME, NULL, "length of messages"),
    XTF_COLUMN("average", XTF_COLUMN_REAL, "us", "average"),
    XTF_COLUMN("median", XTF_COLUMN_REAL, "us", "median"),
    XTF_COLUMN("min", XTF_COLUMN_REAL, "us", "least value"),
    XTF_COLUMN("deviation", XTF_COLUMN_REAL, "us", "standard deviation"),
    XTF_COLUMN("amount", XTF_COLUMN_REAL, NULL, "number of repeats"),
};

const XtfTableDeclaration xtf_table_curve = XTF_TABLE("curve", "times of a pair by length of messages", curve_columns);

/* The columns of Hockney's model. */
#define MODEL_COLUMNS                                                                                 \
    XTF_COLUMN("alpha_s", XTF_COLUMN_REAL, "s", "latency"),                                           \
        XTF_COLUMN("alpha_error", XTF_COLUMN_REAL, "s", "standard error of the latency"),             \
        XTF_COLUMN("beta_s_per_B", XTF_COLUMN_REAL, "s/B", "time for each byte"),                     \
        XTF_COLUMN("beta_error", XTF_COLUMN_REAL, "s/B", "standard error of the time for each byte"), \
        XTF_COLUMN("B_per_s", XTF_COLUMN_REAL, "B/s", "bandwidth"),                                   \
        XTF_COLUMN("rms%", XTF_COLUMN_REAL, "%", "root mean square of the deviations")

static const XtfColumn segment_columns[] = {
    XTF_COLUMN("from", XTF_COLUMN_TIME, NULL, "shortest length of the segment"),
    XTF_COLUMN("to", XTF_COLUMN_TIME, NULL, "longest length of the segment"),
    MODEL_COLUMNS,
};

const XtfTableDeclaration xtf_table_segments =
    XTF_TABLE("pair/S/R/fit", "segments of Hockney's model of a pair", segment_columns);

static const XtfColumn fit_columns[] = {
    XTF_COLUMN("sender", XTF_COLUMN_NUMBER, NULL, "process that sends"),
    XTF_COLUMN("receiver", XTF_COLUMN_NUMBER, NULL, "process that receives"),
    MODEL_COLUMNS,
};

const XtfTableDeclaration xtf_table_fits = XTF_TABLE("fit", "Hockney's model of each pair", fit_columns);

enum {
    AMOUNT = 4, /* the last statistic of a curve */
    N_STATISTICS,
    RMS_WIDTH = 7,
};
#define PERCENT    100
#define AMOUNT_MAX 1e10 /* amounts up to this one fit their column */

static const char *const statistics[N_STATISTICS] = {"average", "median", "min", "deviation", "amount"};

/* ---- curve */

typedef struct {
    uint64_t length;
    double values[N_STATISTICS];
} Point;

typedef struct {
    int events[N_STATISTICS];
    double factors[N_STATISTICS]; /* from stored to shown values */
    GArray *points;
} Curve;

static void add_curve_value(const XtfLink *link, void *data)
{
    Curve *curve = data;
    const Point *last = curve->points->len > 0 ? &g_array_index(curve->points, Point, curve->points->len - 1) : NULL;

    if (!last || last->length != link->length) {
        Point point = {.length = link->length, .values = {NAN, NAN, NAN, NAN, NAN}};
        g_array_append_val(curve->points, point);
    }
    Point *point = &g_array_index(curve->points, Point, curve->points->len - 1);
    for (unsigned i = 0; i < N_STATISTICS; i++)
        if (curve->events[i] == (int)link->event)
            point->values[i] = link->value * curve->factors[i];
}

bool xtf_link_curve_table(XtfLinkView *view, XtfTableOutput *output, GError **error)
{
    g_autoptr(GArray) points = g_array_new(FALSE, FALSE, sizeof(Point));
    g_autoptr(XtfSelection) links = xtf_links_select(view->selection, &view->type, -1);
    const XtfLinkPart part = {links, -1, 0, view->sides.senders->len};
    Curve curve = {.points = points};
    XtfGrid *grid = &output->grid;

    xtf_grid_init(grid, &xtf_table_curve);
    xtf_grid_add(grid, "length", view->resolver->context->scale.width);
    for (unsigned i = 0; i < N_STATISTICS; i++) {
        curve.events[i] = xtf_link_statistic(&view->type, statistics[i]);
        curve.factors[i] = xtf_link_factor(&view->type, curve.events[i]);
        xtf_grid_add(grid, statistics[i], XTF_LINK_CELL);
    }
    if (!xtf_links_visit(view->resolver, &view->type, &view->sides, &part, add_curve_value, &curve, error))
        return false;
    XtfLines *lines = xtf_table_output_begin(output, &view->resolver->context->scale);
    for (guint i = 0; i < points->len; i++) {
        const Point *point = &g_array_index(points, Point, i);
        xtf_lines_ticks(lines, point->length);
        for (unsigned k = 0; k < AMOUNT; k++)
            xtf_link_add_cell(lines, point->values[k]);
        bool known = point->values[AMOUNT] >= 0 && point->values[AMOUNT] < AMOUNT_MAX;
        xtf_lines_number_if(lines, known, known ? (uint64_t)point->values[AMOUNT] : 0);
    }
    return xtf_lines_finish(lines, error);
}

/* ---- fit */

static void add_model_columns(XtfGrid *grid)
{
    xtf_grid_add(grid, "alpha_s", XTF_LINK_FIGURE);
    xtf_grid_add(grid, "alpha_error", XTF_LINK_FIGURE);
    xtf_grid_add(grid, "beta_s_per_B", XTF_LINK_FIGURE);
    xtf_grid_add(grid, "beta_error", XTF_LINK_FIGURE);
    xtf_grid_add(grid, "B_per_s", XTF_LINK_FIGURE);
    xtf_grid_add(grid, "rms%", RMS_WIDTH);
}

/* Adds the columns of a model: dashes if `fit` is NULL, because nothing was measured. */
static void add_fit(const XtfHockney *fit, XtfLines *lines)
{
    bool has_beta = fit && xtf_hockney_has_beta(fit);

    xtf_link_add_figure(lines, fit ? fit->alpha : NAN);
    xtf_link_add_figure(lines, fit ? fit->alpha_error : NAN);
    xtf_link_add_figure(lines, has_beta ? fit->beta : NAN);
    xtf_link_add_figure(lines, has_beta ? fit->beta_error : NAN);
    xtf_link_add_figure(lines, has_beta ? 1 / fit->beta : NAN);
    if (fit)
        xtf_lines_real(lines, fit->rms < PERCENT ? "%.2f" : "%.1e", fit->rms * PERCENT);
    else
        xtf_lines_none(lines);
}

/* The curves of a sender's pairs. */
typedef struct {
    uint32_t n_receivers;
    GArray **lengths, **times; /* of double, one array for each receiver */
} Curves;

static void curves_init(Curves *curves, uint32_t n_receivers)
{
    *curves = (Curves){n_receivers, g_new(GArray *, n_receivers + 1), g_new(GArray *, n_receivers + 1)};
    for (uint32_t i = 0; i < n_receivers; i++) {
        curves->lengths[i] = g_array_new(FALSE, FALSE, sizeof(double));
        curves->times[i] = g_array_new(FALSE, FALSE, sizeof(double));
    }
}

static void curves_finish(Curves *curves)
{
    for (uint32_t i = 0; i < curves->n_receivers; i++) {
        g_array_unref(curves->lengths[i]);
        g_array_unref(curves->times[i]);
    }
    g_free(curves->lengths);
    g_free(curves->times);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Curves, curves_finish)

static void add_point(const XtfLink *link, void *data)
{
    Curves *curves = data;
    double length = (double)link->length;

    if (!isfinite(link->value) || link->value <= 0)
        return;
    g_array_append_val(curves->lengths[link->receiver], length);
    g_array_append_val(curves->times[link->receiver], link->value);
}

static bool load_pair_curves(XtfLinkView *view, uint32_t sender, Curves *curves, GError **error)
{
    const XtfLinkPart part = {view->links, view->statistic, sender, 1};

    return xtf_links_visit(view->resolver, &view->type, &view->sides, &part, add_point, curves, error);
}

static const double *doubles_of(const GArray *array)
{
    return (const double *)(const void *)array->data;
}

bool xtf_link_segments_table(XtfLinkView *view, XtfTableOutput *output, GError **error)
{
    size_t width = view->resolver->context->scale.width;
    g_auto(Curves) curves;
    XtfHockney fits[2];
    XtfGrid *grid = &output->grid;

    curves_init(&curves, 1);
    if (!load_pair_curves(view, 0, &curves, error))
        return false;
    const double *lengths = doubles_of(curves.lengths[0]);
    uint32_t n = curves.lengths[0]->len;
    unsigned segments = n > 0 ? xtf_hockney_fit_segments(lengths, doubles_of(curves.times[0]), n, fits) : 0;
    xtf_grid_init(grid, &xtf_table_segments);
    xtf_grid_add(grid, "from", width);
    xtf_grid_add(grid, "to", width);
    add_model_columns(grid);
    XtfLines *lines = xtf_table_output_begin(output, &view->resolver->context->scale);
    for (unsigned i = 0; i < segments; i++) {
        xtf_lines_ticks(lines, (uint64_t)lengths[fits[i].first]);
        xtf_lines_ticks(lines, (uint64_t)lengths[fits[i].first + fits[i].n - 1]);
        add_fit(&fits[i], lines);
    }
    return xtf_lines_finish(lines, error);
}

/* ---- The fits of all pairs. */

static void init_fits_grid(const XtfLinkView *view, XtfGrid *grid)
{
    xtf_grid_init(grid, &xtf_table_fits);
    xtf_grid_add(grid, "sender", view->sides.locations->proc_width);
    xtf_grid_add(grid, "receiver", view->sides.locations->proc_width);
    add_model_columns(grid);
}

uint64_t xtf_link_fits_size(const XtfLinkView *view)
{
    XtfGrid grid;

    init_fits_grid(view, &grid);
    return ((uint64_t)view->sides.senders->len * view->sides.n_receivers + 1) * grid.line;
}

static bool add_sender_fits(XtfLinkView *view, uint32_t sender, XtfLines *lines, GError **error)
{
    g_auto(Curves) curves;

    curves_init(&curves, view->sides.n_receivers);
    if (!load_pair_curves(view, sender, &curves, error))
        return false;
    for (uint32_t r = 0; r < view->sides.n_receivers; r++) {
        uint32_t n = curves.lengths[r]->len;
        XtfHockney fit;
        if (n > 0)
            xtf_hockney_fit(doubles_of(curves.lengths[r]), doubles_of(curves.times[r]), n, &fit);
        xtf_lines_number(lines, xtf_link_sender(&view->sides, sender));
        xtf_lines_number(lines, view->sides.receivers[r]);
        add_fit(n > 0 ? &fit : NULL, lines);
    }
    return true;
}

bool xtf_link_fits_read(XtfLinkView *view, uint64_t offset, char *buffer, size_t length, GError **error)
{
    XtfGrid grid;
    XtfLines lines;
    g_autoptr(GString) text = g_string_new(NULL);

    init_fits_grid(view, &grid);
    uint64_t sender_bytes = (uint64_t)view->sides.n_receivers * grid.line, begin = 0;
    xtf_lines_init(&lines, &grid, &view->resolver->context->scale, text);
    if (offset < grid.line)
        xtf_lines_header(&lines);
    uint64_t first = offset < grid.line || sender_bytes == 0 ? 0 : (offset - grid.line) / sender_bytes;
    if (offset >= grid.line)
        begin = grid.line + first * sender_bytes;
    for (uint64_t s = first; s < view->sides.senders->len && grid.line + s * sender_bytes < offset + length; s++)
        if (!add_sender_fits(view, (uint32_t)s, &lines, error))
            return false;
    if (!xtf_lines_finish(&lines, error))
        return false;
    xtf_copy_part(text->str, text->len, begin, offset, buffer, length);
    return true;
}

bool xtf_link_fits_rows(XtfLinkView *view, const XtfRowSink *sink, GError **error)
{
    XtfGrid grid;
    XtfLines lines;

    init_fits_grid(view, &grid);
    if (!xtf_row_sink_set_columns(sink, &grid, error))
        return false;
    for (uint32_t s = 0; s < view->sides.senders->len; s++) {
        g_auto(XtfRows) rows = {0};
        xtf_rows_init(&rows, grid.n);
        xtf_lines_init_rows(&lines, &grid, &view->resolver->context->scale, &rows);
        if (!add_sender_fits(view, s, &lines, error) || !sink->add_rows(sink->data, &rows, 0, xtf_rows_n(&rows), error))
            return false;
    }
    return true;
}
