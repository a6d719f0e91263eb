/*
 * What the files of the writer share.
 *
 *   writer-file.c       the file: its descriptor, and giving out its pages
 *   writer.c            the writer: creating, schemas, strings, tables
 *   array-writer.c      arrays: pages onto their places, and entries of them into index pages
 *   clear.c             arrays that lose all their rows
 *   open-edge.c         right edges in memory: new ones, and those that another writer left
 *   leaf-writer.c       the open leaf: rows into pages
 *   aggregates/         totals of the rows below each child: a room below this one
 *   clock-maps.c        the clock maps, and which locations have them
 *   array-pages.c       the pages that an array takes
 *   array-nodes.c       the P index: arrays in its lowest nodes, and nodes as bytes
 *   space.c             pages that items take, and when they may be reused
 *   commit-block.c      items onto pages
 *   companion.c         files that name another, and add to it
 *   companion-create.c  the same, at their beginning
 *   chunk-writer.c      what only grows, in chunks: strings, tables, schemas
 *   commit.c            commits: right edges, P index, catalog, superblock; closing
 *   resume.c            going on with a file that another writer left
 */
#pragma once

#include "libxtf/base/object-pool.h"
#include "libxtf/disk/catalog.h"
#include "libxtf/disk/clock-maps.h"
#include "libxtf/disk/format.h"
#include "libxtf/disk/node.h"
#include "libxtf/write/aggregates/aggregate-writer.h"
#include "libxtf/write/pages/leaf-writer.h"
#include "libxtf/write/pages/space.h"
#include "libxtf/writer.h"

/* The open page of a level. The rows of the lowest level's are in an XtfLeafWriter. */
typedef struct {
    uint8_t *page;     /* room for a page's head, then the entries; grown to the page size as it fills */
    uint32_t allotted; /* bytes of it */
    uint32_t count;    /* entries */
    uint64_t first_n;
    uint64_t place;    /* 0: the level has sealed no page, so none is reserved */
    uint64_t previous; /* 0: none */
} XtfLevel;

/* The right edge of an array to which rows are appended. */
typedef struct {
    XtfLeafWriter leaf;
    XtfLevel *levels;               /* as many as the array is high, leaf first */
    XtfAggregateWriter *aggregates; /* NULL if the schema has none */
} XtfOpenEdge;

/*
 * An array is, at any time, in one of these states:
 *
 *   empty    it has no rows, and no edge
 *   open     `open` holds its right edge; rows may come
 *   at rest  another writer left it so: its edge lies in the file, and is opened by the first row that comes
 *   closed   no rows may come; its edge lies in the file or, while it is one of the writer's `pending_arrays`, in
 *            `pending`, whose beginning edge.offset then counts from
 *
 * Only open arrays take much memory: a file may have millions of others. They lie in a pool, which need not stay in
 * memory either (xtf_writer_rest_sometimes()), and so do the lists of those in the lowest nodes of the P index. What
 * stays of an array is its share of its node.
 *
 * Its one appending thread owns it between commits; `edge` of a closed array is under the writer's lock.
 */
struct XtfArrayWriter {
    XtfWriter *writer;
    const XtfSchema *schema;
    uint64_t location;
    uint64_t n_rows, first, last;
    uint64_t earliest;   /* no row may be earlier: for the last one, and, but side rows, for what was promised */
    XtfOpenEdge *open;   /* NULL unless it is open */
    XtfRef edge;         /* as of the last commit, or the closing */
    uint32_t edge_bytes; /* that the edge takes, with all that lies beside it; 0: it was never stored */
    uint32_t id;
    uint32_t segment;   /* 0: the file's own. Arrays of other segments are closed */
    uint32_t clock_map; /* number; under the writer's lock */
    uint8_t height, codec;
    bool changed;  /* since `edge` was stored */
    bool remapped; /* its clock map changed since its node was stored */
    bool closed;
};

/* Bytes that only grow: see chunk-writer.h. */
typedef struct {
    GByteArray *bytes;
    GArray *starts;  /* guint: where chunks begin */
    GArray *refs;    /* XtfRef: of the chunks that are stored, though the last may have grown since */
    guint stored;    /* bytes that are */
    guint elsewhere; /* bytes of the first chunks, if another file has them: no more are put into these */
} XtfChunkWriter;

typedef struct XtfWriterBase XtfWriterBase; /* companion.h */

struct XtfTableWriter {
    XtfWriter *writer;
    const XtfSchema *schema;
    XtfChunkWriter rows;
    uint64_t n_rows;
    uint64_t n_limited; /* of them are in the limits */
};

