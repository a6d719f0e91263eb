/*
 * The parts of a view, and the list of all views.
 */
#pragma once

#include "src/tables/views/registry.h"
#include "src/tables/views/subject.h"
#include "src/trace/select/grouping.h"
#include "src/trace/text/lines.h"

typedef struct {
    XtfGrid grid;
    uint64_t n_lines; /* without the header */
    uint64_t at_once; /* lines of a part of the text, at least 1 */
} XtfViewShape;

struct XtfView {
    XtfTableDeclaration table;
    bool of_frames;   /* listed in frames alone, though every window may have it */
    bool of_instants; /* listed of instants too */
    bool of_lengths;  /* traces whose axis is bytes have it too: it is not about what programs do in time */
    bool lasting;     /* what it shows of a window that is complete hangs on the window's records alone */
    const XtfViewSubject *subject; /* for messages; NULL: of all records */
    /* NULL: every selection has it. */
    bool (*exists)(const XtfTraceContext *context, const XtfSelection *selection);
    /* Sets a shape that is all zeros, but for the grid's table. */
    bool (*shape)(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error);
    /* Adds lines first to first + count - 1. Both are multiples of shape->at_once; at the end count may be less. */
    bool (*fill)(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                 GError **error);

    /* Of tables side by side (blocks.h). Sets of keys: bit k is XtfGroupKey k. */
    unsigned not_by; /* keys whose values change the view's lines */
    /* The lines of `fill` in an order that does not hang on what they show. NULL: `fill` has such an order. */
    bool (*fill_in_order)(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                          GError **error);
    unsigned together; /* keys of which fill_together() makes many blocks at one go */
    /* Adds the lines, in order, of a selection's blocks of values `first` to first + n - 1 of a key, block by block. */
    bool (*fill_together)(XtfViews *views, XtfSelection *selection, const XtfKeyValues *values, uint64_t first,
                          uint64_t n, XtfLines *lines, GError **error);
};

/* In the order in which directories list them; the last is NULL. A view is a file of its own and a row in registry.c.
 */
extern const XtfView *const xtf_all_views[];
/* For tables side by side alone, where the file `count` is a column. */
extern const XtfView xtf_view_count;
