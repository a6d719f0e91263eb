/*
 * critical/profile: the critical path by region, in any window, and its time beyond the mean of all locations.
 */
#include <string.h>

#include "src/model/wait-kinds.h"
#include "src/tables/totals/path/critical-window.h"
#include "src/tables/totals/regions/region-totals.h"
#include "src/tables/totals/waits/kind-totals.h"
#include "src/tables/views/view.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("row", XTF_COLUMN_NUMBER, NULL, "row of the region in definitions/regions"),
    XTF_COLUMN("amount", XTF_COLUMN_TIME, NULL, "time of the path in the region"),
    XTF_COLUMN("amount%", XTF_COLUMN_PERCENT, NULL, "share of the selection's path"),
    XTF_COLUMN("imbalance", XTF_COLUMN_TIME, NULL, "amount beyond the mean of locations"),
    XTF_COLUMN("region", XTF_COLUMN_TEXT, NULL, "name of the region"),
};

static const char outside_name[] = "(no region)";

typedef struct {
    uint64_t line;                        /* line of XtfRegions; totals.n: outside of all calls */
    unsigned __int128 amount, subtracted; /* time of the path; the part of it that is not in the window */
    unsigned __int128 active;             /* time of all locations without waits */
} Line;

typedef struct {
    XtfRegionTotals totals;
    XtfSelectedLocations selected;
    Line *lines; /* totals.n lines, and one for the time outside of calls */
    unsigned __int128 whole;
    uint32_t n_locations; /* locations that have records */
} Profile;

