/*
 * From selections to spans.
 *
 * A selection of the trace is resolved from the P index, with two descents an array for a window and two more for a
 * filter. A selection with a base is resolved from the spans of the base, cut at both ranks. Spans are kept under a
 * key that says all about the selection, so that paths that mean the same share them.
 */
#include <inttypes.h>
#include <string.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/trace/select/parallel.h"
#include "src/trace/select/span-search.h"

enum {
    KEPT_BYTES = 8 << 20,
    RUN_LOCATIONS = 64,    /* locations that a thread takes at once */
    COUNT_LOCATIONS = 256, /* locations that a thread of count_many_locations() takes at once */
    ROUND_RUNS = 64,       /* runs whose spans are collected before they are added in order */
    FEW_LOCATIONS = 4096,  /* locations up to which counting finds spans, too */
};

static const char facet_letters[XTF_N_FACETS] = {
    [XTF_BY_REGION] = 'R', [XTF_BY_COMM] = 'C',    [XTF_BY_TAG] = 'T',  [XTF_BY_PEER] = 'P',
    [XTF_BY_KIND] = 'K',   [XTF_BY_CULPRIT] = 'U', [XTF_BY_SITE] = 'S',
};

static void print_key(const XtfSelection *selection, GString *key)
{
    if (selection->base) {
        print_key(selection->base, key);
        g_string_append_printf(key, "#%" PRIx64 "-%" PRIx64, selection->rank_from, selection->rank_to);
    }
    if (selection->procs) {
        g_string_append_c(key, 'p');
        xtf_number_set_print(selection->procs, key);
    }
    if (selection->threads) {
        g_string_append_c(key, 't');
        xtf_number_set_print(selection->threads, key);
    }
    for (unsigned i = 0; i < XTF_N_FACETS; i++) {
        if (selection->by[i]) {
            g_string_append_c(key, facet_letters[i]);
            xtf_number_set_print(selection->by[i], key);
        }
    }
    if (selection->calls)
        g_string_append_c(key, 'c');
    if (selection->windows)
        g_string_append_printf(key, "l%s;", selection->windows->name);
    g_string_append_printf(key, "s%" PRId64 "w%" PRIx64 "-%" PRIx64 "%s", selection->type, selection->time_from,
                           selection->time_to, selection->endless ? "e" : "");
}

typedef struct {
    XtfKept kept;
    char *key;
    XtfSpans *spans; /* NULL: not found yet */
} Entry;

static Entry *entry_new(const XtfSelection *selection)
{
    Entry *entry = g_new0(Entry, 1);
    GString *key = g_string_new(NULL);
    print_key(selection, key);
    entry->key = g_string_free(key, FALSE);
    return entry;
}

static void entry_free(void *data)
{
    Entry *entry = data;
    g_free(entry->key);
    xtf_spans_unref(entry->spans);
    g_free(entry);
}

static gboolean entry_equal(const void *item, const void *wanted)
{
    const Entry *a = item, *b = wanted;
    return g_str_equal(a->key, b->key);
}

static guint entry_hash(const void *item)
{
    const Entry *entry = item;
    return g_str_hash(entry->key);
}

static const XtfKeeperMethods entry_methods = {.equal = entry_equal, .hash = entry_hash, .free = entry_free};

void xtf_resolver_init(XtfResolver *resolver, XtfTraceContext *context)
{
    resolver->context = context;
    xtf_keeper_init(&resolver->kept, &entry_methods, KEPT_BYTES, UINT_MAX);
}

void xtf_resolver_finish(XtfResolver *resolver)
{
    xtf_keeper_finish(&resolver->kept);
}

/* ---- Finding the spans. */

static bool fail_too_many_records(GError **error)
{
    return xtf_damaged(error, "the trace has more records than 64 bits can count");
}

static int compare_keys(const void *a, const void *b, void *data)
{
    const XtfLocation *all = data;
    uint64_t x = all[*(const uint32_t *)a].id, y = all[*(const uint32_t *)b].id;
    return x < y ? -1 : x > y;
}

