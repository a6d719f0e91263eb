/*
 * Segment maps: a section of the catalog of merged files. It says, for each segment, which rows of the file's tables
 * the rows of the segment's own tables became, and where its strings lie.
 */
#pragma once

#include "libxtf/base/bytes.h"
#include "libxtf/disk/catalog.h"

/* The section's body: for each segment, in their order, an XtfDiskSegmentMap and XtfDiskTableMaps. */
void xtf_segment_maps_encode(const XtfCatalog *catalog, GByteArray *bytes);

/* Decodes catalog->segment_maps; the segments are decoded before. XTF_ERROR_DAMAGED. What it has decoded so far is
 * freed with the catalog. */
bool xtf_segment_maps_decode(XtfCatalog *catalog, XtfBytesReader *reader, GError **error);

/* Frees the catalog's maps. */
void xtf_segment_maps_finish(XtfCatalog *catalog);
