/*
 * Tables with a line for each pair of a process of the selection and another one that it has to do with anywhere in the
 * trace, process by process: a part of the text needs the totals of few processes.
 */
#pragma once

#include "src/tables/totals/pairs.h"
#include "src/tables/views/view.h"

/* What both the number of lines and the lines need. */
typedef struct {
    XtfSelectedLocations selected;
    XtfPairFinder finder;
    uint64_t *n_pairs; /* of each selected process */
} XtfPairLines;

/* Pairs of an aggregate, with other processes of a set (NULL: with all). Free it even after an error. */
bool xtf_pair_lines_init(XtfPairLines *pairs, XtfViews *views, const XtfSelection *selection,
                         const XtfAggregateRef *ref, const XtfNumberSet *others, GError **error);
void xtf_pair_lines_finish(XtfPairLines *pairs);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfPairLines, xtf_pair_lines_finish)

/* How many lines there are, and of how many a part should be; the columns are there already. */
void xtf_pair_lines_shape(const XtfPairLines *pairs, XtfViewShape *shape);

/* Adds lines [from, to) of a process; `to` may be more than it has. */
typedef bool (*XtfPairLinesFill)(void *data, const XtfSelectedProcess *proc, uint64_t from, uint64_t to,
                                 GError **error);
/* Adds `n` lines of the table from line `first` on. */
bool xtf_pair_lines_fill(const XtfPairLines *pairs, uint64_t first, uint64_t n, XtfPairLinesFill fill, void *data,
                         GError **error);
