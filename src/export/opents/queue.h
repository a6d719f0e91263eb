/*
 * Ranks that wait for the slices of their next records: a binary heap.
 *
 * One thread at a time.
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
/* Takes out all ranks that wait for this slice or for one before it, and appends them to `ranks` (uint32_t), which is
 * sorted then. */
void xtf_opents_queue_take(XtfOpentsQueue *queue, uint64_t frame, GArray *ranks);
