/*
 * The call tree of a profile: call paths of all locations, each a region called on another path.
 *
 * Calls deeper than XTF_CUBE_DEPTH are folded: they count for their caller's path, which has that depth.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/error.h"
#include "src/analysis/formulas/callpath-numbers.h"

#define XTF_CUBE_NO_PATH XTF_CALLPATH_NONE /* outside of all calls */
#define XTF_CUBE_PROGRAM \
    (UINT32_C(1) << 31) /* marks a region that is a program: the other bits are the string of its name */

enum {
    XTF_CUBE_DEPTH = 64,
    XTF_CUBE_PATHS_MAX = 1 << 22,
};

typedef struct {
    XtfCallpathNumbers paths;
    uint64_t n_folded; /* number of folded calls */
} XtfCubeTree;

void xtf_cube_tree_init(XtfCubeTree *tree);
void xtf_cube_tree_finish(XtfCubeTree *tree);

/* Finds or adds the path on which `region` is called from `parent`. XTF_ERROR_TOO_LARGE if there are too many paths. */
bool xtf_cube_tree_call(XtfCubeTree *tree, uint32_t parent, uint32_t region, uint32_t *path, GError **error);

/* Returns all paths in Cube's two orders of rows; the caller frees both arrays. Rows of EXCLUSIVE metrics are ordered
 * depth first. Rows of INCLUSIVE metrics begin with a root; all children of a path precede the children of the first
 * child. */
void xtf_cube_tree_orders(const XtfCubeTree *tree, uint32_t **deep, uint32_t **wide);

static inline uint32_t xtf_cube_tree_n(const XtfCubeTree *tree)
{
    return xtf_callpath_numbers_n(&tree->paths);
}

static inline const XtfNumberedCallpath *xtf_cube_tree_at(const XtfCubeTree *tree, uint32_t path)
{
    return xtf_callpath_numbers_at(&tree->paths, path);
}
