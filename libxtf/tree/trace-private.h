/*
 * The struct behind XtfTrace, and loading of its pages and items.
 */
#pragma once

#include <inttypes.h>
#include <stdatomic.h>

#include "libxtf/array.h"
#include "libxtf/cache/cache.h"
#include "libxtf/disk/address.h"
#include "libxtf/disk/clock-maps.h"
#include "libxtf/disk/edge.h"
#include "libxtf/disk/lists/leaf-lists.h"
#include "libxtf/disk/superblock.h"
#include "libxtf/error.h"
#include "libxtf/handles.h"

typedef struct XtfRowMaps XtfRowMaps;

/* The bytes needed to open a trace, read by one call. */
typedef struct {
    uint64_t offset;
    uint32_t length;
    uint8_t *bytes;
} XtfOpening;

enum { XTF_OPENING_KEPT_BYTES = 2 * XTF_OPENING_BYTES };

/* Returns the bytes of an item within the opening run; NULL if the item is not within it. */
const uint8_t *xtf_opening_item(const XtfOpening *opening, XtfRef ref);

typedef struct XtfJoinedFiles XtfJoinedFiles;

/* Files that are joined in memory to one trace. */
struct XtfJoinedFiles {
    char *folder; /* folder of the files */
    /* Does what xtf_trace_refresh() does. */
    bool (*refresh)(XtfJoinedFiles *self, const XtfTrace *trace, XtfTrace **later, GError **error);
    /* `begin` is called when a snapshot gets its cache, `end` before the cache is freed. `end` gets a NULL cache if
     * `begin` was never called. It also releases a reference to `self`. */
    void (*begin)(XtfJoinedFiles *self, XtfCache *cache, size_t limit);
    void (*end)(XtfJoinedFiles *self, XtfCache *cache);
};

/* State shared by the snapshots of a file. The cache identifies items by their checksums and pages by their arrays.
 * Cached blocks derived from them point to schemas and clock maps; commits only add to these. */
typedef struct {
    gint references;   /* atomic: number of snapshots */
    GMutex growing;    /* only one thread at a time looks for a later commit */
    XtfSource *source; /* the file or, if it names other files, all of them together */
    XtfSource *own;    /* the file alone, which holds the superblocks; owned by `source` if they differ */
    XtfCache *cache;
    size_t cache_bytes;     /* bound of the cache */
    bool default_cache;     /* the caller gave no bound, so that it depends on the size of the file */
    GPtrArray *schemas;     /* XtfSchema, by id; owned */
    GHashTable *clocks;     /* set of clock maps, owned; equal ones are kept once */
    XtfJoinedFiles *joined; /* NULL: no files are joined */
    const char *base;       /* path of the base while a companion is opened; borrowed */
    bool older_commit;      /* the caller asked for the commit before the newest one */
} XtfTraceFile;

struct XtfTrace {
    gint references; /* atomic */
    XtfTraceFile *file;
    XtfSource *source; /* source and cache are the file's */
    XtfCache *cache;
    XtfSuperblock superblock;
    XtfCatalog catalog;
    uint64_t kept_from;         /* the kept time; 0: no volume was removed */
    uint64_t passed_over;       /* number of the newest commit, if the caller asked for the one before it; else 0 */
    XtfOpening opening;         /* bytes that items are taken from; empty in a trace that is not closed */
    bool shares_schemas;        /* the schemas are owned by the file */
    XtfClockMaps clock_maps;    /* empty except while the trace is opened */
    const XtfClockMap **clocks; /* map number i is clocks[i - 1]; owned by the file */
    uint32_t n_clocks;
    XtfLimits **limits; /* in global time, by schema, by field; NULL: no clock maps, so the catalog's limits hold */

    GArray *leaf_lists;       /* XtfLeafList; NULL: none are loaded */
    uint8_t *leaf_lists_item; /* bytes of the item of the leaf lists */

    GMutex lock;             /* guards the loading of tables, strings and row maps, which never change afterwards */
    XtfTable *tables;        /* the catalog's tables; rows is NULL until the table is loaded */
    uint8_t **strings;       /* chunks of the string heap; each is NULL until it is loaded */
    uint64_t *string_starts; /* first string id of each chunk */
    XtfRowMaps *row_maps;    /* row maps of a merged file; tree/row-maps.h */
    GPtrArray *part_remarks; /* XtfPartRemark of a folder's parts; NULL: none */

    atomic_uint_fast64_t page_visits, key_comparisons;
    /* Counts left that start to read both ends of their window at once. Later counts find most pages in memory. */
    atomic_int counts_expected;
};

/*
 * Opens a snapshot while a writer may be running. Reads the superblocks first and the file's size after them, so that
 * everything that they name is in the file. A slow reader may find that the writer has overwritten what the superblocks
 * named. Then there is a later superblock, and the reader starts again with it.
 */
bool xtf_trace_open_snapshot(XtfTrace *trace, GError **error);
/* Frees the bytes of the opening run. Later items are read individually. */
void xtf_trace_drop_opening(XtfTrace *trace);

/* The other superblock, if it names the same commit, and its copy of the catalog with schemas and limits. */
typedef struct {
    bool found;
    XtfSuperblock superblock;
    XtfCatalog catalog;
} XtfTwin;

