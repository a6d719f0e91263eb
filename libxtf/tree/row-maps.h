/*
 * The row maps of a trace's segments, created when first needed. A file that was not merged has none.
 */
#pragma once

#include "libxtf/schema/row-map.h"
#include "libxtf/tree/trace-private.h"

void xtf_row_maps_free(XtfRowMaps *maps); /* NULL is allowed */

/* Does what xtf_array_row_map() does, in a trace with segment maps. */
bool xtf_row_maps_find(const XtfArray *array, const XtfRowMap **map, GError **error);

/* True if a map of a table can be loaded and its numbers are rows of the file's table. */
bool xtf_row_maps_check(XtfTrace *trace, const XtfTableMap *map, GError **error);

/* Returns the map that reading applies to an array's rows; *map is NULL if they do not change. The map lives as long as
 * the trace. Any thread may call it. */
static inline bool xtf_array_row_map(const XtfArray *array, const XtfRowMap **map, GError **error)
{
    *map = NULL;
    return !array->trace->catalog.segment_maps || xtf_row_maps_find(array, map, error);
}
