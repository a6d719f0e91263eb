/*
 * Call sites of the waits of a selection: where processes wait, and where other processes end the waits.
 *
 * A sample represents all waits: its waits are at equal distances in the sum of all lengths, location after location. A
 * site's part of the sample is its part of the waiting, within some 6 %. A few waits that are far longer than all
 * others are in the sample, too. The cost is that of a table of totals and some thousand descents, for any number of
 * waits.
 */
#pragma once

#include "src/trace/select/selection.h"

enum { XTF_WAIT_DRAWS = 64 };

/* The sites of a wait. */
typedef struct {
    uint32_t waiting;     /* site of the call that waits; UINT32_MAX: none */
    uint32_t ending;      /* site of the call that ended the wait; UINT32_MAX: none, or unknown */
    uint32_t culprit;     /* index of that call's location in XtfLocations; UINT32_MAX: unknown */
    uint32_t before;      /* site of the call after which the culprit was outside of all calls for longest, since it
                           * met the waiter; UINT32_MAX: none */
    uint64_t culprit_seq; /* record of that call */
} XtfWaitDraw;

/* Finds the sites of row n of the `waits` of a location, an index in XtfLocations. All are none without call sites. */
bool xtf_wait_sites_find(XtfWaitDraw *draw, XtfTraceContext *context, uint32_t location, const XtfArray *waits,
                         uint64_t n, GError **error);
/* Draws at most XTF_WAIT_DRAWS waits that end in the window of a selection of the type `waits`. *n is 0 if
 * the trace has no sites, or the selection no waits. */
bool xtf_wait_sites_draw(XtfWaitDraw *draws, unsigned *n, XtfTraceContext *context, const XtfSelection *selection,
                         GError **error);
