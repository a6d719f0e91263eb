/*
 * The catalog: a commit's description of the whole trace. Opening a trace decodes and checks it; it stays in memory
 * while the trace is open.
 */
#pragma once

#include "libxtf/disk/format.h"
#include "libxtf/schema.h"
#include "libxtf/trace.h"

/* A reference to an item: see XtfDiskRef. */
typedef struct {
    uint64_t offset;
    uint32_t length, checksum;
} XtfRef;

typedef struct {
    uint64_t id, first_page, pages; /* see XtfDiskSegment */
    uint32_t epoch;
} XtfSegment;

enum { XTF_CHUNK_BYTES = 64 << 10 }; /* a chunk of this size or more does not grow */

/* Bytes stored in several consecutive items, the chunks. Used for data that only grows: a commit stores the last chunk
 * again with the bytes added to it, and then new chunks. */
typedef struct {
    XtfRef *chunks;
    uint32_t n;
    uint64_t bytes; /* number of bytes in all chunks */
} XtfChunks;

typedef struct {
    uint32_t schema;
    uint64_t n_rows;
    XtfChunks rows;
} XtfTableEntry;

/* The map from row numbers of a segment's table to row numbers of the file's table: see XtfDiskTableMap. */
typedef struct {
    uint32_t schema;
    XtfRef rows;
} XtfTableMap;

typedef struct {
    uint32_t strings, strings_length;
    XtfTableMap *tables;
    uint32_t n_tables;
} XtfSegmentMap;

/* Another file whose pages replace some of this file's pages: see XtfDiskFile. An earlier volume of 0 bytes was removed
 * on purpose. */
typedef struct {
    char *name;
    uint64_t first_page, pages;
    uint64_t size; /* bytes of the file; 0: a removed volume */
    uint8_t file_id[16];
    uint64_t commit, wall_time;
    uint32_t epoch;
} XtfPartFile;

/* Pages of the file that no item uses any more. */
typedef struct {
    uint64_t page, n_pages;
    uint64_t commit; /* the last commit that references something in these pages; 0: they may be reused at once */
} XtfFreePages;

typedef struct {
    XtfClock clock;
    XtfSegment *segments;
    uint32_t n_segments; /* at least 1 */
    /* For each segment; NULL: the file has the same row numbers and string ids as its segment. */
    XtfSegmentMap *segment_maps;
    XtfChunks schema_chunks;
    XtfSchema **schemas; /* loaded from the chunks */
    XtfLimits **limits;  /* limits[schema][field], loaded from limit_items */
    XtfRef *limit_items; /* for each schema, the item of its limits; length 0: there are no values */
    uint64_t *n_rows;    /* for each schema: rows of all locations, or of the table */
    uint32_t n_schemas;
    uint32_t n_counts; /* elements of limit_items and n_rows: equals n_schemas once the schemas are loaded */
    uint64_t n_arrays;
    uint32_t arrays_height;
    XtfRef arrays_root;
    XtfTableEntry *tables;
    uint32_t n_tables;
    XtfChunks strings;
    XtfPartFile *files; /* sorted by first page */
    uint32_t n_files;   /* 0: all pages are in the file itself */
    XtfFreePages *free_pages;
    uint32_t n_free_pages;
    char *writer;     /* name and version of the program that made the commit; NULL: not stated */
    bool has_unknown; /* has an optional section that this version does not know; a writer would lose it */
    bool unmarked;    /* a required section is not marked as required */
    uint32_t n_clock_maps;
    XtfRef clock_maps; /* item of clock maps: see clock-maps.h */
    XtfRef leaf_lists; /* item of leaf lists: see disk/lists/leaf-lists.h; length 0: there are none */
} XtfCatalog;

/* Returns the number of volumes that were removed on purpose. If there are any, the trace begins after their last
 * record: the clock's first time is that time, not that of the first record. */
static inline uint32_t xtf_catalog_n_removed(const XtfCatalog *catalog)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < catalog->n_files; i++)
        n += catalog->files[i].size == 0;
    return n;
}

/* True if the file was merged from others, or names other files. Writers append to it only if these are earlier
 * volumes. */
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

/* Encodes the catalog's item. Schemas and limits are in their own items. */
void xtf_catalog_encode(const XtfCatalog *catalog, GByteArray *bytes);
/* Encodes the item of a schema's limits. */
void xtf_catalog_encode_limits(const XtfCatalog *catalog, uint32_t schema, GByteArray *bytes);

/*
 * Decodes the catalog's own bytes. The caller then reads the items that the catalog names: the chunks of schemas, in
 * order, and the items of limits. At the end xtf_catalog_check() checks the whole. All four functions fail with
 * XTF_ERROR_DAMAGED, or with XTF_ERROR_UNSUPPORTED for an unknown required section. After a failure the caller finishes
 * the catalog.
 */
bool xtf_catalog_decode(XtfCatalog *catalog, const uint8_t *bytes, size_t length, GError **error);
bool xtf_catalog_decode_schemas(XtfCatalog *catalog, const uint8_t *bytes, size_t length, GError **error);
bool xtf_catalog_decode_limits(XtfCatalog *catalog, uint32_t schema, const uint8_t *bytes, size_t length,
                               GError **error);
bool xtf_catalog_check(const XtfCatalog *catalog, GError **error);

/* Frees the catalog's content and sets it to zeros. */
void xtf_catalog_finish(XtfCatalog *catalog);
