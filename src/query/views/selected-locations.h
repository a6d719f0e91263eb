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
} XtfRosterProc;

typedef struct {
    const XtfLocations *locations; /* borrowed */
    uint32_t *places;              /* of the selection's locations in locations->all, ascending: by (proc, thread) */
    uint32_t n_places;
    XtfRosterProc *procs; /* that have any of them */
    uint32_t n_procs;
} XtfRoster;

bool xtf_roster_init(XtfRoster *roster, XtfGuide *guide, const XtfSelection *selection, GError **error);
void xtf_roster_finish(XtfRoster *roster); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfRoster, xtf_roster_finish)

/* What one location has, as the P index says. */
typedef struct {
    const XtfLocation *location;
    XtfArray *arrays;
    uint32_t n, room;
    uint64_t first, last; /* times of its first and last records, of any type; first > last: it has none */
} XtfHolding;

void xtf_holding_finish(XtfHolding *holding); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfHolding, xtf_holding_finish)

/* Loads what a location has; a holding that was used before may be used again. */
bool xtf_holding_load(XtfHolding *holding, const XtfGuide *guide, const XtfLocation *location, GError **error);
/* The array of a schema; NULL if it has none. */
const XtfArray *xtf_holding_array(const XtfHolding *holding, const XtfSchema *schema);

/* The rows of an array with a time in [a, b): [*lo, *hi). */
bool xtf_rows_in_window(const XtfArray *array, uint64_t a, uint64_t b, uint64_t *lo, uint64_t *hi, GError **error);
