#include "src/import/share/share.h"

#include <stdlib.h>

static void clear_note(gpointer note)
{
    g_free(((XtfShareNote *)note)->text);
}

void xtf_share_init(XtfShare *share, unsigned rank, unsigned size, GPtrArray *results)
{
    *share = (XtfShare){.rank = rank, .size = size, .results = results, .location = XTF_NONE32};
    share->notes = g_array_new(FALSE, FALSE, sizeof(XtfShareNote));
    g_array_set_clear_func(share->notes, clear_note);
}

void xtf_share_finish(XtfShare *share)
{
    g_clear_pointer(&share->notes, g_array_unref);
    g_clear_pointer(&share->result, g_variant_unref);
}

void xtf_share_begin(XtfShare *share, XtfDefinitions *definitions)
{
    for (unsigned tag = XTF_N_ARRAY_TYPES; tag < XTF_N_MODEL_SCHEMAS; tag++)
        share->known[tag] = xtf_definitions_n_all_rows(definitions, tag);
    definitions->late_rows = g_array_new(FALSE, FALSE, sizeof(XtfLateRow));
    definitions->location = &share->location;
}

void xtf_share_note(XtfShare *share, unsigned list, const char *text)
{
    const uint32_t location = share->location;

    if (location == XTF_NONE32)
        return;
    const XtfShareNote note = {.list = list, .location = location, .text = g_strdup(text)};
    g_array_append_val(share->notes, note);
}

/* ---- Dealing out locations. */

typedef struct {
    uint64_t weight;
    uint32_t index;
} Weighed;

static int compare_weights(const void *a, const void *b)
{
    const Weighed *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static bool is_lighter(const Weighed *a, const Weighed *b)
{
    return a->weight != b->weight ? a->weight < b->weight : a->index < b->index;
}

/* Moves the first rank of a heap, the lightest before it got more work, to its place. */
static void sift_down(Weighed *ranks, unsigned n)
{
    unsigned at = 0, child;

    while ((child = 2 * at + 1) < n) {
        if (child + 1 < n && is_lighter(&ranks[child + 1], &ranks[child]))
            child++;
        if (!is_lighter(&ranks[child], &ranks[at]))
            return;
        Weighed moved = ranks[at];
        ranks[at] = ranks[child];
        ranks[child] = moved;
        at = child;
    }
}

bool *xtf_share_deal(const XtfShare *share, const uint64_t *weights, uint32_t n)
{
    g_autofree Weighed *locations = g_new(Weighed, n), *ranks = g_new(Weighed, share->size);
    bool *own = g_new0(bool, n);

    for (uint32_t i = 0; i < n; i++)
        locations[i] = (Weighed){weights[i], i};
    for (unsigned i = 0; i < share->size; i++)
        ranks[i] = (Weighed){0, i};
    if (n > 0)
        qsort(locations, n, sizeof *locations, compare_weights);
    for (uint32_t i = 0; i < n; i++) {
        own[locations[i].index] = ranks[0].index == share->rank;
        ranks[0].weight += locations[i].weight;
        sift_down(ranks, share->size);
    }
    return own;
}
