/*
 * The row maps of a trace's segments, made when they are first needed. A file that was not merged has none.
 */
#pragma once

#include "libxtf/schema/row-map.h"
#include "libxtf/tree/trace-private.h"

void xtf_row_maps_free(XtfRowMaps *maps); /* NULL is fine */

/* As xtf_array_row_map(), in a trace with segment maps. */
bool xtf_row_maps_find(const XtfArray *array, const XtfRowMap **map, GError **error);

/* Whether a map of a table can be loaded, and its numbers are rows of the file's table. */
bool xtf_row_maps_check(XtfTrace *trace, const XtfTableMap *map, GError **error);

/* The map that an array's rows go through as they come out of their leaf; *map is NULL if they stay as they are. It
 * lives as long as the trace. Any thread. */
static inline bool xtf_array_row_map(const XtfArray *array, const XtfRowMap **map, GError **error)
{
    *map = NULL;
    return !array->trace->catalog.segment_maps || xtf_row_maps_find(array, map, error);
}
