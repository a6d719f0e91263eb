/*
 * The members of a view, and the list of all views.
 */
#pragma once

#include "src/tables/totals/time-bins.h"
#include "src/tables/views/registry.h"
#include "src/tables/views/subject.h"
#include "src/trace/select/grouping.h"
#include "src/trace/text/lines.h"

typedef struct {
    XtfGrid grid;
    uint64_t n_lines; /* number of lines, without the header */
    uint64_t at_once; /* number of lines of a part of the text, at least 1 */
} XtfViewShape;

struct XtfView {
    XtfTableDeclaration table;
    bool of_frames;                /* listed only in frames, although every window may have the view */
    bool of_instants;              /* listed in instants, too */
    bool of_lengths;               /* traces whose axis is bytes have the view, too */
    bool by_location;              /* right where locations have windows of their own, as in iter/ */
    bool final_in_window;          /* in a complete window no later commit changes the view's lines */
    const XtfViewSubject *subject; /* for error messages; NULL: all records */
    const char *needs;             /* what a trace must have for the view, for error messages; NULL: totals */
    /* True if a selection has the view. NULL: every selection has it. */
    bool (*exists)(const XtfTraceContext *context, const XtfSelection *selection);
    /* Sets a shape, which is all zeros except the grid's table. */
    bool (*shape)(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error);
    /* Adds `count` lines from `first` on. Both are multiples of shape->at_once; only the last part may have fewer
     * lines. */
    bool (*fill)(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                 GError **error);

    /* Adds the lines of each bin of the selection's window, bin by bin. A view that has it needs no other function to
     * add lines: its table is the lines of one bin, and blocks by time are bins. NULL: the view has `fill`. */
    bool (*fill_bins)(XtfViews *views, const XtfTimeBins *bins, XtfLines *lines, GError **error);

    /* For tables side by side (blocks.h). In sets of keys, bit k is XtfGroupKey k. */
    unsigned refused_keys; /* keys by which there are no blocks, since their values change the lines */
    /* Adds the lines of `fill` in an order that does not depend on their values. NULL: `fill` has such an order. */
    bool (*fill_in_order)(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                          GError **error);
    unsigned batch_keys; /* keys for which fill_batch() makes many blocks in one call */
    /* Adds the lines of the blocks of values [first, first + n) of a key, block by block, in order. */
    bool (*fill_batch)(XtfViews *views, XtfSelection *selection, const XtfKeyValues *values, uint64_t first, uint64_t n,
                       XtfLines *lines, GError **error);
};

/* All views, in the order of listings; the last is NULL. Each view has a source file and a row in registry.c. */
extern const XtfView *const xtf_all_views[];
/* The column `count` of tables side by side. A single selection has the file `count` instead. */
extern const XtfView xtf_view_count;
/* The table of local/. Other directories have another `profile`. */
extern const XtfView xtf_view_local_profile;

/* Adds lines of a selection's table, like `fill` and `fill_in_order`. Adds all its lines if the view has `fill_bins`.
 */
bool xtf_view_fill(XtfViews *views, const XtfView *view, XtfSelection *selection, uint64_t first, uint64_t count,
                   XtfLines *lines, GError **error);
bool xtf_view_fill_in_order(XtfViews *views, const XtfView *view, XtfSelection *selection, uint64_t first,
                            uint64_t count, XtfLines *lines, GError **error);
/* True if the view makes many blocks of a key in one call. */
bool xtf_view_has_batches(const XtfView *view, XtfGroupKey key);
/* Adds the lines of many blocks, like `fill_batch`. */
bool xtf_view_fill_batch(XtfViews *views, const XtfView *view, XtfSelection *selection, const XtfKeyValues *values,
                         uint64_t first, uint64_t n, XtfLines *lines, GError **error);
