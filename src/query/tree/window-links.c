#include "src/query/tree/window-links.h"

#include "libxtf/error.h"

enum {
    ZOOMS = 10,
};

static XtfNode *window_link(const XtfNode *directory, const char *up, uint64_t from, uint64_t to)
{
    char name[XTF_WINDOW_TEXT_MAX];

    xtf_time_scale_print_window(&directory->tree->context.scale, from, to, name);
    return xtf_node_new_link(directory, g_strconcat(up, name, NULL));
}

/* ---- next and prev. */

/* The window of the same width right after, or before, this one; false if it would lie outside of the trace. An open
 * end is the trace's. An end beyond the trace stays, so that going there and back leads home. */
static bool find_beside(const XtfNode *node, bool after, uint64_t *a, uint64_t *b)
{
    const XtfTimeScale *scale = &node->tree->context.scale;
    uint64_t from = MAX(node->window.from, scale->origin);
    uint64_t to = node->window.to == XTF_TIME_OPEN ? scale->end : node->window.to;
    uint64_t width = to > from ? to - from : 0;

    if (!width || (after ? to >= scale->end : from <= scale->origin))
        return false;
    *a = after ? to : from - MIN(width, from - scale->origin);
    *b = after ? (width > UINT64_MAX - 1 - to ? UINT64_MAX - 1 : to + width) : from;
    return true;
}

bool xtf_window_has_next(const XtfNode *window)
{
    uint64_t a, b;
    return find_beside(window, true, &a, &b);
}

bool xtf_window_has_prev(const XtfNode *window)
{
    uint64_t a, b;
    return find_beside(window, false, &a, &b);
}

static XtfNode *link_beside(XtfNode *window, bool after, GError **error)
{
    uint64_t a, b;

    if (find_beside(window, after, &a, &b))
        return window_link(window, "../", a, b);
    g_set_error(error, XTF_ERROR, XTF_ERROR_NOT_FOUND, "the trace %s here", after ? "ends" : "begins");
    return NULL;
}

XtfNode *xtf_window_next(XtfNode *window, GError **error)
{
    return link_beside(window, true, error);
}

XtfNode *xtf_window_prev(XtfNode *window, GError **error)
{
    return link_beside(window, false, error);
}

/* ---- zoom/ */

static XtfNode *lookup_zoom(XtfNode *directory, const char *name, GError **error)
{
    const XtfTimeScale *scale = &directory->tree->context.scale;
    uint64_t from = CLAMP(directory->window.from, scale->origin, scale->end);
    uint64_t to = CLAMP(directory->window.to, from, scale->end);

    if (!g_ascii_isdigit(name[0]) || name[1]) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_NOT_FOUND, "the parts of a window are numbered 0 to %d", ZOOMS - 1);
        return NULL;
    }
    uint64_t i = (uint64_t)(name[0] - '0');
    return window_link(directory, directory->is_window ? "../../" : "../time/", xtf_time_bin_bound(from, to, i, ZOOMS),
                       xtf_time_bin_bound(from, to, i + 1, ZOOMS));
}

static bool list_zoom(XtfNode *directory, XtfLister *lister, GError **error)
{
    for (unsigned i = 0; i < ZOOMS; i++) {
        char name[2] = {(char)('0' + i), '\0'};
        xtf_lister_show(lister, name, XTF_NODE_LINK);
    }
    return true;
}

const XtfNodeClass xtf_zoom_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_zoom, .list = list_zoom};

XtfNode *xtf_zoom_new(XtfNode *directory, GError **error)
{
    XtfNode *node = xtf_node_new(directory, &xtf_zoom_dir);

    node->is_window = directory->is_window;
    node->window.from = directory->is_window ? directory->window.from : directory->selection->time_from;
    node->window.to = directory->is_window ? directory->window.to : directory->selection->time_to;
    return node;
}
