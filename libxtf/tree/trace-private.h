/*
 * The trace behind XtfTrace, and how its pages and items are loaded.
 */
#pragma once

#include <inttypes.h>
#include <stdatomic.h>

#include "libxtf/array.h"
#include "libxtf/cache/cache.h"
#include "libxtf/disk/address.h"
#include "libxtf/disk/clock-maps.h"
#include "libxtf/disk/edge.h"
#include "libxtf/disk/superblock.h"
#include "libxtf/error.h"
#include "libxtf/handles.h"

typedef struct XtfRowMaps XtfRowMaps;

/* Bytes that are read in one go while a trace is opened. */
typedef struct {
    uint64_t offset;
    uint32_t length;
    uint8_t *bytes;
} XtfOpening;

typedef struct XtfJoinedFiles XtfJoinedFiles;

/* Files that are one trace by being joined in memory. */
struct XtfJoinedFiles {
    char *folder; /* in which the files are */
    /* As xtf_trace_refresh(). */
    bool (*refresh)(XtfJoinedFiles *self, const XtfTrace *trace, XtfTrace **later, GError **error);
    /* A snapshot begins, with a cache of its own; and ends, before its cache is freed. `cache` is NULL if the snapshot
     * never began; a reference to `self` goes with its end. */
    void (*begin)(XtfJoinedFiles *self, XtfCache *cache, size_t limit);
    void (*end)(XtfJoinedFiles *self, XtfCache *cache);
};

/* What the snapshots of a file share. In the cache items are known by their checksums, and pages by their arrays;
 * blocks that are made of them point to schemas and clock maps, of which commits only add more. */
typedef struct {
    gint references;   /* atomic: the snapshots */
    GMutex growing;    /* one looks for a later commit at a time */
    XtfSource *source; /* of a file that names others: of them all */
    XtfCache *cache;
    size_t cache_bytes;     /* its bound */
    GPtrArray *schemas;     /* by id; owned */
    GHashTable *clocks;     /* a set of clock maps */
    XtfJoinedFiles *joined; /* NULL: it is a file */
    const char *base;       /* while a companion is opened: the path of its base; borrowed */
} XtfTraceFile;

struct XtfTrace {
    gint references; /* atomic */
    XtfTraceFile *file;
    XtfSource *source; /* the file's, as the cache */
    XtfCache *cache;
    XtfSuperblock superblock;
    XtfCatalog catalog;
    XtfOpening opening;         /* empty but while the trace is opened */
    bool shares_schemas;        /* they are the file's */
    XtfClockMaps clock_maps;    /* empty but while the trace is opened */
    const XtfClockMap **clocks; /* the clock maps, by number - 1; they are the file's */
    uint32_t n_clocks;
    XtfLimits **limits; /* in global time, by schema, by field; NULL: there are no clock maps, the catalog's are */

    GMutex lock;             /* guards the loading of tables, strings and row maps, which never change afterwards */
    XtfTable *tables;        /* of the catalog's tables; rows is NULL until a table is loaded */
    uint8_t **strings;       /* chunks of the heap, by their numbers; NULL until one is loaded */
    uint64_t *string_starts; /* the ids at which chunks begin */
    XtfRowMaps *row_maps;    /* of a merged file; tree/row-maps.h */
    GPtrArray *part_remarks; /* XtfPartRemark of a folder's parts; NULL: there are none */

    atomic_uint_fast64_t page_visits, key_comparisons;
};

/* The other superblock, if it is of the same commit, and its own copy of the catalog, with schemas and limits. */
typedef struct {
    bool found;
    XtfSuperblock superblock;
    XtfCatalog catalog;
} XtfTwin;

/* Reads and checks them. `twin` is all zeros before. */
bool xtf_trace_read_twin(const XtfTrace *trace, XtfTwin *twin, GError **error);
static inline void xtf_twin_finish(XtfTwin *twin)
{
    xtf_catalog_finish(&twin->catalog);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfTwin, xtf_twin_finish)

static inline const XtfSegment *xtf_array_segment(const XtfArray *array)
{
    return &array->trace->catalog.segments[array->segment];
}

/* Whether totals are those of its rows, whether or not it has stored ones: it takes no longer to go over so few rows.
 */
static inline bool xtf_array_is_small(const XtfArray *array)
{
    return array->height == 1 && array->n_rows <= XTF_SMALL_ARRAY_ROWS;
}

static inline uint32_t xtf_array_page_size(const XtfArray *array)
{
    return array->trace->superblock.info.page_size;
}

/* The cache that an array's pages, items, and what is made of them are in. */
static inline XtfCache *xtf_array_cache(const XtfArray *array)
{
    return array->cache ? array->cache : array->trace->cache;
}

/* The version by which the array's pages are known in it. */
static inline uint64_t xtf_array_page_version(const XtfArray *array)
{
    return XTF_PAGE_VERSION(xtf_array_segment(array)->epoch, array->id);
}

/* Opens what was joined: an anchor in memory, and the files that it names. Takes over the source and a reference to
 * `joined`, also when it fails. */
XtfTrace *xtf_trace_open_joined(XtfSource *source, XtfJoinedFiles *joined, const XtfOpenOptions *options,
                                GError **error);

/* The byte of the file at which a page of an array begins. */
bool xtf_page_locate(const XtfArray *array, uint64_t place, uint64_t *offset, GError **error);

/* A sealed page of an array's level, pinned. Its own parts agree; the caller compares its keys with those that its
 * parent names. */
XtfBlock *xtf_page_get(const XtfArray *array, uint64_t place, unsigned level, GError **error);
static inline const XtfDiskPage *xtf_page_head(const XtfBlock *block)
{
    return (const XtfDiskPage *)block->data;
}

/* The array's right edge, pinned: its levels agree with one another (disk/edge.h). All that is read of an array begins
 * with it, so here arrays are refused that are not known. */
XtfBlock *xtf_edge_get(const XtfArray *array, GError **error);

/* The open leaf's item, pinned: its checksum is right, and rows that lie side by side are in order. `edge` is the
 * array's. */
XtfBlock *xtf_open_leaf_get(const XtfArray *array, const XtfBlock *edge, GError **error);
/* The byte of the file at which it lies. */
uint64_t xtf_open_leaf_offset(const XtfArray *array, const XtfBlock *edge);

/* Whether a superblock of the file is of a later commit. XTF_ERROR_INVALID if it is another trace by now. */
bool xtf_trace_has_later(const XtfTrace *trace, bool *later, GError **error);

/* If an item or a page that the commit names is damaged, or is another array's, and there is a later commit by now, it
 * was overwritten: the error then says so. Otherwise it is left as it is. */
void xtf_trace_explain(const XtfTrace *trace, GError **error);

/* An item that the commit names, pinned. Its checksum is right. */
XtfBlock *xtf_item_get(XtfTrace *trace, XtfRef ref, GError **error);
