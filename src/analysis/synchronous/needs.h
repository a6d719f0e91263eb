/*
 * The needs of the locations of a run: what a call needs before it completes, in the order of each location.
 *
 * A need is a counter that must reach a level. The counter of a location has the number of the call that the location
 * is in, from 1 on. A location enters a call when all needs of its earlier calls are met. Needs that are met are freed.
 */
#pragma once

#include "src/analysis/synchronous/counters.h"
#include "src/analysis/synchronous/synchronous-wait.h"

#define XTF_NO_NEED UINT32_MAX

typedef enum {
    XTF_NEED_OPEN, /* the counter is not known yet */
    XTF_NEED_KNOWN,
    XTF_NEED_DROPPED, /* the message has no known other side, so the call does not wait for it */
} XtfNeedState;

typedef struct {
    XtfSynchronousWait wait; /* all but `awaited` */
    uint64_t call;           /* number of the call */
    uint64_t level;          /* if known */
    uint32_t counter;        /* if known */
    uint32_t next;           /* next need of the location, or next free one; XTF_NO_NEED: none */
    XtfNeedState state;
} XtfNeed;

/* The needs of a location that are not met. */
typedef struct {
    uint64_t call, row;   /* the last call that the trace has so far: its number, and its row in `enters_leaves` */
    uint32_t first, last; /* needs; XTF_NO_NEED: none */
} XtfNeedQueue;

typedef struct {
    XtfSyncCounters *counters; /* borrowed; by location, then of others */
    XtfNeedQueue *queues;      /* by location */
    GArray *all;               /* XtfNeed */
    uint32_t n_locations, n_queued, free;
    /* Called when a need is met. The callee must change no needs. */
    void (*met)(void *data, const XtfNeed *need);
    void *data;
} XtfNeeds;

void xtf_needs_init(XtfNeeds *needs, XtfSyncCounters *counters, uint32_t n_locations);
void xtf_needs_finish(XtfNeeds *needs); /* accepts all zeros */

static inline XtfNeed *xtf_need(const XtfNeeds *needs, uint32_t number)
{
    return &g_array_index(needs->all, XtfNeed, number);
}

/* Begins the next call of a location. */
void xtf_needs_begin_call(XtfNeeds *needs, uint32_t location);
/* Adds a need to the last call of a location. Returns its number. */
uint32_t xtf_needs_add(XtfNeeds *needs, uint32_t location, const XtfNeed *need);
/* Continues a location whose first need may be met now, and raises its counter. */
void xtf_needs_continue(XtfNeeds *needs, uint32_t location);
