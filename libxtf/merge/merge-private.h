/*
 * Private parts of merging, shared by its files.
 *
 *   merge.c   the steps of a merge
 *   folder.c  the files of a folder of parts
 *   scan.c    which parts of a folder have commits, and which are being written
 *   joined.c  opening a folder: its anchor, or growing parts, joined in memory again when they change
 *   part.c    reading the catalog, tables and arrays of a part
 *   part-clocks.c   the clock of the whole, and its clock maps
 *   kept.c    parts of a folder that stay open between scans
 *   numbers.c segment maps and limits: how joining the tables changed the numbers in rows
 *   output.c  the output, a file or memory: parts, items, superblocks
 *   whole.c   the P index, the tables and the catalog of the whole
 *   ends.c    the items that opening reads, and the pages of an anchor's parts
 *   shared.c  parts that share their tables
 *   join*.c   joining tables
 *   run*.c    joining runs of one job: runs-private.h
 */
#pragma once

#include "libxtf/disk/superblock.h"
#include "libxtf/merge.h"
#include "libxtf/merge/join.h"
#include "libxtf/tree/trace-private.h"

typedef struct XtfMergeOutput XtfMergeOutput;
typedef struct XtfKeptParts XtfKeptParts;

/* Map from the rows of a segment's table to rows of the whole, as numbered while tables are joined. */
typedef struct {
    uint32_t table; /* id of the schema in the whole */
    uint32_t n;
    uint32_t *rows;
} XtfNumbersMap;

/* A segment of a part. */
typedef struct {
    XtfSegment segment; /* first_page counts from the beginning of the part */
    uint64_t strings;   /* start of its strings in the part's heap */
    uint64_t strings_length;
    GArray *maps; /* XtfNumbersMap */
} XtfPartSegment;

typedef struct {
    const char *path;
    dev_t device;
    ino_t inode;
    uint64_t size;  /* bytes, without earlier volumes */
    uint64_t pages; /* pages that it takes in the whole, with earlier volumes */
    GArray *files;  /* XtfPartFile: earlier volumes, then the part itself; pages count from the part's first */
    uint64_t first_page;
    XtfSuperblock superblock;
    XtfClock clock;
    uint32_t first_segment;
    GArray *segments; /* XtfPartSegment */
    bool has_strings; /* some rows of its arrays may hold strings */
    XtfChunks strings;
    uint64_t strings_base; /* start of its strings in the heap of the whole */
} XtfPart;

/* Limits of numbers that exceed the `n` rows of a part's table. */
typedef struct {
    uint32_t schema, field, table;
    uint64_t n;
    XtfLimits limits;
} XtfDeferredLimits;

typedef struct {
    XtfMergeOptions options;
    bool in_place;      /* the parts stay separate files, which the whole names */
    bool lists;         /* the whole gets leaf lists, until they are full */
    bool growing;       /* the parts may be written meanwhile; each is read at its newest commit */
    XtfKeptParts *kept; /* growing parts that stay open; NULL: none do */
    XtfJoin *join;
    GPtrArray *parts;           /* XtfPart */
    const XtfMergePart *shared; /* parts that share their tables, in the order of `parts`; NULL: tables are joined */
    GHashTable *files;          /* set of the parts, by device and inode */
    GArray *arrays;             /* XtfArray of all parts; `schema` is the whole's, `segment` counts over all parts */
    uint32_t n_segments;
    GPtrArray *limits;       /* XtfLimits by field, by schema */
    GArray *deferred_limits; /* XtfDeferredLimits */
    GArray *n_rows;          /* by schema, except tables: rows of all parts together (uint64_t) */
    XtfClock clock;
    uint64_t kept_from;      /* greatest first time of parts without their first volumes; 0: there are none */
    GHashTable *clocks;      /* set of the clock maps of all parts */
    GByteArray *clock_bytes; /* item of these clock maps */
    GByteArray *leaf_heads;  /* leaf lists of all parts (leaf-lists.h), if `lists`: heads, and packed entries */
    GByteArray *leaf_lists;
    uint32_t page_size;
    uint64_t incompatible;
    XtfTraceInfo info; /* of the whole; commit 0: not set, a new file gets its own */
} XtfMerge;

