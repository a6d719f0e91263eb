#include "src/network/tables/cluster-view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/network/tables/cells.h"
#include "src/network/tables/hockney.h"
#include "src/network/tables/link-image.h"
#include "src/tables/format/table.h"
#include "src/trace/text/lines.h"

static const XtfColumn portion_columns[] = {
    XTF_COLUMN("portion", XTF_COLUMN_NUMBER, NULL, "number of the portion"),
    XTF_COLUMN("from", XTF_COLUMN_NUMBER, "B", "shortest length of messages"),
    XTF_COLUMN("to", XTF_COLUMN_NUMBER, "B", "longest length of messages"),
    XTF_COLUMN("matrices", XTF_COLUMN_NUMBER, NULL, "matrices that were clustered"),
    XTF_COLUMN("clusters", XTF_COLUMN_NUMBER, NULL, "number of clusters"),
};

const XtfTableDeclaration xtf_table_portions =
    XTF_TABLE("clusters/portions", "portions of a clustered result", portion_columns);

static const XtfColumn pairs_columns[] = {
    XTF_COLUMN("sender", XTF_COLUMN_NUMBER, NULL, "process that sends"),
    XTF_COLUMN("receiver", XTF_COLUMN_NUMBER, NULL, "process that receives"),
    XTF_COLUMN("cluster", XTF_COLUMN_NUMBER, NULL, "number of the pair's cluster"),
};

const XtfTableDeclaration xtf_table_cluster_pairs =
    XTF_TABLE("clusters/L/table", "a matrix, as CSV and JSON a line for each pair", pairs_columns);

static const XtfColumn summary_columns[] = {
    XTF_COLUMN("cluster", XTF_COLUMN_NUMBER, NULL, "number of the cluster"),
    XTF_COLUMN("pairs", XTF_COLUMN_NUMBER, NULL, "number of pairs of processes"),
    XTF_COLUMN("min", XTF_COLUMN_REAL, "us", "least value"),
    XTF_COLUMN("mean", XTF_COLUMN_REAL, "us", "mean of the values"),
    XTF_COLUMN("max", XTF_COLUMN_REAL, "us", "greatest value"),
    XTF_COLUMN("alpha_s", XTF_COLUMN_REAL, "s", "latency"),
    XTF_COLUMN("beta_s_per_B", XTF_COLUMN_REAL, "s/B", "time for each byte"),
};

const XtfTableDeclaration xtf_table_clusters =
    XTF_TABLE("clusters/L/summary", "clusters of the portion", summary_columns);

enum {
    NO_CLUSTER = 0, /* colour of pairs without a cluster; clusters have the other colours */
    COLOURS = XTF_LINK_COLOURS,
};

bool xtf_cluster_view_init(XtfClusterView *view, XtfResolver *resolver, XtfSelection *selection, uint64_t length,
                           GError **error)
{
    g_auto(XtfClusterView) new_view = {.resolver = resolver, .selection = selection};

    new_view.portions = xtf_link_portions(resolver->context->trace, error);
    if (!new_view.portions || !(new_view.portion = xtf_link_portion_of(new_view.portions, length, error)) ||
        !xtf_link_sides_init(&new_view.sides, resolver->context, selection, error))
        return false;
    uint64_t n_procs = new_view.sides.locations->n_procs;
    if (new_view.portion->clusters > n_procs * n_procs)
        return xtf_damaged(error,
                           "portions: %" PRIu32 " clusters at %" PRIu64 " bytes are more than the pairs of %" PRIu64
                           " processes",
                           new_view.portion->clusters, new_view.portion->from, n_procs);
    *view = new_view;
    memset(&new_view, 0, sizeof new_view);
    return true;
}

void xtf_cluster_view_finish(XtfClusterView *view)
{
    xtf_link_sides_finish(&view->sides);
    g_clear_pointer(&view->portions, g_array_unref);
}

static uint32_t *load_clusters(XtfClusterView *view, uint32_t first, uint32_t n, GError **error)
{
    return xtf_link_clusters(view->resolver->context->trace, &view->sides, view->portion, first, n, error);
}

bool xtf_cluster_portions_table(const XtfTraceContext *context, XtfTableOutput *output, GError **error)
{
    g_autoptr(GArray) portions = xtf_link_portions(context->trace, error);
    XtfGrid *grid = &output->grid;

    if (!portions)
        return false;
    xtf_grid_init(grid, &xtf_table_portions);
    xtf_grid_add(grid, "portion", xtf_wide_width(portions->len));
    xtf_grid_add(grid, "from", xtf_wide_width(UINT32_MAX));
    xtf_grid_add(grid, "to", xtf_wide_width(UINT32_MAX));
    xtf_grid_add(grid, "matrices", xtf_wide_width(UINT32_MAX));
    xtf_grid_add(grid, "clusters", xtf_wide_width(UINT32_MAX));
    XtfLines *lines = xtf_table_output_begin(output, &context->scale);
    for (guint i = 0; i < portions->len; i++) {
        const XtfLinkPortion *portion = &g_array_index(portions, XtfLinkPortion, i);
        xtf_lines_number(lines, i);
        xtf_lines_number(lines, portion->from);
        xtf_lines_number(lines, portion->to);
        xtf_lines_number(lines, portion->matrices);
        xtf_lines_number(lines, portion->clusters);
    }
    return xtf_lines_finish(lines, error);
}