static bool names_one_location(const XtfSelection *selection)
{
    uint64_t number;

    return selection->procs && selection->threads && xtf_number_set_single(selection->procs, &number) &&
           xtf_number_set_single(selection->threads, &number);
}

/* Locations whose spans several threads find. */
typedef struct {
    XtfSpanSearch *search;
    const uint32_t *locations;
    GArray **found; /* spans of each run of locations */
    bool many;      /* more than FEW_LOCATIONS in all rounds together */
} Finding;

static void *begin_finding(void *data)
{
    XtfLocationArrays *arrays = g_new0(XtfLocationArrays, 1);

    if (((const Finding *)data)->many)
        xtf_location_arrays_expect_many(arrays);
    return arrays;
}

static bool find_run_spans(void *thread_data, void *data, uint32_t first, uint32_t end, GError **error)
{
    const Finding *finding = data;
    GArray *spans = finding->found[first / RUN_LOCATIONS] = g_array_new(FALSE, FALSE, sizeof(XtfSpan));

    xtf_span_search_gather(finding->search, thread_data, finding->locations + first, end - first);
    for (uint32_t i = first; i < end; i++) {
        if (!xtf_span_search_add_location(finding->search, thread_data, finding->locations[i], spans, error))
            return false;
    }
    return true;
}

static void end_finding(void *thread_data, void *data)
{
    xtf_location_arrays_finish(thread_data);
    g_free(thread_data);
}

static bool add_found_spans(XtfSpanSearch *search, const GArray *found, GError **error)
{
    for (guint i = 0; found && i < found->len; i++) {
        if (!xtf_spans_add(search->spans, &g_array_index(found, XtfSpan, i), error))
            return false;
    }
    return true;
}

/* Adds the spans of locations, in their order. Filters are made when first needed, so one thread makes them. */
static bool add_spans_in_order(XtfSpanSearch *search, const uint32_t *locations, uint32_t n, GError **error)
{
    const XtfParallelWork work = {
        .step = RUN_LOCATIONS, .begin = begin_finding, .work = find_run_spans, .join = end_finding};
    GArray *found[ROUND_RUNS] = {NULL};
    g_auto(XtfLocationArrays) arrays = {0};
    bool good = true;

    for (uint32_t done = 0; good && done < n; done += ROUND_RUNS * RUN_LOCATIONS) {
        uint32_t count = MIN(n - done, (uint32_t)ROUND_RUNS * RUN_LOCATIONS);
        Finding finding = {.search = search, .locations = locations + done, .found = found, .many = n > FEW_LOCATIONS};
        if (search->matchers)
            for (uint32_t i = 0; good && i < count; i += RUN_LOCATIONS)
                good = find_run_spans(&arrays, &finding, i, MIN(count, i + RUN_LOCATIONS), error);
        else
            good = xtf_parallel(&work, &finding, count, error);
        for (uint32_t run = 0; run < ROUND_RUNS; run++) {
            good = good && add_found_spans(search, found[run], error);
            g_clear_pointer(&found[run], g_array_unref);
        }
    }
    return good;
}

static bool find_trace_spans(XtfSpanSearch *search, GError **error)
{
    g_autoptr(GArray) locations = xtf_selection_locations(search->selection, search->locations);

    /* Several locations end where all of them are complete, so that later lines follow earlier ones. A single location
     * that the path names may be read beyond that time: no other location can join the selection. */
    search->time_to = search->selection->endless && names_one_location(search->selection) ? XTF_TIME_OPEN
                                                                                          : search->selection->time_to;
    g_array_sort_with_data(locations, compare_keys, search->locations->all); /* spans are added in that order */
    return add_spans_in_order(search, (const uint32_t *)(const void *)locations->data, locations->len, error);
}

/* Narrows a span of a base, already cut by position, by the selection's narrowings after the base. */
static bool narrow_span(XtfSpanSearch *search, XtfSpan *span, GError **error)
{
    const XtfSelection *selection = search->selection, *base = selection->base;
    uint64_t from, to;

    xtf_selection_location_window(selection, &search->locations->all[span->tag], &from, &to);
    if ((selection->time_from != base->time_from || selection->time_to != base->time_to ||
         selection->windows != base->windows) &&
        !xtf_span_cut(span, from, to, error))
        return false;
    if (memcmp(selection->by, base->by, sizeof base->by) != 0 || selection->calls != base->calls)
        return xtf_span_search_filter(search, span, error);
    /* The positions stay, but the new spans need a filter that they own. */
    return !search->matchers || xtf_span_search_find_filter(search, span, &span->filter, &span->aggregate, error);
}

