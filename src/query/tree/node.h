/*
 * Inside a tree: its nodes, and who answers for which.
 */
#pragma once

#include "src/query/format/table.h"
#include "src/query/tree/records-file.h"
#include "src/query/tree/tree.h"
#include "src/query/views/registry.h"

/* Directories first, then files, then links: see xtf_node_kind(). */
typedef enum {
    NODE_SELECTION,
    NODE_PROCS,
    NODE_THREADS,
    NODE_TIMES,
    NODE_NUMBERS,
    NODE_REGIONS,
    NODE_COMMS,
    NODE_PEERS,
    NODE_TAGS,
    NODE_ZOOM,
    NODE_RECORD, /* num/K */
    NODE_DEFINITIONS,
    NODE_LAST_DIRECTORY = NODE_DEFINITIONS,

    NODE_README,
    NODE_COUNT,
    NODE_RECORDS,
    NODE_COLUMNS,
    NODE_VIEW,
    NODE_TABLE, /* definitions/NAME */
    NODE_TEXT,  /* of its own: `text` */
    NODE_LAST_FILE = NODE_TEXT,

    NODE_LINK,
} NodeRole;

struct XtfNode {
    gatomicrefcount references;
    XtfTree *tree; /* borrowed: it outlives its nodes */
    NodeRole role;
    uint32_t depth;          /* of a directory: components from the root */
    uint32_t numberings;     /* num/ components so far */
    bool is_window;          /* a selection right under time/ */
    XtfSelection *selection; /* NULL outside of selections */
    const XtfView *view;     /* of a VIEW */
    uint64_t a, b;           /* the window's own times; a RECORD's number; a TABLE's schema */
    uint64_t size;
    char *text; /* a link's target, a TEXT's content */
};

struct XtfTree {
    XtfTrace *trace;
    XtfTraceContext context;
    XtfResolver resolver;
    XtfFormats formats;
    XtfRecords records;
    XtfViews views;
    XtfNode *root;
    GMutex lock;
    XtfTableView **tables; /* by schema, made when first asked for */
};

enum {
    XTF_NUMBERINGS_MAX = 16, /* num/ in one path */
};

/* A child of `parent`, whose selection it has. */
XtfNode *xtf_node_new(const XtfNode *parent, NodeRole role);
XtfNode *xtf_node_new_link(const XtfNode *parent, char *target);  /* takes the target */
XtfNode *xtf_node_new_text(const XtfNode *parent, GString *text); /* takes the text */

/* What one kind of directory holds. `name` is never "." or "..". */
XtfNode *xtf_selection_lookup(XtfNode *directory, const char *name, GError **error);
bool xtf_selection_list(XtfNode *directory, uint64_t from, XtfNodeVisit visit, void *data, GError **error);
XtfNode *xtf_record_lookup(XtfNode *directory, const char *name, GError **error);
bool xtf_record_list(XtfNode *directory, uint64_t from, XtfNodeVisit visit, void *data, GError **error);
/* The directory num/K. */
XtfNode *xtf_record_new(const XtfNode *numbers, uint64_t k, GError **error);

/* For listing: passes over the first `from` children. */
typedef struct {
    uint64_t from;
    XtfNodeVisit visit;
    void *data;
    bool stopped;
} XtfLister;

void xtf_lister_show(XtfLister *lister, const char *name, XtfNodeKind kind);

XtfNode *xtf_no_such(const char *name, GError **error); /* NULL */
extern const char xtf_readme[];
