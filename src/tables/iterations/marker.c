#include "src/tables/iterations/marker.h"

#include "libxtf/trace.h"

enum {
    CALLS_LEAST = 3,
    TIME_PERCENT = 30,    /* least part of the run that calls of a program's region take */
    SPREAD_PERCENT = 50,  /* least part of the run from the first call of another region to the last */
    NEARLY_PERCENT = 90,  /* part of the farthest spread that counts as nearly as far */
    UNEVEN_PERCENT = 100, /* most difference of the quartiles of gaps between calls, as a part of the median */
    GAPS_MAX = 256,       /* gaps that are looked at */
};

#define MARKED "iteration"

/* The calls of a region over all processes. */
typedef struct {
    uint64_t calls; /* of each process so far */
    uint32_t procs; /* processes that call the region `calls` times */
    double time;    /* ticks of all its calls, outermost */
    bool is_uneven; /* some processes call it another number of times */
} Usage;

typedef struct {
    XtfFormats *formats;
    XtfRegionTimes times;
    XtfSelectedLocations selected;
    const XtfRegionClasses *classes;
    Usage *usages;    /* by row of definitions/regions */
    uint64_t n_alike; /* regions that all processes so far call equally often, and often enough */
    double run;       /* ticks of all processes together */
    double first_run; /* ticks of the first process */
} MarkerSearch;

static void marker_search_finish(MarkerSearch *search)
{
    xtf_region_times_finish(&search->times);
    xtf_selected_locations_finish(&search->selected);
    g_free(search->usages);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MarkerSearch, marker_search_finish)

/* True if the first n processes call the region equally often, and often enough. */
static bool is_alike(const Usage *usage, uint64_t n)
{
    return !usage->is_uneven && usage->procs == n && usage->calls >= CALLS_LEAST;
}

static bool is_candidate(const MarkerSearch *search, uint64_t row)
{
    return is_alike(&search->usages[row], search->selected.n_procs);
}

/* Adds what one process calls, by the totals of its threads. */
static bool add_process_usage(MarkerSearch *search, const XtfSelectedProcess *process, uint64_t *calls, GError **error)
{
    uint64_t n_rows = search->times.regions.n, ticks, longest = 0;

    memset(calls, 0, n_rows * sizeof *calls);
    for (uint32_t i = process->first; i < process->first + process->n; i++) {
        const XtfLocation *location = xtf_selected_location(&search->selected, i);
        if (!location->is_cpu_thread)
            continue;
        if (!xtf_region_times_measure(&search->times, location, &ticks, error))
            return false;
        longest = MAX(longest, ticks);
        for (uint32_t k = 0; k < xtf_group_totals_n(search->times.groups); k++) {
            uint64_t row = *xtf_group_totals_key(search->times.groups, k);
            const uint64_t *cells = xtf_group_totals_cells(search->times.groups, k);
            if (row >= n_rows || calls[row]) /* the first thread that calls the region counts */
                continue;
            calls[row] = cells[XTF_FRAMES_BEGUN];
            search->usages[row].time += (double)cells[XTF_FRAMES_INCLUSIVE];
        }
    }
    search->run += (double)longest;
    if (process == search->selected.procs)
        search->first_run = (double)longest;
    search->n_alike = 0;
    for (uint64_t row = 0; row < n_rows; row++) {
        Usage *usage = &search->usages[row];
        if (!calls[row])
            continue;
        usage->is_uneven |= usage->procs && usage->calls != calls[row];
        usage->calls = calls[row];
        usage->procs++;
        search->n_alike += is_alike(usage, (uint64_t)(process - search->selected.procs) + 1);
    }
    return true;
}

/* Finds the row of the region that the program marks iterations with; regions.n if it marks none. */
static bool find_marked(MarkerSearch *search, uint64_t *row, GError **error)
{
    const XtfNameIndex *names = xtf_trace_context_regions(search->formats->context, error);

    if (!names)
        return false;
    for (*row = 0; *row < search->times.regions.n; (*row)++) {
        if (*row < names->n_rows && g_strcmp0(names->texts[*row], MARKED) == 0 && is_candidate(search, *row))
            break;
    }
    return true;
}

XtfMatcher *xtf_marker_matcher(XtfTraceContext *context, uint64_t region, const XtfSchema *schema, GError **error)
{
    g_autoptr(XtfNumberSet) rows = xtf_number_set_of_one(region);
    g_autoptr(XtfSelection) all = xtf_selection_new(context);
    g_autoptr(XtfSelection) calls = xtf_selection_in_calls(all, context);
    g_autoptr(XtfSelection) selection = xtf_selection_by(calls, XTF_BY_REGION, rows);

    return xtf_matcher_find(context, selection, schema, error);
}

bool xtf_marker_span(XtfSpan *span, const XtfArray *array, XtfMatcher *matcher, uint64_t proc, GError **error)
{
    XtfGroupFilter filter = xtf_matcher_filter(matcher, proc);

    xtf_span_init(span, array);
    return xtf_span_filter(span, xtf_matcher_aggregate(matcher), &filter, error);
}

