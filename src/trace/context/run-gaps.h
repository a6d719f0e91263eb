/*
 * The runs of a trace that joins several, and the gaps between them: the table `runs`, docs/VOCABULARY.md.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libxtf/array.h"
#include "libxtf/error.h"
#include "libxtf/handles.h"

typedef struct {
    uint64_t end;   /* time of the last record of the run before */
    uint64_t begin; /* time of the first record of the run after; later than `end` */
} XtfRunGap;

typedef struct {
    XtfRunGap *all; /* ascending by time */
    uint32_t n;     /* 0: the trace is of one run */
} XtfRunGaps;

/* Reads the gaps. Ignores rows that are not in the order of time. */
bool xtf_run_gaps_load(XtfRunGaps *gaps, XtfTrace *trace, GError **error);
void xtf_run_gaps_finish(XtfRunGaps *gaps); /* accepts all zeros */

/* Returns a time in the middle of a gap. Records before it are of the runs before the gap. */
static inline uint64_t xtf_run_gap_middle(const XtfRunGap *gap)
{
    return gap->end + (gap->begin - gap->end + 1) / 2;
}

/* Computes how many ticks of [from, to) lie between runs of the whole trace. */
uint64_t xtf_run_gaps_ticks(const XtfRunGaps *gaps, uint64_t from, uint64_t to);

/* A window of time: records with a time in [from, to) are read. */
typedef struct {
    uint64_t from, to; /* global; `to` 0: no end */
} XtfRunWindow;

/* Returns the window of run `number`, from 0 to gaps->n. It reaches into the gaps beside the run. */
XtfRunWindow xtf_run_window(const XtfRunGaps *gaps, uint32_t number);
/* Finds the rows [*begin, *end) of an array in a window, from the trace's kept time on. Costs nothing if all its rows
 * are in it. */
bool xtf_run_window_rows(const XtfRunWindow *window, const XtfArray *array, uint64_t *begin, uint64_t *end,
                         GError **error);
/* Finds the times of the first and the last row of an array in a window. *any: false if it has no row there. */
bool xtf_run_window_times(const XtfRunWindow *window, const XtfArray *array, uint64_t *first, uint64_t *last, bool *any,
                          GError **error);
