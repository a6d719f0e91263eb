#include "src/analysis/synchronous/counters.h"

#define NONE XTF_NO_COUNTER

void xtf_sync_counters_init(XtfSyncCounters *counters, uint32_t n)
{
    *counters = (XtfSyncCounters){.all = g_array_sized_new(FALSE, FALSE, sizeof(XtfSyncCounter), n), .ready = NONE};
    for (uint32_t i = 0; i < n; i++)
        xtf_sync_counters_add(counters);
}

void xtf_sync_counters_finish(XtfSyncCounters *counters)
{
    g_clear_pointer(&counters->all, g_array_unref);
}

uint32_t xtf_sync_counters_add(XtfSyncCounters *counters)
{
    const XtfSyncCounter counter = {.awaited = NONE, .waiters = NONE, .first_child = NONE, .sibling = NONE};

    g_array_append_val(counters->all, counter);
    return counters->all->len - 1;
}

/* ---- Pairing heaps (Fredman et al., Algorithmica 1, 1986) of waiting counters, by level. */

static uint32_t merge_heaps(const XtfSyncCounters *counters, uint32_t a, uint32_t b)
{
    if (a == NONE || b == NONE)
        return a == NONE ? b : a;
    if (xtf_sync_counter(counters, b)->level < xtf_sync_counter(counters, a)->level)
        return merge_heaps(counters, b, a);
    xtf_sync_counter(counters, b)->sibling = xtf_sync_counter(counters, a)->first_child;
    xtf_sync_counter(counters, a)->first_child = b;
    return a;
}

/* Takes the next heap from a list. */
static uint32_t take_first(const XtfSyncCounters *counters, uint32_t *list)
{
    uint32_t first = *list;

    if (first != NONE) {
        *list = xtf_sync_counter(counters, first)->sibling;
        xtf_sync_counter(counters, first)->sibling = NONE;
    }
    return first;
}

/* Merges a list of heaps: pairs from the left, then the pairs from the right. */
static uint32_t merge_list(const XtfSyncCounters *counters, uint32_t list)
{
    uint32_t pairs = NONE, all = NONE;

    while (list != NONE) {
        uint32_t a = take_first(counters, &list);
        uint32_t b = take_first(counters, &list);
        uint32_t pair = merge_heaps(counters, a, b);
        xtf_sync_counter(counters, pair)->sibling = pairs;
        pairs = pair;
    }
    while (pairs != NONE) {
        uint32_t pair = take_first(counters, &pairs);
        all = merge_heaps(counters, all, pair);
    }
    return all;
}

/* ---- Waits. */

bool xtf_sync_counters_wait(XtfSyncCounters *counters, uint32_t number, uint32_t awaited, uint64_t level)
{
    XtfSyncCounter *counter = xtf_sync_counter(counters, number), *target = xtf_sync_counter(counters, awaited);

    if (target->value >= level)
        return false;
    counter->awaited = awaited;
    counter->level = level;
    counter->first_child = counter->sibling = NONE;
    target->waiters = merge_heaps(counters, target->waiters, number);
    return true;
}

void xtf_sync_counters_raise(XtfSyncCounters *counters, uint32_t number, uint64_t value)
{
    XtfSyncCounter *counter = xtf_sync_counter(counters, number);

    counter->value = MAX(counter->value, value);
    while (counter->waiters != NONE && xtf_sync_counter(counters, counter->waiters)->level <= counter->value) {
        uint32_t first = counter->waiters;
        XtfSyncCounter *ready = xtf_sync_counter(counters, first);
        counter->waiters = merge_list(counters, ready->first_child);
        ready->awaited = ready->first_child = NONE;
        ready->sibling = counters->ready;
        counters->ready = first;
    }
}

uint32_t xtf_sync_counters_next_ready(XtfSyncCounters *counters)
{
    return take_first(counters, &counters->ready);
}

/* ---- Dead counters. */

/* Visits the counters from one on, each followed by the one that it waits for. Returns the first that was visited
 * before; NONE if the last one waits for none. */
static uint32_t visit_awaited(const XtfSyncCounters *counters, uint32_t from, uint32_t visit, uint32_t first_visit)
{
    uint32_t at = from;

    while (at != NONE && xtf_sync_counter(counters, at)->visit < first_visit) {
        xtf_sync_counter(counters, at)->visit = visit;
        at = xtf_sync_counter(counters, at)->awaited;
    }
    return at;
}

void xtf_sync_counters_find_dead(XtfSyncCounters *counters, GArray *cycles)
{
    uint32_t first_visit = counters->n_visits + 1;

    if (counters->n_visits > UINT32_MAX / 2) {
        for (guint i = 0; i < counters->all->len; i++)
            xtf_sync_counter(counters, i)->visit = 0;
        first_visit = 1;
    }
    counters->n_visits = first_visit;
    for (guint i = 0; i < counters->all->len; i++) {
        if (xtf_sync_counter(counters, i)->visit >= first_visit)
            continue;
        uint32_t visit = counters->n_visits++;
        uint32_t end = visit_awaited(counters, i, visit, first_visit);
        bool is_cycle = end != NONE && xtf_sync_counter(counters, end)->visit == visit;
        if (end == NONE || (!is_cycle && !xtf_sync_counter(counters, end)->dead))
            continue;
        if (is_cycle && !xtf_sync_counter(counters, end)->dead)
            g_array_append_val(cycles, end);
        for (uint32_t at = i; !xtf_sync_counter(counters, at)->dead; at = xtf_sync_counter(counters, at)->awaited)
            xtf_sync_counter(counters, at)->dead = true;
    }
}
