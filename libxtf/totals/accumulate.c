/*
 * Adds rows to totals. The writer runs this code once over every row. So it resolves field types before the loop, and
 * keeps the stack's variables in registers. Most rows only push a frame, or pop the top one.
 */
#include "libxtf/totals/accumulate.h"

#include "libxtf/base/le.h"
#include "libxtf/error.h"
#include "libxtf/field-load.h"
#include "libxtf/totals/frame-work.h"

static inline uint64_t *cells_of(XtfFrameWork *work, uint64_t key)
{
    return work->totals ? xtf_frame_work_cells(work, key) : work->unused_cells;
}

static bool load_outer_frames(XtfFrameWork *work, GError **error)
{
    uint64_t n_outer = work->stack->n_outer;

    xtf_frame_work_trim(work);
    bool good = work->loader && work->loader->load(work->stack, work->loader->data, error);
    xtf_frame_work_grow(work);
    if (!good)
        return false;
    return work->stack->n_outer < n_outer ||
           xtf_damaged(error, "row %" PRIu64 ": the frames around it were not found", work->stack->inner_row);
}

/* Finds the frame that `row` began. *found gets the number of frames up to and including it; 0 if no such frame is
 * open. */
static bool find_frame(XtfFrameWork *work, uint64_t row, guint *found, GError **error)
{
    while (work->stack->n_outer > 0 && (work->depth == 0 || row < work->frames[0].row))
        if (!load_outer_frames(work, error))
            return false;
    guint low = 0, high = work->depth;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (work->frames[middle].row < row)
            low = middle + 1;
        else
            high = middle;
    }
    *found = low < work->depth && work->frames[low].row == row ? low + 1 : 0;
    return true;
}

static void end_top(XtfFrameWork *work, uint64_t time)
{
    const XtfOpenFrame *top = &work->frames[--work->depth];

    xtf_frame_work_add_duration(cells_of(work, top->key), top, time);
}

static void end_frames_above(XtfFrameWork *work, guint depth, uint64_t time)
{
    while (work->depth > depth)
        end_top(work, time);
}

/* Ends the frames that a row ends if its distance does not lead to the top frame. Sets *never_began if the row ends a
 * frame that never began. */
static bool end_inner_frames(XtfFrameWork *work, bool is_end, uint64_t distance, uint64_t time, bool *never_began,
                             GError **error)
{
    guint found = 0;

    if (distance > 0 && distance <= work->stack->n && !find_frame(work, work->stack->n - distance, &found, error))
        return false;
    if (found > 0)
        end_frames_above(work, is_end ? found - 1 : found, time);
    else if (is_end)
        *never_began = true;
    else {
        while (work->stack->n_outer > 0)
            if (!load_outer_frames(work, error))
                return false;
        end_frames_above(work, 0, time);
    }
    return true;
}

static void push_open_frame(XtfFrameWork *work, XtfOpenFrame frame)
{
    if (G_UNLIKELY(work->depth == work->room)) {
        work->room *= 2;
        g_array_set_size(work->stack->frames, work->room);
        work->frames = (XtfOpenFrame *)work->stack->frames->data;
    }
    work->frames[work->depth++] = frame;
}

typedef struct {
    XtfFieldLoad key, is_end, distance, outermost;
} FrameFields;

