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
#include "src/query/select/matcher.h"
#include "src/query/select/selection.h"

enum {
    KEPT_BYTES = 8 << 20,
    ARRAYS_AT_ONCE = 64,
};

static const char facet_letters[XTF_N_FACETS] = {
    [XTF_BY_REGION] = 'R',
    [XTF_BY_COMM] = 'C',
    [XTF_BY_TAG] = 'T',
    [XTF_BY_PEER] = 'P',
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

typedef struct {
    XtfTraceContext *context;
    const XtfLocations *locations;
    const XtfSelection *selection;
    XtfSpans *spans;
    uint64_t time_to;
    GPtrArray *matchers; /* by schema, made when first needed; owned by the spans. NULL: nothing is filtered */
} Search;

static bool may_have(const Search *search, const XtfSchema *schema)
{
    const XtfSelection *selection = search->selection;

    return xtf_selection_has_type(selection, schema) && xtf_selection_matches(selection, schema) != XTF_MATCH_NONE;
}

/* The filter for a span, with the aggregate that it is for. */
static bool find_filter(Search *search, const XtfSpan *span, XtfGroupFilter *filter, unsigned *aggregate,
                        GError **error)
{
    const XtfSchema *schema = span->array.schema;
    void **matcher = &search->matchers->pdata[schema->id];

    if (!*matcher && !(*matcher = xtf_matcher_find(search->context, search->selection, schema, error)))
        return false;
    *filter = xtf_matcher_filter(*matcher, search->locations->all[span->tag].proc);
    *aggregate = xtf_matcher_aggregate(*matcher);
    return true;
}

/* Leaves the rows that match. */
static bool filter_span(Search *search, XtfSpan *span, GError **error)
{
    XtfGroupFilter filter;
    unsigned aggregate;

    return !search->matchers || span->lo >= span->hi ||
           (find_filter(search, span, &filter, &aggregate, error) && xtf_span_filter(span, aggregate, &filter, error));
}

static bool add_array(Search *search, const XtfArray *array, uint32_t index, GError **error)
{
    XtfSpan span;

    if (!may_have(search, array->schema))
        return true;
    xtf_span_init(&span, array);
    span.tag = index;
    return xtf_span_cut(&span, search->selection->time_from, search->time_to, error) &&
           filter_span(search, &span, error) && xtf_spans_add(search->spans, &span, error);
}

static bool add_location(Search *search, uint32_t index, GError **error)
{
    const XtfLocation *location = &search->locations->all[index];
    XtfArray arrays[ARRAYS_AT_ONCE];

    for (uint64_t done = 0; done < location->n_arrays; done += ARRAYS_AT_ONCE) {
        uint64_t count = MIN(location->n_arrays - done, (uint64_t)ARRAYS_AT_ONCE);
        if (!xtf_trace_get_arrays(search->context->trace, location->first_array + done, count, arrays, error))
            return false;
        for (uint64_t i = 0; i < count; i++) {
            if (!add_array(search, &arrays[i], index, error))
                return false;
        }
    }
    return true;
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

static bool find_in_trace(Search *search, GError **error)
{
    g_autoptr(GArray) locations = xtf_selection_locations(search->selection, search->locations);

    /* Several locations end where all of them are complete, or lines would come between lines. One that the path names
     * goes on: there can be no second one later. */
    search->time_to = search->selection->endless && names_one_location(search->selection) ? XTF_TIME_OPEN
                                                                                          : search->selection->time_to;
    g_array_sort_with_data(locations, compare_keys, search->locations->all); /* spans are added in that order */
    for (unsigned i = 0; i < locations->len; i++) {
        if (!add_location(search, g_array_index(locations, uint32_t, i), error))
            return false;
    }
    return true;
}

/* Narrows a span of a base, whose positions are cut already, by what came after the base. */
static bool narrow_span(Search *search, XtfSpan *span, GError **error)
{
    const XtfSelection *selection = search->selection, *base = selection->base;

    if ((selection->time_from != base->time_from || selection->time_to != base->time_to) &&
        !xtf_span_cut(span, selection->time_from, selection->time_to, error))
        return false;
    if (memcmp(selection->by, base->by, sizeof base->by) != 0 || selection->calls != base->calls)
        return filter_span(search, span, error);
    /* The positions stay; but the filter is one that the new spans own. */
    return !search->matchers || find_filter(search, span, &span->filter, &span->aggregate, error);
}

/* The part of a base's spans between the ranks of its records, narrowed by what came after. */
static bool find_in_base(Search *search, const XtfSpans *base, GError **error)
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
            !xtf_number_set_contains(selection->threads, location->thread) || !may_have(search, span.array.schema))
            continue;
        span.lo = from[i];
        span.hi = to[i];
        if (!narrow_span(search, &span, error) || !xtf_spans_add(search->spans, &span, error))
            return false;
    }
    return true;
}

static XtfSpans *find_spans(XtfResolver *resolver, XtfSelection *selection, GError **error)
{
    XtfTraceContext *context = resolver->context;
    Search search = {
        .context = context,
        .locations = xtf_trace_context_locations(context, error),
        .selection = selection,
    };

    if (!search.locations)
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
        if (!base || !find_in_base(&search, base, error))
            return NULL;
    } else if (!find_in_trace(&search, error)) {
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

bool xtf_resolver_count(XtfResolver *resolver, XtfSelection *selection, uint64_t *count, GError **error)
{
    const XtfTimeScale *scale = &resolver->context->scale;
    XtfTrace *trace = resolver->context->trace;
    uint64_t total = 0;

    if (selection->base || selection->procs || selection->threads || xtf_selection_is_filtered(selection) ||
        selection->time_from > scale->origin || selection->time_to <= scale->last || selection->type == XTF_NO_TYPE) {
        g_autoptr(XtfSpans) spans = xtf_resolver_spans(resolver, selection, error);
        if (!spans)
            return false;
        *count = spans->count;
        return true;
    }
    for (uint32_t i = 0; i < xtf_trace_n_schemas(trace); i++) {
        if (xtf_selection_has_type(selection, xtf_trace_schema(trace, i)) &&
            __builtin_add_overflow(total, xtf_trace_n_rows(trace, i), &total))
            return xtf_damaged(error, "the trace has more records than there are numbers");
    }
    *count = total;
    return true;
}
