/*
 * Internals of a tree: the parts that all nodes share.
 *
 * A node points to its class, which is one kind of directory, file or link. A source file uses the classes of the
 * source files below it, for its directories' children:
 *
 *     node
 *     entries: found-record < call-entries < message-entries, collective-entries, wait-entries < record-dir
 *              found-record < side-entries < record-dir
 *     tree: files, definitions-dir, window-links, by-dir < narrowing-dirs, frames-dir < selection-dir < tree
 *
 * The directories below proc/, time/ and so on are selections again. They have the class of the root.
 */
#pragma once

#include "src/pictures/registry/picture.h"
#include "src/tables/collectives/collective.h"
#include "src/tables/format/table.h"
#include "src/tables/match/match.h"
#include "src/tables/views/registry.h"
#include "src/trace/text/row-sink.h"
#include "src/trace/text/row-writer.h"
#include "src/trace/text/table-output.h"
#include "src/trace/typed/frame-rate.h"
#include "src/tree/node/node.h"
#include "src/tree/records/records-file.h"

/* State of a listing, which skips the first `from` children. */
typedef struct {
    uint64_t from;
    XtfNodeVisit visit;
    void *data;
    bool stopped;
} XtfLister;

void xtf_lister_show(XtfLister *lister, const char *name, XtfNodeKind kind);
/* Shows a name if its lookup found a node. Also shows the name if damage made the lookup fail: a later lookup of the
 * name reports the damage. Takes ownership of the error of the lookup. Returns false if the file could not be read, its
 * commit is stale, or the operation was cancelled. */
bool xtf_lister_offer(XtfLister *lister, const char *name, XtfNodeKind kind, bool found, GError *lookup_error,
                      GError **error);

/* `name` is never "." or "..", and no longer than XTF_DIRECTORY_NAME_MAX. A file has `text`, `table`, or `size` and
 * `read`. */
typedef struct {
    XtfNodeKind kind;
    XtfNode *(*lookup)(XtfNode *directory, const char *name, GError **error);
    bool (*list)(XtfNode *directory, XtfLister *lister, GError **error);  /* NULL: lists nothing */
    GString *(*text)(XtfNode *file, GError **error);                      /* makes the whole text, for each read */
    bool (*table)(XtfNode *file, XtfTableOutput *output, GError **error); /* makes a table's text or rows */
    bool keeps;                                                           /* true if the node keeps its text */
    bool (*rows)(XtfNode *file, const XtfRowSink *sink, GError **error);  /* for a table with `size` and `read` */
    /* Writes the rows of a long table. NULL: xtf_node_write() writes the rows of `rows` or `table`. */
    bool (*write)(XtfNode *file, XtfRowFormat format, XtfWriteBytes write, void *data, GError **error);
    bool (*size)(XtfNode *file, uint64_t *size, GError **error); /* NULL: the maker of the node sets its size */
    bool (*read)(XtfNode *file, uint64_t offset, char *buffer, size_t length, GError **error);
    bool grows; /* true if later commits only append to the file while it is not final */
    /* True if a file of the same size has the same content in every commit. */
    bool same_by_size;
    /* True if `same_by_size` holds once the file's selection is final. NULL: a final selection makes the file final. */
    bool (*same_by_size_if_final)(const XtfNode *file);
} XtfNodeClass;

struct XtfNode {
    gatomicrefcount references;
    XtfTree *tree; /* borrowed; the caller frees the tree after its nodes */
    const XtfNodeClass *class;
    uint32_t depth;          /* of a directory: path components from the root */
    uint32_t numberings;     /* num/ components of the path */
    bool is_window;          /* a selection directly below time/, a frame, or its zoom/ */
    bool is_frame;           /* a selection directly below frames/RATE/, or its zoom/ */
    bool is_instant;         /* a selection directly below at/ */
    bool moves;              /* below last/ of a growing trace: its window begins later in later commits */
    XtfSelection *selection; /* NULL outside of selections */
    XtfGrouping *grouping;   /* below by/KEY; NULL elsewhere */
    union {
        struct {
            uint64_t from, to;
            uint64_t frame, n_frames; /* of a frame: its number, and the trace's number of frames */
        } window;          /* of a window, an instant and zoom/: the times in its name, maybe outside the trace */
        XtfFrameRate rate; /* frames/RATE */
        char letter;       /* arrows/LETTER */
        struct {
            uint64_t number, count;
            uint32_t side;
        } record;            /* num/K: K, the selection's number of records, and a file's side array */
        const XtfView *view; /* of a view's file */
        const XtfPicture *picture;
        struct {
            uint32_t schema;
            uint64_t row;
        } definition; /* definitions/NAME, rows/NAME and rows/NAME/ROW */
        struct {
            uint64_t location, row; /* an index in XtfLocations; of `collectives` */
        } member;                   /* `members` or `causes` of a record: the record's place */
    };
    uint64_t size;
    char *text; /* a link's target, a file's kept text, or a directory's lasting name */
};

struct XtfTree {
    XtfTrace *trace;
    XtfTraceContext context;
    XtfResolver resolver;
    XtfFormats formats;
    XtfRecords records;
    XtfMatching matching;
    XtfViews views;
    XtfPictures pictures;
    XtfCollectives collectives;
    XtfClockCheck clocks;
    XtfIterations iterations;
    XtfNode *root;
    GMutex lock;
    XtfTableView **tables; /* by schema, made at the first use */
    struct {
        GString *text; /* NULL: no row was read yet */
        uint32_t schema;
        uint64_t row;
    } row; /* last text read in definitions/rows/: it may be long, and is read part by part */
};

extern const XtfNodeClass xtf_link;

/* Makes a child of `parent` with the parent's selection. Does not set its size. */
XtfNode *xtf_node_new(const XtfNode *parent, const XtfNodeClass *class);
/* Makes a child of `parent` for a selection, and takes ownership of the selection. */
XtfNode *xtf_node_new_selection(const XtfNode *parent, XtfSelection *selection);
/* Makes a child for the window [from, to) of the parent's selection. The window may reach outside the trace. */
XtfNode *xtf_node_new_window(const XtfNode *parent, uint64_t from, uint64_t to);
XtfNode *xtf_node_new_link(const XtfNode *parent, char *target);  /* takes ownership of `target` */
XtfNode *xtf_node_new_text(const XtfNode *parent, GString *text); /* takes ownership of `text` */
/* Makes a file of a text that later commits may change, even if the selection is final. Takes ownership of `text`. */
XtfNode *xtf_node_new_changing_text(const XtfNode *parent, GString *text);

/* Returns false: `same_by_size_if_final` of files that later commits may change although their selection is final. */
bool xtf_node_never_same_by_size(const XtfNode *file);

/* Sets the size of a new file. Takes the node and returns it, or NULL on error. */
XtfNode *xtf_node_with_size(XtfNode *node, GError **error);

/* Sets XTF_ERROR_NOT_FOUND and returns NULL. */
XtfNode *xtf_not_found(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
XtfNode *xtf_no_such(const char *name, GError **error);
