/*
 * Pairs the events of flows. The sort has them by flow and time. Each step of a flow, from one event to the next, is a
 * message from the first one's process to the second one's.
 */
#include <string.h>

#include "src/import/chrome/import.h"

enum { BEAT = 1 << 16 }; /* events between two signs of progress */

/* An event of a flow that waits for the next one. */
typedef struct {
    bool waits;
    bool received; /* it is also the receiver of a message */
    int64_t time;
    GByteArray *bytes; /* an XtfChromeFlow and its arguments */
} Waiting;

typedef struct {
    XtfChromeImport *import;
    GHashTable *processes; /* number of a process -> its index + 1 */
    XtfSortKey flow;       /* that is read */
    uint64_t n;            /* events of the flow so far */
    Waiting sender;
    /* A receiver that came while no sender waited. A sender may follow at the same time. If it is the first event of
     * its flow, and one sender is the only other, the two are a pair. */
    Waiting early;
} Flows;

static XtfChromeFlow *flow_of(const Waiting *waiting)
{
    return (XtfChromeFlow *)waiting->bytes->data;
}

static int64_t time_of(const XtfSortEntry *entry)
{
    return (int64_t)(entry->key.least - XTF_CHROME_BIAS);
}

static void keep_event(Waiting *waiting, const XtfSortEntry *entry, bool received)
{
    waiting->waits = true;
    waiting->received = received;
    waiting->time = time_of(entry);
    g_byte_array_set_size(waiting->bytes, 0);
    g_byte_array_append(waiting->bytes, entry->data, entry->size);
}

/* Adds one end of a message. `peer` is the index of the other end's process. */
static bool add_end(Flows *flows, const Waiting *end, XtfChromeKind kind, uint32_t peer, GError **error)
{
    const XtfChromeFlow *flow = flow_of(end);
    const guint8 *stored = (const guint8 *)&flow->stored;
    GByteArray *entry = flows->import->entry;

    g_byte_array_set_size(entry, 0);
    g_byte_array_append(entry, stored, end->bytes->len - (guint)(stored - end->bytes->data));
    ((XtfChromeStored *)entry->data)->kind = (uint8_t)kind;
    ((XtfChromeStored *)entry->data)->peer = peer;
    return xtf_chrome_sort_entry(flows->import, flow->location, end->time, flow->order, error);
}

static uint32_t process_of(const Flows *flows, const Waiting *end)
{
    return xtf_chrome_location_at(&flows->import->places, flow_of(end)->location)->process;
}

/* Adds a message. An end that lacks the tag or the length has that of the other end. */
static bool add_flow_message(Flows *flows, Waiting *sender, Waiting *receiver, GError **error)
{
    XtfChromeFlow *from = flow_of(sender), *to = flow_of(receiver);
    XtfChromeFlow *tagged = from->has_tag ? from : to, *sized = from->has_bytes ? from : to;

    if (!from->has_tag || !to->has_tag)
        from->stored.detail = to->stored.detail = tagged->stored.detail;
    if (!from->has_bytes || !to->has_bytes)
        from->stored.value = to->stored.value = sized->stored.value;
    return add_end(flows, sender, XTF_CHROME_SEND, process_of(flows, receiver), error) &&
           add_end(flows, receiver, XTF_CHROME_RECV, process_of(flows, sender), error);
}

/* Returns the index of the process with a number. Adds the process if the file has no event of it; UINT32_MAX: there
 * are too many. */
static uint32_t find_peer(const Flows *flows, uint32_t number)
{
    const guint found = GPOINTER_TO_UINT(g_hash_table_lookup(flows->processes, GUINT_TO_POINTER(number)));

    return found > 0 ? found - 1 : xtf_chrome_process(&flows->import->places, (XtfChromeId){.value = number});
}

