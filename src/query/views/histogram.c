/*
 * histogram: the view `totals` in 100 equal slices of the window, as by/time:100/totals has it.
 */
#include "src/query/views/blocks.h"

enum {
    SLICES = 100,
};

static bool shape_histogram(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    g_autoptr(XtfGrouping) slices = xtf_grouping_new_slices(views->context, selection, SLICES);
    bool good = xtf_blocks_shape(views, &xtf_view_totals, slices, shape, error);

    shape->at_once = SLICES;
    return good;
}

static bool fill_histogram(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                           GError **error)
{
    g_autoptr(XtfGrouping) slices = xtf_grouping_new_slices(views->context, selection, SLICES);

    return xtf_blocks_fill(views, &xtf_view_totals, slices, first, count, lines, error);
}

const XtfView xtf_view_histogram = {.name = "histogram",
                                    .lasting = true,
                                    .shape = shape_histogram,
                                    .fill = fill_histogram,
                                    .not_by = 1 << XTF_GROUP_BY_TIME};
