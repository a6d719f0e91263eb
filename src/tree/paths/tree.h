/*
 * The tree of a trace: a path is a query, a directory is a selection, its files show the selection's records.
 *
 * The filesystem, `xtf cat` and `xtf ls` share it. Any thread may call any function. docs/TREE.md
 * describes the tree for its users.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "libxtf/handles.h"
#include "src/trace/text/time-scale.h"
#include "src/tree/node/node.h"

/* Takes a reference to the trace. Loads only the definitions that the tree needs, each at its first use. */
XtfTree *xtf_tree_new(XtfTrace *trace, GError **error);
/* Makes a tree of a growing trace, as of its commit. The tree ends at the time up to which all locations are complete,
 * except for selections of a single location. Columns have the largest width that they may ever need. So later commits
 * never move the records shown. A closed trace is shown whole, with the same columns. */
XtfTree *xtf_tree_new_growing(XtfTrace *trace, GError **error);
void xtf_tree_free(XtfTree *tree); /* after all of its nodes are released */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfTree, xtf_tree_free)
XtfTrace *xtf_tree_trace(XtfTree *tree);
/* Frees memory that later queries fill again: pages of the trace's cache beyond `cache_bytes`, indexes of messages. */
void xtf_tree_free_idle(XtfTree *tree, size_t cache_bytes);
const XtfTimeScale *xtf_tree_scale(const XtfTree *tree); /* of the times in its tables */
/* Returns a sentence that the trace's clocks contradict each other, or are not judged (clock-check.h). NULL: the clocks
 * agree. The caller frees the sentence. */
char *xtf_tree_clock_sentence(XtfTree *tree);
/* Returns a sentence without a period on the clocks of nodes that the recorder has read; NULL: none. The caller frees
 * it. */
char *xtf_tree_node_clocks_sentence(XtfTree *tree);
bool xtf_tree_clocks_contradict(XtfTree *tree);

/* Names the trace for the titles of pictures, after a file or folder, or after another tree of the trace. Paths may be
 * any bytes. The caller names the tree before it uses nodes. */
void xtf_tree_name_after(XtfTree *tree, const char *path);
void xtf_tree_name_as(XtfTree *tree, const XtfTree *named);

/* Makes lookups draw pictures, however long that takes, so that the sizes need little padding. Must be called before
 * nodes are used. */
void xtf_tree_draw_first(XtfTree *tree);

/* Sets the costs of the trace's probes, in place of the costs that it states; `probes` must stay valid. Must be called
 * before nodes are used. */
void xtf_tree_state_probes(XtfTree *tree, const char *probes);

XtfNode *xtf_tree_root(XtfTree *tree); /* a new reference */

/* Follows a path from the root, and all links in it. The message of an error names the component that failed. */
XtfNode *xtf_tree_resolve(XtfTree *tree, const char *path, GError **error);
