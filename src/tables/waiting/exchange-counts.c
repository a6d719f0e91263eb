#include "src/tables/waiting/exchange-counts.h"

#include <string.h>

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/model/mpi-functions.h"
#include "src/trace/select/aggregate-ref.h"
#include "src/trace/select/location-arrays.h"

#define UNKNOWN UINT64_MAX

/* A group of messages, or the operations of a process in a communicator; the unused members are 0. */
typedef struct {
    uint64_t comm, proc, receiver, tag; /* proc: the sender */
} Key;

typedef struct {
    Key key;
    int64_t n;
    bool is_sent; /* the sender has rows of `sends` */
} Count;

/* Numbers of the keys of a type's totals, by which messages are counted; `type` is NULL if the trace has none. */
typedef struct {
    const XtfSchema *type;
    unsigned aggregate, comm, peer, tag;
} MessageTotals;

enum { SENDS, CANCELLED, RECVS, N_MESSAGE_TYPES };

typedef struct {
    XtfExchangeCounts *counts;
    XtfTraceContext *context;
    const XtfOpenCalls *calls;
    const XtfRanks *ranks;
    const XtfNameIndex *regions;
    MessageTotals messages[N_MESSAGE_TYPES];
    XtfAggregateRef operations;               /* by event, region and communicator */
    XtfAggregateRef requests, received, sent; /* by event, of `requests`, `recvs` and `sends` */
    XtfAggregateRef frames;                   /* calls by region */
    GHashTable *receivers;                    /* processes that receive messages for which a thread waits: uint64_t */
    GHashTable *comms;                        /* communicators in which a process waits in an operation: uint64_t */
    XtfLocationArrays arrays;
} Counting;

static void counting_clear(Counting *counting)
{
    g_clear_pointer(&counting->receivers, g_hash_table_unref);
    g_clear_pointer(&counting->comms, g_hash_table_unref);
    xtf_location_arrays_finish(&counting->arrays);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Counting, counting_clear)

static guint key_hash(const void *item)
{
    const uint64_t *values = item;
    uint64_t hash = 0;

    for (unsigned i = 0; i < sizeof(Key) / sizeof *values; i++)
        hash = (hash ^ values[i]) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
    return (guint)(hash >> 32);
}

static gboolean key_equal(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(Key)) == 0;
}

static Count *count_exchanged(GHashTable *table, const Key *key, int64_t n)
{
    Count *count = g_hash_table_lookup(table, key);

    if (!count) {
        count = g_new0(Count, 1);
        count->key = *key;
        g_hash_table_add(table, count);
    }
    count->n += n;
    return count;
}

/* Lists the messages on their way to each receiver. */
static void sort_by_receiver(XtfExchangeCounts *counts)
{
    GHashTableIter iter;
    gpointer value;

    g_hash_table_iter_init(&iter, counts->messages);
    while (g_hash_table_iter_next(&iter, &value, NULL)) {
        const Count *count = value;
        if (count->n <= 0)
            continue;
        GPtrArray *list = g_hash_table_lookup(counts->by_receiver, &count->key.receiver);
        if (!list) {
            list = g_ptr_array_new();
            g_hash_table_insert(counts->by_receiver, g_memdup2(&count->key.receiver, sizeof(uint64_t)), list);
        }
        g_ptr_array_add(list, value);
    }
}

static void list_free(void *list)
{
    g_ptr_array_unref(list);
}

static uint64_t count_of(GHashTable *table, const Key *key)
{
    const Count *count = g_hash_table_lookup(table, key);

    return count && count->n > 0 ? (uint64_t)count->n : 0;
}

/* ---- What is counted. */

static unsigned key_of_role(const XtfSchema *schema, const XtfAggregate *aggregate, const char *role)
{
    unsigned i = 0;

    while (i < aggregate->n_keys && !g_str_equal(schema->fields[aggregate->keys[i]].role, role))
        i++;
    return i;
}

static void find_message_totals(MessageTotals *totals, XtfTraceContext *context, const char *name)
{
    const XtfSchema *schema = xtf_trace_find_schema(context->trace, name);

    *totals = (MessageTotals){0};
    for (unsigned i = 0; schema && i < schema->n_aggregates && !totals->type; i++) {
        const XtfAggregate *aggregate = &schema->aggregates[i];
        MessageTotals found = {.type = schema,
                               .aggregate = i,
                               .comm = key_of_role(schema, aggregate, XTF_ROLE_COMM),
                               .peer = key_of_role(schema, aggregate, XTF_ROLE_PEER),
                               .tag = key_of_role(schema, aggregate, XTF_ROLE_TAG)};
        if (aggregate->kind == XTF_AGGREGATE_GROUPS && MAX(MAX(found.comm, found.peer), found.tag) < aggregate->n_keys)
            *totals = found;
    }
}

