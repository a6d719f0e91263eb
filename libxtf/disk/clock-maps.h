/*
 * The clock maps of a trace: encoding, and conversion of rows. libxtf/clock-map.h defines clock maps.
 */
#pragma once

#include <stddef.h>

#include "libxtf/clock-map.h"
#include "libxtf/schema.h"

/* The maps of a file, numbered from 1: maps[0] is number 1. Number 0 means no map. */
typedef struct {
    uint32_t n;
    XtfClockMap *maps;
    XtfClockKnot *knots; /* knots of all maps */
} XtfClockMaps;

void xtf_clock_maps_finish(XtfClockMaps *maps); /* accepts all zeros, and leaves all zeros */

/* Appends a map to the item of maps. */
void xtf_clock_map_encode(const XtfClockMap *map, GByteArray *bytes);
/* Decodes n maps. `maps` must be all zeros, and is all zeros after a failure. The message of XTF_ERROR_DAMAGED names
 * the map. */
bool xtf_clock_maps_decode(XtfClockMaps *maps, uint32_t n, const uint8_t *bytes, size_t length, GError **error);

/* True if the local and global times of each knot are equal: such a map changes nothing. */
bool xtf_clock_map_is_identity(const XtfClockMap *map);
/* Returns a hash of the map's knots, for hash tables of XtfClockMap with xtf_clock_map_equal(). */
guint xtf_clock_map_hash(gconstpointer map);

/*
 * Returns a set of clock maps, which holds equal maps once. The ids of its maps count from 1 in the order of their
 * addition. The caller frees the set with g_hash_table_unref().
 */
GHashTable *xtf_clock_set_new(void);
/* Adds a map, and returns the set's copy of it. */
const XtfClockMap *xtf_clock_set_add(GHashTable *set, const XtfClockMap *map);

/* Maps all instants of ascending rows in place: their times, and the fields with XTF_FIELD_INSTANT. */
void xtf_clock_map_rows(const XtfClockMap *map, const XtfSchema *schema, uint8_t *rows, uint32_t count);
