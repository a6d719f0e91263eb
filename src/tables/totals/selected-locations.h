/*
 * Locations of a selection, process by process, for views that load the arrays of one location after another. Records
 * are read by spans instead (selection.h).
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/trace/select/location-arrays.h"
#include "src/trace/select/selection.h"

typedef struct {
    uint64_t proc;
    uint32_t first, n; /* range of its locations, for xtf_selected_location() */
} XtfSelectedProcess;

typedef struct {
    const XtfLocations *locations; /* borrowed */
    uint32_t *indices;             /* indices of the selected locations in locations->all; ascending, thus by (proc,
                                    * thread) */
    uint32_t n;
    XtfSelectedProcess *procs; /* only processes with selected locations */
    uint32_t n_procs;
} XtfSelectedLocations;

bool xtf_selected_locations_init(XtfSelectedLocations *selected, XtfTraceContext *context,
                                 const XtfSelection *selection, GError **error);
void xtf_selected_locations_finish(XtfSelectedLocations *selected); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfSelectedLocations, xtf_selected_locations_finish)

/* Finds the index of a process in `procs`. Returns false if none of its locations is selected. */
bool xtf_selected_process_find(const XtfSelectedLocations *selected, uint64_t proc, uint32_t *index);

static inline const XtfLocation *xtf_selected_location(const XtfSelectedLocations *selected, uint32_t i)
{
    return &selected->locations->all[selected->indices[i]];
}
