/*
 * Private parts of the writer, shared by its files.
 *
 *   writer-file.c       the file: its descriptor, and the allocation of its pages
 *   writer.c            the writer: creating, schemas, strings, tables
 *   array-writer.c      arrays: writes full pages to their places, adds their entries to index pages
 *   clear.c             removing all rows of arrays
 *   volumes.c           beginning a volume: a new file of the same trace
 *   volume-list.c       the volumes before it
 *   open-edge.c         right edges in memory, new or read from the file
 *   pages/leaf-writer.c the open leaf: packs rows into pages
 *   aggregates/         totals of the rows below each child: a room below this one
 *   clock-maps.c        the clock maps, and the locations that have them
 *   array-pages.c       the pages of an array
 *   array-nodes.c       the P index: arrays in its lowest nodes, and encoding of nodes
 *   pages/space.c       pages of items, and when they may be reused
 *   commit-block.c      placing items on pages
 *   companion.c         files that refer to other files and add to them
 *   companion-create.c  creating companions
 *   parts/              anchors of runs: a room above this one
 *   transfer/           moving arrays to another writer: a room above this one
 *   chunk-writer.c      growing data in chunks: strings, tables, schemas
 *   commit.c            commits: right edges, P index, catalog, superblock; closing
 *   opening-items.c     the items that a reader needs to open a trace
 *   replace.c           replacing the schema of derived rows
 *   resume.c            resuming a file of another writer
 */
#pragma once

#include "libxtf/base/object-pool.h"
#include "libxtf/disk/catalog.h"
#include "libxtf/disk/clock-maps.h"
#include "libxtf/disk/format.h"
#include "libxtf/disk/lists/pieces.h"
#include "libxtf/disk/node.h"
#include "libxtf/write/aggregates/aggregate-writer.h"
#include "libxtf/write/pages/leaf-writer.h"
#include "libxtf/write/pages/space.h"
#include "libxtf/writer.h"

/* The open page of a level. The rows of level 0 are in an XtfLeafWriter. */
typedef struct {
    uint8_t *page;     /* space for a page head, then the entries; grows up to the page size */
    uint32_t allotted; /* allocated bytes of `page` */
    uint32_t count;    /* number of entries */
    uint64_t first_n;
    uint64_t place;    /* 0: no place reserved, because the level has sealed no page */
    uint64_t previous; /* place of the previous page; 0: none */
} XtfLevel;

/* The right edge of an array to which rows are appended. */
typedef struct {
    XtfLeafWriter leaf;
    XtfLevel *levels;               /* one per level, leaf first */
    XtfAggregateWriter *aggregates; /* NULL if the schema has none */
    XtfPiecesEncoder pieces;        /* of a joined array */
    uint64_t leaf_place;            /* of a joined array: place of its last leaf in the leaf's own segment; 0: none */
} XtfOpenEdge;

/*
 * An array is always in one of these states:
 *
 *   empty     it has no rows and no edge
 *   open      `open` holds its right edge; rows may be appended
 *   unopened  another writer stored it: its edge is in the file, and the first appended row reads it into memory
 *   closed    no rows may be appended. Its edge is in the file, or in the writer's pending edges; then edge.offset
 *             counts from the beginning of their bytes
 *
 * Only open arrays take much memory: a file may have millions of others. All arrays are in a pool, whose memory may be
 * paged out (xtf_writer_trim_pools()); so are the entries of the lowest nodes of the P index.
 *
 * Between commits only the thread that appends to an array may use it. The writer's lock guards `edge` of a closed
 * array.
 */
struct XtfArrayWriter {
    XtfWriter *writer;
    const XtfSchema *schema;
    uint64_t location;
    uint64_t n_rows, first, last;
    uint64_t earliest;   /* earliest allowed time of the next row */
    XtfOpenEdge *open;   /* NULL unless the array is open */
    XtfRef edge;         /* as of the last commit, or of closing */
    uint32_t edge_bytes; /* bytes of the edge with the open leaf beside it; 0: never stored */
    uint32_t id;
    uint32_t segment;   /* 0: the file's own. Arrays of other segments are closed */
    uint32_t clock_map; /* number of the map; guarded by the writer's lock */
    uint8_t height, codec;
    bool changed;  /* changed since `edge` was stored */
    bool remapped; /* clock map changed since the node was stored */
    bool closed;
    bool joined;  /* it consists of pieces */
    bool batches; /* this writer stored totals of a page in batches (XTF_FEATURE_BATCHES) */
};

