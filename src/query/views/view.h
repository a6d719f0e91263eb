/*
 * What makes up a view, and the views that there are.
 */
#pragma once

#include "src/query/text/lines.h"
#include "src/query/views/registry.h"

typedef struct {
    XtfGrid grid;
    uint64_t n_lines; /* below the first */
    uint64_t at_once; /* lines of a part, at least 1 */
} XtfViewShape;

struct XtfView {
    const char *name;
    /* NULL: always. */
    bool (*exists)(const XtfTraceContext *context, const XtfSelection *selection);
    /* The shape is all zeros before. */
    bool (*shape)(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error);
    /* Adds `count` lines beginning with the first-th. Both are multiples of shape->at_once, but at the end. */
    bool (*fill)(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                 GError **error);
};

/* In the order in which directories list them; the last is NULL. A view is a file of its own and a line of this. */
extern const XtfView *const xtf_all_views[];
extern const XtfView xtf_view_bytes, xtf_view_histogram, xtf_view_imbalance, xtf_view_info, xtf_view_matrix,
    xtf_view_profile, xtf_view_stack, xtf_view_values;
