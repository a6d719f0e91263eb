/*
 * Tables with a line for each pair: a process of the selection and a peer that it has anywhere in the trace. Lines are
 * ordered by the selection's process, so that a part of the text needs the totals of few processes.
 */
#pragma once

#include "src/tables/totals/pairs.h"
#include "src/tables/views/view.h"

/* Data for both the number of lines and the lines. */
typedef struct {
    XtfSelectedLocations selected;
    XtfPairFinder finder;
    uint64_t *n_pairs; /* by selected process */
} XtfPairLines;

/* Finds the pairs of an aggregate whose peers are in the set `peers` (NULL: all). Finish `pairs` even after an error.
 */
bool xtf_pair_lines_init(XtfPairLines *pairs, XtfViews *views, const XtfSelection *selection,
                         const XtfAggregateRef *ref, const XtfNumberSet *peers, GError **error);
void xtf_pair_lines_finish(XtfPairLines *pairs);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfPairLines, xtf_pair_lines_finish)

/* Sets the number of lines, and of lines in a part. The shape already has its columns. */
void xtf_pair_lines_shape(const XtfPairLines *pairs, XtfViewShape *shape);

/* Adds lines [from, to) of a process; `to` may be beyond its last line. */
typedef bool (*XtfPairLinesFill)(void *data, const XtfSelectedProcess *proc, uint64_t from, uint64_t to,
                                 GError **error);
/* Calls `fill` for each process that has some of the `n` lines from `first` on. */
bool xtf_pair_lines_fill(const XtfPairLines *pairs, uint64_t first, uint64_t n, XtfPairLinesFill fill, void *data,
                         GError **error);