/* Adds an event without a partner as a message whose other end is missing, if the event names the other process. */
static bool add_lone(Flows *flows, Waiting *end, XtfChromeKind kind, GError **error)
{
    if (!end->waits)
        return true;
    end->waits = false;
    if (end->received) /* the last step of a flow that has no end */
        return true;
    const XtfChromeFlow *flow = flow_of(end);
    const uint32_t peer = flow->has_peer ? find_peer(flows, flow->stored.peer) : UINT32_MAX;
    if (peer == UINT32_MAX)
        return xtf_chrome_leave_out(flows->import, XTF_CHROME_NO_PARTNER);
    flows->import->lone_flows++;
    return add_end(flows, end, kind, peer, error);
}

/* Ends a flow, after its last event. */
static bool end_flow(Flows *flows, GError **error)
{
    if (flows->early.waits && flows->sender.waits) {
        flows->early.waits = flows->sender.waits = false;
        return add_flow_message(flows, &flows->sender, &flows->early, error);
    }
    return add_lone(flows, &flows->early, XTF_CHROME_RECV, error) &&
           add_lone(flows, &flows->sender, XTF_CHROME_SEND, error);
}

/* Adds the message of a sender and a receiver. The receiver is the next sender if it is a step. */
static bool pair_event(Flows *flows, Waiting *receiver, GError **error)
{
    const bool is_step = flow_of(receiver)->phase == 't';

    flows->sender.waits = receiver->waits = false;
    if (!add_flow_message(flows, &flows->sender, receiver, error))
        return false;
    if (is_step) {
        const Waiting sender = flows->sender;
        flows->sender = *receiver;
        flows->sender.waits = flows->sender.received = true;
        *receiver = (Waiting){.bytes = sender.bytes};
    }
    return true;
}

static bool add_event(Flows *flows, const XtfSortEntry *entry, GError **error)
{
    const char phase = (char)((const XtfChromeFlow *)entry->data)->phase;
    const uint64_t n = flows->n++;

    if (phase == 's' && flows->early.waits && flows->early.time == time_of(entry)) {
        keep_event(&flows->sender, entry, false);
        return pair_event(flows, &flows->early, error);
    }
    if (!(n == 1 && phase == 's') && !add_lone(flows, &flows->early, XTF_CHROME_RECV, error))
        return false;
    if (phase == 's') {
        if (!add_lone(flows, &flows->sender, XTF_CHROME_SEND, error))
            return false;
        keep_event(&flows->sender, entry, false);
        return true;
    }
    keep_event(&flows->early, entry, false);
    return !flows->sender.waits || pair_event(flows, &flows->early, error);
}

static bool is_same_flow(const XtfSortKey *a, const XtfSortKey *b)
{
    return a->major == b->major && a->minor == b->minor;
}

static bool pair_all(Flows *flows, GError **error)
{
    XtfChromeImport *import = flows->import;
    XtfSortEntry entry;

    for (uint64_t i = 0;; i++) {
        if (!xtf_sort_next(import->flows, &entry, error))
            return false;
        if (flows->n > 0 && (!entry.data || !is_same_flow(&flows->flow, &entry.key))) {
            if (!end_flow(flows, error))
                return false;
            flows->n = 0;
        }
        if (!entry.data)
            return true;
        flows->flow = entry.key;
        if (!add_event(flows, &entry, error))
            return false;
        if (i % BEAT == 0)
            xtf_chrome_beat(import, XTF_CHROME_READ_SHARE, 0, 0);
    }
}

bool xtf_chrome_pair_flows(XtfChromeImport *import, GError **error)
{
    Flows flows = {.import = import,
                   .processes = g_hash_table_new(NULL, NULL),
                   .sender = {.bytes = g_byte_array_new()},
                   .early = {.bytes = g_byte_array_new()}};

    for (guint i = 0; i < import->places.processes->len; i++)
        g_hash_table_insert(flows.processes, GUINT_TO_POINTER(xtf_chrome_process_at(&import->places, i)->proc),
                            GUINT_TO_POINTER(i + 1));
    bool good = xtf_sort_end(import->flows, error) && pair_all(&flows, error);
    g_hash_table_unref(flows.processes);
    g_byte_array_unref(flows.sender.bytes);
    g_byte_array_unref(flows.early.bytes);
    return good;
}
