#include "src/tables/views/view.h"

bool xtf_view_fill(XtfViews *views, const XtfView *view, XtfSelection *selection, uint64_t first, uint64_t count,
                   XtfLines *lines, GError **error)
{
    g_auto(XtfTimeBins) bins = {0};

    if (!view->fill_bins)
        return view->fill(views, selection, first, count, lines, error);
    xtf_time_bins_init_one(&bins, selection, &views->context->scale);
    return view->fill_bins(views, &bins, lines, error);
}

bool xtf_view_fill_in_order(XtfViews *views, const XtfView *view, XtfSelection *selection, uint64_t first,
                            uint64_t count, XtfLines *lines, GError **error)
{
    return view->fill_in_order ? view->fill_in_order(views, selection, first, count, lines, error)
                               : xtf_view_fill(views, view, selection, first, count, lines, error);
}

bool xtf_view_has_batches(const XtfView *view, XtfGroupKey key)
{
    return view->fill_bins ? key == XTF_GROUP_BY_TIME : view->batch_keys >> key & 1;
}

bool xtf_view_fill_batch(XtfViews *views, const XtfView *view, XtfSelection *selection, const XtfKeyValues *values,
                         uint64_t first, uint64_t n, XtfLines *lines, GError **error)
{
    g_auto(XtfTimeBins) bins = {0};

    if (!view->fill_bins)
        return view->fill_batch(views, selection, values, first, n, lines, error);
    xtf_time_bins_init(&bins, selection, values, first, n);
    return view->fill_bins(views, &bins, lines, error);
}