/* ---- merge.c */

void xtf_merge_init(XtfMerge *merge, const XtfMergeOptions *options); /* `options` may be NULL */
void xtf_merge_finish(XtfMerge *merge);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfMerge, xtf_merge_finish)

/* Reads the parts and joins their tables, arrays and limits. */
bool xtf_merge_join_parts(XtfMerge *merge, const char *const *parts, size_t n_parts, GError **error);
/* Writes everything except the parts, which stay where they are. */
bool xtf_merge_write_in_place(XtfMerge *merge, XtfMergeOutput *output, GError **error);

/* ---- scan.c */

typedef enum {
    XTF_KNOWN_BLANK,  /* no commit yet */
    XTF_KNOWN_OPEN,   /* its writer may still add to it */
    XTF_KNOWN_ENDED,  /* not closed, and no longer written */
    XTF_KNOWN_CLOSED, /* closed by its writer */
    XTF_KNOWN_LOST,   /* damaged, and left out */
} XtfKnownState;

/* A part as the last scan found it. */
typedef struct {
    XtfKnownState state;
    uint8_t file_id[16];
    uint64_t commit; /* the newest; 0: none */
    uint64_t floor;  /* earliest allowed time of the part: the whole was complete up to here when the part appeared */
    uint64_t last;   /* time of its last record, once the part was read */
    bool given_up;   /* it was ENDED or LOST at an earlier scan, so the others went on without it */
    gint64 since;    /* monotonic time at which this commit was first seen, microseconds */
    char *reason;    /* why it is LOST */
} XtfKnownPart;

typedef struct {
    GHashTable *known; /* the last scan: path -> XtfKnownPart */
    uint64_t promised; /* time up to which the whole is complete; 0: none */
    bool incomplete;   /* leave out damaged parts */
} XtfPartsScan;

GHashTable *xtf_known_parts_new(void);
void xtf_known_part_mark_lost(XtfKnownPart *known, const char *reason);
/* Scans all files of a folder and fills `now`. Sets *changed if anything differs from the last scan, *flipped if the
 * state of a part differs but its commit does not. The caller initialises both. */
bool xtf_parts_scan(const XtfPartsScan *scan, char **paths, GHashTable *now, bool *changed, bool *flipped,
                    GError **error);

/* ---- shared.c */

/* Copies the tables and strings of the first part, and maps the rows of other parts' tables to its rows. `map` has the
 * schemas. */
bool xtf_merge_share_tables(const XtfMerge *merge, XtfTrace *trace, XtfPartMap *map, GError **error);

/* ---- folder.c */

void xtf_part_remark_free(gpointer remark);

/* ---- part.c */

/* Reads everything except the rows of a part's arrays, and adds the part to the merge. If the part cannot be read
 * (XTF_ERROR_DAMAGED and others), adds nothing. Sets *fatal if the part was read but does not fit the others. */
bool xtf_merge_add_part(XtfMerge *merge, const char *path, bool *fatal, GError **error);
void xtf_part_free(XtfPart *part);
GHashTable *xtf_part_set_new(void); /* set of borrowed XtfPart */

/* Opens a file of the part for copying; fails if it has changed. Returns the descriptor, or -1. */
int xtf_part_open(const XtfPart *part, const XtfPartFile *file, GError **error);

/* ---- part-clocks.c */

/* Adds the part's clock to that of the whole, and sets the clock maps of its arrays in the whole. `removed`: its first
 * volumes were removed. */
bool xtf_merge_add_clocks(XtfMerge *merge, const XtfPart *part, GArray *arrays, bool removed, GError **error);

/* ---- kept.c */

/* An open part and the identity of its file. */
typedef struct {
    XtfTrace *trace;
    dev_t device;
    ino_t inode;
} XtfKeptPart;

/*
 * Returns an empty set of open parts. Parts stay open between scans of a folder, with the data read from them. So a
 * scan reads only parts with a later commit. Descriptors and memory bound the number of open parts. Only one thread at
 * a time may use the set.
 */
