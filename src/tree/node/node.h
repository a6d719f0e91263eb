/*
 * A node of the tree of a trace: a directory, a file or a link.
 *
 * A node is immutable and reference-counted. Any thread may call any function.
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
void xtf_node_unref(XtfNode *node); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfNode, xtf_node_unref)

/* Returns a new reference to the child of a name. The message of XTF_ERROR_NOT_FOUND says what is wrong with the name.
 * The caller handles "." and "..". */
XtfNode *xtf_node_lookup(XtfNode *directory, const char *name, GError **error);

XtfNodeKind xtf_node_kind(const XtfNode *node);

/* Returns a file's exact size, set by its lookup, or the length of a link's target. */
uint64_t xtf_node_size(const XtfNode *node);

/* Reads a file from `offset` into `buffer`. *length_read is less than `length` only at the file's end. */
bool xtf_node_read(XtfNode *file, uint64_t offset, void *buffer, size_t length, size_t *length_read, GError **error);

/* Passes the rows of a table's file to the sink. XTF_ERROR_NOT_FOUND: the file is no table, or has no rows of values.
 */
bool xtf_node_rows(XtfNode *file, const XtfRowSink *sink, GError **error);
/* Writes the rows of a table's file as CSV or JSON Lines. XTF_ERROR_NOT_FOUND: the file is no table. */
bool xtf_node_write(XtfNode *file, XtfRowFormat format, XtfWriteBytes write, void *data, GError **error);

/* Returns a link's target, owned by the node. */
const char *xtf_node_target(const XtfNode *link);

/* Returns a remark for the user if the node's window begins after the trace ends. Also returns one if this version
 * cannot read some arrays of the trace. Otherwise returns NULL. The caller frees the remark. */
char *xtf_node_remark(const XtfNode *node);

/* True if the tree shows the trace's final state, after its writer closed the file. */
bool xtf_tree_is_final(const XtfTree *tree);

/* Change of a node's name and content in the trees of later commits. */
typedef enum {
    XTF_NODE_FINAL,   /* name and content stay the same; a directory may list more */
    XTF_NODE_GROWS,   /* a file only gets longer */
    XTF_NODE_CHANGES, /* name and content may change */
} XtfNodeFuture;

XtfNodeFuture xtf_node_future(const XtfNode *node);

/* True if two nodes of one name, from the trees of two commits, have the same content. */
bool xtf_node_is_same(const XtfNode *older, const XtfNode *newer);

/* Returns a name by which later commits find a directory that CHANGES in its current meaning. For a window in %, the
 * name has fixed times. Returns NULL if the directory's own name lasts. The node owns the name. */
const char *xtf_node_lasting_name(const XtfNode *directory);

/* Lists a directory's children from the from-th on (0: the first), without "." and "..", until `visit` returns false.
 * Starting a long listing at any number costs nothing. */
typedef bool (*XtfNodeVisit)(const char *name, XtfNodeKind kind, void *data);
bool xtf_node_list(XtfNode *directory, uint64_t from, XtfNodeVisit visit, void *data, GError **error);
