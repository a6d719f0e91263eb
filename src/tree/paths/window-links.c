/* Links between windows of time. A window has next and prev to its neighbours, and zoom/ to its ten parts. An instant
 * has links to the windows before and after it. */
#include <inttypes.h>

#include "src/trace/text/digits.h"
#include "src/tree/paths/entries.h"

enum {
    ZOOMS = 10,
};

/* Makes a link to a window. `up` leads to the window's directory, or, if it ends in two dots, to the parent of it. */
static XtfNode *new_window_link(const XtfNode *directory, const char *up, uint64_t from, uint64_t to)
{
    const XtfTimeScale *scale = &directory->tree->context.scale;
    char name[XTF_WINDOW_TEXT_MAX];

    xtf_time_scale_print_window(scale, from, to, name);
    if (g_str_has_suffix(up, "/"))
        return xtf_node_new_link(directory, g_strconcat(up, name, NULL));
    return xtf_node_new_link(directory, g_strconcat(up, "/", xtf_time_scale_name(scale), "/", name, NULL));
}

char *xtf_frame_name(const char *up, uint64_t k, uint64_t n)
{
    return g_strdup_printf("%s%0*" PRIu64, up, (int)xtf_count_digits(n ? n - 1 : 0), k);
}

/* Makes a link to the next or previous frame. */
static XtfNode *new_frame_link(const XtfNode *frame, bool next, GError **error)
{
    uint64_t k = frame->window.frame, n = frame->window.n_frames;

    if (next ? k + 1 >= n : k == 0)
        return xtf_not_found(error, "this is the %s frame", next ? "last" : "first");
    return xtf_node_new_link(frame, xtf_frame_name("../", next ? k + 1 : k - 1, n));
}

/* Makes a link to the next or previous window of the same width. An open end counts as the trace's end. An end beyond
 * the trace keeps its time, so that `next` and `prev` undo each other. */
XtfNode *xtf_window_link_new(XtfNode *window, const char *name, GError **error)
{
    const XtfTimeScale *scale = &window->tree->context.scale;
    uint64_t from = MAX(window->window.from, scale->origin);
    uint64_t to = window->window.to == XTF_TIME_OPEN ? scale->end : window->window.to;
    uint64_t width = to > from ? to - from : 0;
    bool next = g_str_equal(name, "next");

    if (window->is_frame)
        return new_frame_link(window, next, error);
    if (!width || (next ? to >= scale->end : from <= scale->origin))
        return xtf_not_found(error, "the trace %s here", next ? "ends" : "begins");
    if (next)
        return new_window_link(window, "../", to, width > UINT64_MAX - 1 - to ? UINT64_MAX - 1 : to + width);
    return new_window_link(window, "../", from - MIN(width, from - scale->origin), from);
}

XtfNode *xtf_instant_link_new(XtfNode *instant, const char *name, GError **error)
{
    uint64_t origin = instant->tree->context.scale.origin, t = instant->window.from;

    if (g_str_equal(name, "after"))
        return new_window_link(instant, "../..", t, XTF_TIME_OPEN);
    return new_window_link(instant, "../..", origin, t);
}

/* ---- zoom/ */

static XtfNode *lookup_zoom(XtfNode *directory, const char *name, GError **error)
{
    const XtfTimeScale *scale = &directory->tree->context.scale;
    uint64_t from = CLAMP(directory->window.from, scale->origin, scale->end);
    uint64_t to = CLAMP(directory->window.to, from, scale->end);

    if (!g_ascii_isdigit(name[0]) || name[1])
        return xtf_not_found(error, "the parts of a window are numbered 0 to %d", ZOOMS - 1);
    uint64_t i = (uint64_t)(name[0] - '0');
    const char *up = directory->is_frame ? "../../../.." : directory->is_window ? "../../" : "..";
    return new_window_link(directory, up, xtf_time_bin_bound(from, to, i, ZOOMS),
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

XtfNode *xtf_zoom_new(XtfNode *directory, const char *name, GError **error)
{
    XtfNode *node = xtf_node_new(directory, &xtf_zoom_dir);

    node->is_window = directory->is_window;
    node->is_frame = directory->is_frame;
    node->window.from = directory->is_window ? directory->window.from : directory->selection->time_from;
    node->window.to = directory->is_window ? directory->window.to : directory->selection->time_to;
    return node;
}
