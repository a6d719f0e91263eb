/*
 * The parts of a view, and the list of all views.
 */
#pragma once

#include "src/query/text/lines.h"
#include "src/query/views/registry.h"

typedef struct {
    XtfGrid grid;
    uint64_t n_lines; /* without the header */
    uint64_t at_once; /* lines of a part of the text, at least 1 */
} XtfViewShape;

struct XtfView {
    const char *name;
    bool lasting; /* what it shows of a window that is complete hangs on the window's records alone */
    /* NULL: every selection has it. */
    bool (*exists)(const XtfTraceContext *context, const XtfSelection *selection);
    /* Sets a shape that is all zeros. */
    bool (*shape)(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error);
    /* Adds lines first to first + count - 1. Both are multiples of shape->at_once; at the end count may be less. */
    bool (*fill)(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                 GError **error);
};

/* In the order in which directories list them; the last is NULL. A view is a file of its own and a line of this. */
extern const XtfView *const xtf_all_views[];
extern const XtfView xtf_view_bytes, xtf_view_histogram, xtf_view_imbalance, xtf_view_info, xtf_view_matrix,
    xtf_view_profile, xtf_view_stack, xtf_view_values;
