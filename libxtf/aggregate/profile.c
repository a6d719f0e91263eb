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
 * All of this is in ticks of the location's clock. A window of global time becomes one of local time first, with the
 * same rows.
 */
#include "libxtf/aggregate/frames.h"

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

/* Adds `sign` times E(t), where n rows are before t. */
static bool add_owed(const Profile *profile, uint64_t n, uint64_t t, uint64_t sign, GError **error)
{
    g_auto(XtfFrameStack) stack;
    bool end = false;

    xtf_frame_stack_init(&stack);
    if (!xtf_frames_before_row(profile->array, profile->index, n, &stack, error) ||
        !xtf_frames_load_all(profile->array, profile->index, &stack, error) ||
        (stack.frames->len == 0 && !is_end(profile, n, &end, error)))
        return false;
    uint64_t since = n > 0 ? t - stack.time : t - profile->first;
    for (guint i = 0; i < stack.frames->len; i++) {
        const XtfOpenFrame *frame = xtf_frame_stack_at(&stack, i);
        bool top = i + 1 == stack.frames->len;
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
 * once, not the times alone first. */
static bool rank(const XtfArray *array, uint64_t t, uint64_t *n, GError **error)
{
    g_auto(XtfPageView) leaf = {0};

    if (t <= array->first || t > array->last)
        return xtf_array_rank(array, t, n, error);
    t = xtf_clock_map_to_local(array->clock, t);
    if (!xtf_leaf_find(array, XTF_KEY_T, t, XTF_LEAF_ROWS, &leaf, error))
        return false;
    *n = leaf.first_n + xtf_leaf_rank(array, &leaf, t);
    return true;
}

bool xtf_array_profile(const XtfArray *array, unsigned index, uint64_t a, uint64_t b, uint64_t first, uint64_t last,
                       XtfGroupTotals *totals, GError **error)
{
    const XtfArray local = xtf_array_local(array);
    Profile profile = {.array = &local, .index = index, .first = MIN(first, local.first), .totals = totals};
    uint64_t n1, n2;

    if (a >= b)
        return true;
    if (!rank(array, a, &n1, error) || !rank(array, b, &n2, error))
        return false;
    if (n1 > n2)
        return xtf_damaged(error, "array %u: more rows before time %" PRIu64 " than before %" PRIu64, array->id, a, b);
    last = MAX(last, local.last);
    a = CLAMP(xtf_clock_map_to_local(array->clock, a), profile.first, last);
    b = CLAMP(xtf_clock_map_to_local(array->clock, b), profile.first, last);
    return xtf_array_totals(array, index, NULL, n1, n2, totals, error) &&
           (n1 > 0 || n2 == 0 || add_first_ticks(&profile, error)) &&
           add_owed(&profile, n1, a, UINT64_MAX, error) && /* -1, modulo 2^64 */
           add_owed(&profile, n2, b, 1, error);
}
