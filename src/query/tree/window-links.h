/*
 * Links from a window of time to others: next and prev to its neighbours, zoom/ to its ten parts.
 */
#pragma once

#include "src/query/tree/node.h"

/* "next" or "prev"; XTF_ERROR_NOT_FOUND where the trace ends. */
XtfNode *xtf_window_link_new(XtfNode *window, const char *name, GError **error);

extern const XtfNodeClass xtf_zoom_dir;
XtfNode *xtf_zoom_new(XtfNode *directory, const char *name, GError **error);
