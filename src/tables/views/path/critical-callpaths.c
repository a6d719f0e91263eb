/*
 * critical/callpaths: the critical path of the whole run by call path, and its performance impact.
 */
#include <math.h>
#include <string.h>

#include "src/model/schemas.h"
#include "src/tables/totals/path/critical-window.h"
#include "src/tables/totals/path/path-impact.h"
#include "src/tables/views/view.h"
#include "src/trace/text/digits.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("context", XTF_COLUMN_NUMBER, NULL, "row of the call path in definitions/contexts"),
    XTF_COLUMN("path", XTF_COLUMN_TIME, NULL, "time on the critical path"),
    XTF_COLUMN("imbalance", XTF_COLUMN_TIME, NULL, "`path` beyond the mean of all locations"),
    XTF_COLUMN("activity", XTF_COLUMN_TIME, NULL,
               "time of the selected locations on the call path, of each at most `path`"),
    XTF_COLUMN("non_critical", XTF_COLUMN_TIME, NULL, "time of the selected locations beyond `activity`"),
    XTF_COLUMN("impact", XTF_COLUMN_TIME, NULL, "waiting time that the imbalance causes"),
    XTF_COLUMN("between", XTF_COLUMN_TIME, NULL, "part of `impact` at locations that do not execute the call path"),
    XTF_COLUMN("callpath", XTF_COLUMN_TEXT, NULL, "the call path"),
};

/* A line: sums over the selected locations. */
typedef struct {
    uint32_t callpath;
    unsigned __int128 path, active, activity, non_critical;
    double impact, between;
} Line;

static bool callpaths_exist(const XtfTraceContext *context, const XtfSelection *selection)
{
    return xtf_critical_type_is_selected(context, selection) && selection->time_from == 0 && selection->endless &&
           xtf_path_impact_exists((XtfTraceContext *)context);
}

/* ---- Names. */

/* Returns the number of a call path; XTF_NONE32 for the last one, which is all time outside of calls. */
static uint32_t callpath_number(const XtfPathImpact *impact, uint32_t callpath)
{
    return callpath + 1 == impact->n ? XTF_NONE32 : callpath;
}

static size_t max_name_width(const XtfPathImpact *impact)
{
    g_autoptr(GString) name = g_string_new(NULL);
    size_t widest = 0;

    for (uint32_t i = 0; i < impact->n && widest < XTF_CALLPATH_WIDTH_MAX; i++) {
        if (xtf_path_impact_counts(impact, i))
            widest = MAX(widest, xtf_callpath_width(&impact->callpaths, callpath_number(impact, i), name));
    }
    return MIN(widest, (size_t)XTF_CALLPATH_WIDTH_MAX);
}

/* ---- Lines. */

static bool shape_callpaths(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    const XtfTimeScale *scale = &views->context->scale;
    g_auto(XtfPathImpact) impact = {0};

    if (!xtf_path_impact_load(&impact, views->context, error))
        return false;
    /* The impact is at most the waiting time of all locations together. */
    unsigned __int128 all = (unsigned __int128)(scale->last - scale->origin + 1) * (impact.locations->n + 1);
    size_t time = xtf_ticks_width(scale, all);
    shape->n_lines = shape->at_once = impact.n - !impact.has_outside;
    xtf_grid_add(&shape->grid, "context", xtf_count_digits(impact.n));
    xtf_grid_add(&shape->grid, "path", time);
    xtf_grid_add(&shape->grid, "imbalance", time);
    xtf_grid_add(&shape->grid, "activity", time);
    xtf_grid_add(&shape->grid, "non_critical", time);
    xtf_grid_add(&shape->grid, "impact", time);
    xtf_grid_add(&shape->grid, "between", time);
    xtf_grid_add(&shape->grid, "callpath", max_name_width(&impact));
    return true;
}

static bool add_path_values(const XtfPathImpact *impact, const XtfSelectedLocations *selected, Line *lines,
                            GError **error)
{
    g_autofree XtfPathValues *values = g_new(XtfPathValues, impact->n);

    for (uint32_t j = 0; j < selected->n; j++) {
        if (!xtf_path_impact_values(impact, xtf_selected_location(selected, j), values, error))
            return false;
        for (uint32_t i = 0; i < impact->n; i++) {
            lines[i].path += values[i].path;
            lines[i].active += values[i].active;
            lines[i].activity += values[i].activity;
            lines[i].non_critical += values[i].non_critical;
            lines[i].impact += values[i].impact;
            lines[i].between += values[i].between;
        }
    }
    return true;
}

static int compare_callpath_lines(const void *a, const void *b)
{
    const Line *x = a, *y = b;

    if (x->path != y->path)
        return x->path > y->path ? -1 : 1;
    return x->callpath < y->callpath ? -1 : x->callpath > y->callpath;
}

/* Returns the time on the whole critical path beyond the mean time of all locations. */
static double imbalance_of(const XtfPathImpact *impact, uint32_t callpath)
{
    const XtfPathSum *sum = &impact->sums[callpath];
    long double mean = impact->n_locations ? (long double)sum->active / impact->n_locations : 0;

    return (double)MAX((long double)sum->path - mean, 0);
}

static void add_callpath_line(const XtfPathImpact *impact, const Line *line, const char *name, XtfLines *lines)
{
    xtf_lines_number_if(lines, line->callpath + 1 < impact->n, line->callpath);
    xtf_lines_ticks(lines, line->path);
    xtf_lines_ticks(lines, (unsigned __int128)round(imbalance_of(impact, line->callpath)));
    xtf_lines_ticks(lines, line->activity);
    xtf_lines_ticks(lines, line->non_critical);
    xtf_lines_ticks(lines, (unsigned __int128)round(line->impact));
    xtf_lines_ticks(lines, (unsigned __int128)round(line->between));
    xtf_lines_text(lines, name, line->callpath);
}

static bool fill_callpaths(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                           GError **error)
{
    g_auto(XtfPathImpact) impact = {0};
    g_auto(XtfSelectedLocations) selected = {0};

    if (!xtf_path_impact_load(&impact, views->context, error) ||
        !xtf_selected_locations_init(&selected, views->context, selection, error))
        return false;
    g_autofree Line *all = g_new0(Line, impact.n);
    g_autoptr(GString) name = g_string_new(NULL);
    for (uint32_t i = 0; i < impact.n; i++)
        all[i].callpath = i;
    if (!add_path_values(&impact, &selected, all, error))
        return false;
    if (impact.n - !impact.has_outside > 1)
        qsort(all, impact.n - !impact.has_outside, sizeof *all, compare_callpath_lines);
    for (uint64_t i = first; i < first + count; i++) {
        xtf_callpath_name(&impact.callpaths, callpath_number(&impact, all[i].callpath), name);
        add_callpath_line(&impact, &all[i], name->str, lines);
    }
    return true;
}

const XtfView xtf_view_critical_callpaths = {.table =
                                                 XTF_TABLE("callpaths", "call paths on the critical path", columns),
                                             .subject = &xtf_about_callpaths,
                                             .exists = callpaths_exist,
                                             .shape = shape_callpaths,
                                             .fill = fill_callpaths};