/* An array in a node of the P index. */
typedef struct {
    uint64_t location;
    XtfArrayWriter *array; /* borrowed */
    uint32_t schema, spare;
} XtfNodeEntry;

/* A lowest node of the P index: arrays that stand side by side in its order. */
typedef struct {
    uint64_t location; /* key of the first */
    uint32_t schema;
    uint32_t n;
    XtfNodeEntry *entries; /* XTF_NODE_ARRAYS of them, in the writer's pool */
    XtfRef stored;
    bool changed; /* an array joined or left it; whether an array changed, the array says */
} XtfNodeWriter;

typedef struct {
    XtfClockMap map; /* the first member: the struct is found by it. Owns its knots */
    uint32_t number;
    bool used; /* an array has it, or the caller was told its number */
} XtfWriterMap;

typedef struct {
    GPtrArray *maps;         /* XtfWriterMap, owned, by number - 1 */
    GHashTable *known;       /* the same by content; of equal ones the last */
    uint64_t n_knots;        /* of all of them */
    uint32_t free;           /* maps up to this number are used */
    GHashTable *by_location; /* location -> number */
    bool changed;            /* since they were stored */
    uint32_t n_stored;
    XtfRef stored;
} XtfWriterClocks;

struct XtfWriter {
    int fd;
    char *path;
    XtfWriterBase *base; /* NULL: the file is no companion */
    XtfTrace *resumed;   /* the file as another writer left it, from which arrays at rest are opened; NULL: it is new */
    bool no_sync, late_sync;
    uint64_t reserve;  /* bytes behind the last commit */
    uint64_t reserved; /* where they end */
    uint64_t synced;   /* a commit that lasts, whose slot later ones leave alone; 0: none, or each does */
    bool failed;       /* a write failed: nothing may be committed any more */
    XtfCodecId codec;  /* of new arrays' leaves */
    unsigned level;    /* of packing */
    uint32_t page_size;
    uint32_t epoch;
    uint64_t commit;  /* the last one */
    uint64_t segment; /* id */
    uint8_t file_id[16];
    uint64_t incompatible; /* feature bits; commits add what arrays need */

    GMutex lock;           /* guards the members below, but those that only commits touch */
    uint64_t pages;        /* allotted */
    uint64_t sealed_bytes; /* since the last commit */
    XtfCatalog catalog;    /* schemas, limits; the rest is filled by commits */
    XtfObjectPool arrays;  /* XtfArrayWriter, in the order in which they were made */
    XtfObjectPool entries; /* of nodes */
    GPtrArray *nodes;      /* XtfNodeWriter, in order, never empty ones: where arrays are found */
    uint32_t n_touched;    /* arrays, since the pools rested */
    GPtrArray *tables;     /* XtfTableWriter */
    XtfChunkWriter strings;
    GHashTable *string_ids;     /* text -> id */
    XtfChunkWriter schema_rows; /* encoded schemas */
    GByteArray *pending;        /* edges of closed arrays, not written yet */
    GPtrArray *pending_arrays;
    XtfWriterClocks clocks;

    XtfSpace *space;
    uint32_t kept_commits, kept_seconds;
    GArray *branch_nodes;  /* XtfRef: nodes of the P index above the lowest, as of the last commit */
    GArray *dropped;       /* XtfRef, of which checksums do not count: what the next commit no longer names */
    GArray *dropped_pages; /* uint64_t: places of pages of arrays that it no longer has */
    XtfRef catalog_stored; /* of the last commit */
    bool *limits_changed;  /* by schema, since they were stored */

    uint64_t commit_bytes;      /* of all commits */
    uint64_t last_commit_bytes; /* of the last */
    uint32_t next_array;
    uint64_t origin;   /* as the creator said; UINT64_MAX: the first record */
    uint64_t complete; /* in global time no row may be earlier */
};

/* A writer of nothing yet, which owns the descriptor. */
XtfWriter *xtf_writer_new_empty(int fd, const char *path);
/* Some schema that was added has changed: all are encoded again, and stored by the next commit. */
void xtf_writer_encode_schemas(XtfWriter *writer);

/* What xtf_writer_create() was given as origin by the writer of a file with this clock. */
uint64_t xtf_writer_origin_of(const XtfClock *clock);
/* Takes the strings of a file into a writer that has none: they keep their ids. */
bool xtf_writer_resume_strings(XtfWriter *writer, XtfTrace *trace, GError **error);

/* Takes the options that hold for created and opened files alike: no_sync, codec, level. `options` may be NULL. */
bool xtf_writer_set_options(XtfWriter *writer, const XtfWriterOptions *options, GError **error);

