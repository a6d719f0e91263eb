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
    uint64_t data; /* offset of the first ring's data */
    size_t mapped;
    int fd;              /* borrowed */
    uint8_t **ring_data; /* by ring; NULL: not mapped yet */
} XtfCollectMemory;

/* Maps the memory of the descriptor. The caller keeps the descriptor open until xtf_collect_memory_finish().
 * XTF_ERROR_DAMAGED if the descriptor is no such memory; XTF_ERROR_UNSUPPORTED if it has another version. */
bool xtf_collect_memory_init(XtfCollectMemory *memory, int fd, GError **error);
void xtf_collect_memory_finish(XtfCollectMemory *memory); /* zeros are valid */

/* Returns a ring's data, mapped twice in a row. NULL on error. */
uint8_t *xtf_collect_memory_ring(XtfCollectMemory *memory, uint32_t ring, GError **error);

/* Finds the ring's published records that are not yet taken: *tail is their position, *size their bytes. Returns false
 * if the ring's positions are impossible. */
bool xtf_collect_memory_published(const XtfCollectMemory *memory, uint32_t ring, uint64_t *tail, uint64_t *size);
