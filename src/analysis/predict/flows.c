#include "src/analysis/predict/flows.h"

#include <glib.h>
#include <string.h>

#include "src/analysis/predict/fair-rates.h"
#include "src/analysis/predict/heap.h"

enum { NOT_IN_HEAP = UINT32_MAX };

/* A flow that has not begun. */
typedef struct {
    uint64_t begin, bytes;
    double limit;
    uint32_t from, to, user;
} Beginning;

/* A flow that flows. */
typedef struct {
    double end; /* what its queue has carried for each flow when it ends, in bytes */
    uint32_t user;
} Ending;

/*
 * The flows of a stream (fair-rates.h), which always have the same rate. One number says what each of them has got, and
 * the order in which they end never changes. So a new rate costs the same for one flow and for a million of them.
 */
typedef struct {
    struct {
        uint32_t from, to;
        double limit;
    } key;
    uint32_t stream, place; /* place: its index in the heap of queues */
    double carried;         /* bytes for each flow, at `since` */
    uint64_t since, next;   /* next: the time of the next end */
    GArray *endings;        /* Ending: a heap, least end first */
} Queue;

struct XtfFlows {
    XtfFairRates *rates;
    GHashTable *by_key; /* Queue, by its key, if it has flows */
    GPtrArray *queues;  /* Queue by stream */
    uint32_t *heap;     /* queues by the time of their next end */
    uint32_t n_heap, room;
    GArray *beginnings; /* Beginning: a heap, first to begin first */
    GArray *ended;      /* uint32_t: users */
    GArray *links;      /* uint32_t: links whose flows change */
    GArray *changed;    /* uint32_t: queues whose flows or rates change */
    uint64_t now;
};

/* ---- The heap of queues. */

static Queue *queue_of(const XtfFlows *flows, uint32_t stream)
{
    return g_ptr_array_index(flows->queues, stream);
}

static bool is_due_before(const XtfFlows *flows, uint32_t a, uint32_t b)
{
    const Queue *left = queue_of(flows, a), *right = queue_of(flows, b);

    return left->next < right->next || (left->next == right->next && a < b);
}

static void place_in_heap(XtfFlows *flows, uint32_t at, uint32_t stream)
{
    flows->heap[at] = stream;
    queue_of(flows, stream)->place = at;
}

static void move_up(XtfFlows *flows, uint32_t at, uint32_t stream)
{
    for (; at > 0 && is_due_before(flows, stream, flows->heap[(at - 1) / 2]); at = (at - 1) / 2)
        place_in_heap(flows, at, flows->heap[(at - 1) / 2]);
    place_in_heap(flows, at, stream);
}

static void move_down(XtfFlows *flows, uint32_t at, uint32_t stream)
{
    for (uint32_t child; (child = 2 * at + 1) < flows->n_heap; at = child) {
        if (child + 1 < flows->n_heap && is_due_before(flows, flows->heap[child + 1], flows->heap[child]))
            child++;
        if (!is_due_before(flows, flows->heap[child], stream))
            break;
        place_in_heap(flows, at, flows->heap[child]);
    }
    place_in_heap(flows, at, stream);
}

/* Moves a queue to its place in the heap, after its time has changed. */
static void move_in_heap(XtfFlows *flows, uint32_t stream)
{
    uint32_t at = queue_of(flows, stream)->place;

    if (at == NOT_IN_HEAP) {
        if (flows->n_heap == flows->room) {
            flows->room = MAX(64, 2 * flows->room);
            flows->heap = g_renew(uint32_t, flows->heap, flows->room);
        }
        move_up(flows, flows->n_heap++, stream);
        return;
    }
    move_up(flows, at, stream);
    move_down(flows, queue_of(flows, stream)->place, stream);
}

static uint32_t take_first(XtfFlows *flows)
{
    uint32_t first = flows->heap[0], last = flows->heap[--flows->n_heap];

    if (flows->n_heap > 0)
        move_down(flows, 0, last);
    queue_of(flows, first)->place = NOT_IN_HEAP;
    return first;
}