/* ---- table */

static size_t cell_width(const XtfClusterView *view)
{
    return xtf_wide_width(MAX(view->portion->clusters, 1) - 1);
}

static size_t line_bytes(const XtfClusterView *view)
{
    return (size_t)view->sides.n_receivers * (cell_width(view) + 1);
}

uint64_t xtf_cluster_table_size(const XtfClusterView *view)
{
    return (uint64_t)view->sides.senders->len * line_bytes(view);
}

bool xtf_cluster_table_read(XtfClusterView *view, uint64_t offset, char *buffer, size_t length, GError **error)
{
    size_t line = line_bytes(view), width = cell_width(view);

    if (line == 0 || length == 0)
        return true;
    uint32_t first = (uint32_t)(offset / line), n = (uint32_t)((offset + length - 1) / line - first + 1);
    g_autofree uint32_t *clusters = load_clusters(view, first, n, error);
    g_autoptr(GString) text = g_string_sized_new(n * line + 1);
    if (!clusters)
        return false;
    for (size_t i = 0; i < (size_t)n * view->sides.n_receivers; i++) {
        if (clusters[i] < view->portion->clusters)
            g_string_append_printf(text, "%*" PRIu32, (int)width, clusters[i]);
        else
            g_string_append_printf(text, "%*s", (int)width, "-");
        g_string_append_c(text, (i + 1) % view->sides.n_receivers == 0 ? '\n' : ' ');
    }
    xtf_copy_part(text->str, text->len, first * line, offset, buffer, length);
    return true;
}

bool xtf_cluster_table_rows(XtfClusterView *view, const XtfRowSink *sink, GError **error)
{
    XtfGrid grid;
    XtfLines lines;

    xtf_grid_init(&grid, &xtf_table_cluster_pairs);
    xtf_grid_add(&grid, "sender", view->sides.locations->proc_width);
    xtf_grid_add(&grid, "receiver", view->sides.locations->proc_width);
    xtf_grid_add(&grid, "cluster", cell_width(view));
    if (!xtf_row_sink_set_columns(sink, &grid, error))
        return false;
    for (uint32_t s = 0; s < view->sides.senders->len; s++) {
        g_autofree uint32_t *clusters = load_clusters(view, s, 1, error);
        g_auto(XtfRows) rows = {0};
        xtf_rows_init(&rows, grid.n);
        xtf_lines_init_rows(&lines, &grid, &view->resolver->context->scale, &rows);
        for (uint32_t r = 0; clusters && r < view->sides.n_receivers; r++) {
            xtf_lines_number(&lines, xtf_link_sender(&view->sides, s));
            xtf_lines_number(&lines, view->sides.receivers[r]);
            xtf_lines_number_if(&lines, clusters[r] < view->portion->clusters, clusters[r]);
        }
        if (!clusters || !sink->add_rows(sink->data, &rows, 0, xtf_rows_n(&rows), error))
            return false;
    }
    return true;
}

/* ---- summary */

#define NO_CURVE UINT32_MAX

/* The statistic whose values are shown. */
typedef struct {
    XtfLinkType type;
    int statistic;
} ShownStatistic;

/* A cluster. All its pairs have the same values, so one representative pair suffices. */
typedef struct {
    uint64_t pairs;
    uint32_t sender, receiver; /* the representative: the last pair, of two processes if possible */
    uint32_t n;                /* number of values; 0: the figures are undefined */
    double least, greatest, mean;
    XtfHockney fit;
} Cluster;

typedef struct {
    GArray *lengths, *times; /* of double */
} Curve;

/* The curves of one sender's representative pairs. */
typedef struct {
    Curve *curves;
    const uint32_t *places; /* index in `curves` by receiver; NO_CURVE: not a representative pair */
} Curves;

static void add_link(const XtfLink *link, void *data)
{
    const Curves *curves = data;
    double length = (double)link->length;

    if (isnan(link->value) || curves->places[link->receiver] == NO_CURVE)
        return;
    Curve *curve = &curves->curves[curves->places[link->receiver]];
    g_array_append_val(curve->lengths, length);
    g_array_append_val(curve->times, link->value);
}

