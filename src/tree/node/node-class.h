/*
 * Inside a tree: what all nodes have in common.
 *
 * A node points to its class, which is one kind of directory, file or link. A file knows the classes of the files below
 * it, which are those of its directories' children:
 *
 *     node
 *     entries: found-record < call-entries < message-entries, collective-entries, wait-entries < record-dir
 *              found-record < side-entries < record-dir
 *     tree: files, definitions-dir, window-links, by-dir < narrowing-dirs, frames-dir < selection-dir < tree
 *
 * The directories below proc/, time/ and so on are selections again. Their class is that of the root.
 */
#pragma once

#include "src/pictures/registry/picture.h"
#include "src/tables/collectives/collective.h"
#include "src/tables/format/table.h"
#include "src/tables/match/match.h"
#include "src/tables/views/registry.h"
#include "src/trace/text/frame-rate.h"
#include "src/trace/text/row-sink.h"
#include "src/trace/text/row-writer.h"
#include "src/trace/text/table-output.h"
#include "src/tree/node/node.h"
#include "src/tree/records/records-file.h"

/* For listing: passes over the first `from` children. */
typedef struct {
    uint64_t from;
    XtfNodeVisit visit;
    void *data;
    bool stopped;
} XtfLister;

void xtf_lister_show(XtfLister *lister, const char *name, XtfNodeKind kind);
/* Shows a name if its look-up found something. Where damage hides whether there is something, the name is shown too:
 * whoever looks it up is told what is damaged, and nothing is missing without a word. Takes over `own`, the error of
 * the look-up. False if it is neither: the file could not be read, or its writer has gone on. */
bool xtf_lister_offer(XtfLister *lister, const char *name, XtfNodeKind kind, bool found, GError *own, GError **error);

/* `name` is never "." or "..", and no longer than XTF_DIRECTORY_NAME_MAX. A file has `text`, `table`, or `size` and
 * `read`. */
typedef struct {
    XtfNodeKind kind;
    XtfNode *(*lookup)(XtfNode *directory, const char *name, GError **error);
    bool (*list)(XtfNode *directory, XtfLister *lister, GError **error);  /* NULL: lists nothing */
    GString *(*text)(XtfNode *file, GError **error);                      /* all of it, made anew for each read */
    bool (*table)(XtfNode *file, XtfTableOutput *output, GError **error); /* the same of a table: it has a text */
    bool keeps;                                                           /* the node keeps its text */
    bool (*rows)(XtfNode *file, const XtfRowSink *sink, GError **error);  /* of a table that has `size` and `read` */
    /* Of a table of many rows: writes them by itself. NULL: it writes what `rows` or `table` gives. */
    bool (*write)(XtfNode *file, XtfRowFormat format, XtfWriteBytes write, void *data, GError **error);
    bool (*size)(XtfNode *file, uint64_t *size, GError **error); /* NULL: whoever makes the node sets its size */
    bool (*read)(XtfNode *file, uint64_t offset, char *buffer, size_t length, GError **error);
    bool grows; /* a file: while it is not final, later commits only add to its end */
    /* A file that shows the same in every commit in which it has the same size: always, or, NULL for never, if this
     * holds and its selection is final. */
    bool same_by_size;
    bool (*same_by_size_if_final)(const XtfNode *file);
} XtfNodeClass;

struct XtfNode {
    gatomicrefcount references;
    XtfTree *tree; /* borrowed: it outlives its nodes */
    const XtfNodeClass *class;
    uint32_t depth;          /* of a directory: components from the root */
    uint32_t numberings;     /* num/ components so far */
    bool is_window;          /* a selection right under time/, or a frame, and its zoom/ */
    bool is_frame;           /* a selection right under frames/RATE/, and its zoom/ */
    bool is_instant;         /* a selection right under at/ */
    XtfSelection *selection; /* NULL outside of selections */
    XtfGrouping *grouping;   /* below by/KEY; NULL elsewhere */
    union {
        struct {
            uint64_t from, to;
            uint64_t frame, n_frames; /* of a frame: its number, and how many the trace has */
        } window; /* of a window, an instant and of zoom/: the times of its name, which may be beyond the trace's */
        XtfFrameRate rate; /* frames/RATE */
        char letter;       /* arrows/LETTER */
        struct {
            uint64_t number, count;
            uint32_t side;
        } record;            /* num/K: K, and how many records the selection has; of a file, its side array */
        const XtfView *view; /* of a view's file */
        const XtfPicture *picture;
        struct {
            uint32_t schema;
            uint64_t row;
        } definition; /* definitions/NAME, rows/NAME and rows/NAME/ROW */
        struct {
            uint64_t location, row; /* an index in XtfLocations; of `collectives` */
        } member;                   /* `members` or `causes` of a record: where that is */
    };
    uint64_t size;
    char *text; /* a link's target, a text that the node keeps, or a directory's lasting name */
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
    XtfNode *root;
    GMutex lock;
    XtfTableView **tables; /* by schema, made when first asked for */
    struct {
        GString *text; /* NULL: none yet */
        uint32_t schema;
        uint64_t row;
    } row; /* of definitions/rows/ the text asked for last: it may be long, and is read part by part */
};

extern const XtfNodeClass xtf_link;

/* A child of `parent`, whose selection it has; without its size. */
XtfNode *xtf_node_new(const XtfNode *parent, const XtfNodeClass *class);
/* The same, for a selection. Takes it. */
XtfNode *xtf_node_new_selection(const XtfNode *parent, XtfSelection *selection);
/* The same, for a window of the parent's selection: [from, to), which may be beyond the trace's ends. */
XtfNode *xtf_node_new_window(const XtfNode *parent, uint64_t from, uint64_t to);
XtfNode *xtf_node_new_link(const XtfNode *parent, char *target);  /* takes the target */
XtfNode *xtf_node_new_text(const XtfNode *parent, GString *text); /* takes the text, and keeps it */
/* The same of a text that later commits may change, also where the selection is final. */
XtfNode *xtf_node_new_changing_text(const XtfNode *parent, GString *text);

/* Sets the size of a new file. Takes the node and returns it; NULL with an error. */
XtfNode *xtf_node_with_size(XtfNode *node, GError **error);

/* NULL, and XTF_ERROR_NOT_FOUND. */
XtfNode *xtf_not_found(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
XtfNode *xtf_no_such(const char *name, GError **error);
