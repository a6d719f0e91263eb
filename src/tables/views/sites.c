/*
 * sites: the calls from each call site, their time, the bytes that they move, and the waits that they suffer and cause.
 */
#include <stdlib.h>

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/model/tables.h"
#include "src/tables/totals/message-totals.h"
#include "src/tables/totals/regions/region-times.h"
#include "src/tables/totals/sites/site-totals.h"
#include "src/tables/views/view.h"
#include "src/trace/context/analyses.h"
#include "src/trace/text/digits.h"

enum {
    PERCENT_WIDTH = 6, /* of 100.00 */
};

static const XtfColumn columns[] = {
    XTF_COLUMN("row", XTF_COLUMN_NUMBER, NULL, "row of the call site in definitions/sites"),
    XTF_COLUMN("calls", XTF_COLUMN_NUMBER, NULL, "calls that are entered"),
    XTF_COLUMN("time", XTF_COLUMN_TIME, NULL, "time in calls from the site"),
    XTF_COLUMN("time%", XTF_COLUMN_PERCENT, NULL, "the same, of the time of all locations"),
    XTF_COLUMN("longest", XTF_COLUMN_TIME, NULL, "longest call that is left"),
    XTF_COLUMN("sent", XTF_COLUMN_NUMBER, "B", "bytes sent, also in collective operations"),
    XTF_COLUMN("received", XTF_COLUMN_NUMBER, "B", "bytes received, also in collective operations"),
    XTF_COLUMN("suffered", XTF_COLUMN_TIME, NULL, "waits in calls from the site, if they end in the window"),
    XTF_COLUMN("caused", XTF_COLUMN_TIME, NULL, "waits of any process that calls from the site ended"),
    XTF_COLUMN("region", XTF_COLUMN_TEXT, NULL, "function that is called"),
    XTF_COLUMN("site", XTF_COLUMN_TEXT, NULL, "call site: calling function, file and line"),
};

/* True if the trace shows the waits of an analysis. */
static bool find_waits(XtfViews *views, bool *shown, GError **error)
{
    bool exist;

    return xtf_analyses_find_waits(views->context->trace, &exist, shown, error);
}

static bool is_site_listed(const XtfSelection *selection, const XtfSites *sites, uint64_t row)
{
    const XtfNumberSet *regions = selection->by[XTF_BY_REGION];

    return xtf_sites_is_called_from(sites, row) && xtf_number_set_contains(selection->by[XTF_BY_SITE], row) &&
           (!regions || xtf_number_set_contains(regions, sites->regions[row]));
}

static uint64_t count_listed_sites(const XtfSelection *selection, const XtfSites *sites)
{
    uint64_t n = 0;

    for (uint64_t row = 0; row < sites->n; row++)
        n += is_site_listed(selection, sites, row);
    return n;
}

/* Returns how many digits the bytes that all records of a trace moved may have. */
static size_t bytes_width(const XtfTraceContext *context, bool received)
{
    XtfAggregateRef moved[XTF_N_MOVED];
    const XtfAggregateRef *messages = &moved[received ? XTF_MOVED_RECVS : XTF_MOVED_SENDS];
    const XtfAggregateRef *collectives = &moved[XTF_MOVED_COLLECTIVES];

    xtf_message_totals_find(context, moved);
    size_t of_messages = xtf_aggregate_ref_sum_width(messages, context, messages->bytes);
    size_t of_collectives =
        xtf_aggregate_ref_sum_width(collectives, context, received ? collectives->received : collectives->bytes);
    return MIN(MAX(of_messages, of_collectives) + 1, xtf_count_digits(UINT64_MAX));
}

