/*
 * The call tree of a profile: call paths of all locations, each a region called on another path.
 *
 * A path of more than XTF_CUBE_DEPTH calls is folded: what is called there counts for the path that it is called on.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/error.h"
#include "src/analysis/formulas/callpath-numbers.h"

#define XTF_CUBE_NO_PATH XTF_CALLPATH_NONE /* outside of all calls */
#define XTF_CUBE_PROGRAM \
    (UINT32_C(1) << 31) /* a region with this bit is a program: the rest is the string of its name */

enum {
    XTF_CUBE_DEPTH = 64,
    XTF_CUBE_PATHS_MAX = 1 << 22,
};

typedef struct {
    XtfCallpathNumbers paths;
    uint64_t n_folded; /* times that a path was too deep */
} XtfCubeTree;

void xtf_cube_tree_init(XtfCubeTree *tree);
void xtf_cube_tree_finish(XtfCubeTree *tree);

/* The path on which `region` is called from `parent`. XTF_ERROR_TOO_LARGE: there are too many paths. */
bool xtf_cube_tree_call(XtfCubeTree *tree, uint32_t parent, uint32_t region, uint32_t *path, GError **error);

/* Cube's two orders of rows, as arrays of paths: depth first, in which EXCLUSIVE metrics have their rows; and that of
 * INCLUSIVE metrics: a root, then all children of a path before those of its first child. The caller frees both. */
void xtf_cube_tree_orders(const XtfCubeTree *tree, uint32_t **deep, uint32_t **wide);

static inline uint32_t xtf_cube_tree_n(const XtfCubeTree *tree)
{
    return xtf_callpath_numbers_n(&tree->paths);
}

static inline const XtfNumberedCallpath *xtf_cube_tree_at(const XtfCubeTree *tree, uint32_t path)
{
    return xtf_callpath_numbers_at(&tree->paths, path);
}