/* Bytes that only grow: see chunk-writer.h. */
typedef struct {
    GByteArray *bytes;
    GArray *starts;  /* guint: start of each chunk */
    GArray *refs;    /* XtfRef: stored chunks, though the last one may have grown since */
    guint stored;    /* number of stored bytes */
    guint elsewhere; /* bytes of the first chunks that another file has: new units begin a chunk of this file */
} XtfChunkWriter;

typedef struct XtfWriterBase XtfWriterBase; /* companion.h */

struct XtfTableWriter {
    XtfWriter *writer;
    const XtfSchema *schema;
    XtfChunkWriter rows;
    uint64_t n_rows;
    uint64_t n_limited; /* number of rows that the limits of the schema cover */
};

/* An array in a node of the P index. */
typedef struct {
    uint64_t location;
    XtfArrayWriter *array; /* borrowed */
    uint32_t schema, spare;
} XtfNodeEntry;

/* A lowest node of the P index: arrays that are adjacent in key order. */
typedef struct {
    uint64_t location; /* key of the first array */
    uint32_t schema;
    uint32_t n;
    XtfNodeEntry *entries; /* XTF_NODE_ARRAYS entries, in the writer's pool */
    XtfRef stored;
    bool changed; /* an array was added or removed; changes of an array itself are in its own flags */
} XtfNodeWriter;

typedef struct {
    XtfClockMap map; /* first member, so that a map pointer is a pointer to this struct. Owns its knots */
    uint32_t number;
    bool used; /* an array has it, or xtf_writer_add_clock_map() returned its number */
    bool kept; /* a piece of a joined array has it */
} XtfWriterMap;

typedef struct {
    GPtrArray *maps;         /* XtfWriterMap, owned, indexed by number - 1 */
    GHashTable *known;       /* `maps` by content; of equal maps the last */
    uint64_t n_knots;        /* number of knots of all maps */
    uint32_t free;           /* maps up to this number are used */
    GHashTable *by_location; /* location -> number */
    bool changed;            /* the maps changed since they were stored */
    uint32_t n_stored;
    XtfRef stored;
} XtfWriterClocks;

/* Edges of closed arrays that are not written yet. Small edges are kept until the commit, which writes them next to the
 * items that opening needs: so a reader gets both by one read. */
typedef struct {
    GByteArray *bytes;
    GPtrArray *arrays; /* XtfArrayWriter, in the order of the bytes */
} XtfPendingEdges;

typedef enum { XTF_PENDING_LARGE, XTF_PENDING_SMALL, XTF_N_PENDING } XtfPendingSize;

struct XtfWriter {
    int fd;
    int edges_fd;       /* of a sender (transfer.h): a file for the edges of closed arrays; -1: none */
    uint64_t edges_end; /* bytes of that file */
    char *path;
    XtfWriterBase *base;   /* NULL: the file is not a companion */
    GArray *volumes;       /* XtfPartFile: the earlier volumes; NULL: the file is the first, or only, one */
    GArray *volume_ends;   /* uint64_t: for each earlier volume, the global time of the last record when it ended */
    uint64_t own_first;    /* number of the file's first page: the pages of all earlier volumes */
    uint32_t keep_volumes; /* earlier volumes to keep; 0: all */
    uint64_t kept_before;  /* the kept time that the resumed file had, by its clock maps; 0: none */
    uint64_t kept_from;    /* global time before which records were removed with their volumes; 0: none */
    XtfTrace *resumed;     /* reader of a resumed file, to open its unopened arrays; NULL: new file */
    bool no_sync, late_sync;
    bool sync_name;    /* the file's name was created and not synced yet */
    uint64_t reserve;  /* bytes to reserve behind the last commit */
    uint64_t reserved; /* end offset of the reserved blocks */
    uint64_t synced;   /* last commit declared durable, whose slot is kept; 0: none */
    bool failed;       /* a write failed: nothing more may be committed */
    XtfCodecId codec;  /* codec of new arrays' leaves */
    unsigned level;    /* packing level */
    uint32_t page_size;
    uint32_t epoch;
    uint64_t commit;    /* number of the last commit */
    uint64_t wall_time; /* time of that commit, nanoseconds since 1970 (UTC) */
    uint64_t segment;   /* id of the file's segment */
    uint8_t file_id[16];
    uint64_t incompatible; /* feature bits; commits add the bits that arrays need */

