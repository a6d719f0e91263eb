#include "src/tables/collectives/collective-leaders.h"

#include "libxtf/spans.h"
#include "libxtf/trace.h"

enum {
    KEPT_BYTES = 8 << 20,
    KEPT_SELECTIONS = 64,
};

/* ---- Filter for the records of a leader. */

typedef struct {
    const XtfCollectiveTypes *types;
    const XtfRanks *ranks;
    uint64_t end, complete;    /* labels of events */
    uint64_t proc;             /* process that recorded the rows */
    const XtfNumberSet *comms; /* NULL: all */
} Leader;

static bool leads(const Leader *leader, uint64_t comm)
{
    uint64_t proc;

    return xtf_number_set_contains(leader->comms, comm) &&
           xtf_ranks_member(leader->ranks, comm, 0, leader->proc, &proc) && proc == leader->proc;
}

static XtfMatch match_leader(const uint64_t *key, unsigned depth, const void *data)
{
    const Leader *leader = data;
    unsigned event_key = leader->types->event_key, comm_key = leader->types->comm_key;
    bool knows_event = depth > event_key, knows_comm = depth > comm_key;

    if (knows_event && key[event_key] != leader->end && key[event_key] != leader->complete)
        return XTF_MATCH_NONE;
    if (knows_comm && !leads(leader, key[comm_key]))
        return XTF_MATCH_NONE;
    return knows_event && knows_comm ? XTF_MATCH_ALL : XTF_MATCH_SOME;
}

/* Initializes a filter without its process. Returns false with an error. */
static bool leader_init(Leader *leader, XtfCollectives *collectives, const XtfNumberSet *comms, GError **error)
{
    XtfCollectiveFilter ends, completions;

    *leader = (Leader){
        .types = &collectives->types, .ranks = xtf_trace_context_ranks(collectives->context, error), .comms = comms};
    if (!leader->ranks || !leader->types->schema)
        return leader->ranks != NULL;
    xtf_collective_filter_init(&ends, leader->types, XTF_COLLECTIVE_END, NULL);
    xtf_collective_filter_init(&completions, leader->types, XTF_COLLECTIVE_COMPLETE, NULL);
    leader->end = ends.event;
    leader->complete = completions.event;
    return true;
}

/* ---- Spans of locations. */

/* Finds the span of the leader's records in a location; an empty span if there are none. The span borrows `leader`. */
static bool find_span(XtfCollectives *collectives, const XtfSelection *selection, uint32_t index, const Leader *leader,
                      XtfSpan *span, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(collectives->context, error);
    const XtfGroupFilter filter = {.match = match_leader, .data = leader};
    XtfArray array;
    bool found;

    *span = (XtfSpan){0};
    if (!locations || !xtf_trace_find_array(collectives->context->trace, locations->all[index].id,
                                            collectives->types.schema->id, &array, &found, error))
        return false;
    if (!found)
        return true;
    xtf_span_init(span, &array);
    span->tag = index;
    return xtf_span_cut(span, selection->time_from, selection->time_to, error) &&
           xtf_span_filter(span, collectives->types.aggregate, &filter, error);
}

static int compare_ids(const void *a, const void *b, void *data)
{
    const XtfLocation *all = data;
    uint64_t x = all[*(const uint32_t *)a].id, y = all[*(const uint32_t *)b].id;
    return x < y ? -1 : x > y;
}

