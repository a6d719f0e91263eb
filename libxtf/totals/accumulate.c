/*
 * This runs once over every row that is written, so it loads fields without looking at their type row by row, and keeps
 * the stack's variables in registers: most rows only push a frame, or pop the top.
 */
#include "libxtf/totals/accumulate.h"

#include "libxtf/base/le.h"
#include "libxtf/error.h"
#include "libxtf/field-load.h"
#include "libxtf/totals/group-totals-private.h"

/* A cache of groups: a program calls the same few functions for a while. */
enum { NEAR_GROUPS = 64 };

typedef struct {
    uint64_t key;
    uint32_t number; /* 1 + the number of its group; 0: no key */
} NearGroup;

/* While this exists, the stack's array is longer than the stack is deep, so that a push is a store. */
typedef struct {
    XtfFrameStack *stack;
    const XtfFrameLoader *loader;
    XtfGroupTotals *totals; /* NULL: nothing is added */
    XtfOpenFrame *frames;   /* the array's */
    guint depth, room;
    uint64_t nowhere[XTF_FRAMES_CELLS]; /* the cells of any key without totals */
    NearGroup near[NEAR_GROUPS];        /* by the low bits of the key */
} FrameWork;

static inline uint64_t *cells_in_totals(FrameWork *work, uint64_t key)
{
    NearGroup *near = &work->near[key % NEAR_GROUPS];

    if (G_UNLIKELY(near->number == 0 || near->key != key)) {
        xtf_group_totals_cells_of(work->totals, &key);
        *near = (NearGroup){.key = key, .number = work->totals->last + 1};
    }
    return work->totals->groups + (size_t)(near->number - 1) * (1 + XTF_FRAMES_CELLS) + 1;
}

static inline uint64_t *cells_of(FrameWork *work, uint64_t key)
{
    return work->totals ? cells_in_totals(work, key) : work->nowhere;
}

static void take_stack(FrameWork *work)
{
    work->depth = work->stack->frames->len;
    work->room = work->depth + work->depth / 2 + 16;
    g_array_set_size(work->stack->frames, work->room);
    work->frames = (XtfOpenFrame *)work->stack->frames->data;
}

static void return_stack(FrameWork *work)
{
    g_array_set_size(work->stack->frames, work->depth);
}

static bool load_outer_frames(FrameWork *work, GError **error)
{
    uint64_t n_outer = work->stack->n_outer;

    return_stack(work);
    bool good = work->loader && work->loader->load(work->stack, work->loader->data, error);
    take_stack(work);
    if (!good)
        return false;
    return work->stack->n_outer < n_outer ||
           xtf_damaged(error, "row %" PRIu64 ": frames around it are not found", work->stack->inner_row);
}

/* *found: the number of frames up to the one that `row` began; 0 if no such frame is open. */
static bool find_frame(FrameWork *work, uint64_t row, guint *found, GError **error)
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

static void end_top(FrameWork *work, uint64_t time)
{
    const XtfOpenFrame *top = &work->frames[--work->depth];
    uint64_t *cells = cells_of(work, top->key), duration = time - top->time;

    cells[XTF_FRAMES_INCLUSIVE] += top->outermost ? duration : 0;
    cells[XTF_FRAMES_LONGEST] = MAX(cells[XTF_FRAMES_LONGEST], duration);
}

static void end_frames_above(FrameWork *work, guint depth, uint64_t time)
{
    while (work->depth > depth)
        end_top(work, time);
}

/* Ends the frames that a row ends if it does not lead to the top. *never_began: the row ends a frame that never began.
 */
