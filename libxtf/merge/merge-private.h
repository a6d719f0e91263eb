/*
 * What the files of a merge share.
 *
 *   merge.c   the steps
 *   folder.c  what is in a folder of parts
 *   look.c    which parts of a folder have commits, and which are written
 *   joined.c  opening a folder: its anchor, or parts that grow, joined anew in memory
 *   part.c    reading what a part says of itself
 *   kept.c    parts of a folder that were read before
 *   numbers.c segment maps and limits: what joining the tables did to the numbers in rows
 *   output.c  the file that is written, or the memory: parts, items, superblocks
 *   whole.c   the P index, the tables and the catalog of the whole
 *   ends.c    what opening reads, and where the parts of an anchor stand
 *   join*.c   joining tables
 */
#pragma once

#include "libxtf/disk/superblock.h"
#include "libxtf/merge.h"
#include "libxtf/merge/join.h"
#include "libxtf/tree/trace-private.h"

typedef struct XtfMergeOutput XtfMergeOutput;
typedef struct XtfKeptParts XtfKeptParts;

/* From the rows of a segment's table to those of the whole, as numbered while tables are joined. */
typedef struct {
    uint32_t table; /* id of the schema in the whole */
    uint32_t n;
    uint32_t *rows;
} XtfNumbersMap;

/* A segment of a part. */
typedef struct {
    XtfSegment segment; /* first_page counts from the beginning of the part */
    uint64_t strings;   /* where its heap begins in the part's */
    uint64_t strings_length;
    GArray *maps; /* XtfNumbersMap */
} XtfPartSegment;

typedef struct {
    const char *path;
    dev_t device;
    ino_t inode;
    uint64_t size;  /* bytes */
    uint64_t pages; /* that it takes in the whole */
    uint64_t first_page;
    XtfSuperblock superblock;
    XtfClock clock;
    uint32_t first_segment;
    GArray *segments; /* XtfPartSegment */
    bool has_strings; /* some of its rows may hold strings */
    XtfChunks strings;
    uint64_t strings_base; /* where they begin in the heap of the whole */
} XtfPart;

/* Limits of numbers that were no rows of a part's table of `n`. */
typedef struct {
    uint32_t schema, field, table;
    uint64_t n;
    XtfLimits limits;
} XtfLateLimits;

typedef struct {
    XtfMergeOptions options;
    bool in_place;      /* the parts stay files of their own, which the whole names */
    bool growing;       /* the parts may be written meanwhile: each has the commit that is found */
    XtfKeptParts *kept; /* of parts that grow; NULL: none are kept */
    XtfJoin *join;
    GPtrArray *parts;  /* XtfPart */
    GHashTable *files; /* the set of them, by what file each is */
    GArray *arrays;    /* XtfArray of all parts; `schema` is the whole's, `segment` counts over all parts */
    uint32_t n_segments;
    GPtrArray *limits;   /* XtfLimits by field, by schema */
    GArray *late_limits; /* XtfLateLimits */
    GArray *n_rows;      /* uint64_t by schema */
    XtfClock clock;
    GHashTable *clocks;      /* the set of clock maps of all parts... */
    GByteArray *clock_bytes; /* ...and their item */
    uint32_t page_size;
    uint64_t incompatible;
    XtfTraceInfo info; /* of the whole; of commit 0: a new file has it */
} XtfMerge;

/* ---- merge.c */

void xtf_merge_init(XtfMerge *merge, const XtfMergeOptions *options); /* `options` may be NULL */
void xtf_merge_finish(XtfMerge *merge);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfMerge, xtf_merge_finish)

/* Joins all that the parts say of themselves. */
bool xtf_merge_join_parts(XtfMerge *merge, const char *const *parts, size_t n_parts, GError **error);
/* Writes all but the parts, which stay where they are. */
bool xtf_merge_write_in_place(XtfMerge *merge, XtfMergeOutput *output, GError **error);

/* ---- look.c */

typedef enum {
    XTF_KNOWN_BLANK,  /* it has no commit yet */
    XTF_KNOWN_OPEN,   /* its writer may add to it */
    XTF_KNOWN_ENDED,  /* it is not closed, and nobody writes it any more */
    XTF_KNOWN_CLOSED, /* its writer closed it */
    XTF_KNOWN_LOST,   /* it is damaged, and left out */
} XtfKnownState;

/* A part as it was when the folder was looked at last. */
typedef struct {
    XtfKnownState state;
    uint8_t file_id[16];
    uint64_t commit; /* the newest; 0: there is none */
    uint64_t floor;  /* the part holds nothing before: up to here all was complete when it came */
    uint64_t last;   /* time of its last record, once it was read */
    bool given_up;   /* it was once ended or lost, so the others went on without it */
    gint64 since;    /* monotonic time at which this commit was seen first, microseconds */
    char *reason;    /* of a part that is lost */
} XtfKnownPart;

/* What a look compares with, and how. */
typedef struct {
    GHashTable *then;  /* what is known: path -> XtfKnownPart */
    uint64_t promised; /* up to here all is complete; 0: nothing is */
    bool incomplete;   /* leave out parts that are damaged */
} XtfLook;

