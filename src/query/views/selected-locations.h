/*
 * Rosters: the processes of a selection, and of each its locations and their arrays. For views that go from one to the
 * next; record views go by spans (selection.h).
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/query/select/selection.h"

typedef struct {
    uint64_t proc;
    uint32_t first, n; /* places[first] and so on */
} XtfSelectedProcess;

typedef struct {
    const XtfLocations *locations; /* borrowed */
    uint32_t *places;              /* of the selection's locations in locations->all, ascending: by (proc, thread) */
    uint32_t n_places;
    XtfSelectedProcess *procs; /* that have any of them */
    uint32_t n_procs;
} XtfSelectedLocations;

bool xtf_selected_locations_init(XtfSelectedLocations *roster, XtfTraceContext *context, const XtfSelection *selection,
                                 GError **error);
void xtf_selected_locations_finish(XtfSelectedLocations *roster); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfSelectedLocations, xtf_selected_locations_finish)

/* What one location has, as the P index says. */
typedef struct {
    const XtfLocation *location;
    XtfArray *arrays;
    uint32_t n, room;
    uint64_t first, last; /* times of its first and last records, of any type; first > last: it has none */
} XtfLocationArrays;

void xtf_location_arrays_finish(XtfLocationArrays *holding); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfLocationArrays, xtf_location_arrays_finish)

/* Loads what a location has; a holding that was used before may be used again. */
bool xtf_location_arrays_load(XtfLocationArrays *holding, const XtfTraceContext *context, const XtfLocation *location,
                              GError **error);
/* The array of a schema; NULL if it has none. */
const XtfArray *xtf_location_arrays_array(const XtfLocationArrays *holding, const XtfSchema *schema);

/* The rows of an array with a time in [a, b): [*lo, *hi). */
bool xtf_rows_in_window(const XtfArray *array, uint64_t a, uint64_t b, uint64_t *lo, uint64_t *hi, GError **error);
