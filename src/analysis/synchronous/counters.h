/*
 * Counters that wait for each other, and the cycles in which they wait for ever.
 *
 * A counter has a value that only grows, and may wait until another counter reaches a level. A raise of a counter makes
 * the counters ready whose levels it reaches. A counter that can never become ready is dead. It is in a cycle of
 * counters that wait for each other, or it waits for a dead one.
 *
 * A counter takes 40 bytes. A raise takes constant time, and O(log n) on average for each counter that becomes ready.
 * One thread uses counters.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define XTF_NO_COUNTER UINT32_MAX

typedef struct {
    uint64_t value;
    uint64_t level;                /* value of `awaited` that ends the wait */
    uint32_t awaited;              /* counter that it waits for; XTF_NO_COUNTER: none */
    uint32_t waiters;              /* private: heap of the counters that wait for it, the lowest level first */
    uint32_t first_child, sibling; /* private: links of the heap that the counter is in, or of the ready ones */
    uint32_t visit;                /* private: number of the last search that visited it */
    bool dead;
} XtfSyncCounter;

typedef struct {
    GArray *all;    /* XtfSyncCounter */
    uint32_t ready; /* private: list of ready counters */
    uint32_t n_visits;
} XtfSyncCounters;

void xtf_sync_counters_init(XtfSyncCounters *counters, uint32_t n);
void xtf_sync_counters_finish(XtfSyncCounters *counters); /* accepts all zeros */
/* Adds a counter of value 0, and returns its number. */
uint32_t xtf_sync_counters_add(XtfSyncCounters *counters);

static inline XtfSyncCounter *xtf_sync_counter(const XtfSyncCounters *counters, uint32_t number)
{
    return &g_array_index(counters->all, XtfSyncCounter, number);
}

/* Lets a counter that waits for none wait until `awaited` reaches `level`. False if it has reached the level. */
bool xtf_sync_counters_wait(XtfSyncCounters *counters, uint32_t number, uint32_t awaited, uint64_t level);
/* Raises a counter; a lower value changes nothing. */
void xtf_sync_counters_raise(XtfSyncCounters *counters, uint32_t number, uint64_t value);
/* Returns a counter whose wait has ended since it last was returned; XTF_NO_COUNTER: there is none. */
uint32_t xtf_sync_counters_next_ready(XtfSyncCounters *counters);
/* Marks the dead counters. Appends to `cycles`, of uint32_t, one counter of each cycle that it finds first now. */
void xtf_sync_counters_find_dead(XtfSyncCounters *counters, GArray *cycles);
