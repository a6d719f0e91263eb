#include "src/analysis/replay/replay-probes.h"

/* A receive of what was probed. */
typedef struct {
    uint32_t k;
    uint64_t complete; /* when; UINT64_MAX: not yet */
} Probed;

static void begin(XtfReplayProbes *probes)
{
    probes->probed = g_array_new(FALSE, FALSE, sizeof(Probed));
    probes->windows = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    probes->open = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    probes->doubts = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
}

void xtf_replay_probes_finish(XtfReplayProbes *probes)
{
    if (!probes->probed)
        return;
    g_array_unref(probes->probed);
    g_hash_table_unref(probes->windows);
    g_hash_table_unref(probes->open);
    g_hash_table_unref(probes->doubts);
    *probes = (XtfReplayProbes){0};
}

static void doubt(XtfReplayProbes *probes, uint32_t envelope, uint32_t k)
{
    const uint64_t key = (uint64_t)envelope << 32 | k;

    if (!g_hash_table_contains(probes->doubts, &key))
        g_hash_table_add(probes->doubts, g_memdup2(&key, sizeof key));
}

/* When it was probed is not known: it may have been before any of these was posted. */
static void post_probed(XtfReplayProbes *probes, uint32_t envelope, uint32_t k, uint64_t receive)
{
    const Probed posted = {.k = k, .complete = UINT64_MAX};
    GArray *window = g_hash_table_lookup(probes->windows, GUINT_TO_POINTER(envelope));
    uint32_t number = probes->probed->len;

    g_array_append_val(probes->probed, posted);
    g_hash_table_replace(probes->open, g_memdup2(&receive, sizeof receive), GUINT_TO_POINTER(number + 1));
    if (!window) {
        window = g_array_new(FALSE, FALSE, sizeof(uint32_t));
        g_hash_table_insert(probes->windows, GUINT_TO_POINTER(envelope), window);
    }
    g_array_append_val(window, number);
    for (uint32_t i = k - MIN(k, (uint32_t)XTF_REPLAY_PROBED_RECEIVES); k > 0 && i <= k; i++)
        doubt(probes, envelope, i);
}

void xtf_replay_probes_post(XtfReplayProbes *probes, uint32_t envelope, uint32_t k, uint64_t receive, uint64_t enter,
                            bool probed)
{
    if (probed && !probes->probed)
        begin(probes);
    if (probed)
        post_probed(probes, envelope, k, receive);
    if (probed || !probes->probed)
        return;
    const GArray *window = g_hash_table_lookup(probes->windows, GUINT_TO_POINTER(envelope));
    for (guint i = window ? window->len : 0; i-- > 0;) {
        const Probed *before = &g_array_index(probes->probed, Probed, g_array_index(window, uint32_t, i));
        if (k - before->k > XTF_REPLAY_PROBED_RECEIVES)
            break;
        if (before->complete < enter)
            continue;
        doubt(probes, envelope, before->k);
        doubt(probes, envelope, k);
    }
}

void xtf_replay_probes_receive(XtfReplayProbes *probes, uint64_t receive, uint64_t time)
{
    guint number = probes->probed ? GPOINTER_TO_UINT(g_hash_table_lookup(probes->open, &receive)) : 0;

    if (number == 0)
        return;
    g_array_index(probes->probed, Probed, number - 1).complete = time;
    g_hash_table_remove(probes->open, &receive);
}
