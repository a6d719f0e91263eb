#include "src/analysis/synchronous/needs.h"

void xtf_needs_init(XtfNeeds *needs, XtfSyncCounters *counters, uint32_t n_locations)
{
    *needs = (XtfNeeds){
        .counters = counters,
        .queues = g_new0(XtfNeedQueue, (size_t)n_locations + 1),
        .all = g_array_new(FALSE, FALSE, sizeof(XtfNeed)),
        .n_locations = n_locations,
        .free = XTF_NO_NEED,
    };
    for (uint32_t i = 0; i < n_locations; i++)
        needs->queues[i] = (XtfNeedQueue){.row = UINT64_MAX, .first = XTF_NO_NEED, .last = XTF_NO_NEED};
}

void xtf_needs_finish(XtfNeeds *needs)
{
    g_clear_pointer(&needs->queues, g_free);
    g_clear_pointer(&needs->all, g_array_unref);
}

void xtf_needs_begin_call(XtfNeeds *needs, uint32_t location)
{
    XtfNeedQueue *queue = &needs->queues[location];

    queue->call++;
    if (queue->first == XTF_NO_NEED)
        xtf_sync_counters_raise(needs->counters, location, queue->call);
}

/* Returns the number of a free need. */
static uint32_t allocate_need(XtfNeeds *needs)
{
    uint32_t number = needs->free;

    if (number != XTF_NO_NEED) {
        needs->free = xtf_need(needs, number)->next;
        return number;
    }
    g_array_set_size(needs->all, needs->all->len + 1);
    return needs->all->len - 1;
}

uint32_t xtf_needs_add(XtfNeeds *needs, uint32_t location, const XtfNeed *need)
{
    XtfNeedQueue *queue = &needs->queues[location];
    uint32_t number = allocate_need(needs);

    *xtf_need(needs, number) = *need;
    xtf_need(needs, number)->call = queue->call;
    xtf_need(needs, number)->next = XTF_NO_NEED;
    if (queue->first == XTF_NO_NEED)
        queue->first = number;
    else
        xtf_need(needs, queue->last)->next = number;
    queue->last = number;
    needs->n_queued++;
    return number;
}

/* Frees the first need of a location, which is met. */
static void free_first(XtfNeeds *needs, XtfNeedQueue *queue)
{
    uint32_t number = queue->first;
    XtfNeed *need = xtf_need(needs, number);

    needs->met(needs->data, need);
    queue->first = need->next;
    need->next = needs->free;
    needs->free = number;
    needs->n_queued--;
}

void xtf_needs_continue(XtfNeeds *needs, uint32_t location)
{
    XtfNeedQueue *queue = &needs->queues[location];

    while (queue->first != XTF_NO_NEED) {
        const XtfNeed *need = xtf_need(needs, queue->first);
        xtf_sync_counters_raise(needs->counters, location, need->call);
        if (need->state == XTF_NEED_OPEN ||
            (need->state == XTF_NEED_KNOWN &&
             xtf_sync_counters_wait(needs->counters, location, need->counter, need->level)))
            return;
        free_first(needs, queue);
    }
    xtf_sync_counters_raise(needs->counters, location, queue->call);
}