static bool shape_sites(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    const XtfSites *sites = xtf_trace_context_sites(views->context, error);
    const XtfPaddedNames *names, *regions;
    g_auto(XtfRegionTimes) times = {0};
    XtfAggregateRef by_site;
    bool has_waits;

    if (!sites || !find_waits(views, &has_waits, error) || !xtf_padded_names_of_sites(views->formats, &names, error) ||
        !xtf_padded_names_of_table(views->formats, XTF_TABLE_REGIONS, &regions, error) ||
        !xtf_region_times_init(&times, views->formats, selection, error))
        return false;
    xtf_aggregate_ref_frames_by_site(&by_site, views->context);
    size_t time = xtf_region_times_width(&times);
    shape->n_lines = shape->at_once = count_listed_sites(selection, sites);
    xtf_grid_add(&shape->grid, "row", xtf_count_digits(sites->n ? sites->n - 1 : 0));
    xtf_grid_add(&shape->grid, "calls", xtf_aggregate_ref_rows_width(&by_site, views->context));
    xtf_grid_add(&shape->grid, "time", time);
    xtf_grid_add(&shape->grid, "time%", PERCENT_WIDTH);
    xtf_grid_add(&shape->grid, "longest", time);
    xtf_grid_add(&shape->grid, "sent", bytes_width(views->context, false));
    xtf_grid_add(&shape->grid, "received", bytes_width(views->context, true));
    if (has_waits) {
        xtf_grid_add(&shape->grid, "suffered", time);
        xtf_grid_add(&shape->grid, "caused", time);
    }
    xtf_grid_add(&shape->grid, "region", regions ? regions->width : 1);
    xtf_grid_add(&shape->grid, "site", names ? names->width : 1);
    return true;
}

/* ---- Lines. */

typedef struct {
    uint64_t row;
    const XtfSiteTotal *total;
} Line;

static int compare_lines(const void *a, const void *b)
{
    const Line *x = a, *y = b;

    if (x->total->time != y->total->time)
        return x->total->time > y->total->time ? -1 : 1;
    if (x->total->calls != y->total->calls)
        return x->total->calls > y->total->calls ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

typedef struct {
    XtfSiteTotals totals;
    const XtfPaddedNames *names, *regions;
    bool has_waits;
} Filling;

static void filling_finish(Filling *filling)
{
    xtf_site_totals_finish(&filling->totals);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Filling, filling_finish)

static void add_site_line(const Filling *filling, const Line *line, XtfLines *lines)
{
    const XtfSiteTotal *total = line->total;

    xtf_lines_number(lines, line->row);
    xtf_lines_number(lines, total->calls);
    xtf_lines_ticks(lines, total->time);
    xtf_lines_percent(lines, total->time, filling->totals.whole);
    xtf_lines_ticks(lines, total->longest);
    xtf_lines_number(lines, total->sent);
    xtf_lines_number(lines, total->received);
    if (filling->has_waits) {
        xtf_lines_ticks(lines, total->suffered);
        xtf_lines_ticks(lines, total->caused);
    }
    xtf_lines_padded_name_if(lines, filling->regions, filling->totals.sites->regions[line->row]);
    xtf_lines_padded_name_if(lines, filling->names, line->row);
}

static bool fill_sites_sorted(XtfViews *views, XtfSelection *selection, XtfLines *lines, bool sorted, GError **error)
{
    g_autoptr(GArray) listed = g_array_new(FALSE, FALSE, sizeof(Line));
    g_auto(Filling) filling = {0};

    if (!find_waits(views, &filling.has_waits, error) ||
        !xtf_padded_names_of_sites(views->formats, &filling.names, error) ||
        !xtf_padded_names_of_table(views->formats, XTF_TABLE_REGIONS, &filling.regions, error) ||
        !xtf_site_totals_load(&filling.totals, views->context, selection, XTF_SITE_BYTES | XTF_SITE_WAITS, error))
        return false;
    for (uint64_t row = 0; row < filling.totals.sites->n; row++) {
        Line line = {row, &filling.totals.all[row]};
        if (is_site_listed(selection, filling.totals.sites, row))
            g_array_append_val(listed, line);
    }
    if (sorted && listed->len)
        qsort(listed->data, listed->len, sizeof(Line), compare_lines);
    for (guint i = 0; i < listed->len; i++)
        add_site_line(&filling, &g_array_index(listed, Line, i), lines);
    return true;
}

static bool fill_sites(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                       GError **error)
{
    return fill_sites_sorted(views, selection, lines, true, error);
}

static bool fill_sites_by_row(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                              GError **error)
{
    return fill_sites_sorted(views, selection, lines, false, error);
}

const XtfView xtf_view_sites = {.table = XTF_TABLE("sites", "calls, time, bytes and waits of each call site", columns),
                                .subject = &xtf_about_calls,
                                .needs = "call sites",
                                .exists = xtf_site_totals_exist,
                                .shape = shape_sites,
                                .fill = fill_sites,
                                .fill_in_order = fill_sites_by_row,
                                .refused_keys =
                                    1 << XTF_GROUP_BY_CLASS | 1 << XTF_GROUP_BY_REGION | 1 << XTF_GROUP_BY_SITE};
