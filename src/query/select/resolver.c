/*
 * From selections to spans.
 *
 * A selection of the trace is resolved from the P index and two descents an array, and two more where rows are
 * filtered; one that numbers the records of another from the spans of that, cut at both ends. What was found is kept
 * under a key that says all about the selection, so that paths that mean the same share it.
 */
#include <string.h>

#include "libxtf/error.h"
#include "src/query/select/select.h"
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
        g_string_append_printf(key, "#%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x", selection->rank_from,
                               selection->rank_to);
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
    g_string_append_printf(key, "s%" G_GINT64_FORMAT "w%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x",
                           selection->type, selection->time_from, selection->time_to);
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
    GArray *spans;
    GPtrArray *matchers; /* by schema, made when first needed; NULL: nothing is filtered */
} Search;

static bool search_init(Search *search, XtfTraceContext *context, const XtfSelection *selection, GError **error)
{
    *search =
        (Search){.context = context, .selection = selection, .locations = xtf_trace_context_locations(context, error)};
    if (!search->locations)
        return false;
    search->spans = g_array_new(FALSE, FALSE, sizeof(XtfSpan));
    if (xtf_selection_has_facets(selection)) {
        search->matchers = g_ptr_array_new_with_free_func((GDestroyNotify)xtf_matcher_free);
        g_ptr_array_set_size(search->matchers, (int)xtf_trace_n_schemas(context->trace));
    }
    return true;
}

static void search_finish(Search *search)
{
    if (search->spans)
        g_array_unref(search->spans);
    if (search->matchers)
        g_ptr_array_unref(search->matchers);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Search, search_finish)

static bool may_have(const Search *search, const XtfSchema *schema)
{
    const XtfSelection *selection = search->selection;

    return xtf_trace_context_is_record(search->context, schema->id) &&
           (selection->type == XTF_ANY_TYPE || selection->type == schema->id) &&
           xtf_selection_matches(selection, schema) != XTF_MATCH_NONE;
}

/* The filter for a span, if there is to be one. */
static bool set_filter(Search *search, XtfSpan *span, GError **error)
{
    const XtfSchema *schema = span->array.schema;
    void **slot = search->matchers ? &search->matchers->pdata[schema->id] : NULL;

    span->filter = (XtfFilter){NULL, search->locations->all[span->location].proc};
    if (!slot)
        return true;
    if (!*slot && !(*slot = xtf_matcher_find(search->context, search->selection, schema, error)))
        return false;
    span->filter.matcher = *slot;
    return true;
}

/* From rows lo to hi to those among them that match; *keep is false if there are none. */
static bool filter_rows(Search *search, XtfSpan *span, bool *keep, GError **error)
{
    if (!set_filter(search, span, error) || !xtf_span_position(span, span->lo, &span->lo, error) ||
        !xtf_span_position(span, span->hi, &span->hi, error))
        return false;
    *keep = span->lo < span->hi;
    return true;
}

/* Cuts a span to the window; *keep is false if nothing of it is left. */
static bool cut_to_window(XtfSpan *span, uint64_t a, uint64_t b, bool *keep, GError **error)
{
    const XtfArray *array = &span->array;

    *keep = a <= array->last && (b > array->first || b == XTF_TIME_OPEN) && a < b;
    if (!*keep)
        return true;
    if (a > array->first && !xtf_span_rank_within(span, a, span->lo, span->hi, &span->lo, error))
        return false;
    if (b <= array->last && b != XTF_TIME_OPEN && !xtf_span_rank_within(span, b, span->lo, span->hi, &span->hi, error))
        return false;
    *keep = span->lo < span->hi;
    return true;
}

static bool add_array(Search *search, const XtfArray *array, uint32_t place, GError **error)
{
    XtfSpan span = {.array = *array, .lo = 0, .hi = array->n_rows, .location = place};
    bool keep;

    if (!may_have(search, array->schema))
        return true;
    if (!cut_to_window(&span, search->selection->time_from, search->selection->time_to, &keep, error))
        return false;
    if (keep && !filter_rows(search, &span, &keep, error))
        return false;
    if (keep)
        g_array_append_val(search->spans, span);
    return true;
}

static bool add_location(Search *search, uint32_t place, GError **error)
{
    const XtfLocation *location = &search->locations->all[place];
    XtfArray arrays[ARRAYS_AT_ONCE];

    for (uint64_t done = 0; done < location->n_arrays; done += ARRAYS_AT_ONCE) {
        uint64_t count = MIN(location->n_arrays - done, (uint64_t)ARRAYS_AT_ONCE);
        if (!xtf_trace_get_arrays(search->context->trace, location->first_array + done, count, arrays, error))
            return false;
        for (uint64_t i = 0; i < count; i++) {
            if (!add_array(search, &arrays[i], place, error))
                return false;
        }
    }
    return true;
}

