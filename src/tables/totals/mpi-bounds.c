#include "src/tables/totals/mpi-bounds.h"

#include "src/model/mpi-functions.h"

/* Finds the calls of all regions whose end, or begin, is the bound: of MPI_Init, or of MPI_Finalize. NULL with an
 * error. */
static XtfSpans *find_calls(XtfResolver *resolver, XtfMpiBound bound, GError **error)
{
    const XtfNameIndex *regions = xtf_trace_context_regions(resolver->context, error);
    const XtfRegionClasses *classes = regions ? xtf_trace_context_classes(resolver->context, error) : NULL;

    if (!classes)
        return NULL;
    g_autofree bool *wanted = g_new0(bool, regions->n_rows + 1);
    g_autoptr(XtfSelection) all = xtf_selection_new(resolver->context);

    for (uint64_t row = 0; row < regions->n_rows; row++)
        wanted[row] = xtf_region_classes_of(classes, row) == XTF_CLASS_MPI_INIT &&
                      xtf_mpi_function_bound(regions->texts[row]) == bound;
    g_autoptr(XtfNumberSet) rows = xtf_number_set_from_flags(wanted, regions->n_rows);
    g_autoptr(XtfSelection) of_type = xtf_selection_in_type(all, (uint32_t)resolver->context->enters_leaves);
    g_autoptr(XtfSelection) calls = xtf_selection_by(of_type, XTF_BY_REGION, rows);
    return xtf_resolver_spans(resolver, calls, error);
}

/* Finds the latest of the spans' last times, or the earliest of their first times. */
static bool find_bound(const XtfSpans *spans, XtfMpiBound bound, uint64_t *found, GError **error)
{
    for (uint32_t i = 0; i < spans->n; i++) {
        const XtfSpan *span = &spans->spans[i];
        uint64_t t = *found;
        if (span->lo < span->hi && !xtf_span_time(span, bound == XTF_MPI_BEGINS ? span->hi - 1 : span->lo, &t, error))
            return false;
        *found = bound == XTF_MPI_BEGINS ? MAX(*found, t) : MIN(*found, t);
    }
    return true;
}

bool xtf_mpi_bounds_find(XtfMpiBounds *bounds, XtfResolver *resolver, GError **error)
{
    const XtfTimeScale *scale = &resolver->context->scale;
    g_autoptr(XtfSpans) begins = find_calls(resolver, XTF_MPI_BEGINS, error);
    g_autoptr(XtfSpans) ends = begins ? find_calls(resolver, XTF_MPI_ENDS, error) : NULL;

    *bounds = (XtfMpiBounds){.from = scale->origin, .to = scale->end};
    if (!ends || !find_bound(begins, XTF_MPI_BEGINS, &bounds->from, error) ||
        !find_bound(ends, XTF_MPI_ENDS, &bounds->to, error))
        return false;
    bounds->exist = begins->count || ends->count;
    bounds->to = MAX(bounds->from, bounds->to);
    return true;
}
