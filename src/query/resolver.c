/*
 * From selections to spans.
 *
 * A selection of the trace is resolved from the P index and two descents an array; one that numbers the records of
 * another from the spans of that, cut at both ends. What was found is kept under a key that says all about the
 * selection, so that paths that mean the same share it.
 */
#include <string.h>

#include "libxtf/error.h"
#include "src/query/select.h"
#include "src/query/selection.h"

enum {
    KEPT_BYTES = 8 << 20,
    ARRAYS_AT_ONCE = 64,
};

typedef struct {
    char *key;
    XtfSpans *spans;
    size_t bytes;
    GList link; /* in `recent` */
} Entry;

static void entry_free(void *data)
{
    Entry *entry = data;
    g_free(entry->key);
    xtf_spans_unref(entry->spans);
    g_free(entry);
}

void xtf_resolver_init(XtfResolver *resolver, XtfGuide *guide)
{
    memset(resolver, 0, sizeof *resolver);
    resolver->guide = guide;
    resolver->entries = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, entry_free);
    g_mutex_init(&resolver->lock);
    g_queue_init(&resolver->recent);
}

void xtf_resolver_finish(XtfResolver *resolver)
{
    g_hash_table_unref(resolver->entries);
    g_mutex_clear(&resolver->lock);
}

static void print_key(const XtfSelection *selection, GString *key)
{
    if (selection->base) {
        print_key(selection->base, key);
        g_string_append_printf(key, "#%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x", selection->i, selection->j);
    }
    if (selection->procs) {
        g_string_append_c(key, 'p');
        xtf_set_print(selection->procs, key);
    }
    if (selection->threads) {
        g_string_append_c(key, 't');
        xtf_set_print(selection->threads, key);
    }
    g_string_append_printf(key, "s%" G_GINT64_FORMAT "w%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x",
                           selection->type, selection->a, selection->b);
}

/* ---- Finding the spans. */

/* Cuts a span to the window; *keep is false if nothing of it is left. */
static bool cut_to_window(XtfSpan *span, uint64_t a, uint64_t b, bool *keep, GError **error)
{
    const XtfArray *array = &span->array;

    *keep = a <= array->last && (b > array->first || b == XTF_TIME_OPEN) && a < b;
    if (!*keep)
        return true;
    if (a > array->first && !xtf_array_rank_within(array, a, span->lo, span->hi, &span->lo, error))
        return false;
    if (b <= array->last && b != XTF_TIME_OPEN &&
        !xtf_array_rank_within(array, b, span->lo, span->hi, &span->hi, error))
        return false;
    *keep = span->lo < span->hi;
    return true;
}

static bool add_array(const XtfGuide *guide, const XtfSelection *selection, const XtfArray *array, uint32_t location,
                      GArray *spans, GError **error)
{
    XtfSpan span = {.array = *array, .lo = 0, .hi = array->n_rows, .location = location};
    bool keep;

    if (!xtf_guide_is_record(guide, array->schema->id) ||
        (selection->type != XTF_TYPES_ALL && selection->type != array->schema->id))
        return true;
    if (!cut_to_window(&span, selection->a, selection->b, &keep, error))
        return false;
    if (keep)
        g_array_append_val(spans, span);
    return true;
}

static bool add_location(const XtfGuide *guide, const XtfSelection *selection, const XtfLocations *locations,
                         uint32_t place, GArray *spans, GError **error)
{
    const XtfLocation *location = &locations->all[place];
    XtfArray arrays[ARRAYS_AT_ONCE];

    for (uint64_t done = 0; done < location->n_arrays; done += ARRAYS_AT_ONCE) {
        uint64_t count = MIN(location->n_arrays - done, (uint64_t)ARRAYS_AT_ONCE);
        if (!xtf_trace_get_arrays(guide->trace, location->first_array + done, count, arrays, error))
            return false;
        for (uint64_t i = 0; i < count; i++) {
            if (!add_array(guide, selection, &arrays[i], place, spans, error))
                return false;
        }
    }
    return true;
}

static bool find_in_trace(XtfGuide *guide, const XtfSelection *selection, GArray *spans, GError **error)
{
    const XtfLocations *locations = xtf_guide_locations(guide, error);
    if (!locations)
        return false;

    g_autoptr(GArray) places = xtf_selection_locations(selection, locations);
    for (unsigned i = 0; i < places->len; i++) {
        if (!add_location(guide, selection, locations, g_array_index(places, uint32_t, i), spans, error))
            return false;
    }
    return true;
}

