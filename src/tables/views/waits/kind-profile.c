/*
 * profile of an analysis: a line for each kind and region that has rows anywhere in the trace, the greatest first. In
 * waits/ it has the time of the waits, the part that other waits caused, and the part that caused other waits. In
 * delays/ it has the cost of the delays. callpaths: the same by call path.
 */
#include <stdlib.h>

#include "libxtf/vocabulary.h"
#include "src/tables/format/callpaths.h"
#include "src/tables/totals/waits/kind-totals.h"
#include "src/tables/views/view.h"
#include "src/tables/views/waits/wait-cells.h"
#include "src/trace/text/digits.h"

#define OF_WAITS                                                                                        \
    XTF_COLUMN("kind", XTF_COLUMN_TEXT, NULL, "kind of the wait"),                                      \
        XTF_COLUMN("waits", XTF_COLUMN_NUMBER, NULL, "number of waits"),                                \
        XTF_COLUMN("amount", XTF_COLUMN_TIME, NULL, "total time of the waits"),                         \
        XTF_COLUMN("indirect", XTF_COLUMN_TIME, NULL, "part of the amount that other waits caused"),    \
        XTF_COLUMN("propagating", XTF_COLUMN_TIME, NULL, "part of the amount that caused other waits"), \
        XTF_COLUMN("amount%", XTF_COLUMN_PERCENT, NULL, "amount, of the time of all locations")
#define OF_DELAYS                                                                                             \
    XTF_COLUMN("kind", XTF_COLUMN_TEXT, NULL, "kind of the wait"),                                            \
        XTF_COLUMN("delays", XTF_COLUMN_NUMBER, NULL, "number of delays"),                                    \
        XTF_COLUMN("short", XTF_COLUMN_TIME, NULL, "waiting time that the delays caused directly"),           \
        XTF_COLUMN("long", XTF_COLUMN_TIME, NULL, "waiting time that the delays caused through other waits"), \
        XTF_COLUMN("total", XTF_COLUMN_TIME, NULL, "sum of `short` and `long`")
#define BY_REGION XTF_COLUMN("region", XTF_COLUMN_TEXT, NULL, "name of the region")
#define BY_CALLPATH                                                                                   \
    XTF_COLUMN("call_path", XTF_COLUMN_NUMBER, NULL, "row of the call path in definitions/contexts"), \
        XTF_COLUMN("callpath", XTF_COLUMN_TEXT, NULL, "the call path")

static const XtfColumn columns_of_waits[] = {OF_WAITS, BY_REGION};
static const XtfColumn columns_of_waits_callpaths[] = {OF_WAITS, BY_CALLPATH};
static const XtfColumn columns_of_delays[] = {OF_DELAYS, BY_REGION};
static const XtfColumn columns_of_callpaths[] = {OF_DELAYS, BY_CALLPATH};

/* A profile: the source of its rows, and its columns behind `kind`. */
typedef struct {
    const XtfKindSource *source;
    const char *rows;                        /* name of the column of the number of rows */
    const char *values[XTF_KIND_VALUES_MAX]; /* names of the columns of the values */
    const char *total;                       /* column of the sum of all values; NULL: there is none */
    const char *percent; /* column of the first value in relation to the time of the locations; NULL: there is none */
} Profile;

static const Profile of_waits = {
    .source = &xtf_kinds_of_waits,
    .rows = "waits",
    .values = {"amount", "indirect", "propagating"},
    .percent = "amount%",
};

static const Profile of_waits_callpaths = {
    .source = &xtf_callpaths_of_waits,
    .rows = "waits",
    .values = {"amount", "indirect", "propagating"},
    .percent = "amount%",
};

static const Profile of_delays = {
    .source = &xtf_kinds_of_delays,
    .rows = "delays",
    .values = {"short", "long"},
    .total = "total",
};

static const Profile of_callpaths = {
    .source = &xtf_callpaths_of_delays,
    .rows = "delays",
    .values = {"short", "long"},
    .total = "total",
};

