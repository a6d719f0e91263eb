#include "src/tables/views/registry.h"

#include "src/tables/views/view.h"

/* Every selection has the totals of records: those of waits come before. Of others of one name, too, those of records
 * come first: they say why a selection has none, if all say it as well. */
const XtfView *const xtf_all_views[] = {&xtf_view_totals_of_waits,
                                        &xtf_view_totals,
                                        &xtf_view_histogram_of_waits,
                                        &xtf_view_histogram,
                                        &xtf_view_profile,
                                        &xtf_view_profile_of_waits,
                                        &xtf_view_profile_of_waits_callpaths,
                                        &xtf_view_profile_of_delays,
                                        &xtf_view_profile_of_callpaths,
                                        &xtf_view_critical_profile,
                                        &xtf_view_critical_segments,
                                        &xtf_view_critical_callpaths,
                                        &xtf_view_classes,
                                        &xtf_view_efficiency,
                                        &xtf_view_matrix,
                                        &xtf_view_matrix_of_waits,
                                        &xtf_view_waves,
                                        &xtf_view_messages,
                                        &xtf_view_unmatched,
                                        &xtf_view_operations,
                                        &xtf_view_communicators,
                                        &xtf_view_bytes,
                                        &xtf_view_stack,
                                        &xtf_view_state,
                                        &xtf_view_total,
                                        &xtf_view_imbalance,
                                        &xtf_view_longest,
                                        &xtf_view_metrics,
                                        &xtf_view_values,
                                        &xtf_view_rates,
                                        &xtf_view_growth,
                                        &xtf_view_info,
                                        NULL};

bool xtf_view_is_name(const char *name)
{
    for (const XtfView *const *view = xtf_all_views; *view; view++) {
        if (g_str_equal((*view)->table.name, name))
            return true;
    }
    return false;
}

/* How well a view that a selection does not have says what is missing. */
static unsigned fitness(const XtfViews *views, const XtfView *view, const XtfSelection *selection)
{
    if (!view->subject)
        return 0;
    return xtf_view_is_about(views->context, view->subject, selection) ? 2 : 1;
}

const XtfView *xtf_view_find_for(const XtfViews *views, const char *name, const XtfSelection *selection)
{
    const XtfView *first = NULL;

    for (const XtfView *const *view = xtf_all_views; *view; view++) {
        if (!g_str_equal((*view)->table.name, name))
            continue;
        if (xtf_view_exists(views, *view, selection))
            return *view;
        if (!first || fitness(views, *view, selection) > fitness(views, first, selection))
            first = *view;
    }
    return first;
}

const XtfView *xtf_view_find_for_blocks(const XtfViews *views, const char *name, const XtfSelection *selection)
{
    return g_str_equal(name, xtf_view_count.table.name) ? &xtf_view_count : xtf_view_find_for(views, name, selection);
}

bool xtf_view_is_lasting(const XtfView *view)
{
    return view->lasting;
}