static bool find_in_trace(Search *search, GError **error)
{
    g_autoptr(GArray) places = xtf_selection_locations(search->selection, search->locations);

    for (unsigned i = 0; i < places->len; i++) {
        if (!add_location(search, g_array_index(places, uint32_t, i), error))
            return false;
    }
    return true;
}

/* Narrows positions of a span of a base, which are cut to `span` already, by what came after the base. */
static bool narrow_span(Search *search, XtfSpan *span, bool *keep, GError **error)
{
    const XtfSelection *selection = search->selection, *base = selection->base;

    *keep = true;
    if ((selection->time_from != base->time_from || selection->time_to != base->time_to) &&
        !cut_to_window(span, selection->time_from, selection->time_to, keep, error))
        return false;
    if (!*keep)
        return true;
    if (memcmp(selection->by, base->by, sizeof base->by) == 0)
        return set_filter(search, span, error); /* the positions stay */

    return xtf_span_rows(span, &span->lo, &span->hi, error) && filter_rows(search, span, keep, error);
}

/* The part of a base's spans between the positions of its records i and j, narrowed by what came after. */
static bool find_in_base(Search *search, const XtfSpans *base, GError **error)
{
    const XtfSelection *selection = search->selection;
    g_autofree uint64_t *from = g_new(uint64_t, base->n + 1), *to = g_new(uint64_t, base->n + 1);

    if (!xtf_select(base, MIN(selection->rank_from, base->count), from, error) ||
        !xtf_select(base, MIN(selection->rank_to, base->count), to, error))
        return false;
    for (uint32_t i = 0; i < base->n; i++) {
        XtfSpan span = base->spans[i];
        const XtfLocation *location = &search->locations->all[span.location];
        bool keep = from[i] < to[i] && xtf_number_set_contains(selection->procs, location->proc) &&
                    xtf_number_set_contains(selection->threads, location->thread) &&
                    may_have(search, span.array.schema);
        span.lo = from[i];
        span.hi = to[i];
        if (keep && !narrow_span(search, &span, &keep, error))
            return false;
        if (keep)
            g_array_append_val(search->spans, span);
    }
    return true;
}

static XtfSpans *gather_spans(Search *search, GError **error)
{
    uint64_t count = 0;

    for (unsigned i = 0; i < search->spans->len; i++) {
        const XtfSpan *span = &g_array_index(search->spans, XtfSpan, i);
        if (__builtin_add_overflow(count, span->hi - span->lo, &count)) {
            g_set_error(error, XTF_ERROR, XTF_ERROR_DAMAGED, "the trace has more records than there are numbers");
            return NULL;
        }
    }

    XtfSpans *spans = xtf_spans_new(search->spans->len);
    if (search->spans->len)
        memcpy(spans->spans, search->spans->data, search->spans->len * sizeof(XtfSpan));
    spans->count = count;
    spans->matchers = g_steal_pointer(&search->matchers);
    return spans;
}

static XtfSpans *find_spans(XtfResolver *resolver, XtfSelection *selection, GError **error)
{
    g_auto(Search) search = {0};

    if (!search_init(&search, resolver->context, selection, error))
        return NULL;
    if (selection->base) {
        g_autoptr(XtfSpans) base = xtf_resolver_spans(resolver, selection->base, error);
        if (!base || !find_in_base(&search, base, error))
            return NULL;
    } else if (!find_in_trace(&search, error)) {
        return NULL;
    }
    return gather_spans(&search, error);
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

    if (selection->base || selection->procs || selection->threads || xtf_selection_has_facets(selection) ||
        selection->time_from > scale->origin || selection->time_to < scale->end || selection->type == XTF_NO_TYPE) {
        g_autoptr(XtfSpans) spans = xtf_resolver_spans(resolver, selection, error);
        if (!spans)
            return false;
        *count = spans->count;
        return true;
    }
    for (uint32_t i = 0; i < xtf_trace_n_schemas(trace); i++) {
        bool counts =
            selection->type == XTF_ANY_TYPE ? xtf_trace_context_is_record(resolver->context, i) : selection->type == i;
        if (counts && __builtin_add_overflow(total, xtf_trace_n_rows(trace, i), &total)) {
            g_set_error(error, XTF_ERROR, XTF_ERROR_DAMAGED, "the trace has more records than there are numbers");
            return false;
        }
    }
    *count = total;
    return true;
}
