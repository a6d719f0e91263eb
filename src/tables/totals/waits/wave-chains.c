#include "src/tables/totals/waits/wave-chains.h"

#include <stdlib.h>
#include <string.h>

#include "libxtf/error.h"

enum {
    SLICE = 1 << 18, /* waits of a slice; it is longer if more waits end at the same time */
    /* Most pending chains: per location, and in addition. */
    PENDING_EACH = 4,
    PENDING_LEAST = 1024,
};

/* A wait of a slice. */
typedef struct {
    XtfWaitPlace place, cause;
    uint64_t time, amount; /* end of the wait, and its length */
    uint32_t n_effects;    /* unprocessed effects that end at the same time */
    bool has_cause, done;
} Wait;

/* The chain that continues from a wait, as far as it is known. */
typedef struct {
    XtfWaitPlace cause; /* first, since it is the key */
    XtfWaitChain chain;
} PendingChain;

typedef struct {
    const XtfWaitFields *fields;
    const XtfLocations *locations;
    GHashTable *pending; /* PendingChain, by cause */
    uint64_t most_pending;
    GArray *found; /* XtfWaitChain, the best first */
    unsigned most;
} Search;

/* ---- Found chains. */

static int compare_places(const XtfWaitPlace *a, const XtfWaitPlace *b)
{
    if (a->location != b->location)
        return a->location < b->location ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static bool is_better(const XtfWaitChain *a, const XtfWaitChain *b)
{
    if (a->amount != b->amount)
        return a->amount > b->amount;
    if (a->begin != b->begin)
        return a->begin < b->begin;
    return compare_places(&a->first, &b->first) < 0;
}

static void finish_chain(Search *search, const XtfWaitChain *chain)
{
    guint at = search->found->len;

    if (chain->n_procs < XTF_CHAIN_PROCESSES_LEAST)
        return;
    while (at > 0 && is_better(chain, &g_array_index(search->found, XtfWaitChain, at - 1)))
        at--;
    if (at == search->most)
        return;
    if (search->found->len == search->most)
        g_array_set_size(search->found, search->most - 1);
    g_array_insert_vals(search->found, at, chain, 1);
}

/* ---- Chains, backwards. */

static guint hash_place(gconstpointer key)
{
    const XtfWaitPlace *place = key;
    uint64_t mixed = (place->row + ((uint64_t)place->location << 40)) * UINT64_C(0x9e3779b97f4a7c15);

    return (guint)(mixed >> 32);
}

static gboolean equal_places(gconstpointer a, gconstpointer b)
{
    return compare_places(a, b) == 0;
}

/* True if `chain`, not `rival`, continues through the wait to which both lead back: its first wait is longer, or ends
 * earlier. */
static bool continues_chain(const XtfWaitChain *chain, const XtfWaitChain *rival)
{
    if (chain->first_amount != rival->first_amount)
        return chain->first_amount > rival->first_amount;
    if (chain->end != rival->end)
        return chain->end < rival->end;
    return compare_places(&chain->first, &rival->first) < 0;
}

static void defer_chain(Search *search, const XtfWaitPlace *cause, const XtfWaitChain *chain)
{
    PendingChain *rival = g_hash_table_lookup(search->pending, cause);

    if (!rival && g_hash_table_size(search->pending) < search->most_pending) {
        PendingChain *pending = g_new(PendingChain, 1);
        *pending = (PendingChain){*cause, *chain};
        g_hash_table_add(search->pending, pending);
    } else if (rival && continues_chain(chain, &rival->chain)) {
        finish_chain(search, &rival->chain);
        rival->chain = *chain;
    } else {
        finish_chain(search, chain);
    }
}

static void add_chain_process(XtfWaitChain *chain, uint64_t proc)
{
    for (unsigned i = 0; i < chain->n_procs; i++) {
        if (chain->procs[i] == proc)
            return;
    }
    if (chain->n_procs < XTF_CHAIN_PROCESSES_LEAST)
        chain->procs[chain->n_procs++] = proc;
}

/* Processes a wait after all its effects: extends the chain that continues from it, or begins one. */
static void process_wait(Search *search, Wait *wait)
{
    XtfWaitChain chain = {.last = wait->place};
    const PendingChain *pending = g_hash_table_lookup(search->pending, &wait->place);

    if (pending) {
        chain = pending->chain;
        g_hash_table_remove(search->pending, &wait->place);
    }
    chain.first = wait->place;
    chain.first_amount = wait->amount;
    chain.begin = wait->time - wait->amount;
    chain.end = wait->time;
    chain.amount += wait->amount;
    chain.n++;
    add_chain_process(&chain, search->locations->all[wait->place.location].proc);
    wait->done = true;
    if (wait->has_cause)
        defer_chain(search, &wait->cause, &chain);
    else
        finish_chain(search, &chain);
}

/* ---- Waits that end at one time: effects before their causes. */

static int compare_wait_places(const void *a, const void *b)
{
    return compare_places(&((const Wait *)a)->place, &((const Wait *)b)->place);
}

static Wait *find_cause_among(const Wait *wait, Wait *waits, size_t n)
{
    const Wait wanted = {.place = wait->cause};

    return wait->has_cause ? bsearch(&wanted, waits, n, sizeof *waits, compare_wait_places) : NULL;
}

/* Processes waits that end at the same time, ordered by place: effects before their causes. */
static void process_same_time(Search *search, Wait *waits, size_t n)
{
    if (n == 1) {
        process_wait(search, waits);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        Wait *cause = find_cause_among(&waits[i], waits, n);
        if (cause)
            cause->n_effects++;
    }
    for (size_t i = 0; i < n; i++) {
        Wait *next = waits[i].done ? NULL : &waits[i];
        while (next && !next->n_effects && !next->done) {
            process_wait(search, next);
            next = find_cause_among(next, waits, n);
            if (next)
                next->n_effects--;
        }
    }
    for (size_t i = 0; i < n; i++) { /* waits that lead to one another in a circle */
        if (!waits[i].done)
            process_wait(search, &waits[i]);
    }
}

/* Compares two waits: the latest first, at equal times by place. */
static int compare_latest_first(const void *a, const void *b)
{
    const Wait *x = a, *y = b;

    if (x->time != y->time)
        return x->time > y->time ? -1 : 1;
    return compare_wait_places(a, b);
}

static void process_slice(Search *search, Wait *waits, size_t n)
{
    if (n > 1)
        qsort(waits, n, sizeof *waits, compare_latest_first);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && waits[end].time == waits[i].time;)
            end++;
        process_same_time(search, waits + i, end - i);
    }
}

