#include "src/export/opents/queue.h"

#include <stdlib.h>

typedef struct {
    uint64_t frame;
    uint32_t rank;
} Entry;

void xtf_opents_queue_init(XtfOpentsQueue *queue)
{
    queue->heap = g_array_new(FALSE, FALSE, sizeof(Entry));
}

void xtf_opents_queue_finish(XtfOpentsQueue *queue)
{
    g_clear_pointer(&queue->heap, g_array_unref);
}

void xtf_opents_queue_add(XtfOpentsQueue *queue, uint64_t frame, uint32_t rank)
{
    const Entry new = {.frame = frame, .rank = rank};
    guint place = queue->heap->len;

    g_array_append_val(queue->heap, new);
    Entry *heap = (Entry *)(void *)queue->heap->data;
    for (; place > 0 && heap[(place - 1) / 2].frame > frame; place = (place - 1) / 2)
        heap[place] = heap[(place - 1) / 2];
    heap[place] = new;
}

/* Removes the first entry. The last entry replaces it, and sinks until no entry below it has an earlier frame. */
static void remove_first(GArray *heap_entries)
{
    Entry *heap = (Entry *)(void *)heap_entries->data;
    const guint n = heap_entries->len - 1;
    const Entry last = heap[n];
    guint place = 0;

    for (guint child = 1; child < n; child = 2 * place + 1) {
        if (child + 1 < n && heap[child + 1].frame < heap[child].frame)
            child++;
        if (heap[child].frame >= last.frame)
            break;
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = last;
    g_array_set_size(heap_entries, n);
}

static int compare_ranks(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

void xtf_opents_queue_take(XtfOpentsQueue *queue, uint64_t frame, GArray *ranks)
{
    while (queue->heap->len > 0) {
        const Entry first = g_array_index(queue->heap, Entry, 0);
        if (first.frame > frame)
            break;
        g_array_append_val(ranks, first.rank);
        remove_first(queue->heap);
    }
    if (ranks->len > 1)
        qsort(ranks->data, ranks->len, sizeof(uint32_t), compare_ranks);
}