static bool add_frame_row(XtfFrameWork *work, const FrameFields *fields, const uint8_t *row, GError **error)
{
    XtfFrameStack *stack = work->stack;
    uint64_t time = xtf_load64(row), key = xtf_load_bits(&fields->key, row),
             distance = xtf_load_bits(&fields->distance, row);
    bool is_end = xtf_load_bits(&fields->is_end, row) != 0;
    bool never_began = false;

    uint64_t ticks = stack->n > 0 ? time - stack->time : 0;
    while (G_UNLIKELY(work->depth == 0 && stack->n_outer > 0))
        if (!load_outer_frames(work, error))
            return false;

    bool no_frame_open = work->depth == 0;
    const XtfOpenFrame *top = &work->frames[work->depth - !no_frame_open];
    if (!no_frame_open)
        cells_of(work, top->key)[XTF_FRAMES_EXCLUSIVE] += ticks;
    cells_of(work, key)[is_end ? XTF_FRAMES_ENDED : XTF_FRAMES_BEGUN]++;

    bool leads_to_top = no_frame_open ? !is_end : distance > 0 && top->row == stack->n - distance;
    if (G_UNLIKELY(!leads_to_top)) {
        if (!end_inner_frames(work, is_end, distance, time, &never_began, error))
            return false;
    } else if (is_end)
        end_top(work, time);
    stack->least = MIN(stack->least, stack->n_outer + work->depth);
    if (!is_end)
        push_open_frame(work, (XtfOpenFrame){.key = key,
                                             .row = stack->n,
                                             .time = time,
                                             .outermost = xtf_load_bits(&fields->outermost, row) != 0});
    else if (G_UNLIKELY(never_began)) {
        uint64_t *cells = cells_of(work, XTF_FRAMES_BEFORE);
        cells[XTF_FRAMES_BEGUN]++;
        cells[XTF_FRAMES_INCLUSIVE] += no_frame_open ? ticks : 0;
        cells[XTF_FRAMES_EXCLUSIVE] += no_frame_open ? ticks : 0;
    }
    stack->n++;
    stack->time = time;
    return true;
}

/*
 * Adds rows as long as they end the top frame or begin one within it, as most rows do. Returns the number of rows
 * added. Repeats what add_frame_row() does for such rows, for speed. With everything that changes per row in local
 * variables it takes half the time. Without totals it takes half of that again. `adds`, a compile-time constant, is
 * true if there are totals.
 */
__attribute__((always_inline)) static inline uint32_t nest_rows(XtfFrameWork *work, const FrameFields *fields,
                                                                const uint8_t *rows, uint32_t row_size, uint32_t count,
                                                                bool adds)
{
    XtfOpenFrame *const frames = work->frames;
    const uint8_t *row = rows;
    guint depth = work->depth, least = G_MAXUINT;
    uint64_t n = work->stack->n, before = work->stack->time, key, time;
    uint32_t i = 0;

    for (; i < count && depth > 0 && depth < work->room; i++, n++, row += row_size, before = time) {
        const XtfOpenFrame *top = &frames[depth - 1];
        uint64_t distance = xtf_load_bits(&fields->distance, row);
        if (distance == 0 || top->row != n - distance)
            break;
        time = xtf_load64(row);
        key = xtf_load_bits(&fields->key, row);
        uint64_t *cells = adds ? xtf_frame_work_cells(work, top->key) : NULL;
        if (adds)
            cells[XTF_FRAMES_EXCLUSIVE] += time - before;
        if (xtf_load_bits(&fields->is_end, row) != 0) {
            if (adds) {
                xtf_frame_work_add_duration(cells, top, time);
                (key == top->key ? cells : xtf_frame_work_cells(work, key))[XTF_FRAMES_ENDED]++;
            }
            depth--;
            least = MIN(least, depth);
        } else {
            least = MIN(least, depth);
            if (adds)
                xtf_frame_work_cells(work, key)[XTF_FRAMES_BEGUN]++;
            frames[depth++] = (XtfOpenFrame){
                .key = key, .row = n, .time = time, .outermost = xtf_load_bits(&fields->outermost, row) != 0};
        }
    }
    work->depth = depth;
    if (i > 0)
        work->stack->least = MIN(work->stack->least, work->stack->n_outer + least);
    work->stack->n = n;
    work->stack->time = before;
    return i;
}

static uint32_t add_nested_rows(XtfFrameWork *work, const FrameFields *fields, const uint8_t *rows, uint32_t row_size,
                                uint32_t count)
{
    return work->totals ? nest_rows(work, fields, rows, row_size, count, true)
                        : nest_rows(work, fields, rows, row_size, count, false);
}

