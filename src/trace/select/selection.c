#include "src/trace/select/selection.h"

#include "libxtf/trace.h"

static XtfSelection *selection_alloc(void)
{
    XtfSelection *selection = g_new0(XtfSelection, 1);
    g_atomic_ref_count_init(&selection->references);
    return selection;
}

/* True if the first records were removed with their volumes. */
static bool begins_late(const XtfTraceContext *context)
{
    XtfTraceInfo info;

    xtf_trace_get_info(context->trace, &info);
    return info.removed > 0;
}

XtfSelection *xtf_selection_new(const XtfTraceContext *context)
{
    const XtfTimeScale *scale = &context->scale;
    XtfSelection *selection = selection_alloc();
    selection->type = XTF_ANY_TYPE;
    selection->time_from = begins_late(context) ? xtf_trace_clock(context->trace)->first : 0;
    bool grows = xtf_trace_context_final(context) != UINT64_MAX;
    selection->time_to = grows || scale->end <= scale->last ? scale->end : XTF_TIME_OPEN;
    selection->endless = true;
    return selection;
}

XtfSelection *xtf_selection_ref(XtfSelection *selection)
{
    g_atomic_ref_count_inc(&selection->references);
    return selection;
}

void xtf_selection_unref(XtfSelection *selection)
{
    while (selection && g_atomic_ref_count_dec(&selection->references)) {
        XtfSelection *base = selection->base;
        xtf_number_set_unref(selection->procs);
        xtf_number_set_unref(selection->threads);
        for (unsigned i = 0; i < XTF_N_FACETS; i++)
            xtf_number_set_unref(selection->by[i]);
        xtf_location_windows_unref(selection->windows);
        g_free(selection);
        selection = base;
    }
}

/* Copies each member, since other threads may change the reference count during the copy. */
static XtfSelection *selection_copy(const XtfSelection *selection)
{
    XtfSelection *copy = selection_alloc();
    copy->base = selection->base ? xtf_selection_ref(selection->base) : NULL;
    copy->rank_from = selection->rank_from;
    copy->rank_to = selection->rank_to;
    copy->procs = xtf_number_set_ref(selection->procs);
    copy->threads = xtf_number_set_ref(selection->threads);
    for (unsigned i = 0; i < XTF_N_FACETS; i++)
        copy->by[i] = xtf_number_set_ref(selection->by[i]);
    copy->type = selection->type;
    copy->calls = selection->calls;
    copy->time_from = selection->time_from;
    copy->time_to = selection->time_to;
    copy->endless = selection->endless;
    copy->windows = xtf_location_windows_ref(selection->windows);
    return copy;
}

XtfSelection *xtf_selection_in_procs(const XtfSelection *selection, XtfNumberSet *procs)
{
    XtfSelection *narrowed = selection_copy(selection);
    xtf_number_set_unref(narrowed->procs);
    narrowed->procs = xtf_number_set_intersect(selection->procs, procs);
    return narrowed;
}

XtfSelection *xtf_selection_in_threads(const XtfSelection *selection, XtfNumberSet *threads)
{
    XtfSelection *narrowed = selection_copy(selection);
    xtf_number_set_unref(narrowed->threads);
    narrowed->threads = xtf_number_set_intersect(selection->threads, threads);
    return narrowed;
}

XtfSelection *xtf_selection_by(const XtfSelection *selection, XtfFacet facet, XtfNumberSet *values)
{
    XtfSelection *narrowed = selection_copy(selection);
    xtf_number_set_unref(narrowed->by[facet]);
    narrowed->by[facet] = xtf_number_set_intersect(selection->by[facet], values);
    return narrowed;
}

XtfSelection *xtf_selection_in_sites(const XtfSelection *selection, const XtfSites *sites, XtfNumberSet *rows)
{
    g_autoptr(XtfNumberSet) regions = xtf_sites_regions(sites, rows);
    g_autoptr(XtfSelection) of_regions = xtf_selection_by(selection, XTF_BY_REGION, regions);

    return xtf_selection_by(of_regions, XTF_BY_SITE, rows);
}

XtfSelection *xtf_selection_in_type(const XtfSelection *selection, uint32_t schema)
{
    XtfSelection *narrowed = selection_copy(selection);
    narrowed->type = selection->type == XTF_ANY_TYPE || selection->type == schema ? (int64_t)schema : XTF_NO_TYPE;
    return narrowed;
}

XtfSelection *xtf_selection_of_any_type(const XtfSelection *selection)
{
    XtfSelection *widened = selection_copy(selection);
    widened->type = XTF_ANY_TYPE;
    widened->calls = false;
    return widened;
}

XtfSelection *xtf_selection_without(const XtfSelection *selection, XtfFacet facet)
{
    XtfSelection *widened = selection_copy(selection);
    g_clear_pointer(&widened->by[facet], xtf_number_set_unref);
    return widened;
}

