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

enum { XTF_CHUNK_BYTES = 64 << 10 }; /* a chunk that has so many gets no more */

/* Bytes that lie in several items, one behind the other. What only grows is kept so: a commit stores the last chunk
 * again, and those behind it. */
typedef struct {
    XtfRef *chunks;
    uint32_t n;
    uint64_t bytes; /* of all */
} XtfChunks;

typedef struct {
    uint32_t schema;
    uint64_t n_rows;
    XtfChunks rows;
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

/* A file, beside this one, whose pages stand in the place of some of this file's: see XtfDiskFile. */
typedef struct {
    char *name;
    uint64_t first_page, pages;
    uint64_t size; /* bytes */
    uint8_t file_id[16];
    uint64_t commit, wall_time;
    uint32_t epoch;
} XtfPartFile;

/* Pages of the file that no item takes any more. */
typedef struct {
    uint64_t page, n_pages;
    uint64_t commit; /* the last one that names something in them; 0: none that matters */
} XtfFreePages;

typedef struct {
    XtfClock clock;
    XtfSegment *segments;
    uint32_t n_segments;         /* at least 1 */
    XtfSegmentMap *segment_maps; /* by segment; NULL: the segment's numbers are the file's */
    XtfChunks schema_chunks;
    XtfSchema **schemas; /* loaded from the chunks */
    XtfLimits **limits;  /* by schema, by field; loaded from the items */
    XtfRef *limit_items; /* by schema; of length 0: it has no values */
    uint64_t *n_rows;    /* by schema: over all locations, or of the table */
    uint32_t n_schemas;
    uint32_t n_counts; /* of limit_items and n_rows: n_schemas once the schemas are loaded */
    uint64_t n_arrays;
    uint32_t arrays_height;
    XtfRef arrays_root;
    XtfTableEntry *tables;
    uint32_t n_tables;
    XtfChunks strings;
    XtfPartFile *files; /* by first page */
    uint32_t n_files;   /* 0: all pages lie in the file itself */
    XtfFreePages *free_pages;
    uint32_t n_free_pages;
    bool has_unknown; /* an optional section that this version does not know: a writer would lose it */
    bool unmarked;    /* a section that readers must know does not say so */
    uint32_t n_clock_maps;
    XtfRef clock_maps; /* an item for clock-maps.h */
} XtfCatalog;

/* Whether the file was put together of others, of which there may be one alone: no writer goes on with it. */
static inline bool xtf_catalog_is_merged(const XtfCatalog *catalog)
{
    return catalog->n_segments != 1 || catalog->segments[0].first_page != 0 || catalog->segment_maps ||
           catalog->n_files > 0;
}

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

/* The bytes of the catalog's item. Schemas and limits lie in items of their own. */
void xtf_catalog_encode(const XtfCatalog *catalog, GByteArray *bytes);
/* The item of a schema's limits. */
void xtf_catalog_encode_limits(const XtfCatalog *catalog, uint32_t schema, GByteArray *bytes);

/*
 * Decoding goes in steps, since the items that the catalog names must be read in between: the catalog's own bytes; the
 * chunks of schemas, in order; the limits of each schema that has an item of them; and a check of the whole.
 * XTF_ERROR_DAMAGED, or _UNSUPPORTED for what is required but not known. After a failure the catalog is to be finished.
 */
bool xtf_catalog_decode(XtfCatalog *catalog, const uint8_t *bytes, size_t length, GError **error);
bool xtf_catalog_decode_schemas(XtfCatalog *catalog, const uint8_t *bytes, size_t length, GError **error);
bool xtf_catalog_decode_limits(XtfCatalog *catalog, uint32_t schema, const uint8_t *bytes, size_t length,
                               GError **error);
bool xtf_catalog_check(const XtfCatalog *catalog, GError **error);

/* Frees what it holds; it is all zeros then. */
void xtf_catalog_finish(XtfCatalog *catalog);
