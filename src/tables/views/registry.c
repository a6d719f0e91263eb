#include "src/tables/views/registry.h"

#include "src/tables/views/view.h"

/* A name shows its first view that the selection has. Every selection has the totals of records, so
 * the totals of waits precede them. Otherwise views of records precede: they explain why a selection has no view of the
 * name, unless a later view fits better. */
/* clang-format off */
#define VIEWS(VIEW)                                                                                                    \
    VIEW(totals_of_waits)                                                                                              \
    VIEW(totals)                                                                                                       \
    VIEW(histogram_of_waits)                                                                                           \
    VIEW(histogram)                                                                                                    \
    VIEW(profile)                                                                                                      \
    VIEW(profile_of_waits)                                                                                             \
    VIEW(profile_of_waits_callpaths)                                                                                   \
    VIEW(profile_of_delays)                                                                                            \
    VIEW(profile_of_callpaths)                                                                                         \
    VIEW(critical_profile)                                                                                             \
    VIEW(critical_segments)                                                                                            \
    VIEW(critical_callpaths)                                                                                           \
    VIEW(classes)                                                                                                      \
    VIEW(efficiency)                                                                                                   \
    VIEW(matrix)                                                                                                       \
    VIEW(matrix_of_waits)                                                                                              \
    VIEW(waves)                                                                                                        \
    VIEW(messages)                                                                                                     \
    VIEW(unmatched)                                                                                                    \
    VIEW(operations)                                                                                                   \
    VIEW(communicators)                                                                                                \
    VIEW(bytes)                                                                                                        \
    VIEW(stack)                                                                                                        \
    VIEW(state)                                                                                                        \
    VIEW(total)                                                                                                        \
    VIEW(monitor)                                                                                                      \
    VIEW(clocks)                                                                                                       \
    VIEW(waiting)                                                                                                      \
    VIEW(imbalance)                                                                                                    \
    VIEW(iterations)                                                                                                   \
    VIEW(clusters)                                                                                                     \
    VIEW(longest)                                                                                                      \
    VIEW(sites)                                                                                                        \
    VIEW(metrics)                                                                                                      \
    VIEW(values)                                                                                                       \
    VIEW(rates)                                                                                                        \
    VIEW(growth)                                                                                                       \
    VIEW(info)
/* clang-format on */

#define DECLARE(name) extern const XtfView xtf_view_##name;
#define LIST(name)    &xtf_view_##name,
VIEWS(DECLARE)
const XtfView *const xtf_all_views[] = {VIEWS(LIST) NULL};

bool xtf_view_is_name(const char *name)
{
    for (const XtfView *const *view = xtf_all_views; *view; view++) {
        if (g_str_equal((*view)->table.name, name))
            return true;
    }
    return false;
}

/* Returns how well a view explains why the selection does not have it; more is better. */
static unsigned fitness(const XtfViews *views, const XtfView *view, const XtfSelection *selection)
{
    if (!view->subject)
        return 0;
    return xtf_view_is_about(views->context, view->subject, selection) ? 2 : 1;
}

const XtfView *xtf_view_by_name(const XtfViews *views, const char *name, const XtfSelection *selection)
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

const XtfView *xtf_view_by_name_for_blocks(const XtfViews *views, const char *name, const XtfSelection *selection)
{
    return g_str_equal(name, xtf_view_count.table.name) ? &xtf_view_count : xtf_view_by_name(views, name, selection);
}

bool xtf_view_is_final_in_window(const XtfView *view)
{
    return view->final_in_window;
}