XtfSelection *xtf_selection_in_calls(const XtfSelection *selection, const XtfTraceContext *context)
{
    XtfSelection *narrowed = xtf_selection_in_type(selection, (uint32_t)context->enters_leaves);
    narrowed->calls = narrowed->type >= 0;
    return narrowed;
}

XtfSelection *xtf_selection_in_window(const XtfSelection *selection, uint64_t from, uint64_t to)
{
    XtfSelection *narrowed = selection_copy(selection);
    narrowed->time_from = MAX(selection->time_from, from);
    narrowed->time_to = MAX(MIN(selection->time_to, to), narrowed->time_from);
    narrowed->endless = selection->endless && to == XTF_TIME_OPEN;
    return narrowed;
}

/* Returns the least window that contains the windows of all locations. If none has any length, returns an instant. */
static void surround_windows(const XtfLocationWindows *windows, uint64_t *from, uint64_t *to)
{
    uint64_t last = 0;

    *from = UINT64_MAX;
    *to = 0;
    for (uint32_t i = 0; i < windows->locations->n; i++) {
        last = MAX(last, windows->all[i].from);
        if (windows->all[i].from >= windows->all[i].to)
            continue;
        *from = MIN(*from, windows->all[i].from);
        *to = MAX(*to, windows->all[i].to);
    }
    if (*from > *to)
        *from = *to = last;
}

XtfSelection *xtf_selection_in_location_windows(const XtfSelection *selection, XtfLocationWindows *windows)
{
    uint64_t from, to;

    surround_windows(windows, &from, &to);
    XtfSelection *narrowed = xtf_selection_in_window(selection, from, to);

    xtf_location_windows_unref(narrowed->windows);
    narrowed->windows = selection->windows ? xtf_location_windows_intersect(selection->windows, windows)
                                           : xtf_location_windows_ref(windows);
    return narrowed;
}

void xtf_selection_location_window(const XtfSelection *selection, const XtfLocation *location, uint64_t *from,
                                   uint64_t *to)
{
    const XtfLocationWindows *windows = selection->windows;
    ptrdiff_t i = windows ? location - windows->locations->all : 0;

    *from = windows ? MAX(selection->time_from, windows->all[i].from) : selection->time_from;
    *to = windows ? MAX(MIN(selection->time_to, windows->all[i].to), *from) : selection->time_to;
}

XtfSelection *xtf_selection_in_numbers(XtfSelection *selection, uint64_t from, uint64_t to)
{
    XtfSelection *narrowed = selection_copy(selection);
    if (narrowed->base)
        xtf_selection_unref(narrowed->base);
    narrowed->base = xtf_selection_ref(selection);
    narrowed->rank_from = from;
    narrowed->rank_to = to;
    return narrowed;
}

bool xtf_selection_is_final(const XtfSelection *selection, const XtfTraceContext *context)
{
    uint64_t final = xtf_trace_context_final(context);

    if (final == UINT64_MAX || (!selection->endless && selection->time_to <= final))
        return true;
    return selection->base && xtf_selection_is_final(selection->base, context);
}

bool xtf_selection_has_type(const XtfSelection *selection, const XtfSchema *schema)
{
    return selection->type == XTF_ANY_TYPE ? schema->kind == XTF_SCHEMA_RECORD : selection->type == schema->id;
}

bool xtf_selection_has_facets(const XtfSelection *selection)
{
    for (unsigned i = 0; i < XTF_N_FACETS; i++) {
        if (selection->by[i])
            return true;
    }
    return false;
}

void xtf_selection_window(const XtfSelection *selection, const XtfTimeScale *scale, uint64_t *from, uint64_t *to)
{
    *from = CLAMP(selection->time_from, scale->origin, scale->end);
    *to = CLAMP(selection->time_to, *from, scale->end);
}

static void add_proc_range(const XtfSelection *selection, const XtfLocations *locations, XtfNumberRange range,
                           GArray *indices)
{
    for (uint32_t i = xtf_locations_of_proc(locations, range.first); i < locations->n; i++) {
        const XtfLocation *location = &locations->all[i];
        if (location->proc > range.last)
            break;
        if (xtf_number_set_contains(selection->threads, location->thread))
            g_array_append_val(indices, i);
    }
}

GArray *xtf_selection_locations(const XtfSelection *selection, const XtfLocations *locations)
{
    GArray *indices = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    const XtfNumberSet *procs = selection->procs;

    if (!procs)
        add_proc_range(selection, locations, (XtfNumberRange){0, UINT64_MAX}, indices);
    for (unsigned i = 0; procs && i < procs->n_ranges; i++)
        add_proc_range(selection, locations, procs->ranges[i], indices);
    return indices;
}