/* ---- Shapes. */

static size_t kinds_width(const XtfKindTotals *totals)
{
    size_t width = 1;

    for (uint32_t i = 0; i < totals->n; i++) { /* by kind, ascending */
        if (i == 0 || totals->all[i].kind != totals->all[i - 1].kind)
            width = MAX(width, xtf_wait_kind_width(xtf_aggregate_ref_key(&totals->ref, 0), totals->all[i].kind));
    }
    return width;
}

/* Adds the columns of the region or call path. */
static bool add_place(const XtfKindTotals *totals, const Profile *profile, XtfViews *views, XtfGrid *grid,
                      GError **error)
{
    const XtfPaddedNames *regions;
    XtfCallpaths callpaths;
    size_t width = 1;

    if (!profile->source->by_callpath) {
        if (!xtf_padded_names_of_table(views->formats, XTF_TABLE_REGIONS, &regions, error))
            return false;
        xtf_grid_add(grid, "region", regions ? regions->width : 1);
        return true;
    }
    if (!xtf_callpaths_load(&callpaths, views->context, error))
        return false;
    g_autoptr(GString) name = g_string_new(NULL);
    for (uint32_t i = 0; i < totals->n && width < XTF_CALLPATH_WIDTH_MAX; i++)
        width = MAX(width, xtf_callpath_width(&callpaths, (uint32_t)totals->all[i].callpath, name));
    xtf_grid_add(grid, "call_path", xtf_count_digits(callpaths.n));
    xtf_grid_add(grid, "callpath", MIN(width, (size_t)XTF_CALLPATH_WIDTH_MAX));
    return true;
}

static bool shape_profile(const Profile *profile, XtfViews *views, const XtfSelection *selection, XtfViewShape *shape,
                          GError **error)
{
    g_auto(XtfKindTotals) totals = {0};
    size_t ticks;

    if (!xtf_kind_totals_list(&totals, &views->group_lists, views->context, selection, profile->source, error) ||
        !xtf_kind_ticks_width(views->context, &ticks, error))
        return false;
    shape->n_lines = shape->at_once = totals.n;
    xtf_grid_add(&shape->grid, "kind", kinds_width(&totals));
    xtf_grid_add(&shape->grid, profile->rows, xtf_aggregate_ref_rows_width(&totals.ref, views->context));
    for (unsigned i = 0; i < xtf_kind_source_n(profile->source); i++)
        xtf_grid_add(&shape->grid, profile->values[i], ticks);
    if (profile->total)
        xtf_grid_add(&shape->grid, profile->total, ticks + 1);
    if (profile->percent)
        xtf_grid_add(&shape->grid, profile->percent, 0);
    return add_place(&totals, profile, views, &shape->grid, error);
}

/* ---- Lines. */

static unsigned __int128 sum_of(const XtfKindTotal *total)
{
    unsigned __int128 sum = 0;

    for (unsigned i = 0; i < XTF_KIND_VALUES_MAX; i++)
        sum += total->values[i];
    return sum;
}

static int compare_kind_totals(const XtfKindTotal *x, const XtfKindTotal *y)
{
    if (x->rows != y->rows)
        return x->rows > y->rows ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->region != y->region)
        return x->region < y->region ? -1 : 1;
    return x->callpath < y->callpath ? -1 : x->callpath > y->callpath;
}

static int compare_first_values(const void *a, const void *b)
{
    const XtfKindTotal *x = a, *y = b;

    if (x->values[0] != y->values[0])
        return x->values[0] > y->values[0] ? -1 : 1;
    return compare_kind_totals(x, y);
}

static int compare_sums(const void *a, const void *b)
{
    unsigned __int128 x = sum_of(a), y = sum_of(b);

    if (x != y)
        return x > y ? -1 : 1;
    return compare_kind_totals(a, b);
}

/* Names of regions and call paths. */
typedef struct {
    const XtfPaddedNames *regions;
    XtfCallpaths callpaths;
    GString *scratch;
} Names;