    GMutex lock;           /* guards the members below, except members that only commits use */
    uint64_t pages;        /* number of allocated pages */
    uint64_t sealed_bytes; /* bytes of pages that were sealed since the last commit */
    XtfCatalog catalog;    /* schemas and limits; commits fill the other members */
    XtfObjectPool arrays;  /* XtfArrayWriter, in order of creation */
    XtfObjectPool entries; /* entries of the lowest nodes of the P index */
    GPtrArray *nodes;      /* XtfNodeWriter in key order, none empty */
    uint32_t n_touched;    /* arrays touched since the pools were trimmed */
    GPtrArray *tables;     /* XtfTableWriter */
    XtfChunkWriter strings;
    GHashTable *string_ids;                 /* text -> id */
    XtfChunkWriter schema_rows;             /* encoded schemas */
    XtfPendingEdges pending[XTF_N_PENDING]; /* edges of closed arrays, not written yet */
    XtfWriterClocks clocks;

    XtfSpace *space;
    uint32_t kept_commits, kept_seconds;
    GArray *branch_nodes;  /* XtfRef: nodes of the P index above the lowest, as of the last commit */
    GArray *dropped;       /* XtfRef without checksums: items that the next commit no longer names */
    GArray *dropped_pages; /* uint64_t: places of array pages that the next commit no longer names */
    XtfRef catalog_stored; /* catalog of the last commit */
    bool *limits_changed;  /* for each schema: its limits changed since they were stored */

    uint64_t commit_bytes; /* bytes written by all commits */
    uint64_t last_commit_bytes;
    uint32_t next_array;
    uint64_t origin;   /* time 0 as set by the creator; UINT64_MAX: the first record */
    uint64_t complete; /* promised time, global: no later row may be earlier */
};

/* Returns a writer without content, which owns the descriptor. */
XtfWriter *xtf_writer_new_empty(int fd, const char *path);
/* Encodes all schemas again, after one of them was replaced; the next commit stores them. */
void xtf_writer_encode_schemas(XtfWriter *writer);

/* Returns the origin that xtf_writer_create() was given for a file with this clock. */
uint64_t xtf_writer_origin_of(const XtfClock *clock);
/* Copies the strings of a trace into a writer that has none. They keep their ids. */
bool xtf_writer_resume_strings(XtfWriter *writer, XtfTrace *trace, GError **error);

/* Sets the options that apply to created and to opened files: no_sync, late_sync, reserve, codec, level, and the
 * numbers of kept commits, seconds and volumes. `options` may be NULL. */
bool xtf_writer_set_options(XtfWriter *writer, const XtfWriterOptions *options, GError **error);

/* Locks an open file against other writers. Retries for a short time. */
bool xtf_writer_lock_file(int fd, const char *path, GError **error);
/* Opens the file and locks it against other writers. `flags` go to open(2). Returns the descriptor, or -1 on failure.
 */
int xtf_writer_open_file(const char *path, int flags, GError **error);

/* Records that the next commit no longer names these bytes. `length` may be 0. */
void xtf_writer_drop(XtfWriter *writer, uint64_t offset, uint32_t length);

/* Writes all `length` bytes at an offset, counted through all volumes. Marks the writer as failed on error. */
bool xtf_writer_put(XtfWriter *writer, uint64_t offset, const void *bytes, size_t length, GError **error);

/* Appends bytes to the file of edges of a sender, at writer->edges_end. */
bool xtf_writer_put_edges(XtfWriter *writer, const void *bytes, size_t length, GError **error);

/* Truncates the file to its last page. After an error the file stays longer than needed. */
void xtf_writer_release_reserve(const XtfWriter *writer);

/* Allocates consecutive pages behind the place `behind`, free ones if possible. Returns the place of the first. The
 * caller holds the lock. */
uint64_t xtf_writer_take_pages(XtfWriter *writer, uint64_t behind, uint64_t n_pages);
/* Allocates pages as xtf_writer_take_pages() does, for pages to be sealed. Takes the lock. */
uint64_t xtf_writer_allot(XtfWriter *writer, uint64_t behind, uint64_t n_pages);

/* Returns the array of a location; NULL if there is none. The caller holds the lock. */
XtfArrayWriter *xtf_writer_find_array(const XtfWriter *writer, uint64_t location, const XtfSchema *schema);
/* Adds a new array to its node of the P index. The caller holds the lock. */
void xtf_writer_take_array(XtfWriter *writer, XtfArrayWriter *array);
/* Counts `n_arrays` arrays as touched; after every 8192, lets the memory of the pools be paged out. The caller holds
 * the lock, or is the only user of the writer. */
void xtf_writer_trim_pools(XtfWriter *writer, uint32_t n_arrays);
/* Encodes a node and fills its branch for the level above, except the child. Skips arrays without rows; a branch may
 * thus have 0 arrays. Moves the `changed` flags of the arrays to the node. */
void xtf_node_writer_encode(XtfNodeWriter *node, GByteArray *bytes, XtfBranch *branch);