/* ---- Reading. */

static bool append_wait(const Search *search, const XtfSpan *span, uint64_t n, const uint8_t *row, GArray *waits,
                        GError **error)
{
    const XtfWaitFields *fields = search->fields;
    Wait wait = {.place = {span->tag, n},
                 .time = xtf_field_get(&fields->schema->fields[0], row),
                 .amount = xtf_field_get(fields->amount, row)};

    if (wait.amount > wait.time)
        return xtf_damaged(error, "location %" PRIu64 ": wait %" PRIu64 " begins before the trace",
                           span->array.location, n);
    wait.has_cause = xtf_field_get(fields->indirect, row) >= wait.amount - wait.amount / 2 &&
                     xtf_wait_cause(fields, search->locations, row, &wait.cause);
    g_array_append_val(waits, wait);
    return true;
}

/* Appends the waits at positions [from, to) of a span. */
static bool append_waits(const Search *search, const XtfSpan *span, uint64_t from, uint64_t to, GArray *waits,
                         GError **error)
{
    const size_t size = search->fields->schema->row_size;
    g_auto(XtfSpanReader) reader;

    xtf_span_reader_init(&reader, span);
    if (from >= to)
        return true;
    if (!xtf_span_reader_seek(&reader, from, error))
        return false;
    while (reader.n_rows > 0 && reader.position < to) {
        const uint8_t *rows = xtf_cursor_row(&reader.cursor);
        uint64_t n = MIN(reader.n_rows, to - reader.position);
        for (uint64_t i = 0; i < n; i++) {
            if (!append_wait(search, span, reader.cursor.n + i, rows + i * size, waits, error))
                return false;
        }
        if (!xtf_span_reader_next(&reader, error))
            return false;
    }
    return true;
}

