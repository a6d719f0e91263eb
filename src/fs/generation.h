/*
 * Generations: the trees of a followed trace, one for each commit that was noticed.
 *
 * A tree outlives its nodes; so whoever holds a node holds its generation too. A mount that follows nothing has none,
 * and NULL stands for it.
 */
#pragma once

#include <glib.h>
#include <time.h>

#include "src/tree/paths/tree.h"

typedef struct {
    gatomicrefcount references;
    uint64_t number;
    XtfTree *tree;
    struct timespec mtime; /* when the commit was noticed */
} XtfGeneration;

XtfGeneration *xtf_generation_new(uint64_t number, XtfTree *tree); /* takes the tree */
/* NULL is fine for all of these. */
XtfGeneration *xtf_generation_ref(XtfGeneration *generation);
void xtf_generation_unref(XtfGeneration *generation);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfGeneration, xtf_generation_unref)
bool xtf_generation_is_older(const XtfGeneration *generation, const XtfGeneration *other);