/* Finds the calls of a region in the first process. `span` has no rows if no thread makes all of them. */
static bool find_first_calls(MarkerSearch *search, uint64_t row, XtfMatcher *matcher, XtfSpan *span, GError **error)
{
    const XtfSelectedProcess *process = &search->selected.procs[0];

    *span = (XtfSpan){0};
    for (uint32_t i = process->first; i < process->first + process->n; i++) {
        const XtfLocation *location = xtf_selected_location(&search->selected, i);
        if (!xtf_location_arrays_load(&search->times.arrays, search->formats->context, location, error))
            return false;
        const XtfArray *calls = xtf_location_arrays_find(&search->times.arrays, search->times.frames.schema);
        if (!calls)
            continue;
        if (!xtf_marker_span(span, calls, matcher, process->proc, error))
            return false;
        if (span->hi - span->lo == search->usages[row].calls)
            return true;
        *span = (XtfSpan){0};
    }
    return true;
}

/* Returns one of up to GAPS_MAX evenly spread calls, each of which has a next one. */
static uint64_t sampled_call(const XtfSpan *span, uint32_t i, uint32_t n_samples)
{
    return span->lo + (uint64_t)((unsigned __int128)(span->hi - span->lo - 1) * i / n_samples);
}

static uint32_t count_samples(const XtfSpan *span)
{
    return (uint32_t)MIN(span->hi - span->lo - 1, (uint64_t)GAPS_MAX);
}

/* Sets *regular if the gaps between calls are alike, by the quartiles of up to GAPS_MAX of them. */
static bool find_regular(const XtfSpan *span, bool *regular, GError **error)
{
    uint64_t gaps[GAPS_MAX], row, next, from, to;
    uint32_t n_gaps = count_samples(span);
    XtfSpanMark mark = {0};

    for (uint32_t i = 0; i < n_gaps; i++) {
        uint64_t k = sampled_call(span, i, n_gaps);
        if (!xtf_span_find_row(span, &mark, k, &row, error) || !xtf_array_time(&span->array, row, &from, error) ||
            !xtf_span_find_row(span, &mark, k + 1, &next, error) || !xtf_array_time(&span->array, next, &to, error))
            return false;
        gaps[i] = to - from;
    }
    qsort(gaps, n_gaps, sizeof *gaps, xtf_compare_numbers);
    double spread = (double)(gaps[n_gaps * 3 / 4] - gaps[n_gaps / 4]);
    *regular = spread * 100 <= (double)gaps[n_gaps / 2] * UNEVEN_PERCENT;
    return true;
}

/* Sets *recursive if a call of the region is made in the one before it, in the first process. */
static bool find_recursive(MarkerSearch *search, uint64_t row, bool *recursive, GError **error)
{
    g_autoptr(XtfMatcher) matcher =
        xtf_marker_matcher(search->formats->context, row, search->times.frames.schema, error);
    uint64_t number, next, end;
    XtfSpanMark mark = {0};
    XtfSpan span;

    *recursive = false;
    if (!matcher || !find_first_calls(search, row, matcher, &span, error))
        return false;
    uint32_t n = span.hi > span.lo ? count_samples(&span) : 0;
    for (uint32_t i = 0; i < n && !*recursive; i++) {
        uint64_t k = sampled_call(&span, i, n);
        if (!xtf_span_find_row(&span, &mark, k, &number, error) ||
            !xtf_span_find_row(&span, &mark, k + 1, &next, error) ||
            !xtf_array_frame_end(&span.array, span.aggregate, number, &end, error))
            return false;
        *recursive = next < end;
    }
    return true;
}

/* True if a region takes more time than the second, or the same in fewer calls. */
static bool is_longer(const Usage *usage, const Usage *second)
{
    return usage->time > second->time || (usage->time == second->time && usage->calls < second->calls);
}

/* Sets *best to the region of the program whose calls take the most time; regions.n if none takes enough. A region
 * that calls itself is no loop. */
static bool find_longest_program_region(MarkerSearch *search, uint64_t *best, GError **error)
{
    uint64_t n_rows = search->times.regions.n;
    g_autofree bool *is_out = g_new0(bool, n_rows + 1);
    bool recursive = true;

    for (uint64_t row = 0; row < n_rows; row++)
        is_out[row] = !is_candidate(search, row) ||
                      !xtf_class_is_program(xtf_region_classes_of(search->classes, row)) ||
                      search->usages[row].time < search->run * TIME_PERCENT / 100;
    while (recursive) {
        *best = n_rows;
        for (uint64_t row = 0; row < n_rows; row++) {
            if (!is_out[row] && (*best == n_rows || is_longer(&search->usages[row], &search->usages[*best])))
                *best = row;
        }
        if (*best == n_rows)
            return true;
        if (!find_recursive(search, *best, &recursive, error))
            return false;
        is_out[*best] = true;
    }
    return true;
}

