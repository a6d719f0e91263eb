/*
 * Time by key in a window of time, to the tick.
 *
 * Totals of frames belong to rows: a row brings the whole durations of the frames that it ends, and all ticks since the
 * row before it. A window [a, b) cuts through both, at either edge. Let E(t) be the ticks that are owed at time t:
 * those before t that no row before t has brought. With the stack as the rows before t leave it, and u the time of the
 * last of these rows,
 *
 *     exclusive   t - u to the key on top
 *     inclusive   t - begin(f) to the key of f, for each outermost frame f of the stack
 *
 * Ticks and durations are owed until a row brings them. So the time in the window is what its rows brought, plus what
 * is owed at its end, less what was owed at its beginning:
 *
 *     profile [a, b)  =  totals of rows [rank(a), rank(b))  +  E(b)  -  E(a)
 *
 *          a                                b
 *     -----|----r---------r--------r--------|------r---       rows
 *       ===|====#                           |                 brought by the first row in the window; === is E(a)
 *          |                       #========|                 E(b): the row that will bring it is not in the window
 *
 * This holds for each frame and for each interval between rows by itself, whether it began before a, ends after b, both
 * or neither, and so it holds for their sums: all numbers are integers, and nothing is rounded. Cells are added modulo
 * 2^64, so -E(a) may be added before the totals that it is taken from. Frames say themselves whether they are
 * outermost, so recursion is counted once; and mis-nested frames last until a row ends them, as in the totals.
 *
 * The ends of the trace are not rows. A frame that no row ends is owed until the location's last record, so E(t) is
 * constant after that. If row 0 ends a frame that never began, its ticks are those since the location's first record.
 * Totals have not charged these, since they know only the array: they are added if row 0 is in the window.
 *
 * Where the totals go over rows at an edge, they pass the stack that is owed there on the way: it is caught, and the
 * rows are gone over once. Of a whole array, whose own totals are stored, nothing else is read where they show that
 * nothing is owed: there is no row whose frame never began, and as many rows end a frame as begin one. (A frame that
 * ends has one row of its own that ends it, or none; so if the numbers agree, each has one, and none is left open.)
 *
 * All of this is in ticks of the location's clock. A window of global time becomes one of local time first, with the
 * same rows.
 */
#include "libxtf/aggregate/frames.h"
#include "libxtf/aggregate/query.h"

typedef struct {
    const XtfArray *array;
    unsigned index;
    uint64_t first;
    XtfGroupTotals *totals;
} Profile;

static void add(const Profile *profile, uint64_t key, uint64_t inclusive, uint64_t exclusive)
{
    const uint64_t cells[XTF_FRAMES_CELLS] = {[XTF_FRAMES_INCLUSIVE] = inclusive, [XTF_FRAMES_EXCLUSIVE] = exclusive};
    xtf_group_totals_add(profile->totals, &key, cells);
}

/* Whether row n, which finds the stack empty, ends a frame that never began. */
static bool is_end(const Profile *profile, uint64_t n, bool *end, GError **error)
{
    const XtfSchema *schema = profile->array->schema;
    g_autofree uint8_t *row = g_malloc(schema->row_size);

    *end = false;
    if (n == profile->array->n_rows)
        return true;
    if (!xtf_array_row(profile->array, n, row, error))
        return false;
    *end = xtf_field_get(&schema->fields[schema->aggregates[profile->index].values[0]], row) != 0;
    return true;
}

/* Whether row 0 may end a frame that never began: the totals, which have it, would say so. */
static bool may_begin_with_end(const Profile *profile)
{
    uint64_t before = XTF_FRAMES_BEFORE;

    return xtf_group_totals_find(profile->totals, &before) != NULL;
}

/* Adds `sign` times E(t), where the stack was caught, or is found now, before row at->n: so many rows are before t. */
static bool add_owed(const Profile *profile, const XtfStackCatch *at, uint64_t t, uint64_t sign, GError **error)
{
    XtfFrameStack *stack = at->stack;
    uint64_t n = at->n;
    bool end = false;

    if ((!at->caught && !xtf_frames_before_row(profile->array, profile->index, n, stack, error)) ||
        !xtf_frames_load_all(profile->array, profile->index, stack, error) ||
        (stack->frames->len == 0 && !is_end(profile, n, &end, error)))
        return false;
    uint64_t since = n > 0 ? t - stack->time : t - profile->first;
    for (guint i = 0; i < stack->frames->len; i++) {
        const XtfOpenFrame *frame = xtf_frame_stack_at(stack, i);
        bool top = i + 1 == stack->frames->len;
        if (frame->outermost || top)
            add(profile, frame->key, frame->outermost ? sign * (t - frame->time) : 0, top ? sign * since : 0);
    }
    if (end)
        add(profile, XTF_FRAMES_BEFORE, sign * since, sign * since);
    return true;
}