/* Finds the part of a base's spans between rank_from and rank_to, and applies the narrowings after the base. */
static bool find_base_spans(XtfSpanSearch *search, const XtfSpans *base, GError **error)
{
    const XtfSelection *selection = search->selection;
    g_autofree uint64_t *from = g_new(uint64_t, base->n + 1), *to = g_new(uint64_t, base->n + 1);

    if (!xtf_spans_select(base, MIN(selection->rank_from, base->count), from, error) ||
        !xtf_spans_select(base, MIN(selection->rank_to, base->count), to, error))
        return false;
    for (uint32_t i = 0; i < base->n; i++) {
        XtfSpan span = base->spans[i];
        const XtfLocation *location = &search->locations->all[span.tag];
        if (from[i] >= to[i] || !xtf_number_set_contains(selection->procs, location->proc) ||
            !xtf_number_set_contains(selection->threads, location->thread) ||
            !xtf_span_search_may_have_rows(search, span.array.schema))
            continue;
        span.lo = from[i];
        span.hi = to[i];
        if (!narrow_span(search, &span, error) || !xtf_spans_add(search->spans, &span, error))
            return false;
    }
    return true;
}

static bool search_init(XtfSpanSearch *search, XtfResolver *resolver, XtfSelection *selection, GError **error)
{
    *search = (XtfSpanSearch){
        .context = resolver->context,
        .locations = xtf_trace_context_locations(resolver->context, error),
        .selection = selection,
    };
    return search->locations != NULL;
}

/* Returns false if the selection names a type whose rows this version cannot read. */
static bool is_type_readable(const XtfTraceContext *context, const XtfSelection *selection, GError **error)
{
    const XtfSchema *schema = selection->type >= 0 ? xtf_trace_schema(context->trace, (uint32_t)selection->type) : NULL;

    return !schema || xtf_schema_is_readable(schema) || xtf_schema_is_supported(schema, error);
}

static XtfSpans *find_spans(XtfResolver *resolver, XtfSelection *selection, GError **error)
{
    XtfTraceContext *context = resolver->context;
    XtfSpanSearch search;

    if (!is_type_readable(context, selection, error) || !search_init(&search, resolver, selection, error))
        return NULL;
    if (xtf_selection_is_filtered(selection)) {
        search.matchers = g_ptr_array_new_with_free_func((GDestroyNotify)xtf_matcher_free);
        g_ptr_array_set_size(search.matchers, (int)xtf_trace_n_schemas(context->trace));
    }
    g_autoptr(XtfSpans) spans =
        xtf_spans_new(search.matchers, search.matchers ? (GDestroyNotify)g_ptr_array_unref : NULL);
    search.spans = spans;
    if (selection->base) {
        g_autoptr(XtfSpans) base = xtf_resolver_spans(resolver, selection->base, error);
        if (!base || !find_base_spans(&search, base, error))
            return NULL;
    } else if (!find_trace_spans(&search, error)) {
        return NULL;
    }
    return g_steal_pointer(&spans);
}

XtfSpans *xtf_resolver_spans(XtfResolver *resolver, XtfSelection *selection, GError **error)
{
    Entry *entry = xtf_keeper_take(&resolver->kept, entry_new(selection));
    XtfSpans *spans = NULL;

    if (!entry->spans)
        entry->spans = find_spans(resolver, selection, error);
    if (entry->spans)
        spans = xtf_spans_ref(entry->spans);
    xtf_keeper_put(&resolver->kept, entry,
                   sizeof *entry + strlen(entry->key) + 64 + (spans ? spans->n * sizeof(XtfSpan) : 0), spans != NULL);
    return spans;
}

/* Counting of very many locations, whose spans would take too much memory. */
typedef struct {
    XtfSpanSearch search;
    GArray *locations;
    uint64_t count;
} Counting;

