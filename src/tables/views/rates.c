/*
 * rates: the growth of each metric in the window, and per second of it.
 */
#include "src/tables/totals/growth-totals.h"
#include "src/tables/views/view.h"
#include "src/trace/text/digits.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("row", XTF_COLUMN_NUMBER, NULL, "row of the metric in definitions/metrics"),
    XTF_COLUMN("growth", XTF_COLUMN_REAL, NULL, "growth of the metric in the window"),
    XTF_COLUMN("per_second", XTF_COLUMN_REAL, "1/s", "growth for each second"),
    XTF_COLUMN("metric", XTF_COLUMN_TEXT, NULL, "name of the metric"),
};

static bool shape_rates(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    g_auto(XtfGrowingMetrics) metrics = {0};
    XtfAggregateRef ref;

    xtf_aggregate_ref_growth(&ref, views->context);
    if (!xtf_growing_metrics_load(&metrics, views->formats, error))
        return false;
    shape->n_lines = shape->at_once = metrics.n;
    xtf_grid_add(&shape->grid, "row", xtf_count_digits(metrics.n ? metrics.n - 1 : 0));
    xtf_grid_add(&shape->grid, "growth", xtf_grown_width(&ref, views->context));
    xtf_grid_add(&shape->grid, "per_second", XTF_RATE_WIDTH);
    xtf_grid_add(&shape->grid, "metric", metrics.names ? metrics.names->width : 0);
    return true;
}

typedef struct {
    uint64_t n; /* number of metrics */
    XtfGrown *grown;
} Collection;

static void add_metric_group(const XtfAggregateRef *ref, const uint64_t *key, const uint64_t *cells, void *data)
{
    const Collection *collection = data;

    if (key[ref->metric] < collection->n)
        xtf_grown_add_group(&collection->grown[key[ref->metric]], ref, key, cells);
}

static bool fill_rates(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t n, XtfLines *lines,
                       GError **error)
{
    const XtfTimeScale *scale = &views->context->scale;
    g_auto(XtfGrowingMetrics) metrics = {0};
    uint64_t from, to;

    if (!xtf_growing_metrics_load(&metrics, views->formats, error))
        return false;
    g_autofree XtfGrown *grown = g_new0(XtfGrown, metrics.n);
    Collection collection = {metrics.n, grown};
    if (!xtf_growth_add_up(views->context, selection, false, add_metric_group, &collection, error))
        return false;
    xtf_selection_window(selection, scale, &from, &to);
    for (uint64_t i = first; i < first + n; i++) {
        xtf_lines_number(lines, i);
        xtf_lines_grown(lines, metrics.grow[i], &grown[i]);
        xtf_lines_rate(lines, metrics.grow[i], &grown[i], xtf_seconds_of(scale, to - from));
        xtf_lines_padded_name(lines, metrics.names, i);
    }
    return true;
}

const XtfView xtf_view_rates = {.table = XTF_TABLE("rates", "growth of each metric, also per second", columns),
                                .final_in_window = true,
                                .subject = &xtf_about_growth,
                                .exists = xtf_growth_exists,
                                .shape = shape_rates,
                                .fill = fill_rates};
