/*
 * Reading the tables of an index page, or of a whole array: totals, and the stack of frames before each child.
 * The functions check them, and pass them to child totals.
 */
#pragma once

#include "libxtf/totals/tables/mapped-groups.h"
#include "libxtf/totals/tables/stored-rows.h"
#include "libxtf/tree/descent.h"

/* The children that have totals: n children of a page from `first` on, or n batches of its children. */
typedef struct {
    const XtfArray *array;
    const XtfDescentPage *page; /* NULL: the whole array is the only child */
    uint32_t first, n;
    uint32_t step; /* children of a batch, the last of which may have fewer; 1: no batches */
} XtfChildren;

/* Reads the totals of aggregate to->aggregate of all children. Returns a fault, or NULL. Rank and select rely on groups
 * that count exactly the rows below the child. */
const char *xtf_groups_read(const XtfChildren *children, const XtfPackedRows *packed, XtfMappedGroups *to);

/* Counts the frames of an aggregate that begin below each child, by the totals. before[0] is the number of frames below
 * all children before. Sets before[i] to the number of frames below the children before children->first + i, up to
 * before[n]. Returns a fault, or NULL. Unpacks only what it needs: a tenth of the time. */
const char *xtf_groups_count_begun(const XtfChildren *children, const XtfAggregate *aggregate,
                                   const XtfPackedRows *packed, uint64_t *before);

/* Unpacks the borders of the children, to be freed by the caller. Returns NULL with a fault if one is bad. */
XtfBorder *xtf_borders_read(const XtfChildren *children, const XtfPackedRows *packed, const char **fault);

/* Reads the stack before each child, from the page's tables by their kinds. Returns a fault, or NULL. */
const char *xtf_stacks_read(const XtfChildren *children, const XtfPackedRows *tables, const XtfMappedGroups *to);