/* Widens the writer's limits by rows of a schema. Takes the lock. */
void xtf_writer_widen_limits(XtfWriter *writer, const XtfSchema *schema, const uint8_t *rows, uint32_t count);

/* Returns a new array without rows, from the writer's pool. The caller holds the lock. */
XtfArrayWriter *xtf_array_writer_new(XtfWriter *writer, uint64_t location, const XtfSchema *schema);
/* Returns the edge of an array without rows. */
XtfOpenEdge *xtf_open_edge_new(const XtfArrayWriter *array);
void xtf_open_edge_free(XtfOpenEdge *edge, unsigned height); /* NULL is allowed */
/* Frees the array's edge. */
void xtf_array_writer_finish(XtfArrayWriter *array);
/* Makes the array empty, without any reference to its stored bytes. */
void xtf_array_writer_reset(XtfArrayWriter *array);
/* Opens the edge of an unopened array; nothing else changes. If the file is damaged there, the array stays unopened. */
bool xtf_array_writer_open_stored(XtfArrayWriter *array, GError **error);
/* Reserves new places for the open pages of an open array, because the old ones lie in an earlier volume. */
void xtf_array_writer_move_places(XtfArrayWriter *array);
/* Returns the array as its node stores it. */
XtfArray xtf_array_writer_stored(const XtfArrayWriter *array);

/* Recomputes `earliest`, after the writer's promise or the array's clock map has changed. */
void xtf_array_writer_update_earliest(XtfArrayWriter *array);

/* Begins a piece of a joined array: all rows of an array of another segment. `source` is that array as an entry of the
 * P index, and `shifts` (XtfDiskShift) what is added to its rows. The array must be empty or joined. */
bool xtf_array_writer_begin_piece(XtfArrayWriter *array, const XtfArray *source, const GArray *shifts, GError **error);
/* Adds the next leaf of the piece. `place` is that of the leaf in its own segment; 0: it is open. `rows` are as readers
 * of the joined array see them. */
bool xtf_array_writer_add_leaf(XtfArrayWriter *array, uint64_t place, const uint8_t *rows, uint32_t count,
                               GError **error);
/* Adds a piece of rows that are in no other array. */
bool xtf_array_writer_add_own_piece(XtfArrayWriter *array, const uint8_t *rows, uint32_t count, GError **error);

/* Appends the array's right edge and the item of its open leaf to `bytes`. The appended run begins and ends at
 * multiples of 8, and must be stored at such an offset. *at gets the offset of the edge in `bytes`, its length without
 * the open leaf, and its checksum. Packs the open leaf, which takes time. */
bool xtf_array_writer_pack_edge(XtfArrayWriter *array, GByteArray *bytes, XtfRef *at, GError **error);

/* Adds the packed edge of an array that was closed to the pending edges; `edge` has array->edge.length bytes and the
 * open leaf. The caller holds the lock. */
bool xtf_array_writer_put_edge(XtfArrayWriter *array, const uint8_t *edge, uint32_t n_bytes, GError **error);

/* Writes pending edges of closed arrays to pages of their own, or to the file of a sender's edges. *start gets the file
 * offset of the first one, unless none is pending; `start` may be NULL. The caller holds the lock. */
bool xtf_writer_flush_pending(XtfWriter *writer, XtfPendingSize size, uint64_t *start, GError **error);

void xtf_writer_clocks_init(XtfWriterClocks *clocks);
void xtf_writer_clocks_finish(XtfWriterClocks *clocks);
/* Returns the clock map of a number, NULL for 0. The caller holds the lock. */
const XtfClockMap *xtf_writer_clock(const XtfWriter *writer, uint32_t number);
/* Returns the number of a location's clock map; 0: none. The caller holds the lock. */
uint32_t xtf_writer_clock_of(const XtfWriter *writer, uint64_t location);
/* Copies the clock maps of a file that is resumed, or of a companion's base. */
void xtf_writer_clocks_resume(XtfWriter *writer, const XtfClockMap *const *maps, uint32_t n, XtfRef stored);
/* Gives an array of that file, and its location, the clock map of this number. */
void xtf_writer_clocks_resume_array(XtfWriter *writer, XtfArrayWriter *array, uint32_t number);
/* Marks a map as that of a piece. */
void xtf_writer_clocks_keep(XtfWriter *writer, uint32_t number);
/* Marks maps that no array has as unused, so that the closing commit does not store them. */
void xtf_writer_clocks_forget_unused(XtfWriter *writer);
/* Appends the bytes of the item of clock maps. Returns how many maps it has. */
uint32_t xtf_writer_clocks_encode(const XtfWriter *writer, GByteArray *bytes);