/* Locks an open file against other writers. */
bool xtf_writer_lock_file(int fd, const char *path, GError **error);
/* The file, locked against other writers; -1 on failure. `flags` go to open(2). */
int xtf_writer_open_file(const char *path, int flags, GError **error);

/* Says that the next commit names nothing of these bytes any more; none is fine. */
void xtf_writer_drop(XtfWriter *writer, uint64_t offset, uint32_t length);

/* Writes all of it at an offset. A failure marks the writer. */
bool xtf_writer_put(XtfWriter *writer, uint64_t offset, const void *bytes, size_t length, GError **error);

/* Pages side by side behind the place `behind`, free ones if there are any; the place of the first. Called with the
 * lock held. */
uint64_t xtf_writer_take_pages(XtfWriter *writer, uint64_t behind, uint64_t n_pages);
/* The same, of pages to be sealed. Takes the lock. */
uint64_t xtf_writer_allot(XtfWriter *writer, uint64_t behind, uint64_t n_pages);

/* The array of a location; NULL: there is none. Called with the lock held. */
XtfArrayWriter *xtf_writer_find_array(const XtfWriter *writer, uint64_t location, const XtfSchema *schema);
/* Puts a new array into the node of the P index that it belongs in. Called with the lock held. */
void xtf_writer_take_array(XtfWriter *writer, XtfArrayWriter *array);
/* Says that so many arrays, or their nodes, were needed, and are not for now. Called with the lock held, or by who has
 * the writer alone. */
void xtf_writer_rest_sometimes(XtfWriter *writer, uint32_t n_arrays);
/* The node as bytes, and its branch in the level above, whose child is not set. Arrays without rows are left out: with
 * no others the branch has no arrays. Whether an array has changed is passed on to the node, and forgotten. */
void xtf_node_writer_encode(XtfNodeWriter *node, GByteArray *bytes, XtfBranch *branch);

/* Widens the writer's limits by rows of a schema. Takes the lock. */
void xtf_writer_widen_limits(XtfWriter *writer, const XtfSchema *schema, const uint8_t *rows, uint32_t count);

/* An array without rows, of the writer's pool. Called with the lock held. */
XtfArrayWriter *xtf_array_writer_new(XtfWriter *writer, uint64_t location, const XtfSchema *schema);
/* The edge of an array without rows. */
XtfOpenEdge *xtf_open_edge_new(const XtfArrayWriter *array);
void xtf_open_edge_free(XtfOpenEdge *edge, unsigned height); /* NULL is fine */
/* Frees its edge. */
void xtf_array_writer_finish(XtfArrayWriter *array);
/* Makes it one without rows again, which knows nothing of what it has in the file. */
void xtf_array_writer_reset(XtfArrayWriter *array);
/* Opens the edge of an array at rest; nothing else changes. If the file is damaged there, it stays at rest. */
bool xtf_array_writer_wake(XtfArrayWriter *array, GError **error);
/* An array as its node has it: as it lies, or will lie, in the file. */
XtfArray xtf_array_writer_stored(const XtfArrayWriter *array);

/* Computes the earliest time of a row anew: the writer's promise or the array's clock map has changed. */
void xtf_array_writer_hold_to_promise(XtfArrayWriter *array);

/* Appends the array's right edge to `bytes`, with the item of the open leaf behind it: a run of bytes that begins and
 * ends at multiples of 8, and that must come to lie so in the file too. *at says where the edge alone lies in `bytes`.
 * It takes the time to pack the open leaf. */
bool xtf_array_writer_pack_edge(XtfArrayWriter *array, GByteArray *bytes, XtfRef *at, GError **error);

/* Writes the edges of closed arrays to pages of their own. Called with the lock held. */
bool xtf_writer_flush_pending(XtfWriter *writer, GError **error);

void xtf_writer_clocks_init(XtfWriterClocks *clocks);
void xtf_writer_clocks_finish(XtfWriterClocks *clocks);
/* The clock map of a number, NULL for 0; the number of a location's. Called with the lock held. */
const XtfClockMap *xtf_writer_clock(const XtfWriter *writer, uint32_t number);
uint32_t xtf_writer_clock_of(const XtfWriter *writer, uint64_t location);
/* Takes over the maps of a file, then the map of each array. */
void xtf_writer_clocks_resume(XtfWriter *writer, const XtfClockMap *const *maps, uint32_t n, XtfRef stored);
void xtf_writer_clocks_resume_array(XtfWriter *writer, XtfArrayWriter *array, uint32_t number);
/* Before the last commit: maps that no array has need not be stored. */
void xtf_writer_clocks_forget_unused(XtfWriter *writer);
/* Appends the item of maps; their number. */
uint32_t xtf_writer_clocks_encode(const XtfWriter *writer, GByteArray *bytes);
