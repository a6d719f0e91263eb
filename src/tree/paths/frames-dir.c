/*
 * frames/RATE/K/: the trace as frames of the same length. A frame is the selection's window of 1/RATE seconds, with
 * links to its neighbours. There are infinitely many rates, so frames/ lists none. So programs that walk the tree read
 * no record twice. frames/own/K/ are the frames of the recording.
 */
#include "libxtf/error.h"
#include "src/pictures/frames/own-frames.h"
#include "src/tree/paths/entries.h"

#define OWN "own"

static XtfNode *lookup_rate(XtfNode *directory, const char *name, GError **error);
static bool list_frames(XtfNode *directory, XtfLister *lister, GError **error);
static XtfNode *lookup_frame(XtfNode *directory, const char *name, GError **error);
static XtfNode *lookup_own_frame(XtfNode *directory, const char *name, GError **error);
static bool list_rate(XtfNode *directory, XtfLister *lister, GError **error);

const XtfNodeClass xtf_frames_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_rate, .list = list_frames};
static const XtfNodeClass rate_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_frame, .list = list_rate};
static const XtfNodeClass own_dir = {.kind = XTF_NODE_DIRECTORY, .lookup = lookup_own_frame, .list = list_rate};

/* ---- frames/ */

static bool find_slices(XtfNode *directory, XtfArray *slices, GError **error)
{
    bool found;

    return xtf_own_frames_find(&directory->tree->context, slices, &found, error) &&
           (found || xtf_not_found(error, "the trace was not recorded in frames: it has no slices"));
}

static XtfNode *own_frames_new(XtfNode *directory, GError **error)
{
    XtfArray slices;

    if (!find_slices(directory, &slices, error))
        return NULL;
    XtfNode *node = xtf_node_new(directory, &own_dir);
    node->rate = (XtfFrameRate){.n = slices.n_rows};
    return node;
}

static XtfNode *lookup_rate(XtfNode *directory, const char *name, GError **error)
{
    XtfFrameRate rate;

    if (g_str_equal(name, OWN))
        return own_frames_new(directory, error);
    if (!xtf_frame_rate_parse(&rate, &directory->tree->context.scale, name, error))
        return NULL;
    XtfNode *node = xtf_node_new(directory, &rate_dir);
    node->rate = rate;
    return node;
}

static bool list_frames(XtfNode *directory, XtfLister *lister, GError **error)
{
    XtfArray slices;
    bool found;

    if (!xtf_own_frames_find(&directory->tree->context, &slices, &found, error))
        return false;
    if (found)
        xtf_lister_show(lister, OWN, XTF_NODE_DIRECTORY);
    return true;
}

/* ---- frames/RATE/ */

/* Reads a frame's number. "000123" and "123" are the same frame. */
static bool parse_frame(const char *name, uint64_t n, uint64_t *k, GError **error)
{
    uint64_t number = 0;

    for (const char *p = name; *p; p++) {
        if (!g_ascii_isdigit(*p))
            return xtf_fail(
                error, XTF_ERROR_NOT_FOUND,
                "\"%s\" is not a frame: frames are numbered from 0; other entries are count, first and last", name);
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*p - '0'), &number))
            number = UINT64_MAX; /* no frame has this number, also after further digits */
    }
    *k = number;
    return number < n || xtf_not_found(error, "the trace has %" PRIu64 " of these frames, numbered from 0", n);
}

/* Finds `count`, `first` or `last`. Returns NULL without an error if there is no such entry. */
static XtfNode *lookup_other_entry(XtfNode *directory, const char *name)
{
    uint64_t n = directory->rate.n;

    if (g_str_equal(name, "count")) {
        g_autoptr(GString) text = g_string_new(NULL);
        g_string_printf(text, "%" PRIu64 "\n", n);
        return xtf_node_new_changing_text(directory, g_steal_pointer(&text));
    }
    if (n && g_str_equal(name, "first"))
        return xtf_node_new_link(directory, xtf_frame_name("", 0, n));
    if (n && g_str_equal(name, "last"))
        return xtf_node_new_link(directory, xtf_frame_name("", n - 1, n));
    return NULL;
}

static XtfNode *frame_new(XtfNode *directory, uint64_t k, uint64_t from, uint64_t to)
{
    XtfNode *node = xtf_node_new_window(directory, from, to);

    node->is_frame = true;
    node->window.frame = k;
    node->window.n_frames = directory->rate.n;
    return node;
}

static XtfNode *lookup_frame(XtfNode *directory, const char *name, GError **error)
{
    const XtfFrameRate *rate = &directory->rate;
    const XtfTimeScale *scale = &directory->tree->context.scale;
    XtfNode *node = lookup_other_entry(directory, name);
    uint64_t k = 0;

    if (node || !parse_frame(name, rate->n, &k, error))
        return node;
    return frame_new(directory, k, xtf_frame_rate_bound(rate, scale, k), xtf_frame_rate_bound(rate, scale, k + 1));
}

static XtfNode *lookup_own_frame(XtfNode *directory, const char *name, GError **error)
{
    const XtfTimeScale *scale = &directory->tree->context.scale;
    XtfNode *node = lookup_other_entry(directory, name);
    XtfArray slices;
    uint64_t k = 0, from, to;

    if (node || !parse_frame(name, directory->rate.n, &k, error))
        return node;
    if (!find_slices(directory, &slices, error) || !xtf_own_frames_window(&slices, scale, k, &from, &to, error))
        return NULL;
    return frame_new(directory, k, from, to);
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