/* ---- The heaps of flows. */

static bool begins_before(const void *a, const void *b)
{
    const Beginning *left = a, *right = b;

    return left->begin < right->begin || (left->begin == right->begin && left->user < right->user);
}

static bool ends_before(const void *a, const void *b)
{
    const Ending *left = a, *right = b;

    return left->end < right->end || (left->end == right->end && left->user < right->user);
}

static const Beginning *first_beginning(const XtfFlows *flows)
{
    return flows->beginnings->len > 0 ? &g_array_index(flows->beginnings, Beginning, 0) : NULL;
}

/* ---- Queues. */

static guint hash_flows(gconstpointer key)
{
    const Queue *queue = key;
    uint64_t limit;

    memcpy(&limit, &queue->key.limit, sizeof limit);
    uint64_t bits = (((uint64_t)queue->key.from << 32) | queue->key.to) ^ (limit >> 7);
    return (guint)((bits * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

static gboolean are_flows_alike(gconstpointer a, gconstpointer b)
{
    const Queue *left = a, *right = b;

    return left->key.from == right->key.from && left->key.to == right->key.to && left->key.limit == right->key.limit;
}

static void queue_free(void *data)
{
    Queue *queue = data;

    g_array_unref(queue->endings);
    g_free(queue);
}

/* Moves the bytes of each flow that its rate gives since the last call. */
static void move_bytes(const XtfFlows *flows, Queue *queue)
{
    queue->carried += xtf_fair_stream(flows->rates, queue->stream)->rate * (double)(flows->now - queue->since);
    queue->since = flows->now;
}

/* Returns the queue of flows that are like this one; makes it if there is none. */
static Queue *find_queue(XtfFlows *flows, const Beginning *flow)
{
    const Queue like = {.key = {flow->from, flow->to, flow->limit}};
    Queue *queue = g_hash_table_lookup(flows->by_key, &like);

    if (queue)
        return queue;
    uint32_t stream = xtf_fair_rates_add(flows->rates, 2 * flow->from, 2 * flow->to + 1, flow->limit);
    if (stream == flows->queues->len) {
        queue = g_new0(Queue, 1);
        queue->endings = g_array_new(FALSE, FALSE, sizeof(Ending));
        g_ptr_array_add(flows->queues, queue);
    }
    queue = queue_of(flows, stream);
    *queue = (Queue){
        .key = like.key, .stream = stream, .place = NOT_IN_HEAP, .since = flows->now, .endings = queue->endings};
    g_hash_table_add(flows->by_key, queue);
    return queue;
}

/* ---- Events. */

/* Notes that flows of a queue begin or end. */
static void note_change(XtfFlows *flows, const Queue *queue)
{
    g_array_append_vals(flows->links, xtf_fair_stream(flows->rates, queue->stream)->links, 2);
    g_array_append_val(flows->changed, queue->stream);
}

static void begin_first(XtfFlows *flows)
{
    const Beginning flow = *first_beginning(flows);
    Queue *queue = find_queue(flows, &flow);

    xtf_heap_remove_first(flows->beginnings, sizeof flow, begins_before);
    move_bytes(flows, queue);
    const Ending ending = {queue->carried + (double)flow.bytes, flow.user};
    xtf_heap_add(queue->endings, &ending, sizeof ending, ends_before);
    note_change(flows, queue);
    xtf_fair_rates_begin(flows->rates, queue->stream);
}

/* Ends the first flow of a queue that is due, and the flows that end within half a part after it. */
static void end_flows(XtfFlows *flows, Queue *queue)
{
    move_bytes(flows, queue);
    note_change(flows, queue);
    double end = queue->carried + 0.5 * xtf_fair_stream(flows->rates, queue->stream)->rate;
    do {
        g_array_append_val(flows->ended, g_array_index(queue->endings, Ending, 0).user);
        xtf_heap_remove_first(queue->endings, sizeof(Ending), ends_before);
        if (queue->endings->len == 0)
            g_hash_table_remove(flows->by_key, queue);
        xtf_fair_rates_end(flows->rates, queue->stream);
    } while (queue->endings->len > 0 && g_array_index(queue->endings, Ending, 0).end < end);
}

static void change_rate(void *data, uint32_t stream)
{
    XtfFlows *flows = data;

    move_bytes(flows, queue_of(flows, stream));
    g_array_append_val(flows->changed, stream);
}

/* Computes the next end of a queue by its rate. */
static void compute_end(XtfFlows *flows, Queue *queue)
{
    if (queue->endings->len == 0)
        return;
    double left = MAX(0, g_array_index(queue->endings, Ending, 0).end - queue->carried);
    queue->next = flows->now + (uint64_t)(left / xtf_fair_stream(flows->rates, queue->stream)->rate + 0.5);
    move_in_heap(flows, queue->stream);
}

/* ---- All flows. */

XtfFlows *xtf_flows_new(uint32_t n_nodes, double capacity)
{
    XtfFlows *flows = g_new0(XtfFlows, 1);

    flows->rates = xtf_fair_rates_new(2 * n_nodes, capacity);
    flows->by_key = g_hash_table_new(hash_flows, are_flows_alike);
    flows->queues = g_ptr_array_new_with_free_func(queue_free);
    flows->beginnings = g_array_new(FALSE, FALSE, sizeof(Beginning));
    flows->ended = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    flows->links = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    flows->changed = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    return flows;
}

void xtf_flows_free(XtfFlows *flows)
{
    if (!flows)
        return;
    xtf_fair_rates_free(flows->rates);
    g_hash_table_unref(flows->by_key);
    g_ptr_array_unref(flows->queues);
    g_array_unref(flows->beginnings);
    g_array_unref(flows->ended);
    g_array_unref(flows->links);
    g_array_unref(flows->changed);
    g_free(flows->heap);
    g_free(flows);
}

void xtf_flows_add(XtfFlows *flows, uint64_t begin, uint32_t from, uint32_t to, uint64_t bytes, double limit,
                   uint32_t user)
{
    const Beginning flow = {
        .begin = MAX(begin, flows->now), .bytes = bytes, .limit = limit, .from = from, .to = to, .user = user};

    xtf_heap_add(flows->beginnings, &flow, sizeof flow, begins_before);
}

uint64_t xtf_flows_next_time(const XtfFlows *flows)
{
    const Beginning *flow = first_beginning(flows);
    uint64_t end = flows->n_heap > 0 ? queue_of(flows, flows->heap[0])->next : UINT64_MAX;

    return flow ? MIN(flow->begin, end) : end;
}

const uint32_t *xtf_flows_advance(XtfFlows *flows, uint32_t *n)
{
    g_array_set_size(flows->ended, 0);
    g_array_set_size(flows->links, 0);
    g_array_set_size(flows->changed, 0);
    flows->now = xtf_flows_next_time(flows);
    while (flows->n_heap > 0 && queue_of(flows, flows->heap[0])->next == flows->now)
        end_flows(flows, queue_of(flows, take_first(flows)));
    while (flows->beginnings->len > 0 && first_beginning(flows)->begin == flows->now)
        begin_first(flows);
    xtf_fair_rates_update(flows->rates, (const uint32_t *)(void *)flows->links->data, flows->links->len, change_rate,
                          flows);
    for (guint i = 0; i < flows->changed->len; i++)
        compute_end(flows, queue_of(flows, g_array_index(flows->changed, uint32_t, i)));
    *n = flows->ended->len;
    return (const uint32_t *)(void *)flows->ended->data;
}

double xtf_flows_rate(const XtfFlows *flows, uint32_t user)
{
    for (uint32_t i = 0; i < flows->n_heap; i++) {
        const Queue *queue = queue_of(flows, flows->heap[i]);
        for (guint k = 0; k < queue->endings->len; k++)
            if (g_array_index(queue->endings, Ending, k).user == user)
                return xtf_fair_stream(flows->rates, queue->stream)->rate;
    }
    return 0;
}