/* The ticks of row 0, if it is the end of a frame that never began. */
static bool add_first_ticks(const Profile *profile, GError **error)
{
    uint64_t ticks = profile->array->first - profile->first;
    bool end;

    if (!is_end(profile, 0, &end, error))
        return false;
    if (end)
        add(profile, XTF_FRAMES_BEFORE, ticks, ticks);
    return true;
}

/* The rank of a time. Both the totals and the stack at the time take the rows of its leaf, so these are unpacked at
 * once, not the times alone first. `leaf`: that of an earlier time, or all zeros; then that of this one, if it has one.
 */
static bool rank(const XtfArray *array, uint64_t t, XtfPageView *leaf, uint64_t *n, GError **error)
{
    if (t <= array->first || t > array->last)
        return xtf_array_rank(array, t, n, error);
    t = xtf_clock_map_to_local(array->clock, t);
    if (!leaf->block || xtf_page_time(leaf, leaf->count - 1) < t) {
        xtf_page_view_finish(leaf);
        if (!xtf_leaf_find(array, XTF_KEY_T, t, XTF_LEAF_ROWS, leaf, error))
            return false;
    }
    *n = leaf->first_n + xtf_leaf_rank(array, leaf, t);
    return true;
}

static bool find_rows(const XtfArray *array, uint64_t a, uint64_t b, uint64_t *n1, uint64_t *n2, GError **error)
{
    g_auto(XtfPageView) leaf = {0};

    if (!rank(array, a, &leaf, n1, error) || !rank(array, b, &leaf, n2, error))
        return false;
    return *n1 <= *n2 ||
           xtf_damaged(error, "array %u: more rows before time %" PRIu64 " than before %" PRIu64, array->id, a, b);
}

/* Adds the totals of the whole array. *owes: more than these may be in a window that has all rows. */
static bool add_whole(const Profile *profile, bool *owes, GError **error)
{
    const XtfArray *array = profile->array;
    g_autoptr(XtfGroupTotals) whole = xtf_group_totals_new(&array->schema->aggregates[profile->index], 1);
    uint64_t open = 0, before = XTF_FRAMES_BEFORE;

    if (!xtf_array_totals(array, profile->index, NULL, 0, array->n_rows, whole, error))
        return false;
    for (uint32_t i = 0; i < xtf_group_totals_n(whole); i++) {
        const uint64_t *cells = xtf_group_totals_cells(whole, i);
        open += cells[XTF_FRAMES_BEGUN] - cells[XTF_FRAMES_ENDED];
    }
    *owes = open != 0 || xtf_group_totals_find(whole, &before);
    xtf_group_totals_add_all(profile->totals, whole);
    return true;
}

/* Adds what the rows bring, and catches stacks at the edges. *owes: something may be owed at an edge. */
static bool add_rows(const Profile *profile, XtfStackCatch edges[2], bool *owes, GError **error)
{
    const XtfArray *array = profile->array;
    XtfTotalsQuery query = xtf_totals_query(array, profile->index, NULL, profile->totals);

    *owes = true;
    if (edges[0].n == 0 && edges[1].n == array->n_rows && !xtf_array_is_small(array))
        return add_whole(profile, owes, error);
    query.catches = edges;
    query.n_catches = 2;
    return xtf_totals_query_run(&query, edges[0].n, edges[1].n, error);
}

bool xtf_array_profile(const XtfArray *array, unsigned index, uint64_t a, uint64_t b, uint64_t first, uint64_t last,
                       XtfGroupTotals *totals, GError **error)
{
    const XtfArray local = xtf_array_local(array);
    Profile profile = {.array = &local, .index = index, .first = MIN(first, local.first), .totals = totals};
    g_auto(XtfFrameStack) left, right;
    uint64_t n1, n2;
    bool owes;

    xtf_frame_stack_init(&left);
    xtf_frame_stack_init(&right);
    if (a >= b)
        return true;
    if (!find_rows(array, a, b, &n1, &n2, error))
        return false;
    XtfStackCatch edges[] = {{.n = n1, .stack = &left}, {.n = n2, .stack = &right}};
    if (!add_rows(&profile, edges, &owes, error) || !owes)
        return !owes;
    last = MAX(last, local.last);
    a = CLAMP(xtf_clock_map_to_local(array->clock, a), profile.first, last);
    b = CLAMP(xtf_clock_map_to_local(array->clock, b), profile.first, last);
    bool starts = n1 == 0 && n2 > 0; /* with row 0, at which nothing may be owed */
    if (starts && may_begin_with_end(&profile) && !add_first_ticks(&profile, error))
        return false;
    return ((starts && !may_begin_with_end(&profile)) ||
            add_owed(&profile, &edges[0], a, UINT64_MAX, error)) && /* -1, modulo 2^64 */
           add_owed(&profile, &edges[1], b, 1, error);
}
