/*
 * Queue of ranks by the slice of their next record: a binary heap.
 *
 * Only one thread at a time may use a queue.
 */
#pragma once

#include <glib.h>
#include <stdint.h>

typedef struct {
    GArray *heap;
} XtfOpentsQueue;

void xtf_opents_queue_init(XtfOpentsQueue *queue);
void xtf_opents_queue_finish(XtfOpentsQueue *queue); /* all zeros is fine */

void xtf_opents_queue_add(XtfOpentsQueue *queue, uint64_t frame, uint32_t rank);
/* Removes all ranks whose next record is in this slice or an earlier one. Appends them to `ranks` (of uint32_t), and
 * sorts `ranks`. */
void xtf_opents_queue_take(XtfOpentsQueue *queue, uint64_t frame, GArray *ranks);