/* State and result of one counting thread. */
typedef struct {
    XtfLocationArrays arrays;
    GArray *spans; /* of the current location */
    uint64_t count;
} Counted;

static void *begin_counting(void *data)
{
    Counted *counted = g_new0(Counted, 1);
    xtf_location_arrays_expect_many(&counted->arrays);
    counted->spans = g_array_new(FALSE, FALSE, sizeof(XtfSpan));
    return counted;
}

static bool count_run_records(void *thread_data, void *data, uint32_t first, uint32_t end, GError **error)
{
    Counting *counting = data;
    Counted *counted = thread_data;

    xtf_span_search_gather(&counting->search, &counted->arrays, &g_array_index(counting->locations, uint32_t, first),
                           end - first);
    for (uint32_t i = first; i < end; i++) {
        g_array_set_size(counted->spans, 0);
        if (!xtf_span_search_add_location(&counting->search, &counted->arrays,
                                          g_array_index(counting->locations, uint32_t, i), counted->spans, error))
            return false;
        for (guint j = 0; j < counted->spans->len; j++) {
            const XtfSpan *span = &g_array_index(counted->spans, XtfSpan, j);
            if (__builtin_add_overflow(counted->count, span->hi - span->lo, &counted->count))
                return fail_too_many_records(error);
        }
    }
    return true;
}

static void end_counting(void *thread_data, void *data)
{
    Counting *counting = data;
    Counted *counted = thread_data;

    if (__builtin_add_overflow(counting->count, counted->count, &counting->count))
        counting->count = UINT64_MAX; /* more rows than can lie in a file */
    xtf_location_arrays_finish(&counted->arrays);
    g_array_unref(counted->spans);
    g_free(counted);
}

/* Counts a selection of very many locations with all cores. Sets *counted to false for other selections: with a base,
 * with filters, or of few locations. */
static bool count_many_locations(XtfResolver *resolver, XtfSelection *selection, uint64_t *count, bool *counted,
                                 GError **error)
{
    const XtfParallelWork work = {
        .step = COUNT_LOCATIONS, .begin = begin_counting, .work = count_run_records, .join = end_counting};
    Counting counting = {0};

    *counted = false;
    if (selection->base || xtf_selection_is_filtered(selection))
        return true;
    if (!search_init(&counting.search, resolver, selection, error))
        return false;
    if (counting.search.locations->n <= FEW_LOCATIONS)
        return true;
    g_autoptr(GArray) locations = xtf_selection_locations(selection, counting.search.locations);
    if (locations->len <= FEW_LOCATIONS)
        return true;
    counting.locations = locations;
    counting.search.time_to = selection->time_to;
    *counted = xtf_parallel(&work, &counting, locations->len, error);
    *count = counting.count;
    return *counted;
}

bool xtf_resolver_count(XtfResolver *resolver, XtfSelection *selection, uint64_t *count, GError **error)
{
    const XtfTimeScale *scale = &resolver->context->scale;
    XtfTrace *trace = resolver->context->trace;
    uint64_t total = 0;

    /* The catalog's counts include arrays that this version cannot read. A trace has some only if a part of it is
     * unsupported. */
    if (!xtf_trace_is_supported(trace, NULL) || selection->base || selection->procs || selection->threads ||
        xtf_selection_is_filtered(selection) || selection->time_from > scale->origin ||
        selection->time_to <= scale->last || selection->type == XTF_NO_TYPE) {
        bool counted;
        if (!count_many_locations(resolver, selection, count, &counted, error) || counted)
            return counted;
        g_autoptr(XtfSpans) spans = xtf_resolver_spans(resolver, selection, error);
        if (!spans)
            return false;
        *count = spans->count;
        return true;
    }
    for (uint32_t i = 0; i < xtf_trace_n_schemas(trace); i++) {
        if (xtf_selection_has_type(selection, xtf_trace_schema(trace, i)) &&
            __builtin_add_overflow(total, xtf_trace_n_rows(trace, i), &total))
            return fail_too_many_records(error);
    }
    *count = total;
    return true;
}