static void add_number(GHashTable *set, uint64_t number)
{
    g_hash_table_add(set, g_memdup2(&number, sizeof number));
}

static void find_wanted(Counting *counting)
{
    const XtfOpenCalls *calls = counting->calls;

    counting->receivers = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    counting->comms = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    for (guint i = 0; i < calls->calls->len; i++) {
        const XtfOpenCall *call = xtf_open_call(calls, i);
        if (call->kind == XTF_OPEN_COLLECTIVE)
            add_number(counting->comms, call->comm);
        if (call->n > 0)
            add_number(counting->receivers, calls->locations->all[call->location].proc);
        for (uint32_t k = 0; k < call->n; k++) {
            const XtfAwaited *awaited = xtf_open_call_awaited(calls, call, k);
            if (awaited->kind != XTF_AWAITED_RECEIVE && awaited->proc != UNKNOWN)
                add_number(counting->receivers, awaited->proc);
        }
    }
}

/* ---- Counting. */

static void count_messages(Counting *counting, const XtfLocation *location, unsigned type, const uint64_t *key,
                           uint64_t rows)
{
    const MessageTotals *messages = &counting->messages[type];
    uint64_t comm = key[messages->comm], peer;

    if (!xtf_ranks_proc(counting->ranks, comm, key[messages->peer], location->proc, &peer))
        return;
    bool is_receiver = type == RECVS;
    Key group = {.comm = comm,
                 .proc = is_receiver ? peer : location->proc,
                 .receiver = is_receiver ? location->proc : peer,
                 .tag = key[messages->tag]};
    if (g_hash_table_contains(counting->receivers, &group.receiver))
        count_exchanged(counting->counts->messages, &group, type == SENDS ? (int64_t)rows : -(int64_t)rows)->is_sent |=
            type == SENDS;
}

static bool add_message_type(Counting *counting, const XtfLocation *location, unsigned type, GError **error)
{
    const MessageTotals *messages = &counting->messages[type];
    const XtfArray *array = messages->type ? xtf_location_arrays_find(&counting->arrays, messages->type) : NULL;

    if (!array || (type == RECVS && !g_hash_table_contains(counting->receivers, &location->proc)))
        return true;
    const XtfAggregate *aggregate = &messages->type->aggregates[messages->aggregate];
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(aggregate, aggregate->n_keys);
    if (!xtf_array_totals(array, messages->aggregate, NULL, 0, UINT64_MAX, totals, error))
        return false;
    for (uint32_t i = 0; i < xtf_group_totals_n(totals); i++)
        count_messages(counting, location, type, xtf_group_totals_key(totals, i),
                       xtf_group_totals_cells(totals, i)[XTF_GROUP_ROWS]);
    return true;
}

/* True if a group of rows of `collectives` are the ends of blocking operations in a communicator that is wanted. */
static bool is_wanted_operation(const Counting *counting, const uint64_t *key)
{
    const XtfAggregateRef *ref = &counting->operations;
    const XtfField *event = xtf_aggregate_ref_key(ref, ref->event);
    uint64_t region = key[ref->region];

    return key[ref->event] < event->n_labels && g_str_equal(event->labels[key[ref->event]], XTF_EVENT_COLLECTIVE_END) &&
           g_hash_table_contains(counting->comms, &key[ref->comm]) && counting->regions->texts &&
           region < counting->regions->n_rows &&
           xtf_mpi_function_find(counting->regions->texts[region], xtf_collective_functions) >= 0;
}

static bool add_operations(Counting *counting, const XtfLocation *location, GError **error)
{
    const XtfAggregateRef *ref = &counting->operations;
    const XtfArray *array = ref->schema ? xtf_location_arrays_find(&counting->arrays, ref->schema) : NULL;

    if (!array)
        return true;
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(ref->aggregate, ref->aggregate->n_keys);
    if (!xtf_array_totals(array, ref->number, NULL, 0, UINT64_MAX, totals, error))
        return false;
    for (uint32_t i = 0; i < xtf_group_totals_n(totals); i++) {
        const uint64_t *key = xtf_group_totals_key(totals, i);
        if (is_wanted_operation(counting, key))
            count_exchanged(counting->counts->operations, &(Key){.comm = key[ref->comm], .proc = location->proc},
                            (int64_t)xtf_group_totals_cells(totals, i)[XTF_GROUP_ROWS]);
    }
    return true;
}

