/*
 * What the rooms of the writer share.
 *
 *   writer.c         the writer: opening, schemas, strings, tables, closing
 *   writer-array.c   arrays: pages onto their places, and entries of them into index pages
 *   writer-leaf.c    the open leaf: rows into pages
 *   writer-sums.c    what the index keeps of the rows below each child
 *   writer-commit.c  commits: right edges, P index, catalog, superblock
 *   writer-resume.c  going on with a file that another writer left
 */
#pragma once

#include "libxtf/disk/catalog.h"
#include "libxtf/disk/format.h"
#include "libxtf/write/aggregate-writer.h"
#include "libxtf/write/leaf-writer.h"
#include "libxtf/writer.h"

/* The open page of a level. The lowest one's rows are in an XtfLeafWriter. */
typedef struct {
    uint8_t *page;     /* room for a page's head, then the entries; grown to the page size as it fills */
    uint32_t allotted; /* bytes of it */
    uint32_t count;    /* entries */
    uint64_t first_n;
    uint64_t place;    /* 0: the level has sealed no page, so none is reserved */
    uint64_t previous; /* 0: none */
} XtfLevel;

/*
 * An array is, at any time, in one of these states:
 *
 *   open      levels hold its right edge; rows may come
 *   finished  levels are freed, and no rows may come; its edge lies in the file or, while it is one of the writer's
 *             `pending_arrays`, in `pending`, whose beginning edge.offset then counts from
 *
 * Its one appending thread owns it between commits; what of it `pending` concerns is under the writer's lock.
 */
struct XtfArrayWriter {
    XtfWriter *writer;
    const XtfSchema *schema;
    uint64_t location;
    uint64_t n_rows, first, last;
    XtfLeafWriter leaf;             /* cleared once finished */
    XtfLevel *levels;               /* `height` of them, leaf first; NULL once finished, and before the first row */
    XtfAggregateWriter *aggregates; /* NULL if the schema has none, and once finished */
    XtfRef edge;                    /* as of the last commit, or the finish */
    uint32_t id;
    uint8_t height;
    bool changed; /* since `edge` was stored */
    bool finished;
};

struct XtfTableWriter {
    XtfWriter *writer;
    const XtfSchema *schema;
    GByteArray *rows;
    uint64_t n_rows;
    XtfRef stored;
    bool changed;
};

/* A lowest node of the P index: arrays that stand side by side in its order. */
typedef struct {
    GPtrArray *arrays; /* borrowed XtfArrayWriter */
    XtfRef stored;
    bool changed; /* an array joined or left it; arrays that changed are found by asking them */
} XtfNodeWriter;

struct XtfWriter {
    int fd;
    char *path;
    bool no_sync;
    bool failed;    /* a write failed: nothing may be committed any more */
    XtfCodec codec; /* of new arrays' leaves */
    unsigned level; /* of packing */
    uint32_t page_size;
    uint32_t epoch;
    uint64_t commit;       /* the last one */
    XtfRef catalog_stored; /* its catalog */
    uint64_t segment;      /* id */
    uint8_t file_id[16];
    uint64_t incompatible; /* feature bits; commits add what arrays need */

    GMutex lock;           /* guards all below but what only commits touch */
    uint64_t pages;        /* allotted */
    uint64_t sealed_bytes; /* since the last commit */
    XtfCatalog catalog;    /* schemas, limits; the rest is filled by commits */
    GHashTable *array_of;  /* (location, schema) -> XtfArrayWriter, owned */
    GPtrArray *nodes;      /* XtfNodeWriter, in order */
    GPtrArray *tables;     /* XtfTableWriter */
    GByteArray *strings;
    GHashTable *string_ids; /* text -> id */
    bool strings_changed;
    XtfRef strings_stored;
    GByteArray *pending; /* edges of finished arrays, not written yet */
    GPtrArray *pending_arrays;

    uint64_t commit_bytes;      /* of all commits */
    uint64_t last_commit_bytes; /* of the last */
    uint32_t next_array;
    uint64_t origin; /* as the creator said; UINT64_MAX: the first record */
};

/* A writer of nothing yet, which owns the descriptor. */
XtfWriter *xtf_writer_new_empty(int fd, const char *path);

/* Takes what holds for created and opened files alike: no_sync, plain, level. `options` may be NULL. */
bool xtf_writer_set_options(XtfWriter *writer, const XtfWriterOptions *options, GError **error);

/* The file, locked against other writers; -1 on failure. `flags` go to open(2). */
int xtf_writer_open_file(const char *path, int flags, GError **error);

/* Writes all of it at an offset. A failure marks the writer. */
bool xtf_writer_put(XtfWriter *writer, uint64_t offset, const void *bytes, size_t length, GError **error);

/* Allots pages side by side; the place of the first. Takes the lock. */
uint64_t xtf_writer_allot(XtfWriter *writer, uint64_t n_pages);

/* The node of the P index that an array of this key belongs in, and puts it there. Called with the lock held. */
void xtf_writer_index_array(XtfWriter *writer, XtfArrayWriter *array);

/* Widens the writer's limits by rows of a schema. Takes the lock. */
void xtf_writer_widen_limits(XtfWriter *writer, const XtfSchema *schema, const uint8_t *rows, uint32_t count);

/* Without rows. */
XtfArrayWriter *xtf_array_writer_new(XtfWriter *writer, uint64_t location, const XtfSchema *schema);
void xtf_array_writer_free(XtfArrayWriter *array);
/* Of its leaves, while it has no rows; till then it is the writer's. */
void xtf_array_writer_set_codec(XtfArrayWriter *array, XtfCodec codec);

/* Appends the array's right edge to `bytes`; its place there is *at. It takes the time to pack the open leaf. */
void xtf_array_writer_pack_edge(XtfArrayWriter *array, GByteArray *bytes, XtfRef *at);

/* Writes the edges of finished arrays to a place of their own. Called with the lock held. */
bool xtf_writer_flush_pending(XtfWriter *writer, GError **error);

/* The key of `array_of`. */
typedef struct {
    uint64_t location;
    uint32_t schema;
} XtfArrayKey;
