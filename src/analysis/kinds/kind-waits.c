#include "libxtf/error.h"
#include "src/analysis/kinds/kinds-private.h"

/* ---- Tables. */

static guint hash_key(gconstpointer pointer)
{
    const XtfKindKey *key = pointer;
    uint64_t mix = UINT64_C(0x9e3779b97f4a7c15), hash = key->a;

    hash = (hash ^ (hash >> 29)) * mix + key->b;
    hash = (hash ^ (hash >> 29)) * mix + key->c;
    hash = (hash ^ (hash >> 29)) * mix + key->d;
    return (guint)(hash ^ (hash >> 32));
}

static gboolean equal_keys(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(XtfKindKey)) == 0;
}

GHashTable *xtf_kind_table_new(GDestroyNotify free_value)
{
    return g_hash_table_new_full(hash_key, equal_keys, g_free, free_value);
}

void *xtf_kind_table_get(GHashTable *table, const XtfKindKey *key, size_t size)
{
    void *value = g_hash_table_lookup(table, key);

    if (!value) {
        value = g_malloc0(size);
        g_hash_table_insert(table, g_memdup2(key, sizeof *key), value);
    }
    return value;
}

/* ---- Waits for the consumer. */

XtfKindWait xtf_kinds_new_wait(const XtfKindLocation *location, const XtfKindRow *row, uint8_t kind)
{
    return (XtfKindWait){
        .seq = row->seq,
        .time = row->time,
        .location = location->index,
        .begin = row->time,
        .end = row->time,
        .culprit = UINT32_MAX,
        .culprit_seq = UINT64_MAX,
        .match = UINT64_MAX,
        .bytes = UINT64_MAX,
        .region = row->region,
        .comm = UINT32_MAX,
        .instance = UINT64_MAX,
        .kind = kind,
        .part_kind = XTF_KIND_NONE,
    };
}

/* True if the consumer does not need the wait: it is empty and synchronises nothing. */
static bool is_unneeded(const XtfKinds *kinds, const XtfKindWait *wait)
{
    bool is_single = wait->sync == XTF_KIND_ALONE || wait->sync == XTF_KIND_PAIR;

    return wait->end <= wait->begin && (is_single || !kinds->consumer->barrier) && wait->completion == 0;
}

static void pass_clipped_wait(XtfKinds *kinds, const XtfKindCall *call, XtfKindWait wait)
{
    if (call) {
        wait.begin = MAX(wait.begin, call->enter);
        wait.end = MIN(wait.end, call->leave);
    }
    wait.end = MAX(wait.begin, wait.end);
    if (is_unneeded(kinds, &wait) || kinds->failed)
        return;
    if (call && wait.seq == UINT64_MAX) {
        wait.seq = call->seq;
        wait.time = call->leave;
    }
    wait.enter = call ? call->enter : wait.begin;
    wait.leave = call ? call->leave : wait.end;
    wait.part = MIN(wait.part, wait.end - wait.begin);
    if (wait.part == 0)
        wait.part_kind = XTF_KIND_NONE;
    if (!kinds->consumer->wait(kinds->consumer->data, &wait, &kinds->failed) && !kinds->failed)
        xtf_fail(&kinds->failed, XTF_ERROR_INVALID, "the analysis could not store a wait");
}

void xtf_kinds_wait(XtfKinds *kinds, XtfKindCall *call, const XtfKindWait *wait)
{
    if (is_unneeded(kinds, wait))
        return;
    if (!call || call->left) {
        pass_clipped_wait(kinds, call, *wait);
        return;
    }
    if (!call->waits)
        call->waits = g_array_new(FALSE, FALSE, sizeof(XtfKindWait));
    g_array_append_val(call->waits, *wait);
}

void xtf_kinds_then(XtfKinds *kinds, XtfKindCall *call, void (*done)(XtfKinds *, XtfKindCall *, void *), void *data,
                    GDestroyNotify free)
{
    XtfKindThen then = {done, data, free};

    if (!call || call->left) {
        done(kinds, call, data);
        if (free)
            free(data);
        return;
    }
    if (!call->then)
        call->then = g_array_new(FALSE, FALSE, sizeof(XtfKindThen));
    g_array_append_val(call->then, then);
}

void xtf_kinds_leave(XtfKinds *kinds, XtfKindCall *call)
{
    g_autoptr(GArray) waits = g_steal_pointer(&call->waits), callbacks = g_steal_pointer(&call->then);

    for (guint i = 0; callbacks && i < callbacks->len; i++) {
        XtfKindThen *then = &g_array_index(callbacks, XtfKindThen, i);
        then->done(kinds, call, then->data);
        if (then->free)
            then->free(then->data);
    }
    for (guint i = 0; waits && i < waits->len; i++)
        pass_clipped_wait(kinds, call, g_array_index(waits, XtfKindWait, i));
}

/* ---- Processes. */

uint32_t xtf_kinds_process(const XtfKinds *kinds, uint64_t proc)
{
    uint32_t low = 0, high = kinds->n_processes;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (kinds->processes[middle].proc < proc)
            low = middle + 1;
        else
            high = middle;
    }
    return low < kinds->n_processes && kinds->processes[low].proc == proc ? low : UINT32_MAX;
}