/* The part of a base's spans between the positions of its records i and j, narrowed by what came after. */
static bool find_in_base(XtfResolver *resolver, const XtfSelection *selection, GArray *found, GError **error)
{
    g_autoptr(XtfSpans) base = xtf_resolver_spans(resolver, selection->base, error);
    const XtfLocations *locations = xtf_guide_locations(resolver->guide, error);
    if (!base || !locations)
        return false;

    g_autofree uint64_t *from = g_new(uint64_t, base->n + 1), *to = g_new(uint64_t, base->n + 1);
    if (!xtf_select(base, MIN(selection->i, base->count), from, error) ||
        !xtf_select(base, MIN(selection->j, base->count), to, error))
        return false;
    for (uint32_t i = 0; i < base->n; i++) {
        XtfSpan span = base->spans[i];
        const XtfLocation *location = &locations->all[span.location];
        bool keep = from[i] < to[i] && xtf_set_contains(selection->procs, location->proc) &&
                    xtf_set_contains(selection->threads, location->thread) &&
                    (selection->type == XTF_TYPES_ALL || selection->type == span.array.schema->id);
        span.lo = from[i];
        span.hi = to[i];
        if (keep && (selection->a != selection->base->a || selection->b != selection->base->b) &&
            !cut_to_window(&span, selection->a, selection->b, &keep, error))
            return false;
        if (keep)
            g_array_append_val(found, span);
    }
    return true;
}

static XtfSpans *find_spans(XtfResolver *resolver, XtfSelection *selection, GError **error)
{
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(XtfSpan));
    uint64_t count = 0;

    if (selection->base ? !find_in_base(resolver, selection, found, error)
                        : !find_in_trace(resolver->guide, selection, found, error))
        return NULL;
    for (unsigned i = 0; i < found->len; i++) {
        const XtfSpan *span = &g_array_index(found, XtfSpan, i);
        if (__builtin_add_overflow(count, span->hi - span->lo, &count)) {
            g_set_error(error, XTF_ERROR, XTF_ERROR_DAMAGED, "the trace has more records than there are numbers");
            return NULL;
        }
    }

    XtfSpans *spans = xtf_spans_new(found->len);
    if (found->len)
        memcpy(spans->spans, found->data, found->len * sizeof(XtfSpan));
    spans->count = count;
    return spans;
}

/* ---- Keeping them. */

static XtfSpans *recall(XtfResolver *resolver, const char *key)
{
    XtfSpans *spans = NULL;

    g_mutex_lock(&resolver->lock);
    Entry *entry = g_hash_table_lookup(resolver->entries, key);
    if (entry) {
        g_queue_unlink(&resolver->recent, &entry->link);
        g_queue_push_head_link(&resolver->recent, &entry->link);
        spans = xtf_spans_ref(entry->spans);
    }
    g_mutex_unlock(&resolver->lock);
    return spans;
}

/* Takes the key. The latest entry stays, whatever its size. */
static void keep(XtfResolver *resolver, char *key, XtfSpans *spans)
{
    Entry *entry = g_new0(Entry, 1);
    *entry = (Entry){.key = key, .spans = xtf_spans_ref(spans)};
    entry->bytes = sizeof *entry + strlen(key) + 64 + spans->n * sizeof(XtfSpan);
    entry->link.data = entry;

    g_mutex_lock(&resolver->lock);
    if (g_hash_table_contains(resolver->entries, key)) { /* another thread was faster */
        entry_free(entry);
    } else {
        g_hash_table_insert(resolver->entries, key, entry);
        g_queue_push_head_link(&resolver->recent, &entry->link);
        resolver->bytes += entry->bytes;
    }
    while (resolver->bytes > KEPT_BYTES && resolver->recent.length > 1) {
        Entry *oldest = g_queue_pop_tail_link(&resolver->recent)->data;
        resolver->bytes -= oldest->bytes;
        g_hash_table_remove(resolver->entries, oldest->key);
    }
    g_mutex_unlock(&resolver->lock);
}

XtfSpans *xtf_resolver_spans(XtfResolver *resolver, XtfSelection *selection, GError **error)
{
    g_autoptr(GString) key = g_string_new(NULL);
    print_key(selection, key);

    XtfSpans *spans = recall(resolver, key->str);
    if (!spans && (spans = find_spans(resolver, selection, error)))
        keep(resolver, g_strdup(key->str), spans);
    return spans;
}

bool xtf_resolver_count(XtfResolver *resolver, XtfSelection *selection, uint64_t *count, GError **error)
{
    const XtfScale *scale = &resolver->guide->scale;
    XtfTrace *trace = resolver->guide->trace;
    uint64_t total = 0;

    if (selection->base || selection->procs || selection->threads || selection->a > scale->origin ||
        selection->b < scale->end || selection->type == XTF_TYPES_NONE) {
        g_autoptr(XtfSpans) spans = xtf_resolver_spans(resolver, selection, error);
        if (!spans)
            return false;
        *count = spans->count;
        return true;
    }
    for (uint32_t i = 0; i < xtf_trace_n_schemas(trace); i++) {
        bool counts = selection->type == XTF_TYPES_ALL ? xtf_guide_is_record(resolver->guide, i) : selection->type == i;
        if (counts && __builtin_add_overflow(total, xtf_trace_n_rows(trace, i), &total)) {
            g_set_error(error, XTF_ERROR, XTF_ERROR_DAMAGED, "the trace has more records than there are numbers");
            return false;
        }
    }
    *count = total;
    return true;
}
