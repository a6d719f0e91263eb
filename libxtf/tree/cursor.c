/*
 * Cursors: a position at a row, with its leaf pinned.
 */
#include "libxtf/tree/descent.h"

void xtf_cursor_init(XtfCursor *cursor, const XtfArray *array)
{
    *cursor = (XtfCursor){.array = *array};
}

void xtf_cursor_finish(XtfCursor *cursor)
{
    xtf_block_put(g_steal_pointer(&cursor->block));
}

static void set_leaf(XtfCursor *cursor, const XtfPageView *leaf)
{
    xtf_cursor_finish(cursor);
    cursor->block = leaf->block;
    cursor->rows = leaf->payload;
    cursor->leaf_first = leaf->first_n;
    cursor->leaf_count = leaf->count;
    cursor->leaf_next = leaf->next;
    cursor->leaf_previous = leaf->previous;
}

static XtfPageView current_leaf(const XtfCursor *cursor)
{
    return (XtfPageView){
        .block = cursor->block,
        .payload = cursor->rows,
        .keys = cursor->rows,
        .stride = cursor->array.schema->row_size,
        .first_n = cursor->leaf_first,
        .previous = cursor->leaf_previous,
        .next = cursor->leaf_next,
        .count = cursor->leaf_count,
    };
}

static bool leaf_holds_row(const XtfCursor *cursor, uint64_t n)
{
    return cursor->block && n >= cursor->leaf_first && n - cursor->leaf_first < cursor->leaf_count;
}

bool xtf_cursor_seek_n(XtfCursor *cursor, uint64_t n, bool *found, GError **error)
{
    if (n >= cursor->array.n_rows) {
        xtf_cursor_finish(cursor);
        *found = false;
        return true;
    }
    if (!leaf_holds_row(cursor, n)) {
        XtfPageView leaf;
        if (!xtf_leaf_find(&cursor->array, XTF_KEY_N, n, xtf_leaf_shown_rows(&cursor->array), &leaf, error))
            return false;
        set_leaf(cursor, &leaf);
    }
    cursor->n = n;
    *found = true;
    return true;
}

/* Moves to the first row of the next leaf, which must exist. */
static bool enter_next_leaf(XtfCursor *cursor, GError **error)
{
    XtfPageView leaf = current_leaf(cursor), next;

    if (!xtf_leaf_next(&cursor->array, &leaf, &next, error))
        return false;
    xtf_block_pass(g_steal_pointer(&cursor->block));
    set_leaf(cursor, &next);
    cursor->n = next.first_n;
    return true;
}

static uint64_t time_in_leaf(const XtfCursor *cursor, uint32_t slot)
{
    uint64_t t;

    memcpy(&t, cursor->rows + (size_t)slot * cursor->array.schema->row_size, sizeof t);
    return GUINT64_FROM_LE(t);
}

/* True if the first row at or after t is certainly in the pinned leaf. If the leaf's first row is at t, so may be rows
 * of earlier leaves. */
static bool leaf_holds_time(const XtfCursor *cursor, uint64_t t)
{
    return cursor->block && time_in_leaf(cursor, 0) < t && time_in_leaf(cursor, cursor->leaf_count - 1) >= t;
}

bool xtf_cursor_seek_t(XtfCursor *cursor, uint64_t t, bool *found, GError **error)
{
    t = MAX(t, cursor->array.kept);
    if (t > cursor->array.last) {
        xtf_cursor_finish(cursor);
        *found = false;
        return true;
    }
    XtfPageView leaf;
    if (leaf_holds_time(cursor, t)) {
        leaf = current_leaf(cursor);
    } else {
        uint64_t local = xtf_clock_map_to_local(cursor->array.clock, t);
        if (!xtf_leaf_find(&cursor->array, XTF_KEY_T, local, xtf_leaf_shown_rows(&cursor->array), &leaf, error))
            return false;
        set_leaf(cursor, &leaf);
    }
    uint32_t slot = xtf_leaf_rank(&cursor->array, &leaf, t);
    cursor->n = leaf.first_n + slot;
    /* If every row of the leaf is before t, the cursor moves to the first row of the next leaf. */
    if (cursor->n >= cursor->array.n_rows)
        return xtf_damaged(error, "array %u: its last row is earlier than the P index states", cursor->array.id);
    if (slot == leaf.count && !enter_next_leaf(cursor, error))
        return false;
    *found = true;
    return true;
}

bool xtf_cursor_next(XtfCursor *cursor, int64_t step, bool *found, GError **error)
{
    uint64_t n = cursor->n + (uint64_t)step;

    if (leaf_holds_row(cursor, n) && n < cursor->array.n_rows) { /* within the leaf, as most often */
        cursor->n = n;
        *found = true;
        return true;
    }
    if (step < 0 ? n > cursor->n : n < cursor->n || n >= cursor->array.n_rows) {
        xtf_cursor_finish(cursor);
        *found = false;
        return true;
    }
    if (cursor->block && n == cursor->leaf_first + cursor->leaf_count) {
        *found = true;
        return enter_next_leaf(cursor, error);
    }
    if (cursor->block && n + 1 == cursor->leaf_first) {
        XtfPageView leaf = current_leaf(cursor), previous;
        if (!xtf_leaf_previous(&cursor->array, &leaf, &previous, error))
            return false;
        set_leaf(cursor, &previous);
    }
    return xtf_cursor_seek_n(cursor, n, found, error);
}