static bool end_elsewhere(FrameWork *work, bool is_end, uint64_t distance, uint64_t time, bool *never_began,
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

static void push(FrameWork *work, XtfOpenFrame frame)
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

static bool add_frame_row(FrameWork *work, const FrameFields *fields, const uint8_t *row, GError **error)
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

    bool alone = work->depth == 0;
    const XtfOpenFrame *top = &work->frames[work->depth - !alone];
    if (!alone)
        cells_of(work, top->key)[XTF_FRAMES_EXCLUSIVE] += ticks;
    cells_of(work, key)[is_end ? XTF_FRAMES_ENDED : XTF_FRAMES_BEGUN]++;

    bool leads_to_top = alone ? !is_end : distance > 0 && top->row == stack->n - distance;
    if (G_UNLIKELY(!leads_to_top)) {
        if (!end_elsewhere(work, is_end, distance, time, &never_began, error))
            return false;
    } else if (is_end)
        end_top(work, time);
    stack->least = MIN(stack->least, stack->n_outer + work->depth);
    if (!is_end)
        push(work,
             (XtfOpenFrame){
                 .key = key, .row = stack->n, .time = time, .outermost = xtf_load_bits(&fields->outermost, row) != 0});
    else if (G_UNLIKELY(never_began)) {
        uint64_t *cells = cells_of(work, XTF_FRAMES_BEFORE);
        cells[XTF_FRAMES_BEGUN]++;
        cells[XTF_FRAMES_INCLUSIVE] += alone ? ticks : 0;
        cells[XTF_FRAMES_EXCLUSIVE] += alone ? ticks : 0;
    }
    stack->n++;
    stack->time = time;
    return true;
}

/*
 * Adds rows for as long as they do what most rows do: end the frame on top, or begin one within it. Returns the number
 * of rows added. It repeats what add_frame_row() does with such rows, for speed: with everything that changes from row
 * to row in local variables, it takes half the time; and half of that without totals. `adds`, a constant: there are
 * totals.
 */
static inline uint32_t nest_rows(FrameWork *work, const FrameFields *fields, const uint8_t *rows, uint32_t row_size,
                                 uint32_t count, bool adds)
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
        uint64_t *cells = adds ? cells_in_totals(work, top->key) : NULL;
        if (adds)
            cells[XTF_FRAMES_EXCLUSIVE] += time - before;
        if (xtf_load_bits(&fields->is_end, row) != 0) {
            if (adds) {
                uint64_t duration = time - top->time;
                cells[XTF_FRAMES_INCLUSIVE] += top->outermost ? duration : 0;
                cells[XTF_FRAMES_LONGEST] = MAX(cells[XTF_FRAMES_LONGEST], duration);
                (key == top->key ? cells : cells_in_totals(work, key))[XTF_FRAMES_ENDED]++;
            }
            depth--;
            least = MIN(least, depth);
        } else {
            least = MIN(least, depth);
            if (adds)
                cells_in_totals(work, key)[XTF_FRAMES_BEGUN]++;
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

static uint32_t add_nested_rows(FrameWork *work, const FrameFields *fields, const uint8_t *rows, uint32_t row_size,
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
    FrameWork work = {.stack = stack, .loader = loader, .totals = totals};
    const uint8_t *row = rows, *end = rows + (size_t)count * schema->row_size;
    bool good = true;

    take_stack(&work);
    while (good && row < end) {
        uint32_t left = (uint32_t)((size_t)(end - row) / schema->row_size);
        row += (size_t)add_nested_rows(&work, &fields, row, schema->row_size, left) * schema->row_size;
        if (row == end)
            break;
        good = add_frame_row(&work, &fields, row, error);
        row += schema->row_size;
    }
    return_stack(&work);
    return good;
}

static void add_groups(const XtfSchema *schema, const XtfAggregate *aggregate, const uint8_t *rows, uint32_t count,
                       XtfGroupTotals *totals)
{
    XtfFieldLoad keys[XTF_AGGREGATE_KEYS_MAX], values[XTF_AGGREGATE_VALUES_MAX];
    uint64_t key[XTF_AGGREGATE_KEYS_MAX] = {0};

    for (unsigned i = 0; i < aggregate->n_keys; i++)
        keys[i] = xtf_field_load(&schema->fields[aggregate->keys[i]]);
    for (unsigned i = 0; i < aggregate->n_values; i++)
        values[i] = xtf_field_load(&schema->fields[aggregate->values[i]]);
    for (const uint8_t *row = rows; count > 0; count--, row += schema->row_size) {
        for (unsigned i = 0; i < aggregate->n_keys; i++)
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
    add_groups(schema, aggregate, rows, count, totals);
    return true;
}

void xtf_aggregate_row_key(const XtfSchema *schema, const XtfAggregate *aggregate, const uint8_t *row, uint64_t *key)
{
    for (unsigned i = 0; i < aggregate->n_keys; i++)
        key[i] = xtf_field_get(&schema->fields[aggregate->keys[i]], row);
}