static void compute_figures(Cluster *cluster, const Curve *curve)
{
    const double *times = (const double *)(const void *)curve->times->data;
    double sum = 0;

    cluster->n = curve->times->len;
    cluster->least = INFINITY;
    for (uint32_t i = 0; i < cluster->n; i++) {
        cluster->least = fmin(cluster->least, times[i]);
        cluster->greatest = fmax(cluster->greatest, times[i]);
        sum += times[i];
    }
    cluster->mean = sum / cluster->n;
    if (cluster->n > 0 && cluster->least > 0)
        xtf_hockney_fit((const double *)(const void *)curve->lengths->data, times, cluster->n, &cluster->fit);
}

/* Adds the links of a sender in the portion to its curves. */
static bool load_sender_curves(XtfClusterView *view, const ShownStatistic *shown, uint32_t sender, Curves *curves,
                               GError **error)
{
    g_autoptr(XtfNumberSet) proc = xtf_number_set_of_one(xtf_link_sender(&view->sides, sender));
    g_autoptr(XtfSelection) portion = xtf_selection_in_window(view->selection, view->portion->from, view->portion->to);
    g_autoptr(XtfSelection) links = xtf_links_select(portion, &shown->type, shown->statistic);
    g_autoptr(XtfSelection) sender_links = xtf_selection_in_procs(links, proc);
    const XtfLinkPart part = {sender_links, shown->statistic, sender, 1};

    return xtf_links_visit(view->resolver, &shown->type, &view->sides, &part, add_link, curves, error);
}

/* Computes the figures of n clusters whose representative pairs have the same sender. */
static bool compute_sender_figures(XtfClusterView *view, const ShownStatistic *shown, Cluster *const *clusters,
                                   uint32_t n, GError **error)
{
    g_autofree Curve *all = g_new(Curve, n);
    g_autofree uint32_t *places = g_new(uint32_t, view->sides.n_receivers);
    Curves curves = {all, places};

    memset(places, 0xff, view->sides.n_receivers * sizeof *places);
    for (uint32_t i = 0; i < n; i++) {
        places[clusters[i]->receiver] = i;
        all[i] = (Curve){g_array_new(FALSE, FALSE, sizeof(double)), g_array_new(FALSE, FALSE, sizeof(double))};
    }
    bool good = load_sender_curves(view, shown, clusters[0]->sender, &curves, error);
    for (uint32_t i = 0; i < n; i++) {
        if (good)
            compute_figures(clusters[i], &all[i]);
        g_array_unref(all[i].lengths);
        g_array_unref(all[i].times);
    }
    return good;
}

static int compare_senders(const void *a, const void *b)
{
    uint32_t left = (*(Cluster *const *)a)->sender, right = (*(Cluster *const *)b)->sender;

    return (left > right) - (left < right);
}

/* Computes the figures of all clusters that have pairs, each from its representative pair. Visits the links of each
 * sender of such pairs once. */
static bool compute_all_figures(XtfClusterView *view, const ShownStatistic *shown, Cluster *clusters, GError **error)
{
    g_autoptr(GPtrArray) order = g_ptr_array_new();
    bool good = true;

    for (uint32_t c = 0; c < view->portion->clusters; c++)
        if (clusters[c].pairs > 0)
            g_ptr_array_add(order, &clusters[c]);
    if (order->len > 1)
        qsort(order->pdata, order->len, sizeof *order->pdata, compare_senders);
    for (guint first = 0, n; good && first < order->len; first += n) {
        Cluster *const *sender_clusters = (Cluster *const *)(order->pdata + first);
        n = 1;
        while (first + n < order->len && sender_clusters[n]->sender == sender_clusters[0]->sender)
            n++;
        good = compute_sender_figures(view, shown, sender_clusters, n, error);
    }
    return good;
}

static void add_cluster(const Cluster *cluster, uint32_t number, const ShownStatistic *shown, XtfLines *lines)
{
    double factor = xtf_link_factor(&shown->type, shown->statistic);
    bool has_fit = cluster->n > 0 && cluster->least > 0 && factor != 1; /* amounts have no model */
    const XtfHockney *fit = &cluster->fit;
    bool has_beta = has_fit && xtf_hockney_has_beta(fit);

    xtf_lines_number(lines, number);
    xtf_lines_number(lines, cluster->pairs);
    xtf_link_add_cell(lines, cluster->n > 0 ? cluster->least * factor : NAN);
    xtf_link_add_cell(lines, cluster->n > 0 ? cluster->mean * factor : NAN);
    xtf_link_add_cell(lines, cluster->n > 0 ? cluster->greatest * factor : NAN);
    xtf_link_add_figure(lines, has_fit ? fit->alpha : NAN);
    xtf_link_add_figure(lines, has_beta ? fit->beta : NAN);
}

