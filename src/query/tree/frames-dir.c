/*
 * frames/RATE/K/: the trace as frames of the same length. A frame is the selection's window of 1/RATE seconds, with
 * links to the frames beside it; there is no end of rates, so frames/ lists none, and programs that walk the tree read
 * no record twice.
 */
#include "libxtf/error.h"
#include "src/query/tree/entries.h"

static XtfNode *lookup_rate(XtfNode *directory, const char *name, GError **error);
static XtfNode *lookup_frame(XtfNode *directory, const char *name, GError **error);
static bool list_rate(XtfNode *directory, XtfLister *lister, GError **error);

const XtfNodeClass xtf_frames_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_rate};
static const XtfNodeClass rate_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_frame, .list = list_rate};

/* ---- frames/ */

static XtfNode *lookup_rate(XtfNode *directory, const char *name, GError **error)
{
    XtfFrameRate rate;

    if (!xtf_frame_rate_parse(&rate, &directory->tree->context.scale, name, error))
        return NULL;
    XtfNode *node = xtf_node_new(directory, &rate_dir);
    node->rate = rate;
    return node;
}

/* ---- frames/RATE/ */

/* "000123" and "123" are one frame. */
static bool parse_frame(const char *name, uint64_t n, uint64_t *k, GError **error)
{
    uint64_t number = 0;

    for (const char *p = name; *p; p++) {
        if (!g_ascii_isdigit(*p) || p - name >= 20)
            return xtf_fail(error, XTF_ERROR_NOT_FOUND,
                            "\"%s\" is no frame: they are numbered from 0, beside count, first and last", name);
        number = number * 10 + (uint64_t)(*p - '0');
    }
    *k = number;
    return number < n ||
           xtf_not_found(error, "the trace has %" G_GUINT64_FORMAT " of these frames, numbered from 0", n);
}

static XtfNode *lookup_frame(XtfNode *directory, const char *name, GError **error)
{
    const XtfFrameRate *rate = &directory->rate;
    const XtfTimeScale *scale = &directory->tree->context.scale;
    uint64_t k = 0;

    if (g_str_equal(name, "count")) {
        g_autoptr(GString) text = g_string_new(NULL);
        g_string_printf(text, "%" G_GUINT64_FORMAT "\n", rate->n);
        return xtf_node_new_changing_text(directory, g_steal_pointer(&text));
    }
    if (rate->n && g_str_equal(name, "first"))
        return xtf_node_new_link(directory, xtf_frame_name("", 0, rate->n));
    if (rate->n && g_str_equal(name, "last"))
        return xtf_node_new_link(directory, xtf_frame_name("", rate->n - 1, rate->n));
    if (!parse_frame(name, rate->n, &k, error))
        return NULL;
    XtfNode *node =
        xtf_node_new_window(directory, xtf_frame_rate_bound(rate, scale, k), xtf_frame_rate_bound(rate, scale, k + 1));
    node->is_frame = true;
    node->window.frame = k;
    node->window.n_frames = rate->n;
    return node;
}

static bool list_rate(XtfNode *directory, XtfLister *lister, GError **error)
{
    xtf_lister_show(lister, "count", XTF_NODE_FILE);
    if (directory->rate.n) {
        xtf_lister_show(lister, "first", XTF_NODE_LINK);
        xtf_lister_show(lister, "last", XTF_NODE_LINK);
    }
    return true;
}