/* Adds the rows of an event to the counts of a process in a table, `sign` times. */
static bool count_events(Counting *counting, const XtfLocation *location, const XtfAggregateRef *ref, const char *label,
                         GHashTable *table, int64_t sign, GError **error)
{
    const XtfArray *array = ref->schema ? xtf_location_arrays_find(&counting->arrays, ref->schema) : NULL;

    if (!array || !g_hash_table_contains(counting->receivers, &location->proc))
        return true;
    const XtfField *event = xtf_aggregate_ref_key(ref, ref->event);
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(ref->aggregate, ref->aggregate->n_keys);
    if (!xtf_array_totals(array, ref->number, NULL, 0, UINT64_MAX, totals, error))
        return false;
    for (uint32_t i = 0; i < xtf_group_totals_n(totals); i++) {
        uint64_t value = xtf_group_totals_key(totals, i)[ref->event];
        if (value < event->n_labels && g_str_equal(event->labels[value], label))
            count_exchanged(table, &(Key){.proc = location->proc},
                            sign * (int64_t)xtf_group_totals_cells(totals, i)[XTF_GROUP_ROWS]);
    }
    return true;
}

/* True if each call of a function makes a request. */
static bool makes_request(const char *name)
{
    static const char *const makers[] = {"isend",          "ibsend",
                                         "issend",         "irsend",
                                         "irecv",          "imrecv",
                                         "isendrecv",      "isendrecv_replace",
                                         "comm_idup",      "comm_idup_with_info",
                                         "rput",           "rget",
                                         "raccumulate",    "rget_accumulate",
                                         "grequest_start", NULL};
    XtfRegionClass class;

    if (xtf_mpi_function_class(name, &class) == XTF_MPI_NONE)
        return false;
    if (xtf_mpi_function_find(name, makers) >= 0)
        return true;
    bool is_collective = class == XTF_CLASS_COLLECTIVE || class == XTF_CLASS_BARRIER;
    if (is_collective && xtf_mpi_function_find(name, xtf_collective_functions) < 0)
        return true; /* non-blocking or persistent */
    return (class == XTF_CLASS_P2P && strstr(name, "_init")) ||
           (class == XTF_CLASS_MPI_IO && (strstr(name, "_iread") || strstr(name, "_iwrite")));
}

/* Adds the calls that make requests. */
static bool count_makers(Counting *counting, const XtfLocation *location, GError **error)
{
    const XtfAggregateRef *frames = &counting->frames;
    const XtfArray *array = frames->schema ? xtf_location_arrays_find(&counting->arrays, frames->schema) : NULL;

    if (!array || !g_hash_table_contains(counting->receivers, &location->proc))
        return true;
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(frames->aggregate, 1);
    if (!xtf_array_totals(array, frames->number, NULL, 0, UINT64_MAX, totals, error))
        return false;
    for (uint32_t i = 0; i < xtf_group_totals_n(totals); i++) {
        uint64_t region = xtf_group_totals_key(totals, i)[0];
        if (counting->regions->texts && region < counting->regions->n_rows &&
            makes_request(counting->regions->texts[region]))
            count_exchanged(counting->counts->unrecorded, &(Key){.proc = location->proc},
                            (int64_t)xtf_group_totals_cells(totals, i)[XTF_FRAMES_BEGUN]);
    }
    return true;
}

static void find_event_totals(XtfAggregateRef *ref, const XtfTraceContext *context, const char *type)
{
    if (!xtf_aggregate_ref_groups(ref, context, type) || ref->event == XTF_KEY_NONE)
        ref->schema = NULL;
}

static bool count_location(Counting *counting, const XtfLocation *location, GError **error)
{
    if (!xtf_location_arrays_load(&counting->arrays, counting->context, location, error))
        return false;
    for (unsigned type = 0; type < N_MESSAGE_TYPES; type++)
        if (!add_message_type(counting, location, type, error))
            return false;
    GHashTable *posted = counting->counts->posted, *unrecorded = counting->counts->unrecorded;
    return count_events(counting, location, &counting->requests, "MPI_IRECV_REQUEST", posted, 1, error) &&
           count_events(counting, location, &counting->received, "MPI_IRECV", posted, -1, error) &&
           count_events(counting, location, &counting->requests, "MPI_IRECV_REQUEST", unrecorded, -1, error) &&
           count_events(counting, location, &counting->requests, "NON_BLOCKING_COLLECTIVE_REQUEST", unrecorded, -1,
                        error) &&
           count_events(counting, location, &counting->sent, "MPI_ISEND", unrecorded, -1, error) &&
           count_makers(counting, location, error) && add_operations(counting, location, error);
}