XtfKeptParts *xtf_kept_parts_new(void);
void xtf_kept_parts_free(XtfKeptParts *kept);
/* Begins a scan: removes from the set the parts that the last scan neither found in it nor added to it. */
void xtf_kept_parts_begin(XtfKeptParts *kept);
/* Returns the part of a path if its newest commit is still the one that was read; else NULL. The trace is borrowed. */
const XtfKeptPart *xtf_kept_parts_find(XtfKeptParts *kept, const char *path);
/* Keeps a part open if the bounds allow it. */
void xtf_kept_parts_add(XtfKeptParts *kept, const char *path, const XtfKeptPart *part);

/* ---- numbers.c */

/* Adds the maps of the part's segments to the part, and its limits to the merge. */
bool xtf_merge_add_numbers(XtfMerge *merge, XtfTrace *trace, XtfPart *part, const XtfPartMap *map, GError **error);

/* Computes the limits of the whole, after its tables are finished. */
void xtf_merge_finish_limits(XtfMerge *merge);

/* ---- output.c */

struct XtfMergeOutput {
    int fd; /* -1: none; `buffer` holds everything */
    char *path;
    char *temporary;    /* name of the temporary file; NULL: the file has no name */
    uint64_t end;       /* offset in bytes where the next item may begin */
    uint64_t copied;    /* copied bytes of parts */
    GByteArray *buffer; /* unwritten bytes of items, which end at `end` */
};

bool xtf_merge_output_begin(XtfMergeOutput *output, const char *path, GError **error);
/* Begins an output in memory: `buffer` holds all bytes. `path` is for messages. */
void xtf_merge_output_begin_in_memory(XtfMergeOutput *output, const char *path);
/* Leaves space for the superblocks and anything else before the first item. */
void xtf_merge_output_skip(XtfMergeOutput *output, uint64_t length);
/* Copies a file of a part: the part itself, or an earlier volume. `total`: bytes of all parts. */
bool xtf_merge_output_copy(XtfMergeOutput *output, int from, const XtfPart *part, const XtfPartFile *file,
                           uint64_t total, uint32_t page_size, const XtfMergeOptions *options, GError **error);
/* Pads to the item alignment and returns the offset of the next item. */
uint64_t xtf_merge_output_align(XtfMergeOutput *output);
/* Stores an item; stores none if length is 0. */
bool xtf_merge_output_add(XtfMergeOutput *output, const void *bytes, size_t length, XtfRef *ref, GError **error);
/* Stores bytes as the next of some chunks. */
bool xtf_merge_add_chunk(XtfMergeOutput *output, const uint8_t *bytes, size_t length, XtfChunks *chunks,
                         GError **error);
bool xtf_merge_output_flush(XtfMergeOutput *output, GError **error);
bool xtf_merge_output_write(XtfMergeOutput *output, uint64_t offset, const void *bytes, size_t length, GError **error);
/* Gives the file its final name. */
bool xtf_merge_output_end(XtfMergeOutput *output, bool sync, GError **error);
/* Closes the output, and removes the file if it did not get its final name. */
void xtf_merge_output_finish(XtfMergeOutput *output);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfMergeOutput, xtf_merge_output_finish)

/* ---- whole.c */

/* Writes everything except the parts, the superblocks last. */
bool xtf_merge_write_whole(XtfMerge *merge, XtfMergeOutput *output, GError **error);
/* ---- ends.c */

/* Adds the parts to the catalog as files, with pages behind the anchor's. Before the call, page numbers of the parts
 * count from 0. So do the places of segments and of strings (the chunks from `own_strings` on) in the catalog. */
bool xtf_merge_name_files(const XtfMerge *merge, const XtfMergeOutput *output, XtfCatalog *catalog,
                          uint32_t own_strings, GError **error);
/* Fills `id` with random bytes. */
bool xtf_merge_new_file_id(uint8_t id[16], GError **error);
/* Writes schemas, limits, catalog and superblocks. `index` is the offset at which the P index begins; the leaf lists
 * precede it. */
bool xtf_merge_write_ends(const XtfMerge *merge, XtfMergeOutput *output, uint64_t index, XtfCatalog *catalog,
                          GError **error);
