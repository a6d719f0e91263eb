/*
 * Links from a window of time to others: next and prev to its neighbours, zoom/ to its ten parts.
 */
#pragma once

#include "src/query/tree/node.h"

bool xtf_window_has_next(const XtfNode *window);
bool xtf_window_has_prev(const XtfNode *window);
XtfNode *xtf_window_next(XtfNode *window, GError **error);
XtfNode *xtf_window_prev(XtfNode *window, GError **error);

extern const XtfNodeClass xtf_zoom_dir;
XtfNode *xtf_zoom_new(XtfNode *directory, GError **error);