static void add_callpath(const Names *names, uint32_t callpath, XtfLines *lines)
{
    xtf_callpath_name(&names->callpaths, callpath, names->scratch);
    xtf_lines_number_if(lines, callpath != XTF_NONE32, callpath);
    xtf_lines_text(lines, names->scratch->str, callpath);
}

static void add_kind_total_line(const Profile *profile, const XtfKindTotals *totals, const XtfKindTotal *total,
                                const Names *names, XtfLines *lines)
{
    xtf_wait_kind_cell(lines, xtf_aggregate_ref_key(&totals->ref, 0), total->kind);
    xtf_lines_number(lines, total->rows);
    for (unsigned i = 0; i < xtf_kind_source_n(profile->source); i++)
        xtf_lines_ticks(lines, total->values[i]);
    if (profile->total)
        xtf_lines_ticks(lines, sum_of(total));
    if (profile->percent)
        xtf_lines_percent(lines, total->values[0], totals->whole);
    if (profile->source->by_callpath)
        add_callpath(names, (uint32_t)total->callpath, lines);
    else
        xtf_wait_region_cell(lines, xtf_aggregate_ref_key(&totals->ref, 1), names->regions, total->region);
}

static bool fill_profile(const Profile *profile, XtfViews *views, const XtfSelection *selection, bool sorted,
                         XtfLines *lines, GError **error)
{
    g_auto(XtfKindTotals) totals = {0};
    g_autoptr(GString) scratch = g_string_new(NULL);
    Names names = {.scratch = scratch};

    if (!xtf_kind_totals_load(&totals, &views->group_lists, views->context, selection, profile->source, error) ||
        !xtf_padded_names_of_table(views->formats, XTF_TABLE_REGIONS, &names.regions, error) ||
        !xtf_callpaths_load(&names.callpaths, views->context, error))
        return false;
    if (sorted && totals.n > 1)
        qsort(totals.all, totals.n, sizeof *totals.all, profile->total ? compare_sums : compare_first_values);
    for (uint32_t i = 0; i < totals.n; i++)
        add_kind_total_line(profile, &totals, &totals.all[i], &names, lines);
    return true;
}

/* ---- The views. */

#define PROFILE(of, title, meaning, about)                                                                           \
    static bool exists_##of(const XtfTraceContext *context, const XtfSelection *selection)                           \
    {                                                                                                                \
        return xtf_kind_totals_exist(context, selection, of.source);                                                 \
    }                                                                                                                \
    static bool shape_##of(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)      \
    {                                                                                                                \
        return shape_profile(&of, views, selection, shape, error);                                                   \
    }                                                                                                                \
    static bool fill_##of(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines, \
                          GError **error)                                                                            \
    {                                                                                                                \
        return fill_profile(&of, views, selection, true, lines, error);                                              \
    }                                                                                                                \
    static bool fill_in_order_##of(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count,         \
                                   XtfLines *lines, GError **error)                                                  \
    {                                                                                                                \
        return fill_profile(&of, views, selection, false, lines, error);                                             \
    }                                                                                                                \
    const XtfView xtf_view_profile_##of = {.table = XTF_TABLE(title, meaning, columns_##of),                         \
                                           .subject = &about,                                                        \
                                           .exists = exists_##of,                                                    \
                                           .shape = shape_##of,                                                      \
                                           .fill = fill_##of,                                                        \
                                           .fill_in_order = fill_in_order_##of,                                      \
                                           .refused_keys = 1 << XTF_GROUP_BY_REGION | 1 << XTF_GROUP_BY_CLASS}

PROFILE(of_waits, "profile", "number and time of waits, by kind and region", xtf_about_waits);
PROFILE(of_waits_callpaths, "callpaths", "number and time of waits, by kind and call path", xtf_about_waits);
PROFILE(of_delays, "profile", "what delays cost others, by kind of wait and region", xtf_about_delays);
PROFILE(of_callpaths, "callpaths", "what delays cost others, by kind of wait and call path", xtf_about_delays);