/* Counts the pairs of each cluster, and chooses its representative. The caller frees the array. */
static Cluster *count_pairs(XtfClusterView *view, GError **error)
{
    uint32_t n_senders = view->sides.senders->len, n_receivers = view->sides.n_receivers;
    Cluster *counted = g_try_new0(Cluster, (size_t)view->portion->clusters + 1);

    if (!counted)
        xtf_fail(error, XTF_ERROR_TOO_LARGE, "not enough memory for %" PRIu32 " clusters", view->portion->clusters);
    for (uint32_t s = 0; counted && s < n_senders; s++) {
        g_autofree uint32_t *clusters = load_clusters(view, s, 1, error);
        if (!clusters)
            g_clear_pointer(&counted, g_free);
        for (uint32_t r = 0; clusters && r < n_receivers; r++) {
            if (clusters[r] >= view->portion->clusters)
                continue;
            Cluster *cluster = &counted[clusters[r]];
            bool to_itself = xtf_link_sender(&view->sides, s) == view->sides.receivers[r];
            if (cluster->pairs++ == 0 || !to_itself) {
                cluster->sender = s;
                cluster->receiver = r;
            }
        }
    }
    return counted;
}

bool xtf_cluster_summary_table(XtfClusterView *view, XtfTableOutput *output, GError **error)
{
    static const char *const values[] = {"min", "mean", "max"};
    g_autofree Cluster *clusters = count_pairs(view, error);
    XtfGrid *grid = &output->grid;
    ShownStatistic shown;

    if (!clusters || !xtf_link_type_find(&shown.type, view->resolver->context) ||
        !xtf_links_statistic(view->resolver, view->selection, &shown.type, &shown.statistic, error) ||
        !compute_all_figures(view, &shown, clusters, error))
        return false;
    xtf_grid_init(grid, &xtf_table_clusters);
    xtf_grid_add(grid, "cluster", xtf_wide_width(view->portion->clusters));
    xtf_grid_add(grid, "pairs", xtf_wide_width((uint64_t)view->sides.senders->len * view->sides.n_receivers));
    for (unsigned i = 0; i < G_N_ELEMENTS(values); i++)
        xtf_grid_add(grid, values[i], XTF_LINK_CELL);
    xtf_grid_add(grid, "alpha_s", XTF_LINK_FIGURE);
    xtf_grid_add(grid, "beta_s_per_B", XTF_LINK_FIGURE);
    XtfLines *lines = xtf_table_output_begin(output, &view->resolver->context->scale);
    for (uint32_t c = 0; c < view->portion->clusters; c++)
        if (clusters[c].pairs > 0)
            add_cluster(&clusters[c], c, &shown, lines);
    return xtf_lines_finish(lines, error);
}

/* ---- clusters.png */

/* Chooses hues a golden section apart, so that neighbouring clusters differ. Light and dark colours alternate. */
static void choose_colours(uint32_t colours[static COLOURS])
{
    colours[NO_CLUSTER] = XTF_LINK_UNKNOWN_COLOUR;
    for (unsigned i = 1; i < COLOURS; i++) {
        double hue = fmod((i - 1) * 0.6180339887498949, 1) * 6, light = i % 2 ? 0.92 : 0.68, low = light * 0.3;
        double rise = low + (light - low) * fmod(hue, 1), fall = low + light - rise;
        const double parts[6][3] = {{light, rise, low}, {fall, light, low}, {low, light, rise},
                                    {low, fall, light}, {rise, low, light}, {light, low, fall}};
        colours[i] = 0;
        for (unsigned k = 0; k < 3; k++)
            colours[i] = colours[i] << 8 | (uint32_t)lround(parts[(unsigned)hue][k] * 255);
    }
}

GString *xtf_cluster_png(XtfClusterView *view, GError **error)
{
    g_auto(XtfLinkImage) image = {0};
    uint32_t colours[COLOURS];

    if (!xtf_link_image_init(&image, &view->sides, error))
        return NULL;
    for (uint32_t s = 0; s < view->sides.senders->len; s++) {
        g_autofree uint32_t *clusters = load_clusters(view, s, 1, error);
        if (!clusters)
            return NULL;
        for (uint32_t r = 0; r < view->sides.n_receivers; r++) {
            bool has_cluster = clusters[r] < view->portion->clusters;
            xtf_link_image_set(&image, s, r, has_cluster ? (uint8_t)(1 + clusters[r] % (COLOURS - 1)) : NO_CLUSTER);
        }
    }
    choose_colours(colours);
    g_autofree char *title = g_strdup_printf("%" PRIu32 " clusters of pairs, for messages of %" PRIu64
                                             " bytes and more: a line a sender, a column a receiver",
                                             view->portion->clusters, view->portion->from);
    return xtf_link_image_png(&image, colours, title, error);
}