static bool prepare_counting(Counting *counting, GError **error)
{
    static const char *const types[N_MESSAGE_TYPES] = {XTF_RECORD_SENDS, XTF_SIDE_CANCELLED, XTF_RECORD_RECVS};
    XtfAggregateRef *operations = &counting->operations;

    counting->ranks = xtf_trace_context_ranks(counting->context, error);
    counting->regions = counting->ranks ? xtf_trace_context_regions(counting->context, error) : NULL;
    if (!counting->regions)
        return false;
    for (unsigned i = 0; i < N_MESSAGE_TYPES; i++)
        find_message_totals(&counting->messages[i], counting->context, types[i]);
    if (!xtf_aggregate_ref_groups(operations, counting->context, XTF_RECORD_COLLECTIVES) ||
        operations->event == XTF_KEY_NONE || operations->region == XTF_KEY_NONE || operations->comm == XTF_KEY_NONE)
        operations->schema = NULL;
    find_event_totals(&counting->requests, counting->context, XTF_RECORD_REQUESTS);
    find_event_totals(&counting->received, counting->context, XTF_RECORD_RECVS);
    find_event_totals(&counting->sent, counting->context, XTF_RECORD_SENDS);
    xtf_aggregate_ref_frames(&counting->frames, counting->context);
    find_wanted(counting);
    return true;
}

bool xtf_exchange_counts_init(XtfExchangeCounts *counts, XtfTraceContext *context, const XtfOpenCalls *calls,
                              GError **error)
{
    g_auto(Counting) counting = {.counts = counts, .context = context, .calls = calls};

    *counts = (XtfExchangeCounts){.messages = g_hash_table_new_full(key_hash, key_equal, g_free, NULL),
                                  .by_receiver = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, list_free),
                                  .posted = g_hash_table_new_full(key_hash, key_equal, g_free, NULL),
                                  .unrecorded = g_hash_table_new_full(key_hash, key_equal, g_free, NULL),
                                  .operations = g_hash_table_new_full(key_hash, key_equal, g_free, NULL)};
    if (!prepare_counting(&counting, error))
        return false;
    if (g_hash_table_size(counting.receivers) + g_hash_table_size(counting.comms) == 0)
        return true;
    for (uint32_t i = 0; i < calls->locations->n; i++)
        if (!count_location(&counting, &calls->locations->all[i], error))
            return false;
    sort_by_receiver(counts);
    return true;
}

void xtf_exchange_counts_finish(XtfExchangeCounts *counts)
{
    g_clear_pointer(&counts->by_receiver, g_hash_table_unref);
    g_clear_pointer(&counts->messages, g_hash_table_unref);
    g_clear_pointer(&counts->posted, g_hash_table_unref);
    g_clear_pointer(&counts->unrecorded, g_hash_table_unref);
    g_clear_pointer(&counts->operations, g_hash_table_unref);
}

bool xtf_exchange_is_under_way(const XtfExchangeCounts *counts, const XtfAwaited *receive, uint64_t receiver)
{
    const GPtrArray *list = g_hash_table_lookup(counts->by_receiver, &receiver);

    for (guint i = 0; list && i < list->len; i++) {
        const Count *count = list->pdata[i];
        if (count->key.comm == receive->comm && (receive->peer == UNKNOWN || count->key.proc == receive->proc) &&
            (receive->tag == UNKNOWN || count->key.tag == receive->tag))
            return true;
    }
    return false;
}

bool xtf_exchange_is_received(const XtfExchangeCounts *counts, const XtfAwaited *send, uint64_t sender)
{
    const Key key = {.comm = send->comm, .proc = sender, .receiver = send->proc, .tag = send->tag};
    const Count *count = g_hash_table_lookup(counts->messages, &key);

    return count && count->is_sent && count->n <= 0;
}

bool xtf_exchange_knows_requests(const XtfExchangeCounts *counts, uint64_t proc)
{
    return count_of(counts->unrecorded, &(Key){.proc = proc}) == 0;
}

uint64_t xtf_exchange_posted(const XtfExchangeCounts *counts, uint64_t proc)
{
    return count_of(counts->posted, &(Key){.proc = proc});
}

uint64_t xtf_exchange_operations(const XtfExchangeCounts *counts, uint64_t comm, uint64_t proc)
{
    return count_of(counts->operations, &(Key){.comm = comm, .proc = proc});
}