static bool add_frames(const XtfSchema *schema, const XtfAggregate *aggregate, const uint8_t *rows, uint32_t count,
                       XtfFrameStack *stack, const XtfFrameLoader *loader, XtfGroupTotals *totals, GError **error)
{
    const FrameFields fields = {
        .key = xtf_field_load(&schema->fields[aggregate->keys[0]]),
        .is_end = xtf_field_load(&schema->fields[aggregate->values[0]]),
        .distance = xtf_field_load(&schema->fields[aggregate->values[1]]),
        .outermost = xtf_field_load(&schema->fields[aggregate->values[2]]),
    };
    XtfFrameWork work = {.stack = stack, .loader = loader, .totals = totals};
    const uint8_t *row = rows, *end = rows + (size_t)count * schema->row_size;
    bool good = true;

    xtf_frame_work_grow(&work);
    while (good && row < end) {
        uint32_t left = (uint32_t)((size_t)(end - row) / schema->row_size);
        row += (size_t)add_nested_rows(&work, &fields, row, schema->row_size, left) * schema->row_size;
        if (row == end)
            break;
        good = add_frame_row(&work, &fields, row, error);
        row += schema->row_size;
    }
    xtf_frame_work_trim(&work);
    return good;
}

/* Adds rows, at least one, to the only group of totals without keys. Adds values as integers, in a register. */
static void add_plain_rows(const XtfSchema *schema, const XtfAggregate *aggregate, const uint8_t *rows, uint32_t count,
                           XtfGroupTotals *totals)
{
    const uint64_t no_key = 0;
    uint64_t *cells = xtf_group_totals_cells_of(totals, &no_key);

    cells[XTF_GROUP_ROWS] += count;
    for (unsigned i = 0; i < aggregate->n_values; i++) {
        const XtfField *field = &schema->fields[aggregate->values[i]];
        const XtfFieldLoad load = xtf_field_load(field);
        const bool optional = (field->flags & XTF_FIELD_OPTIONAL) != 0;
        const uint8_t *row = rows;
        uint64_t sum = 0;
        for (uint32_t n = 0; n < count; n++, row += schema->row_size)
            if (!optional || !xtf_field_is_none(field, row))
                sum += xtf_load_value(&load, row);
        cells[1 + i] += sum;
    }
}

static void add_group_rows(const XtfSchema *schema, const XtfAggregate *aggregate, const uint8_t *rows, uint32_t count,
                           XtfGroupTotals *totals)
{
    XtfFieldLoad keys[XTF_AGGREGATE_KEYS_MAX], values[XTF_AGGREGATE_VALUES_MAX];
    uint64_t key[XTF_AGGREGATE_KEYS_MAX] = {0};
    /* A later key may say the type of values that are not integers. */
    const unsigned n_keys = totals->plain ? totals->depth : aggregate->n_keys;

    for (unsigned i = 0; i < n_keys; i++)
        keys[i] = xtf_field_load(&schema->fields[aggregate->keys[i]]);
    for (unsigned i = 0; i < aggregate->n_values; i++)
        values[i] = xtf_field_load(&schema->fields[aggregate->values[i]]);
    for (const uint8_t *row = rows; count > 0; count--, row += schema->row_size) {
        for (unsigned i = 0; i < n_keys; i++)
            key[i] = xtf_load_value(&keys[i], row);
        uint64_t *cells = xtf_group_totals_cells_of(totals, key);
        cells[XTF_GROUP_ROWS]++;
        for (unsigned i = 0; i < aggregate->n_values; i++)
            if (!xtf_field_is_none(&schema->fields[aggregate->values[i]], row))
                xtf_group_totals_add_value(totals, key, cells, i, xtf_load_value(&values[i], row));
    }
}

bool xtf_accumulate_rows(const XtfSchema *schema, const XtfAggregate *aggregate, const uint8_t *rows, uint32_t count,
                         XtfFrameStack *stack, const XtfFrameLoader *loader, XtfGroupTotals *totals, GError **error)
{
    if (aggregate->kind == XTF_AGGREGATE_FRAMES)
        return add_frames(schema, aggregate, rows, count, stack, loader, totals, error);
    if (totals->plain && totals->depth == 0 && count > 0)
        add_plain_rows(schema, aggregate, rows, count, totals);
    else
        add_group_rows(schema, aggregate, rows, count, totals);
    return true;
}

void xtf_aggregate_row_key(const XtfSchema *schema, const XtfAggregate *aggregate, const uint8_t *row, uint64_t *key)
{
    for (unsigned i = 0; i < aggregate->n_keys; i++)
        key[i] = xtf_field_get(&schema->fields[aggregate->keys[i]], row);
}
