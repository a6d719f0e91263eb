/*
 * The memory of a traced process, as its collector sees it (wire.h).
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/error.h"
#include "src/record/wire.h"

typedef struct {
    XtfWireProcess *process; /* NULL: nothing is mapped */
    XtfWireRing *rings;
    uint32_t n_rings;
    uint64_t ring_size;
    uint64_t data; /* where that of the first ring begins */
    size_t mapped;
    int fd;              /* borrowed */
    uint8_t **ring_data; /* by ring; NULL: not mapped yet */
} XtfCollectMemory;

/* Maps what the descriptor refers to, which stays the caller's and open until xtf_collect_memory_finish().
 * XTF_ERROR_DAMAGED if it is no such memory, or of another version. */
bool xtf_collect_memory_init(XtfCollectMemory *memory, int fd, GError **error);
void xtf_collect_memory_finish(XtfCollectMemory *memory); /* also of zeros */

/* A ring's data, twice, one behind the other. NULL with an error. */
uint8_t *xtf_collect_memory_ring(XtfCollectMemory *memory, uint32_t ring, GError **error);

/* Where a ring's records begin that were published and not taken, and how many bytes they are. False if that makes no
 * sense. */
bool xtf_collect_memory_published(const XtfCollectMemory *memory, uint32_t ring, uint64_t *tail, uint64_t *size);
