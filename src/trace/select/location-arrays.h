/*
 * The arrays of one location after the other. Arrays of the next locations are looked up along with those of one, if
 * locations are asked for in the order of the index; and if they are very many, their arrays are read by a sweep.
 */
#pragma once

#include "libxtf/sweep.h"
#include "src/trace/context/trace-context.h"

/* Of one thread. */
typedef struct {
    const XtfLocation *location;
    XtfArray *all; /* good until the next location's are loaded */
    uint32_t n;
    uint64_t first, last; /* times of the location's first and last record of any type; first > last: no records */
    uint64_t local_first, local_last; /* the same in ticks of its clock */
    /* Private. */
    XtfArray *ahead; /* looked up: n_ahead from the rank `ahead_first` on */
    uint64_t ahead_first;
    uint32_t n_ahead, room;
    uint32_t n_loaded; /* locations so far */
    XtfSweep *sweep;   /* NULL: they are not many yet */
} XtfLocationArrays;

void xtf_location_arrays_finish(XtfLocationArrays *arrays); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfLocationArrays, xtf_location_arrays_finish)

/* Says of `arrays`, all zeros, that very many locations will be loaded. */
void xtf_location_arrays_expect_many(XtfLocationArrays *arrays);
/* `arrays` is all zeros, or was loaded for another location before. */
bool xtf_location_arrays_load(XtfLocationArrays *arrays, const XtfTraceContext *context, const XtfLocation *location,
                              GError **error);
/* The array of a schema; NULL if the location has none. */
const XtfArray *xtf_location_arrays_find(const XtfLocationArrays *arrays, const XtfSchema *schema);
