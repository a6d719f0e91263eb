/*
 * Time by key in a window of time, exact to the tick.
 *
 * Totals of frames are totals of rows. A row contributes the whole durations of the frames that it ends, and all ticks
 * since the previous row. A window [a, b) cuts through both at each edge. Let E(t) be the ticks pending at time t: the
 * ticks before t that no row before t has contributed. Let the stack be as the rows before t leave it, and let u be the
 * time of the last of these rows. Then E(t) is
 *
 *     exclusive   t - u for the key on top
 *     inclusive   t - begin(f) for the key of f, for each outermost frame f of the stack
 *
 * The time in the window is the contribution of its rows, plus the pending ticks at its end, minus the pending ticks at
 * its begin:
 *
 *     profile [a, b)  =  totals of rows [rank(a), rank(b))  +  E(b)  -  E(a)
 *
 *          a                                b
 *     -----|----r---------r--------r--------|------r---       rows
 *       ===|====#                           |                 contributed by the window's first row; === is E(a)
 *          |                       #========|                 E(b): a row after the window contributes it
 *
 * The equation holds for each frame, and for each interval between rows, whether it began before a, ends after b, both
 * or neither. It therefore holds for their sums: all numbers are integers, and nothing is rounded. Cells are added
 * modulo 2^64, so -E(a) may be added before the totals it is subtracted from. Rows store whether their frame is
 * outermost, so recursion is counted once. Badly nested frames last until a row ends them, as in the totals.
 *
 * The ends of the trace are not rows. A frame that no row ends is pending until the location's last record, so E(t) is
 * constant after this record. If row 0 ends a frame that never began, its ticks are the ticks since the location's
 * first record. The totals do not contain these ticks, because they know only the array; they are added if row 0 is in
 * the window.
 *
 * If the query for totals passes over the rows at an edge, it also passes the stack at the edge. The query captures
 * this stack, so that the rows are processed once. For a whole array, with stored totals, nothing else is read if the
 * totals show that nothing is pending. Nothing is pending if no row ends a frame that never began, and the numbers of
 * begins and ends agree. (At most one row refers to a frame and ends it. So if the numbers agree, each frame has one
 * such row, and none is left open.)
 *
 * All of this is in ticks of the location's clock. A window of global time is first converted to local time; it has the
 * same rows.
 */
#include "libxtf/aggregate/profile.h"

#include "libxtf/aggregate/frames.h"

static void add_key_ticks(const XtfProfile *profile, uint64_t key, uint64_t inclusive, uint64_t exclusive)
{
    const uint64_t cells[XTF_FRAMES_CELLS] = {[XTF_FRAMES_INCLUSIVE] = inclusive, [XTF_FRAMES_EXCLUSIVE] = exclusive};
    xtf_group_totals_add(profile->totals, &key, cells);
}

/* Sets *end to true if row n, at an edge, ends a frame that no row began, else to false. The stack before row n must be
 * empty. Notes what the row does. */
static bool ends_unknown_frame(const XtfProfile *profile, XtfStackCapture *edge, bool *end, GError **error)
{
    const XtfArray *array = profile->array;
    g_auto(XtfPageView) leaf = {0};

    if (edge->row == XTF_FRAME_ROW_UNKNOWN && edge->n < array->n_rows) {
        if (!xtf_leaf_find(array, XTF_KEY_N, edge->n, XTF_LEAF_FRAMES + profile->index, &leaf, error))
            return false;
        edge->row = xtf_frame_row(array, profile->index, &leaf, (uint32_t)(edge->n - leaf.first_n));
    }
    *end = edge->row == XTF_FRAME_ROW_ENDS;
    return true;
}

/* True if row 0 may end a frame that never began. The totals, which include row 0, would contain such rows. */
static bool may_have_unknown_frames(const XtfProfile *profile)
{
    uint64_t before = XTF_FRAMES_BEFORE;

    return xtf_group_totals_find(profile->totals, &before) != NULL;
}

/* Adds `sign` times E(t). `edge` is the first row at or after t. Its stack is loaded unless the query has captured
 * it. */
static bool add_pending(const XtfProfile *profile, XtfStackCapture *edge, uint64_t t, uint64_t sign, GError **error)
{
    XtfFrameStack *stack = edge->stack;
    uint64_t n = edge->n;
    bool end = false;

    if ((!edge->captured && !xtf_frames_before_row(profile->array, profile->index, n, stack, error)) ||
        !xtf_frames_load_all(profile->array, profile->index, stack, error) ||
        (stack->frames->len == 0 && !ends_unknown_frame(profile, edge, &end, error)))
        return false;
    uint64_t since = n > 0 ? t - stack->time : t - profile->first;
    for (guint i = 0; i < stack->frames->len; i++) {
        const XtfOpenFrame *frame = xtf_frame_stack_at(stack, i);
        bool top = i + 1 == stack->frames->len;
        if (frame->outermost || top)
            add_key_ticks(profile, frame->key, frame->outermost ? sign * (t - frame->time) : 0, top ? sign * since : 0);
    }
    if (end)
        add_key_ticks(profile, XTF_FRAMES_BEFORE, sign * since, sign * since);
    return true;
}

