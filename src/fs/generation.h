/*
 * Generations: the trees of a mount. The first is that of the trace as it was mounted; of a followed trace there is one
 * for each commit that was noticed, and of a finished one for each analysis.
 *
 * A tree outlives its nodes; so whoever holds a node holds its generation too.
 */
#pragma once

#include <glib.h>
#include <time.h>

#include "src/tree/paths/tree.h"

typedef struct {
    gatomicrefcount references;
    uint64_t number;
    XtfTree *tree;
    struct timespec mtime; /* of files that are looked up in it: when the commit was noticed */
} XtfGeneration;

XtfGeneration *xtf_generation_new(uint64_t number, XtfTree *tree); /* takes the tree */
/* NULL is fine for all of these. */
XtfGeneration *xtf_generation_ref(XtfGeneration *generation);
void xtf_generation_unref(XtfGeneration *generation);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfGeneration, xtf_generation_unref)
bool xtf_generation_is_older(const XtfGeneration *generation, const XtfGeneration *other);