GHashTable *xtf_known_parts_new(void);
void xtf_known_part_lose(XtfKnownPart *known, const char *reason);
/* Looks at all files of a folder: `now` is what is known afterwards. *changed is set if anything is new, *flipped if a
 * part without a later commit is in another state. */
bool xtf_look(const XtfLook *how, char **paths, GHashTable *now, bool *changed, bool *flipped, GError **error);

/* ---- folder.c */

void xtf_part_remark_free(gpointer remark);

/* ---- part.c */

/* Reads all but the rows of a part's arrays, and adds it to the merge. XTF_ERROR_DAMAGED and the like if it cannot be
 * read: then nothing was added. *fatal is set if the part was read but does not fit the others. */
bool xtf_merge_add_part(XtfMerge *merge, const char *path, bool *fatal, GError **error);
void xtf_part_free(XtfPart *part);
GHashTable *xtf_part_set_new(void); /* of borrowed XtfPart */

/* Opens the part again, for copying; fails if it is not as it was. */
int xtf_part_open(const XtfPart *part, GError **error);

/* ---- kept.c */

/* A part that was read, and the file that it was. */
typedef struct {
    XtfTrace *trace;
    dev_t device;
    ino_t inode;
} XtfKeptPart;

/*
 * Parts stay open from one look at a folder to the next, with what was read of them, so that only those with a later
 * commit are read anew: as many as descriptors and memory allow. Nothing of it may be called by two threads at once.
 */
XtfKeptParts *xtf_kept_parts_new(void);
void xtf_kept_parts_free(XtfKeptParts *kept);
/* Before all parts are looked up: what is not looked up this time goes at the next. */
void xtf_kept_parts_begin(XtfKeptParts *kept);
/* The part of a path, if its newest commit is still the one that was read. The trace is borrowed. */
const XtfKeptPart *xtf_kept_parts_find(XtfKeptParts *kept, const char *path);
/* Keeps a part, if there is room for it. */
void xtf_kept_parts_add(XtfKeptParts *kept, const char *path, const XtfKeptPart *part);

/* ---- numbers.c */

/* The maps of the part's segments, and its share of the limits. `map` is emptied. */
bool xtf_merge_add_numbers(XtfMerge *merge, XtfTrace *trace, XtfPart *part, const XtfPartMap *map, GError **error);

/* The limits in the whole, once its tables are finished. */
void xtf_merge_finish_limits(XtfMerge *merge);

/* ---- output.c */

struct XtfMergeOutput {
    int fd; /* -1: none; all is in the buffer */
    char *path;
    char *temporary;    /* its name until it takes its place; NULL: it has none */
    uint64_t end;       /* bytes, where the next item may begin */
    uint64_t copied;    /* bytes of parts */
    GByteArray *buffer; /* of items, not written yet, that end at `end` */
};

bool xtf_merge_output_begin(XtfMergeOutput *output, const char *path, GError **error);
/* In memory: `buffer` holds all bytes. `path` is for messages. */
void xtf_merge_output_begin_in_memory(XtfMergeOutput *output, const char *path);
/* Leaves room for the superblocks, and what else lies before the first item. */
void xtf_merge_output_skip(XtfMergeOutput *output, uint64_t length);
bool xtf_merge_output_copy(XtfMergeOutput *output, int from, const XtfPart *part, uint64_t total, uint32_t page_size,
                           const XtfMergeOptions *options, GError **error);
/* Where the next item will lie. */
uint64_t xtf_merge_output_align(XtfMergeOutput *output);
/* Stores an item; none if it has no bytes. */
bool xtf_merge_output_add(XtfMergeOutput *output, const void *bytes, size_t length, XtfRef *ref, GError **error);
/* Stores the next chunk of some bytes. */
bool xtf_merge_add_chunk(XtfMergeOutput *output, const uint8_t *bytes, size_t length, XtfChunks *chunks,
                         GError **error);
bool xtf_merge_output_flush(XtfMergeOutput *output, GError **error);
bool xtf_merge_output_write(XtfMergeOutput *output, uint64_t offset, const void *bytes, size_t length, GError **error);
/* Puts the file in its place. */
bool xtf_merge_output_end(XtfMergeOutput *output, bool sync, GError **error);
/* Closes it, and removes it if it has not taken its place. */
void xtf_merge_output_finish(XtfMergeOutput *output);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfMergeOutput, xtf_merge_output_finish)

/* ---- whole.c */

/* Writes everything beside the parts, the superblocks last. */
bool xtf_merge_write_whole(XtfMerge *merge, XtfMergeOutput *output, GError **error);
/* ---- ends.c */

/* Names the parts as files, and places them behind what the anchor will have. Their first pages in the merge count from
 * 0, and so do those of segments and strings (the chunks from `own_strings` on) in the catalog until then. */
bool xtf_merge_name_files(const XtfMerge *merge, const XtfMergeOutput *output, XtfCatalog *catalog,
                          uint32_t own_strings, GError **error);
/* A random one. */
bool xtf_merge_new_file_id(uint8_t id[16], GError **error);
bool xtf_merge_write_ends(const XtfMerge *merge, XtfMergeOutput *output, XtfCatalog *catalog, GError **error);
