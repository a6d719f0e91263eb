/*
 * growth: by metric and region, the growth of the metric while the region was on top of the stack.
 */
#include "src/tables/totals/growth-totals.h"

#include "libxtf/vocabulary.h"
#include "src/tables/totals/regions/region-totals.h"
#include "src/tables/views/view.h"
#include "src/trace/text/digits.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("row", XTF_COLUMN_NUMBER, NULL, "row of the region in definitions/regions"),
    XTF_COLUMN("growth", XTF_COLUMN_REAL, NULL, "growth while the region was on top of the stack"),
    XTF_COLUMN("growth%", XTF_COLUMN_REAL, "%", "share of the metric's growth in the selection"),
    XTF_COLUMN("per_second", XTF_COLUMN_REAL, "1/s", "growth for each second of exclusive time"),
    XTF_COLUMN("metric", XTF_COLUMN_TEXT, NULL, "name of the metric"),
    XTF_COLUMN("region", XTF_COLUMN_TEXT, NULL, "name of the region"),
};

enum {
    PERCENT_WIDTH = 11,   /* -1.234e+100 */
    PART_LINES = 1 << 16, /* approximate lines of a part, which has whole metrics */
};

/* The regions of lines: the rows of definitions/regions, then a line for growth in no region or in an undefined one. */
typedef struct {
    const XtfPaddedNames *names; /* NULL: the trace has no regions */
    uint64_t n;
    const XtfNumberSet *only; /* regions that are listed, borrowed; NULL: all lines are listed */
    uint64_t n_listed;
} Regions;

static bool load_regions(Regions *regions, XtfFormats *formats, const XtfSelection *selection, GError **error)
{
    *regions = (Regions){.only = selection->by[XTF_BY_REGION]};
    if (!xtf_padded_names_of_table(formats, XTF_TABLE_REGIONS, &regions->names, error))
        return false;
    regions->n = regions->names ? regions->names->n : 0;
    regions->n_listed = regions->n + 1;
    if (regions->only)
        regions->n_listed = xtf_number_set_count_below(regions->only, regions->n);
    return true;
}

static bool shape_growth(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    g_auto(XtfGrowingMetrics) metrics = {0};
    XtfAggregateRef ref;
    Regions regions;

    xtf_aggregate_ref_growth(&ref, views->context);
    if (!xtf_growing_metrics_load(&metrics, views->formats, error) ||
        !load_regions(&regions, views->formats, selection, error))
        return false;
    shape->n_lines = metrics.n * regions.n_listed;
    shape->at_once = (PART_LINES / MAX(regions.n_listed, 1) + 1) * MAX(regions.n_listed, 1);
    xtf_grid_add(&shape->grid, "row", xtf_count_digits(regions.n ? regions.n - 1 : 0));
    xtf_grid_add(&shape->grid, "growth", xtf_grown_width(&ref, views->context));
    xtf_grid_add(&shape->grid, "growth%", PERCENT_WIDTH);
    xtf_grid_add(&shape->grid, "per_second", XTF_RATE_WIDTH);
    xtf_grid_add(&shape->grid, "metric", metrics.names ? metrics.names->width : 0);
    xtf_grid_add(&shape->grid, "region", regions.names ? regions.names->width : 0);
    return true;
}

typedef struct {
    uint64_t line;
    XtfGrown grown;
    double seconds; /* exclusive time of the region; 0 if unknown */
} Entry;