/* Reads and checks the twin of the opened superblock. `twin` must be all zeros. Without a twin, twin->found stays
 * false. */
bool xtf_trace_read_twin(const XtfTrace *trace, XtfTwin *twin, GError **error);
static inline void xtf_twin_finish(XtfTwin *twin)
{
    xtf_catalog_finish(&twin->catalog);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfTwin, xtf_twin_finish)

/* True if arrays go on over several files (writer.h: xtf_writer_begin_volume()). Then links between pages may lead
 * nowhere: a page's neighbours are found by descents. */
static inline bool xtf_trace_has_volumes(const XtfTrace *trace)
{
    return trace->superblock.incompatible & XTF_FEATURE_VOLUMES;
}

/* True if the first segment is the file's own, though others are in other files: in a companion, and in an anchor with
 * joined arrays. */
static inline bool xtf_trace_has_own_segment(const XtfTrace *trace)
{
    return trace->superblock.info.companion || (trace->superblock.incompatible & XTF_FEATURE_JOINED);
}

/* True if the links between an array's leaves say nothing: the leaves are found by descents. */
static inline bool xtf_array_lacks_links(const XtfArray *array)
{
    return array->joined || xtf_trace_has_volumes(array->trace);
}

static inline const XtfSegment *xtf_array_segment(const XtfArray *array)
{
    return &array->trace->catalog.segments[array->segment];
}

/* True if totals are computed from the array's rows even if it has stored ones. Scanning so few rows takes no longer.
 */
static inline bool xtf_array_is_small(const XtfArray *array)
{
    return array->height == 1 && array->n_rows <= XTF_SMALL_ARRAY_ROWS;
}

static inline uint32_t xtf_array_page_size(const XtfArray *array)
{
    return array->trace->superblock.info.page_size;
}

/* Returns the cache for an array's pages and items, and for blocks derived from them. */
static inline XtfCache *xtf_array_cache(const XtfArray *array)
{
    return array->cache ? array->cache : array->trace->cache;
}

/* Returns the version that identifies the array's pages in the cache. */
static inline uint64_t xtf_array_page_version(const XtfArray *array)
{
    return XTF_PAGE_VERSION(xtf_array_segment(array)->epoch, array->id);
}

/* Opens joined files: an anchor in memory, and the files that it names. Takes ownership of the source and of a
 * reference to `joined`, also on failure. */
XtfTrace *xtf_trace_open_joined(XtfSource *source, XtfJoinedFiles *joined, const XtfOpenOptions *options,
                                GError **error);

/* Checks every number of a decoded entry of an array that is later used unchecked, and sets *array. Also accepts arrays
 * of unknown schema or codec; reading their pages fails. */
bool xtf_array_check_entry(XtfTrace *trace, const XtfArray *entry, uint32_t schema, XtfArray *array, GError **error);

/* Finds the file offset of a page of an array. XTF_ERROR_DAMAGED if the place is outside of the segment. */
bool xtf_page_locate(const XtfArray *array, uint64_t place, uint64_t *offset, GError **error);

/* Returns a sealed page of an array's level, pinned. The page is consistent in itself; the caller compares its keys
 * with the parent's. */
XtfBlock *xtf_page_get(const XtfArray *array, uint64_t place, unsigned level, GError **error);
static inline const XtfDiskPage *xtf_page_head(const XtfBlock *block)
{
    return (const XtfDiskPage *)block->data;
}

/* Returns the array's right edge, pinned. Its levels are consistent (disk/edge.h). Every read of an array begins with
 * the edge, so this function rejects arrays of unknown schema or codec. */
XtfBlock *xtf_edge_get(const XtfArray *array, GError **error);

/* Returns the item of the open leaf, pinned. Its checksum is correct, and plain rows are in time order. `edge` is
 * the array's edge. */
XtfBlock *xtf_open_leaf_get(const XtfArray *array, const XtfBlock *edge, GError **error);
/* Returns the file offset of the open leaf's item. */
uint64_t xtf_open_leaf_offset(const XtfArray *array, const XtfBlock *edge);

/* Puts the superblock with the longer opening run, which has the leaf lists, first. Does so only if both are of one
 * commit and requests of the source are slow. */
void xtf_superblock_prefer_longer_run(const XtfSource *source, XtfSuperblock *superblocks, unsigned n);
/* Loads the leaf lists, if the trace has some and its source answers requests slowly. */
void xtf_trace_load_leaf_lists(XtfTrace *trace);

/* Sets *later if a superblock of the file names a later commit. XTF_ERROR_INVALID if the file is a different trace now.
 */
bool xtf_trace_has_later(const XtfTrace *trace, bool *later, GError **error);

/* Returns the path of the trace's file if this name leads to a later volume of the trace now; else NULL. */
const char *xtf_trace_next_volume(const XtfTrace *trace);

/* Replaces an XTF_ERROR_DAMAGED by XTF_ERROR_STALE if the file has a later commit: the damaged bytes were then probably
 * overwritten. Leaves other errors as they are. */
void xtf_trace_explain(const XtfTrace *trace, GError **error);

/* Returns an item that the commit names, pinned. Its checksum is correct. */
XtfBlock *xtf_item_get(XtfTrace *trace, XtfRef ref, GError **error);
