/*
 * The catalog: what a commit says of the whole trace. Held in memory while a trace is open, decoded and checked when it
 * is opened.
 */
#pragma once

#include "libxtf/disk/format.h"
#include "libxtf/schema.h"
#include "libxtf/trace.h"

/* An item, as XtfDiskRef says it. */
typedef struct {
    uint64_t offset;
    uint32_t length, checksum;
} XtfRef;

typedef struct {
    uint64_t id, first_page, pages; /* see XtfDiskSegment */
    uint32_t epoch;
} XtfSegment;

typedef struct {
    uint32_t schema;
    uint64_t n_rows;
    XtfRef rows;
} XtfTableEntry;

/* How the numbers of a segment become those of the file: see XtfDiskSegmentMap. */
typedef struct {
    uint32_t schema;
    XtfRef rows;
} XtfTableMap;

typedef struct {
    uint32_t strings, strings_length;
    XtfTableMap *tables;
    uint32_t n_tables;
} XtfSegmentMap;

typedef struct {
    XtfClock clock;
    XtfSegment *segments;
    uint32_t n_segments;         /* at least 1 */
    XtfSegmentMap *segment_maps; /* by segment; NULL: the segment's numbers are the file's */
    XtfSchema **schemas;
    XtfLimits **limits; /* by schema, by field */
    uint64_t *n_rows;   /* by schema: over all locations, or of the table */
    uint32_t n_schemas;
    uint64_t n_arrays;
    uint32_t arrays_height;
    XtfRef arrays_root;
    XtfTableEntry *tables;
    uint32_t n_tables;
    XtfRef strings;
    uint32_t n_clock_maps;
    XtfRef clock_maps; /* an item for clock-maps.h */
} XtfCatalog;

static inline XtfRef xtf_ref_read(const XtfDiskRef *from)
{
    return (XtfRef){xtf_read64(from->offset), xtf_read32(from->length), xtf_read32(from->checksum)};
}

static inline void xtf_ref_write(XtfDiskRef *to, XtfRef ref)
{
    xtf_write64(&to->offset, ref.offset);
    xtf_write32(&to->length, ref.length);
    xtf_write32(&to->checksum, ref.checksum);
}

void xtf_catalog_encode(const XtfCatalog *catalog, GByteArray *bytes);

/* XTF_ERROR_DAMAGED, or _UNSUPPORTED for a required section that is not known. `catalog` is all zeros before, and after
 * a failure. */
bool xtf_catalog_decode(XtfCatalog *catalog, const uint8_t *bytes, size_t length, GError **error);

/* Frees what it holds; it is all zeros then. */
void xtf_catalog_finish(XtfCatalog *catalog);