/* Finds the time of the first wait from `positions` on. */
static bool find_first_time(const XtfSpans *spans, const uint64_t *positions, uint64_t *first, GError **error)
{
    *first = UINT64_MAX;
    for (uint32_t i = 0; i < spans->n; i++) {
        uint64_t t;
        if (positions[i] >= spans->spans[i].hi)
            continue;
        if (!xtf_span_time(&spans->spans[i], positions[i], &t, error))
            return false;
        *first = MIN(*first, t);
    }
    return true;
}

/* Sets `positions` to the begin of the slice that ends before wait `end`. Two slices have no waits of the same time,
 * unless very many end at that time. *begin is the number of the slice's first wait. */
static bool cut_slice(const XtfSpans *spans, uint64_t end, uint64_t *positions, uint64_t *begin, GError **error)
{
    g_autofree uint64_t *earlier = g_new(uint64_t, spans->n + 1);
    uint64_t t, n = 0;

    *begin = end - MIN(end, (uint64_t)SLICE);
    if (!xtf_spans_select(spans, *begin, positions, error) || !find_first_time(spans, positions, &t, error))
        return false;
    for (uint32_t i = 0; i < spans->n; i++) {
        const XtfSpan *span = &spans->spans[i];
        if (!xtf_span_rank_within(span, t, span->lo, positions[i], &earlier[i], error))
            return false;
        n += positions[i] - earlier[i];
    }
    if (n > SLICE)
        return true;
    memcpy(positions, earlier, spans->n * sizeof *positions);
    *begin -= n;
    return true;
}

static bool search_slices(Search *search, const XtfSpans *spans, GError **error)
{
    g_autoptr(GArray) waits = g_array_new(FALSE, FALSE, sizeof(Wait));
    g_autofree uint64_t *from = g_new(uint64_t, spans->n + 1), *to = g_new(uint64_t, spans->n + 1);
    uint64_t end = spans->count;

    for (uint32_t i = 0; i < spans->n; i++)
        to[i] = spans->spans[i].hi;
    while (end > 0) {
        if (!cut_slice(spans, end, from, &end, error))
            return false;
        g_array_set_size(waits, 0);
        for (uint32_t i = 0; i < spans->n; i++) {
            if (!append_waits(search, &spans->spans[i], from[i], to[i], waits, error))
                return false;
        }
        process_slice(search, (Wait *)(void *)waits->data, waits->len);
        memcpy(to, from, spans->n * sizeof *to);
    }
    return true;
}

GArray *xtf_wait_chains_find(const XtfSpans *spans, const XtfWaitFields *fields, const XtfLocations *locations,
                             unsigned most, GError **error)
{
    g_autoptr(GHashTable) pending = g_hash_table_new_full(hash_place, equal_places, g_free, NULL);
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(XtfWaitChain));
    Search search = {.fields = fields,
                     .locations = locations,
                     .pending = pending,
                     .most_pending = PENDING_EACH * (uint64_t)locations->n + PENDING_LEAST,
                     .found = found,
                     .most = most};
    GHashTableIter iter;
    gpointer key;

    if (spans->n && !search_slices(&search, spans, error))
        return NULL;
    g_hash_table_iter_init(&iter, pending);
    while (g_hash_table_iter_next(&iter, &key, NULL)) /* chains whose cause is not among the waits */
        finish_chain(&search, &((const PendingChain *)key)->chain);
    return g_steal_pointer(&found);
}