/* Measures the time from the first call of a region to its last, in the first process. 0 if the calls are irregular. */
static bool measure_spread(MarkerSearch *search, uint64_t row, double *spread, GError **error)
{
    g_autoptr(XtfMatcher) matcher =
        xtf_marker_matcher(search->formats->context, row, search->times.frames.schema, error);
    uint64_t first, last;
    bool regular;
    XtfSpan span;

    *spread = 0;
    if (!matcher || !find_first_calls(search, row, matcher, &span, error))
        return false;
    if (span.hi == span.lo)
        return true;
    if (!find_regular(&span, &regular, error) || !xtf_span_time(&span, span.lo, &first, error) ||
        !xtf_span_time(&span, span.hi - 1, &last, error))
        return false;
    *spread = regular ? (double)(last - first) : 0;
    return true;
}

/* Sets *best to the other region whose calls spread far and are fewest; regions.n: none spreads far enough. */
static bool find_spread_region(MarkerSearch *search, uint64_t *best, GError **error)
{
    uint64_t n_rows = search->times.regions.n;
    g_autofree double *spreads = g_new0(double, n_rows + 1);
    double farthest = 0;

    *best = n_rows;
    for (uint64_t row = 0; row < n_rows; row++) {
        if (!is_candidate(search, row) || xtf_class_is_program(xtf_region_classes_of(search->classes, row)))
            continue;
        if (!measure_spread(search, row, &spreads[row], error))
            return false;
        farthest = MAX(farthest, spreads[row]);
    }
    if (farthest == 0 || farthest < search->first_run * SPREAD_PERCENT / 100)
        return true;
    for (uint64_t row = 0; row < n_rows; row++) {
        if (spreads[row] > 0 && spreads[row] >= farthest * NEARLY_PERCENT / 100 &&
            (*best == n_rows || search->usages[row].calls < search->usages[*best].calls))
            *best = row;
    }
    return true;
}

/* Finds the thread of each process that calls the chosen region. */
static bool find_threads(MarkerSearch *search, XtfMarker *marker, GError **error)
{
    g_autofree uint32_t *threads = g_new0(uint32_t, search->selected.n_procs + 1);

    for (uint32_t i = 0; i < search->selected.n_procs; i++) {
        const XtfSelectedProcess *process = &search->selected.procs[i];
        bool found = false;
        for (uint32_t k = process->first; k < process->first + process->n && !found; k++) {
            uint64_t ticks;
            if (!xtf_region_times_measure(&search->times, xtf_selected_location(&search->selected, k), &ticks, error))
                return false;
            const uint64_t *cells = xtf_group_totals_find(search->times.groups, &marker->region);
            found = cells && cells[XTF_FRAMES_BEGUN] == marker->n_calls;
            threads[i] = search->selected.indices[k];
        }
    }
    marker->threads = g_steal_pointer(&threads);
    return true;
}

/* Adds up the calls of all processes, or of the first ones if no region can be a candidate after them. */
static bool measure_usages(MarkerSearch *search, GError **error)
{
    g_autofree uint64_t *calls = g_new0(uint64_t, search->times.regions.n + 1);

    search->usages = g_new0(Usage, search->times.regions.n + 1);
    search->n_alike = search->times.regions.n;
    for (uint32_t i = 0; i < search->selected.n_procs && search->n_alike > 0; i++) {
        if (!add_process_usage(search, &search->selected.procs[i], calls, error))
            return false;
    }
    return true;
}

static bool marker_search_init(MarkerSearch *search, XtfFormats *formats, const XtfSelection *whole, GError **error)
{
    search->formats = formats;
    search->classes = xtf_trace_context_classes(formats->context, error);
    return search->classes && xtf_region_times_init(&search->times, formats, whole, error) &&
           xtf_selected_locations_init(&search->selected, formats->context, whole, error);
}

bool xtf_marker_find(XtfMarker *marker, XtfFormats *formats, GError **error)
{
    g_autoptr(XtfSelection) whole = xtf_selection_new(formats->context);
    g_auto(MarkerSearch) search = {0};

    *marker = (XtfMarker){.is_call = true};
    if (!xtf_region_times_exist(formats->context, whole))
        return true;
    if (!marker_search_init(&search, formats, whole, error) || !measure_usages(&search, error) ||
        !find_marked(&search, &marker->region, error))
        return false;
    uint64_t n_rows = search.times.regions.n;
    if (marker->region == n_rows && !find_longest_program_region(&search, &marker->region, error))
        return false;
    if (marker->region == n_rows) {
        marker->is_call = false;
        if (!find_spread_region(&search, &marker->region, error))
            return false;
    }
    if (marker->region == n_rows || search.selected.n_procs == 0)
        return true;
    marker->n_calls = search.usages[marker->region].calls;
    return find_threads(&search, marker, error);
}
