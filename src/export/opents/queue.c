#include "src/export/opents/queue.h"

#include <stdlib.h>

typedef struct {
    uint64_t frame;
    uint32_t rank;
} Waiting;

void xtf_opents_queue_init(XtfOpentsQueue *queue)
{
    queue->heap = g_array_new(FALSE, FALSE, sizeof(Waiting));
}

void xtf_opents_queue_finish(XtfOpentsQueue *queue)
{
    g_clear_pointer(&queue->heap, g_array_unref);
}

void xtf_opents_queue_add(XtfOpentsQueue *queue, uint64_t frame, uint32_t rank)
{
    const Waiting new = {.frame = frame, .rank = rank};
    guint at = queue->heap->len;

    g_array_append_val(queue->heap, new);
    Waiting *heap = (Waiting *)(void *)queue->heap->data;
    for (; at > 0 && heap[(at - 1) / 2].frame > frame; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = new;
}

/* Removes the first entry. The last entry replaces it, and sinks until no entry below it has an earlier frame. */
static void remove_first(GArray *waiting)
{
    Waiting *heap = (Waiting *)(void *)waiting->data;
    const guint n = waiting->len - 1;
    const Waiting last = heap[n];
    guint at = 0;

    for (guint below = 1; below < n; below = 2 * at + 1) {
        if (below + 1 < n && heap[below + 1].frame < heap[below].frame)
            below++;
        if (heap[below].frame >= last.frame)
            break;
        heap[at] = heap[below];
        at = below;
    }
    heap[at] = last;
    g_array_set_size(waiting, n);
}

static int compare_ranks(const void *a, const void *b)
{
    const uint32_t *one = a, *other = b;

    return (*one > *other) - (*one < *other);
}

void xtf_opents_queue_take(XtfOpentsQueue *queue, uint64_t frame, GArray *ranks)
{
    while (queue->heap->len > 0) {
        const Waiting first = g_array_index(queue->heap, Waiting, 0);
        if (first.frame > frame)
            break;
        g_array_append_val(ranks, first.rank);
        remove_first(queue->heap);
    }
    if (ranks->len > 1)
        qsort(ranks->data, ranks->len, sizeof(uint32_t), compare_ranks);
}