/* Finds the spans of a selection. Each span has its own leader, which the returned XtfSpans owns. */
static XtfSpans *find_spans(XtfCollectives *collectives, const XtfSelection *selection, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(collectives->context, error);
    GPtrArray *leaders = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(XtfSpans) spans = xtf_spans_new(leaders, (GDestroyNotify)g_ptr_array_unref);
    Leader template;

    if (!locations || !leader_init(&template, collectives, selection->by[XTF_BY_COMM], error))
        return NULL;
    if (!collectives->types.schema)
        return g_steal_pointer(&spans);
    g_autoptr(GArray) indices = xtf_selection_locations(selection, locations);
    g_array_sort_with_data(indices, compare_ids, locations->all);
    for (guint i = 0; i < indices->len; i++) {
        uint32_t index = g_array_index(indices, uint32_t, i);
        Leader *leader = g_new(Leader, 1);
        XtfSpan span;

        *leader = template;
        leader->proc = locations->all[index].proc;
        g_ptr_array_add(leaders, leader);
        if (!find_span(collectives, selection, index, leader, &span, error) ||
            (span.lo < span.hi && !xtf_spans_add(spans, &span, error)))
            return NULL;
    }
    return g_steal_pointer(&spans);
}

/* ---- Cache of spans, by selection. */

typedef struct {
    XtfKept kept;
    XtfSelection *selection; /* owned */
    XtfSpans *spans;         /* NULL: not found yet */
} Entry;

static gboolean entry_equal(const void *item, const void *wanted)
{
    const Entry *a = item, *b = wanted;
    return a->selection == b->selection;
}

static void entry_free(void *data)
{
    Entry *entry = data;

    xtf_selection_unref(entry->selection);
    xtf_spans_unref(entry->spans);
    g_free(entry);
}

void xtf_leaders_init(XtfKeeper *kept)
{
    static const XtfKeeperMethods methods = {.equal = entry_equal, .free = entry_free};
    xtf_keeper_init(kept, &methods, KEPT_BYTES, KEPT_SELECTIONS);
}

XtfSpans *xtf_leaders_spans(XtfCollectives *collectives, XtfKeeper *kept, XtfSelection *selection, GError **error)
{
    Entry *wanted = g_new0(Entry, 1);
    XtfSpans *spans = NULL;

    wanted->selection = xtf_selection_ref(selection);
    Entry *entry = xtf_keeper_take(kept, wanted);
    if (!entry->spans)
        entry->spans = find_spans(collectives, selection, error);
    if (entry->spans)
        spans = xtf_spans_ref(entry->spans);
    size_t bytes = sizeof *entry + (spans ? spans->n * (sizeof(XtfSpan) + sizeof(Leader)) : 0);
    xtf_keeper_put(kept, entry, bytes, spans != NULL);
    return spans;
}

/* ---- Counts. */

/* Finds the locations that may have records of a communicator's leader: [first, end) in XtfLocations. */
static void find_range(const XtfRanks *ranks, const XtfLocations *locations, uint64_t comm, uint32_t *first,
                       uint32_t *end)
{
    uint64_t proc;

    *first = 0;
    *end = locations->n;
    if (xtf_ranks_is_self(ranks, comm))
        return;
    *end = 0;
    if (!xtf_ranks_member(ranks, comm, 0, 0, &proc))
        return;
    *first = xtf_locations_of_proc(locations, proc);
    for (*end = *first; *end < locations->n && locations->all[*end].proc == proc;)
        ++*end;
}

bool xtf_leaders_count(XtfCollectives *collectives, const XtfSelection *selection, uint64_t comm, uint64_t *count,
                       GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(collectives->context, error);
    g_autoptr(XtfNumberSet) comms = xtf_number_set_of_one(comm);
    uint32_t first, end;
    Leader leader;
    XtfSpan span;

    *count = 0;
    if (!locations || !leader_init(&leader, collectives, comms, error))
        return false;
    if (!collectives->types.schema || !xtf_number_set_contains(selection->by[XTF_BY_COMM], comm))
        return true;
    find_range(leader.ranks, locations, comm, &first, &end);
    for (uint32_t i = first; i < end; i++) {
        leader.proc = locations->all[i].proc;
        if (!xtf_number_set_contains(selection->procs, leader.proc) ||
            !xtf_number_set_contains(selection->threads, locations->all[i].thread))
            continue;
        if (!find_span(collectives, selection, i, &leader, &span, error))
            return false;
        *count += span.hi - span.lo;
    }
    return true;
}