/* Adds the ticks before row 0, at an edge, if row 0 ends a frame that never began. */
static bool add_first_ticks(const XtfProfile *profile, XtfStackCapture *edge, GError **error)
{
    uint64_t ticks = profile->array->first - profile->first;
    bool end;

    if (!ends_unknown_frame(profile, edge, &end, error))
        return false;
    if (end)
        add_key_ticks(profile, XTF_FRAMES_BEFORE, ticks, ticks);
    return true;
}

bool xtf_profile_add_edges(const XtfProfile *profile, XtfStackCapture edges[2], uint64_t a, uint64_t b, GError **error)
{
    bool has_row_0 = edges[0].n == 0 && edges[1].n > 0; /* no frame is open before row 0 */
    if (has_row_0 && may_have_unknown_frames(profile) && !add_first_ticks(profile, &edges[0], error))
        return false;
    return ((has_row_0 && !may_have_unknown_frames(profile)) ||
            add_pending(profile, &edges[0], a, UINT64_MAX, error)) && /* -1, modulo 2^64 */
           add_pending(profile, &edges[1], b, 1, error);
}

/* Computes the rank of a time. The totals and the stack at this time need the rows of its leaf. The function
 * therefore unpacks the columns of frames at once and not the times first. `leaf` holds the leaf of an earlier time, or
 * zeros, and receives the leaf of this time, if there is one. */
static bool find_rank(const XtfArray *array, unsigned index, uint64_t t, XtfPageView *leaf, uint64_t *n, GError **error)
{
    if (t <= array->first || t > array->last)
        return xtf_array_rank(array, t, n, error);
    t = xtf_clock_map_to_local(array->clock, t);
    if (!leaf->block || xtf_page_time(leaf, leaf->count - 1) < t) {
        xtf_page_view_finish(leaf);
        if (!xtf_leaf_find(array, XTF_KEY_T, t, XTF_LEAF_FRAMES + index, leaf, error))
            return false;
    }
    *n = leaf->first_n + xtf_leaf_rank(array, leaf, t);
    return true;
}

static bool find_window_rows(const XtfArray *array, unsigned index, uint64_t a, uint64_t b, uint64_t *n1, uint64_t *n2,
                             GError **error)
{
    g_auto(XtfPageView) leaf = {0};

    if (!find_rank(array, index, a, &leaf, n1, error) || !find_rank(array, index, b, &leaf, n2, error))
        return false;
    return *n1 <= *n2 ||
           xtf_damaged(error, "array %u: more rows before time %" PRIu64 " than before the later time %" PRIu64,
                       array->id, a, b);
}

/* Adds the totals of the whole array. Sets *pending if ticks may be pending at the edges of a window with all rows. */
static bool add_whole_array(const XtfProfile *profile, bool *pending, GError **error)
{
    const XtfArray *array = profile->array;
    g_autoptr(XtfGroupTotals) array_totals = xtf_group_totals_new(&array->schema->aggregates[profile->index], 1);
    uint64_t open = 0, before = XTF_FRAMES_BEFORE;

    if (!xtf_array_totals(array, profile->index, NULL, 0, array->n_rows, array_totals, error))
        return false;
    for (uint32_t i = 0; i < xtf_group_totals_n(array_totals); i++) {
        const uint64_t *cells = xtf_group_totals_cells(array_totals, i);
        open += cells[XTF_FRAMES_BEGUN] - cells[XTF_FRAMES_ENDED];
    }
    *pending = open != 0 || xtf_group_totals_find(array_totals, &before);
    xtf_group_totals_add_all(profile->totals, array_totals);
    return true;
}

/* Adds the totals of the window's rows, and captures the stacks at its two edges. Sets *pending if ticks may be pending
 * at an edge. */
static bool add_window_rows(const XtfProfile *profile, XtfStackCapture edges[2], bool *pending, GError **error)
{
    const XtfArray *array = profile->array;
    XtfTotalsQuery query = xtf_totals_query(array, profile->index, NULL, profile->totals);

    *pending = true;
    if (edges[0].n == 0 && edges[1].n == array->n_rows && !xtf_array_is_small(array))
        return add_whole_array(profile, pending, error);
    query.captures = edges;
    query.n_captures = 2;
    return xtf_totals_query_run(&query, edges[0].n, edges[1].n, error);
}

bool xtf_array_profile(const XtfArray *array, unsigned index, uint64_t a, uint64_t b, uint64_t first, uint64_t last,
                       XtfGroupTotals *totals, GError **error)
{
    const XtfArray local = xtf_array_local(array);
    XtfProfile profile = {.array = &local, .index = index, .first = MIN(first, local.first), .totals = totals};
    g_auto(XtfFrameStack) left, right;
    uint64_t n1, n2;
    bool pending;

    xtf_frame_stack_init(&left);
    xtf_frame_stack_init(&right);
    if (a >= b)
        return true;
    if (!find_window_rows(array, index, a, b, &n1, &n2, error))
        return false;
    XtfStackCapture edges[] = {{.n = n1, .stack = &left}, {.n = n2, .stack = &right}};
    if (!add_window_rows(&profile, edges, &pending, error) || !pending)
        return !pending;
    last = MAX(last, local.last);
    a = CLAMP(xtf_clock_map_to_local(array->clock, a), profile.first, last);
    b = CLAMP(xtf_clock_map_to_local(array->clock, b), profile.first, last);
    return xtf_profile_add_edges(&profile, edges, a, b, error);
}
