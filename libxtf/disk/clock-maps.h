/*
 * The clock maps of a trace: as bytes, and applied to rows. What a map is, libxtf/clock-map.h says.
 */
#pragma once

#include <stddef.h>

#include "libxtf/clock-map.h"
#include "libxtf/schema.h"

/* Maps are numbered from 1: maps[0] is number 1. 0 is no map. */
typedef struct {
    uint32_t n;
    XtfClockMap *maps;
    XtfClockKnot *knots; /* of all maps */
} XtfClockMaps;

void xtf_clock_maps_finish(XtfClockMaps *maps); /* all zeros is fine, and left */

/* Appends a map to the item of maps. */
void xtf_clock_map_encode(const XtfClockMap *map, GByteArray *bytes);
/* XTF_ERROR_DAMAGED, which names the map. `maps` is all zeros before, and after a failure. */
bool xtf_clock_maps_decode(XtfClockMaps *maps, uint32_t n, const uint8_t *bytes, size_t length, GError **error);

/* Whether every knot has the same local and global time: such a map changes nothing. */
bool xtf_clock_map_is_identity(const XtfClockMap *map);
/* For hash tables of XtfClockMap by their knots, beside xtf_clock_map_equal(). */
guint xtf_clock_map_hash(gconstpointer map);

/*
 * A set of clock maps, each once however often it is added, whose ids number them from 1 on in the order in which they
 * came. Freed by g_hash_table_unref().
 */
GHashTable *xtf_clock_set_new(void);
/* The set's own copy of a map. */
const XtfClockMap *xtf_clock_set_add(GHashTable *set, const XtfClockMap *map);

/* All instants of rows in order: their times, and the fields with XTF_FIELD_INSTANT. In place. */
void xtf_clock_map_rows(const XtfClockMap *map, const XtfSchema *schema, uint8_t *rows, uint32_t count);
