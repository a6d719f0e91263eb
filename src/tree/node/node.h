/*
 * A node of the tree of a trace: a directory, a file or a link.
 *
 * A node is immutable and reference-counted. Every function here may be called from any thread.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/trace/text/row-writer.h"

typedef struct XtfTree XtfTree;
typedef struct XtfNode XtfNode;

typedef enum {
    XTF_NODE_DIRECTORY,
    XTF_NODE_FILE,
    XTF_NODE_LINK, /* relative */
} XtfNodeKind;

XtfNode *xtf_node_ref(XtfNode *node);
void xtf_node_unref(XtfNode *node); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfNode, xtf_node_unref)

/* The child of a name, a new reference. The message of XTF_ERROR_NOT_FOUND tells what is wrong with the name. The
 * caller handles "." and "..". */
XtfNode *xtf_node_lookup(XtfNode *directory, const char *name, GError **error);

XtfNodeKind xtf_node_kind(const XtfNode *node);

/* Of a file: its exact size, which the look-up found. Of a link: the length of its target. */
uint64_t xtf_node_size(const XtfNode *node);

/* Of a file: fills `buffer` from `offset`; *length_read is less than `length` only at the file's end. */
bool xtf_node_read(XtfNode *file, uint64_t offset, void *buffer, size_t length, size_t *length_read, GError **error);

/* Of a file that is a table: gives its rows to the sink. XTF_ERROR_NOT_FOUND: it is none, or has no rows of values. */
bool xtf_node_rows(XtfNode *file, const XtfRowSink *sink, GError **error);
/* Of a file that is a table: writes its rows as CSV or JSON Lines. XTF_ERROR_NOT_FOUND: it is none. */
bool xtf_node_write(XtfNode *file, XtfRowFormat format, XtfWriteBytes write, void *data, GError **error);

/* Of a link. Owned by the node. */
const char *xtf_node_target(const XtfNode *link);

/* What a user may want to know of a node that is there all the same: that its window lies beyond the trace. NULL: there
 * is nothing to say. The caller frees it. */
char *xtf_node_remark(const XtfNode *node);

/* Whether the tree is of the file as its writer closed it. */
bool xtf_tree_is_final(const XtfTree *tree);

/* What becomes of a node's name and content in the trees of later commits. */
typedef enum {
    XTF_NODE_FINAL,   /* nothing: they are the same in each. A directory may list more */
    XTF_NODE_GROWS,   /* a file gets longer, and that is all */
    XTF_NODE_CHANGES, /* they may be others */
} XtfNodeFuture;

XtfNodeFuture xtf_node_future(const XtfNode *node);

/* Of two nodes of one name, looked up in trees of two commits, whether they are the same all the same. */
bool xtf_node_is_same(const XtfNode *older, const XtfNode *newer);

/* A name by which later commits know a directory that CHANGES as it is now: a window in % is one of fixed times. NULL
 * if its own name does. Owned by the node. */
const char *xtf_node_lasting_name(const XtfNode *directory);

/* Lists a directory's children from the from-th on (0: the first), without "." and "..", until `visit` returns false.
 * Long listings go on from any number at no cost. */
typedef bool (*XtfNodeVisit)(const char *name, XtfNodeKind kind, void *data);
bool xtf_node_list(XtfNode *directory, uint64_t from, XtfNodeVisit visit, void *data, GError **error);
