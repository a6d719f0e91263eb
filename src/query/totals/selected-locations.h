/*
 * The locations of a selection, process by process, and the arrays of each. For views that go from one location to the
 * next; records are read by spans (selection.h).
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/query/select/selection.h"

typedef struct {
    uint64_t proc;
    uint32_t first, n; /* of its locations, for xtf_selected_location() */
} XtfSelectedProcess;

typedef struct {
    const XtfLocations *locations; /* borrowed */
    uint32_t *indices;             /* of the selected locations in locations->all; ascending, thus by (proc, thread) */
    uint32_t n;
    XtfSelectedProcess *procs; /* only processes that have selected locations */
    uint32_t n_procs;
} XtfSelectedLocations;

bool xtf_selected_locations_init(XtfSelectedLocations *selected, XtfTraceContext *context,
                                 const XtfSelection *selection, GError **error);
void xtf_selected_locations_finish(XtfSelectedLocations *selected); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfSelectedLocations, xtf_selected_locations_finish)

static inline const XtfLocation *xtf_selected_location(const XtfSelectedLocations *selected, uint32_t i)
{
    return &selected->locations->all[selected->indices[i]];
}

/* The arrays of one location. */
typedef struct {
    const XtfLocation *location;
    XtfArray *all;
    uint32_t n, room;
    uint64_t first, last; /* times of the location's first and last record of any type; first > last: no records */
    uint64_t local_first, local_last; /* the same in ticks of its clock */
} XtfLocationArrays;

void xtf_location_arrays_finish(XtfLocationArrays *arrays); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfLocationArrays, xtf_location_arrays_finish)

/* `arrays` is all zeros, or was loaded for another location before. */
bool xtf_location_arrays_load(XtfLocationArrays *arrays, const XtfTraceContext *context, const XtfLocation *location,
                              GError **error);
/* The array of a schema; NULL if the location has none. */
const XtfArray *xtf_location_arrays_find(const XtfLocationArrays *arrays, const XtfSchema *schema);
