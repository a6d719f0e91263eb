/*
 * Segment maps: a section of the catalog of merged files. For each segment, it maps the row numbers of the segment's
 * tables to rows of the file's tables, and says where the segment's strings begin.
 */
#pragma once

#include "libxtf/base/bytes.h"
#include "libxtf/disk/catalog.h"

/* Encodes the section's body: for each segment, in order, an XtfDiskSegmentMap and its XtfDiskTableMaps. */
void xtf_segment_maps_encode(const XtfCatalog *catalog, GByteArray *bytes);

/* Decodes catalog->segment_maps, the maps of table rows. The segments must be decoded before. Fails with
 * XTF_ERROR_DAMAGED. The catalog owns the maps decoded before a failure. */
bool xtf_segment_maps_decode(XtfCatalog *catalog, XtfBytesReader *reader, GError **error);

/* Frees the catalog's maps. */
void xtf_segment_maps_finish(XtfCatalog *catalog);
