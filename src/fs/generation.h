/*
 * Generations: the trees of a mount. The first is the trace as it was mounted. A followed trace has one more for each
 * commit that the follower noticed, and a finished trace for each analysis.
 *
 * A tree must outlive its nodes, so each holder of a node also holds a reference to its generation.
 */
#pragma once

#include <glib.h>
#include <time.h>

#include "src/tree/paths/tree.h"

typedef struct {
    gatomicrefcount references;
    uint64_t number;
    XtfTree *tree;
    struct timespec mtime; /* when the commit was noticed: mtime of the files that are looked up in it */
} XtfGeneration;

XtfGeneration *xtf_generation_new(uint64_t number, XtfTree *tree); /* owns the tree */
/* The following functions accept NULL. */
XtfGeneration *xtf_generation_ref(XtfGeneration *generation);
void xtf_generation_unref(XtfGeneration *generation);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfGeneration, xtf_generation_unref)
bool xtf_generation_is_older(const XtfGeneration *generation, const XtfGeneration *later);
