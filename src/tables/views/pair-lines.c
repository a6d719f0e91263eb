#include "src/tables/views/pair-lines.h"

enum {
    PART_BYTES = 1 << 19, /* approximate bytes of a part's text */
};

bool xtf_pair_lines_init(XtfPairLines *pairs, XtfViews *views, const XtfSelection *selection,
                         const XtfAggregateRef *ref, const XtfNumberSet *peers, GError **error)
{
    *pairs = (XtfPairLines){0};
    if (!xtf_selected_locations_init(&pairs->selected, views->context, selection, error) ||
        !xtf_pair_finder_init(&pairs->finder, views->context, ref, peers, error))
        return false;
    pairs->n_pairs = xtf_pair_counts_get(&views->pair_counts, &pairs->finder, &pairs->selected, error);
    return pairs->n_pairs;
}

void xtf_pair_lines_finish(XtfPairLines *pairs)
{
    xtf_selected_locations_finish(&pairs->selected);
    xtf_pair_finder_finish(&pairs->finder);
    g_clear_pointer(&pairs->n_pairs, g_free);
}

void xtf_pair_lines_shape(const XtfPairLines *pairs, XtfViewShape *shape)
{
    for (uint32_t i = 0; i < pairs->selected.n_procs; i++)
        shape->n_lines += pairs->n_pairs[i];
    shape->at_once = PART_BYTES / shape->grid.line + 1;
}

bool xtf_pair_lines_fill(const XtfPairLines *pairs, uint64_t first, uint64_t n, XtfPairLinesFill fill, void *data,
                         GError **error)
{
    uint64_t before = 0; /* lines of the previous processes */

    for (uint32_t i = 0; i < pairs->selected.n_procs && before < first + n; before += pairs->n_pairs[i++]) {
        if (before + pairs->n_pairs[i] > first &&
            !fill(data, &pairs->selected.procs[i], first - MIN(first, before), first + n - before, error))
            return false;
    }
    return true;
}
