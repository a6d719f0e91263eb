/*
 * A binary heap of items in a GArray. The least item is the first one. All calls for a heap pass the same size of items
 * and the same comparison, both constants, so that the compiler inlines them.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <string.h>

typedef bool (*XtfHeapIsLess)(const void *a, const void *b);

static inline void xtf_heap_add(GArray *heap, const void *item, size_t size, XtfHeapIsLess is_less)
{
    guint i = heap->len;

    g_array_set_size(heap, heap->len + 1);
    for (; i > 0 && is_less(item, heap->data + (i - 1) / 2 * size); i = (i - 1) / 2)
        memcpy(heap->data + i * size, heap->data + (i - 1) / 2 * size, size);
    memcpy(heap->data + i * size, item, size);
}

/* Puts an item into the place of the first of n items. */
static inline void xtf_heap_sift(GArray *heap, guint n, const void *item, size_t size, XtfHeapIsLess is_less)
{
    guint i = 0;

    for (guint child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && is_less(heap->data + (child + 1) * size, heap->data + child * size))
            child++;
        if (!is_less(heap->data + child * size, item))
            break;
        memcpy(heap->data + i * size, heap->data + child * size, size);
    }
    memcpy(heap->data + i * size, item, size);
}

/* Puts an item, which is not in the heap, into the place of the first one. The heap has some. */
static inline void xtf_heap_replace_first(GArray *heap, const void *item, size_t size, XtfHeapIsLess is_less)
{
    xtf_heap_sift(heap, heap->len, item, size, is_less);
}

/* Removes the first item. The heap has some. */
static inline void xtf_heap_remove_first(GArray *heap, size_t size, XtfHeapIsLess is_less)
{
    guint n = heap->len - 1;

    if (n > 0)
        xtf_heap_sift(heap, n, heap->data + n * size, size, is_less);
    g_array_set_size(heap, n);
}
