#include "libxtf/aggregate/nested-frames.h"

#include "libxtf/aggregate/frames.h"
#include "libxtf/totals/tables/stored.h"

/* Numbers of rows of an array. */
typedef struct {
    uint64_t begun, ended;
    bool known; /* false: some end frames that never began, or the totals do not say */
} RowCounts;

/* Adds up the totals of the whole array, the only child of `totals`. */
static RowCounts count_rows_of_array(const XtfChildTotals *totals)
{
    const XtfTotalsTier *tier = &totals->exact;
    RowCounts counts = {.known = true};

    for (uint32_t entry = tier->starts[0]; entry < tier->starts[1]; entry++) {
        uint32_t group = xtf_totals_tier_group(tier, entry);
        bool has_key = xtf_child_totals_depth(totals, group) > 0;
        uint64_t begun = xtf_totals_tier_cell(tier, entry, XTF_FRAMES_BEGUN);
        if (has_key && xtf_child_totals_key(totals, group)[0] == XTF_FRAMES_BEFORE) {
            counts.known &= begun == 0;
            continue;
        }
        counts.known &= has_key;
        counts.begun += begun;
        counts.ended += xtf_totals_tier_cell(tier, entry, XTF_FRAMES_ENDED);
    }
    return counts;
}

/* True if `depth` frames are open behind the last row. False, too, if its leaf is damaged: the caller may need no row
 * of it. */
static bool has_last_depth(const XtfArray *array, unsigned index, uint64_t depth)
{
    g_auto(XtfFrameStack) stack;

    xtf_frame_stack_init(&stack);
    return xtf_frames_before_row(array, index, array->n_rows, &stack, NULL) && xtf_frame_stack_depth(&stack) == depth;
}

bool xtf_frames_nest_fully(const XtfArray *array, unsigned index, bool *nest, uint64_t *begun, GError **error)
{
    *nest = false;
    if (array->height == 1 || array->kept > 0)
        return true;
    g_autoptr(XtfBlock) edge = xtf_edge_get(array, error);
    g_autoptr(XtfBlock) stored = edge ? xtf_stored_totals_of_array(array, edge, index, error) : NULL;
    if (!stored)
        return false;
    RowCounts counts = count_rows_of_array(xtf_block_child_totals(stored));
    if (!counts.known || counts.begun < counts.ended || counts.begun + counts.ended != array->n_rows)
        return true;
    /* Every row that ends a frame ends at least one. So the depth is right only if each ends exactly one, and if no
     * other row ends any. */
    *nest = has_last_depth(array, index, counts.begun - counts.ended);
    *begun = counts.begun;
    return true;
}
