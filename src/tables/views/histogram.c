/*
 * histogram: the view `totals` in 100 equal slices of the window, as by/time:100/totals shows it. There is one of
 * records and, in waits/, one of waits.
 */
#include "src/tables/views/blocks.h"
#include "src/tables/views/totals.h"

enum {
    SLICES = 100,
};

static bool shape_slices(const XtfView *totals, XtfViews *views, const XtfSelection *selection, XtfViewShape *shape,
                         GError **error)
{
    g_autoptr(XtfGrouping) slices = xtf_grouping_new_slices(views->context, selection, SLICES);
    bool good = xtf_blocks_shape(views, totals, slices, shape, error);

    shape->at_once = SLICES;
    return good;
}

static bool fill_slices(const XtfView *totals, XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count,
                        XtfLines *lines, GError **error)
{
    g_autoptr(XtfGrouping) slices = xtf_grouping_new_slices(views->context, selection, SLICES);

    return xtf_blocks_fill(views, totals, slices, first, count, lines, error);
}

/* ---- Histogram of records. */

static bool shape_histogram(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    return shape_slices(&xtf_view_totals, views, selection, shape, error);
}

static bool fill_histogram(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                           GError **error)
{
    return fill_slices(&xtf_view_totals, views, selection, first, count, lines, error);
}

const XtfView xtf_view_histogram = {
    .table = {"histogram", "the columns of `totals`, in each of 100 equal slices of the window", NULL, 0},
    .final_in_window = true,
    .shape = shape_histogram,
    .fill = fill_histogram,
    .refused_keys = 1 << XTF_GROUP_BY_TIME};

/* ---- Histogram of waits. */

static bool waits_exist(const XtfTraceContext *context, const XtfSelection *selection)
{
    return xtf_view_totals_of_waits.exists(context, selection);
}

static bool shape_waits(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    return shape_slices(&xtf_view_totals_of_waits, views, selection, shape, error);
}

static bool fill_waits(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                       GError **error)
{
    return fill_slices(&xtf_view_totals_of_waits, views, selection, first, count, lines, error);
}

const XtfView xtf_view_histogram_of_waits = {
    .table = {"histogram", "the columns of `waits/totals`, in each of 100 equal slices of the window", NULL, 0},
    .subject = &xtf_about_waits,
    .exists = waits_exist,
    .shape = shape_waits,
    .fill = fill_waits,
    .refused_keys = 1 << XTF_GROUP_BY_TIME};