static void profile_finish(Profile *profile)
{
    xtf_region_totals_finish(&profile->totals);
    xtf_selected_locations_finish(&profile->selected);
    g_clear_pointer(&profile->lines, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Profile, profile_finish)

static Line *line_of(Profile *profile, uint64_t region)
{
    uint64_t line =
        region == XTF_OUTSIDE_CALLS ? profile->totals.n : xtf_region_line(&profile->totals.times.regions, region);
    return &profile->lines[MIN(line, profile->totals.n)];
}

static void add_path_time(void *data, uint64_t region, uint64_t ticks, bool subtract)
{
    Line *line = line_of(data, region);

    if (subtract)
        line->subtracted += ticks;
    else
        line->amount += ticks;
}

static unsigned __int128 difference(unsigned __int128 a, unsigned __int128 b)
{
    return a - MIN(a, b); /* in a damaged trace b may be greater */
}

static bool add_path(Profile *profile, XtfTraceContext *context, const XtfSelection *selection, GError **error)
{
    g_auto(XtfCriticalWindow) window = {0};

    if (!xtf_critical_window_init(&window, context, error))
        return false;
    for (uint32_t i = 0; i < profile->selected.n; i++) {
        if (!xtf_critical_window_add(&window, xtf_selected_location(&profile->selected, i), selection->time_from,
                                     selection->time_to, add_path_time, profile, error))
            return false;
        profile->n_locations += window.arrays.first <= window.arrays.last;
    }
    for (uint64_t i = 0; i <= profile->totals.n; i++) {
        profile->lines[i].amount = difference(profile->lines[i].amount, profile->lines[i].subtracted);
        profile->whole += profile->lines[i].amount;
    }
    return true;
}

/* True if time in a kind of wait is not activity. In waits of a scan, Scalasca sees no process wait for another one, so
 * they are activity, and so is time after a wait. */
static bool is_passive(const XtfKindTotals *waits, uint64_t kind)
{
    const XtfField *event = xtf_aggregate_ref_key(&waits->ref, 0);
    const XtfWaitKind *known = kind < event->n_labels ? xtf_wait_kind_named(event->labels[kind]) : NULL;

    return !known || !known->is_activity;
}

/* Adds the time of all locations by region, without waits. */
static bool add_active(Profile *profile, XtfViews *views, const XtfSelection *all, GError **error)
{
    const XtfSchema *schema = xtf_trace_context_schema(views->context, "waits", XTF_SCHEMA_DERIVED);
    unsigned __int128 inside = 0;

    for (uint64_t i = 0; i < profile->totals.n; i++) {
        profile->lines[i].active = profile->totals.all[i].exclusive;
        inside += profile->totals.all[i].exclusive;
    }
    profile->lines[profile->totals.n].active = difference(profile->totals.whole, inside);
    if (!schema)
        return true;
    g_autoptr(XtfSelection) of_waits = xtf_selection_in_type(all, schema->id);
    g_auto(XtfKindTotals) waits = {0};
    if (!xtf_kind_totals_exist(views->context, of_waits, &xtf_kinds_of_waits))
        return true;
    if (!xtf_kind_totals_load(&waits, &views->group_lists, views->context, of_waits, &xtf_kinds_of_waits, error))
        return false;
    for (uint32_t i = 0; i < waits.n; i++) {
        Line *line = line_of(profile, waits.all[i].region);
        if (is_passive(&waits, waits.all[i].kind))
            line->active = difference(line->active, waits.all[i].values[0]);
    }
    return true;
}

static bool load_profile(Profile *profile, XtfViews *views, const XtfSelection *selection, GError **error)
{
    g_autoptr(XtfSelection) all = xtf_selection_of_any_type(selection);

    if (!xtf_region_totals_load(&profile->totals, views->formats, all, error) ||
        !xtf_selected_locations_init(&profile->selected, views->context, selection, error))
        return false;
    profile->lines = g_new0(Line, profile->totals.n + 1);
    for (uint64_t i = 0; i <= profile->totals.n; i++)
        profile->lines[i].line = i;
    bool good = add_path(profile, views->context, selection, error) && add_active(profile, views, all, error);
    profile->totals.times.selection = NULL; /* the pointer leads to `all`, which is freed here */
    return good;
}

/* ---- The text. */

static bool shape_profile(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    g_autoptr(XtfSelection) all = xtf_selection_of_any_type(selection);
    g_auto(XtfRegionTimes) times = {0};

    if (!xtf_region_times_init(&times, views->formats, all, error))
        return false;
    const XtfRegions *regions = &times.regions;
    size_t time = xtf_region_times_width(&times);
    shape->n_lines = shape->at_once = regions->n + regions->has_unknown + 1;
    xtf_grid_add(&shape->grid, "row", regions->row_width);
    xtf_grid_add(&shape->grid, "amount", time);
    xtf_grid_add(&shape->grid, "amount%", 0);
    xtf_grid_add(&shape->grid, "imbalance", time + 1); /* for rounding up */
    xtf_grid_add(&shape->grid, "region", MAX(regions->name_width, strlen(outside_name)));
    return true;
}

static int compare_region_lines(const void *a, const void *b)
{
    const Line *x = a, *y = b;

    if (x->amount != y->amount)
        return x->amount > y->amount ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static void add_path_region_line(const Profile *profile, const Line *line, XtfLines *lines)
{
    const XtfRegions *regions = &profile->totals.times.regions;
    double tick = (double)lines->scale->den / (double)lines->scale->num;
    double mean = profile->n_locations ? (double)line->active / profile->n_locations : 0;

    xtf_lines_number_if(lines, line->line < regions->n, line->line);
    xtf_lines_ticks(lines, line->amount);
    xtf_lines_percent(lines, line->amount, profile->whole);
    xtf_lines_seconds(lines, MAX((double)line->amount - mean, 0) * tick);
    if (line->line == profile->totals.n)
        xtf_lines_word(lines, outside_name);
    else
        xtf_lines_region_name(lines, regions, line->line);
}

/* Adds a line for each region. There is none for calls that began before the trace: they count as outside of calls. */
static bool fill_critical_sorted(XtfViews *views, XtfSelection *selection, XtfLines *lines, bool sorted, GError **error)
{
    g_auto(Profile) profile = {0};

    if (!load_profile(&profile, views, selection, error))
        return false;
    if (sorted)
        qsort(profile.lines, profile.totals.n + 1, sizeof *profile.lines, compare_region_lines);
    for (uint64_t i = 0; i <= profile.totals.n; i++) {
        if (profile.lines[i].line != profile.totals.times.regions.n)
            add_path_region_line(&profile, &profile.lines[i], lines);
    }
    return true;
}

static bool fill_profile(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                         GError **error)
{
    return fill_critical_sorted(views, selection, lines, true, error);
}

static bool fill_critical_by_row(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count,
                                 XtfLines *lines, GError **error)
{
    return fill_critical_sorted(views, selection, lines, false, error);
}

const XtfView xtf_view_critical_profile = {.table = XTF_TABLE("profile", "regions on the critical path", columns),
                                           .subject = &xtf_about_path,
                                           .exists = xtf_critical_type_is_selected,
                                           .shape = shape_profile,
                                           .fill = fill_profile,
                                           .fill_in_order = fill_critical_by_row,
                                           .refused_keys = 1 << XTF_GROUP_BY_CLASS};
