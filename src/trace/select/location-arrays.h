/*
 * The arrays of one location after the other. If the caller loads locations in the order of the index, a load looks up
 * the arrays of the next locations, too. For very many locations a sweep reads the arrays.
 */
#pragma once

#include "libxtf/sweep.h"
#include "src/trace/context/trace-context.h"

/* Only one thread at a time may use an XtfLocationArrays. */
typedef struct {
    const XtfLocation *location;
    XtfArray *all; /* the readable arrays; valid until the next location is loaded */
    uint32_t n;
    /* Times of the location's first and last record of any type; first > last: no records. If the location grows,
     * `last` is at least the time up to which the trace is complete. */
    uint64_t first, last;
    uint64_t local_first, local_last; /* the same two times, in ticks of its clock */
    const XtfRunGaps *gaps;           /* between the runs of the trace. Borrowed from the context */
    /* Private. */
    GArray *readable; /* XtfArray: the arrays of a location of which some are refused; NULL: no such location so far */
    XtfArray *ahead;  /* n_ahead arrays from the rank `ahead_first` on, already looked up */
    uint64_t ahead_first;
    uint32_t n_ahead, room;
    uint32_t n_loaded; /* number of locations loaded so far */
    XtfSweep *sweep;   /* NULL: few locations so far */
} XtfLocationArrays;

void xtf_location_arrays_finish(XtfLocationArrays *arrays); /* accepts all zeros */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfLocationArrays, xtf_location_arrays_finish)

/* Prepares `arrays`, all zeros, for very many locations. */
void xtf_location_arrays_expect_many(XtfLocationArrays *arrays);
/* Loads the arrays of a location. `arrays` is all zeros, or holds the arrays of another location. */
bool xtf_location_arrays_load(XtfLocationArrays *arrays, const XtfTraceContext *context, const XtfLocation *location,
                              GError **error);
/* Finds a location's own gap between two runs: from its last record before gap i to its first record after. Sets
 * *exists to false if the location lacks records on one side. Returns false only with an error. */
bool xtf_location_gap(const XtfLocationArrays *arrays, uint32_t i, XtfRunGap *gap, bool *exists, GError **error);
/* Computes how many ticks of the window [from, to) lie in gaps of the location. The window and the ticks are of the
 * location's clock if `local`, else global. */
bool xtf_location_gap_ticks(const XtfLocationArrays *arrays, bool local, uint64_t from, uint64_t to, uint64_t *ticks,
                            GError **error);
/* Returns the array of a schema; NULL if the location has none. */
const XtfArray *xtf_location_arrays_find(const XtfLocationArrays *arrays, const XtfSchema *schema);
