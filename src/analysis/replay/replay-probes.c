#include "src/analysis/replay/replay-probes.h"

#include "src/analysis/replay/logs/runs.h"

/* A receive of a probed message. */
typedef struct {
    uint32_t k;
    uint64_t complete; /* time of completion; UINT64_MAX: not complete */
} Probed;

/* The doubts of an envelope, and its latest receives of probed messages that may still cause some. */
typedef struct {
    GArray *probed; /* Probed; k ascend */
    GArray *doubts; /* runs of k */
} Window;

static void window_free(gpointer data)
{
    Window *window = data;

    g_array_unref(window->probed);
    g_array_unref(window->doubts);
    g_free(window);
}

static void create_tables(XtfReplayProbes *probes)
{
    probes->windows = g_hash_table_new_full(NULL, NULL, NULL, window_free);
    probes->open = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
}

void xtf_replay_probes_finish(XtfReplayProbes *probes)
{
    if (!probes->windows)
        return;
    g_hash_table_unref(probes->windows);
    g_hash_table_unref(probes->open);
    *probes = (XtfReplayProbes){0};
}

static Window *window_of(XtfReplayProbes *probes, uint32_t envelope)
{
    Window *window = g_hash_table_lookup(probes->windows, GUINT_TO_POINTER(envelope));

    if (!window) {
        window = g_new(Window, 1);
        *window = (Window){g_array_new(FALSE, FALSE, sizeof(Probed)), xtf_runs_new()};
        g_hash_table_insert(probes->windows, GUINT_TO_POINTER(envelope), window);
    }
    return window;
}

/* Adds a receive of a probed message. The array holds up to twice the number examined, so that removals are rare. */
static void add_probed(Window *window, uint32_t k)
{
    const Probed posted = {.k = k, .complete = UINT64_MAX};

    if (window->probed->len > 2 * XTF_REPLAY_PROBED_RECEIVES)
        g_array_remove_range(window->probed, 0, window->probed->len - XTF_REPLAY_PROBED_RECEIVES);
    g_array_append_val(window->probed, posted);
}

/* Adds a receive of a probed message. Its probe may precede any earlier posting that is examined, so all of these are
 * doubtful. */
static void post_probed(XtfReplayProbes *probes, uint32_t envelope, uint32_t k, uint64_t receive)
{
    Window *window = window_of(probes, envelope);
    const XtfReplayProbedPlace place = {envelope, k};

    add_probed(window, k);
    g_hash_table_replace(probes->open, g_memdup2(&receive, sizeof receive), g_memdup2(&place, sizeof place));
    if (k > 0)
        xtf_runs_add(window->doubts, k - MIN(k, (uint32_t)XTF_REPLAY_PROBED_RECEIVES), k);
}

void xtf_replay_probes_post(XtfReplayProbes *probes, uint32_t envelope, uint32_t k, uint64_t receive, uint64_t enter,
                            bool probed)
{
    if (probed && !probes->windows)
        create_tables(probes);
    if (probed)
        post_probed(probes, envelope, k, receive);
    if (probed || !probes->windows)
        return;
    const Window *window = g_hash_table_lookup(probes->windows, GUINT_TO_POINTER(envelope));
    for (guint i = window ? window->probed->len : 0; i-- > 0;) {
        const Probed *before = &g_array_index(window->probed, Probed, i);
        if (k - before->k > XTF_REPLAY_PROBED_RECEIVES)
            break;
        if (before->complete < enter)
            continue;
        xtf_runs_add(window->doubts, before->k, before->k);
        xtf_runs_add(window->doubts, k, k);
    }
}

void xtf_replay_probes_receive(XtfReplayProbes *probes, uint64_t receive, uint64_t time)
{
    const XtfReplayProbedPlace *place = probes->windows ? g_hash_table_lookup(probes->open, &receive) : NULL;

    if (!place)
        return;
    const Window *window = g_hash_table_lookup(probes->windows, GUINT_TO_POINTER(place->envelope));
    for (guint i = window->probed->len; i-- > 0;) {
        Probed *posted = &g_array_index(window->probed, Probed, i);
        if (posted->k == place->k)
            posted->complete = time;
        if (posted->k <= place->k)
            break;
    }
    g_hash_table_remove(probes->open, &receive);
}

const GArray *xtf_replay_probes_doubts(const XtfReplayProbes *probes, uint32_t envelope)
{
    const Window *window = probes->windows ? g_hash_table_lookup(probes->windows, GUINT_TO_POINTER(envelope)) : NULL;

    return window ? window->doubts : NULL;
}