static int compare_entries(const void *a, const void *b)
{
    const Entry *x = a, *y = b;
    double more_x = x->grown.n ? xtf_grown_real(&x->grown) : 0, more_y = y->grown.n ? xtf_grown_real(&y->grown) : 0;

    if (more_x != more_y)
        return more_x > more_y ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Entries by metric: regions->n + 1 entries for each of `n` metrics from `first` on. */
typedef struct {
    const Regions *regions;
    uint64_t first, n;
    Entry *entries;
} Collection;

static void add_grown_group(const XtfAggregateRef *ref, const uint64_t *key, const uint64_t *cells, void *data)
{
    const Collection *collection = data;
    uint64_t metric = key[ref->metric], n_regions = collection->regions->n;

    if (metric < collection->first || metric - collection->first >= collection->n)
        return;
    uint64_t line = (metric - collection->first) * (n_regions + 1) + MIN(key[ref->region], n_regions);
    xtf_grown_add_group(&collection->entries[line].grown, ref, key, cells);
}

/* Sets the exclusive times of the regions, if the trace has calls. */
static bool add_times(XtfViews *views, const XtfSelection *selection, const Regions *regions, uint64_t n,
                      Entry *entries, GError **error)
{
    g_auto(XtfRegionTotals) totals = {0};
    XtfAggregateRef frames;

    if (!xtf_aggregate_ref_frames(&frames, views->context))
        return true;
    if (!xtf_region_totals_load(&totals, views->formats, selection, error))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        for (uint64_t line = 0; line < MIN(regions->n, totals.n); line++)
            entries[i * (regions->n + 1) + line].seconds =
                xtf_seconds_of(&views->context->scale, totals.all[line].exclusive);
    }
    return true;
}

static void add_growth_line(XtfLines *lines, const Entry *entry, const Regions *regions, bool grows,
                            const XtfGrown *whole)
{
    double all = xtf_grown_real(whole);

    xtf_lines_number_if(lines, entry->line < regions->n, entry->line);
    xtf_lines_grown(lines, grows, &entry->grown);
    if (grows && entry->grown.n && all != 0)
        xtf_lines_real(lines, "%.4g", 100 * xtf_grown_real(&entry->grown) / all);
    else
        xtf_lines_none(lines);
    xtf_lines_rate(lines, grows, &entry->grown, entry->seconds);
}

static void add_metric(XtfLines *lines, const Regions *regions, const XtfGrowingMetrics *metrics, uint64_t metric,
                       Entry *entries, bool sorted)
{
    XtfGrown whole = {0};

    for (uint64_t i = 0; i <= regions->n; i++) {
        entries[i].line = i;
        xtf_grown_add(&whole, &entries[i].grown);
    }
    if (sorted)
        qsort(entries, regions->n + 1, sizeof *entries, compare_entries);
    for (const Entry *entry = entries; entry <= entries + regions->n; entry++) {
        bool defined = entry->line < regions->n;
        if (regions->only && !(defined && xtf_number_set_contains(regions->only, entry->line)))
            continue;
        add_growth_line(lines, entry, regions, metrics->grow[metric], &whole);
        xtf_lines_padded_name(lines, metrics->names, metric);
        if (defined)
            xtf_lines_padded_name(lines, regions->names, entry->line);
        else
            xtf_lines_none(lines);
    }
}

static bool fill_growth_sorted(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count,
                               XtfLines *lines, bool sorted, GError **error)
{
    g_auto(XtfGrowingMetrics) metrics = {0};
    Regions regions;

    if (!xtf_growing_metrics_load(&metrics, views->formats, error) ||
        !load_regions(&regions, views->formats, selection, error))
        return false;
    uint64_t metric = first / regions.n_listed, n = count / regions.n_listed;
    g_autofree Entry *entries = g_new0(Entry, n * (regions.n + 1));
    Collection collection = {&regions, metric, n, entries};
    if (!xtf_growth_add_up(views->context, selection, true, add_grown_group, &collection, error) ||
        !add_times(views, selection, &regions, n, entries, error))
        return false;
    for (uint64_t i = 0; i < n; i++)
        add_metric(lines, &regions, &metrics, metric + i, &entries[i * (regions.n + 1)], sorted);
    return true;
}

static bool fill_growth(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                        GError **error)
{
    return fill_growth_sorted(views, selection, first, count, lines, true, error);
}

static bool fill_growth_by_row(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count,
                               XtfLines *lines, GError **error)
{
    return fill_growth_sorted(views, selection, first, count, lines, false, error);
}

const XtfView xtf_view_growth = {.table = XTF_TABLE("growth", "growth of each metric in each region", columns),
                                 .subject = &xtf_about_growth,
                                 .exists = xtf_growth_exists,
                                 .shape = shape_growth,
                                 .fill = fill_growth,
                                 .fill_in_order = fill_growth_by_row,
                                 .refused_keys = 1 << XTF_GROUP_BY_CLASS};
