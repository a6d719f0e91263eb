#include "src/trace/calls/callpath-times.h"

#include "libxtf/aggregates.h"
#include "libxtf/vocabulary.h"
#include "src/model/schemas.h"

typedef struct {
    uint64_t row;
    uint32_t callpath, region;
} Frame;

/* Fields of a row of `enters_leaves`. */
typedef struct {
    const XtfField *key, *is_end, *back;
} Fields;

void xtf_callpath_times_init(XtfCallpathTimes *times, unsigned aggregate, XtfCallpathFind find, void *data)
{
    *times = (XtfCallpathTimes){
        .aggregate = aggregate,
        .find = find,
        .data = data,
        .stack = g_array_new(FALSE, FALSE, sizeof(Frame)),
        .entries = g_array_new(FALSE, FALSE, sizeof(XtfCallpathTime)),
        .entry_numbers = g_hash_table_new(NULL, NULL),
        .outside = {.callpath = XTF_OUTSIDE_CALLS, .region = XTF_NONE32},
    };
}

void xtf_callpath_times_finish(XtfCallpathTimes *times)
{
    if (times->stack) {
        g_array_unref(times->stack);
        g_array_unref(times->entries);
        g_hash_table_unref(times->entry_numbers);
    }
    *times = (XtfCallpathTimes){0};
}

void xtf_callpath_times_clear(XtfCallpathTimes *times)
{
    g_array_set_size(times->entries, 0);
    g_hash_table_remove_all(times->entry_numbers);
    times->outside.ticks = 0;
}

/* ---- The stack. */

static Frame *top_frame(const XtfCallpathTimes *times)
{
    return times->stack->len ? &g_array_index(times->stack, Frame, times->stack->len - 1) : NULL;
}

static void push_call(XtfCallpathTimes *times, uint64_t row, uint64_t region)
{
    const Frame *top = top_frame(times);
    Frame frame = {.row = row, .region = (uint32_t)region};

    frame.callpath = times->find(times->data, top ? top->callpath : XTF_OUTSIDE_CALLS, frame.region, times->stack->len);
    g_array_append_val(times->stack, frame);
}

/* Returns the index in the stack of the frame that a row began, or the stack's depth. Rows ascend in the stack. */
static unsigned find_frame_index(const XtfCallpathTimes *times, uint64_t row)
{
    unsigned low = 0, high = times->stack->len;

    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (g_array_index(times->stack, Frame, middle).row < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < times->stack->len && g_array_index(times->stack, Frame, low).row == row ? low : times->stack->len;
}

static bool load_stack(XtfCallpathTimes *times, const XtfArray *calls, uint64_t n, GError **error)
{
    g_autofree XtfOpenFrame *frames = NULL;
    size_t depth = 0;

    g_array_set_size(times->stack, 0);
    if (!xtf_array_stack(calls, times->aggregate, n, &frames, &depth, error))
        return false;
    for (size_t i = 0; i < depth; i++)
        push_call(times, frames[i].row, frames[i].key);
    return true;
}

/* Updates the stack by row n: see "Frames." in libxtf/aggregates.h. */
static void apply_row(XtfCallpathTimes *times, const Fields *fields, const uint8_t *row, uint64_t n)
{
    uint64_t back = xtf_field_get(fields->back, row);
    unsigned place = back && back <= n ? find_frame_index(times, n - back) : times->stack->len;
    bool known = place < times->stack->len;

    if (xtf_field_get(fields->is_end, row)) {
        if (known)
            g_array_set_size(times->stack, place);
        return;
    }
    g_array_set_size(times->stack, known ? place + 1 : 0);
    push_call(times, n, xtf_field_get(fields->key, row));
}

/* ---- Time. */

static void charge_top_call(XtfCallpathTimes *times, uint64_t ticks)
{
    const Frame *top = top_frame(times);

    if (!top || !ticks) {
        times->outside.ticks += ticks;
        return;
    }
    /* `entry_numbers` holds numbers from 1: 0 means that the call path is missing. */
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(times->entry_numbers, GUINT_TO_POINTER(top->callpath)));
    if (!number) {
        XtfCallpathTime time = {.callpath = top->callpath, .region = top->region};
        g_array_append_val(times->entries, time);
        number = times->entries->len;
        g_hash_table_insert(times->entry_numbers, GUINT_TO_POINTER(top->callpath), GUINT_TO_POINTER(number));
    }
    g_array_index(times->entries, XtfCallpathTime, number - 1).ticks += ticks;
}

/* Adds the time from `begin` to `end`. `cursor` is at the first row that is not before `begin`, if there is one. */
static bool add_rows(XtfCallpathTimes *times, XtfCursor *cursor, bool found, uint64_t begin, uint64_t end,
                     GError **error)
{
    const XtfArray *calls = &cursor->array;
    const XtfAggregate *aggregate = &calls->schema->aggregates[times->aggregate];
    const XtfField *all = calls->schema->fields;
    const Fields fields = {&all[aggregate->keys[0]], &all[aggregate->values[0]], &all[aggregate->values[1]]};

    while (found && xtf_cursor_time(cursor) < end) {
        uint64_t time = xtf_cursor_time(cursor);
        charge_top_call(times, time - begin);
        begin = time;
        apply_row(times, &fields, xtf_cursor_row(cursor), cursor->n);
        if (!xtf_cursor_next(cursor, 1, &found, error))
            return false;
    }
    charge_top_call(times, end - begin);
    return true;
}

bool xtf_callpath_times_add(XtfCallpathTimes *times, const XtfArray *calls, uint64_t begin, uint64_t end,
                            GError **error)
{
    g_auto(XtfCursor) cursor = {0};
    bool found;

    if (begin >= end)
        return true;
    if (!calls) {
        times->outside.ticks += end - begin;
        return true;
    }
    xtf_cursor_init(&cursor, calls);
    return xtf_cursor_seek_t(&cursor, begin, &found, error) &&
           load_stack(times, calls, found ? cursor.n : calls->n_rows, error) &&
           add_rows(times, &cursor, found, begin, end, error);
}
