/*
 * Adds rows to totals. The writer runs this code once over every row. So it resolves field types before the loop, and
 * keeps the stack's variables in registers. Most rows only push a frame, or pop the top one.
 */
#include "libxtf/totals/accumulate.h"

#include "libxtf/base/le.h"
#include "libxtf/error.h"
#include "libxtf/field-load.h"
#include "libxtf/totals/group-totals-private.h"

/* Size of a cache of groups: a program calls the same few functions for a while. */
enum { CACHED_GROUPS = 64 };

typedef struct {
    uint64_t key;
    uint32_t number; /* 1 + the number of the key's group; 0: empty slot */
} CachedGroup;

/* State of adding frame rows. Meanwhile the stack's array is longer than the stack is deep, so that a push is
 * only a store. */
typedef struct {
    XtfFrameStack *stack;
    const XtfFrameLoader *loader;
    XtfGroupTotals *totals; /* NULL: only the stack changes */
    XtfOpenFrame *frames;   /* data of the stack's array */
    guint depth, room;
    uint64_t unused_cells[XTF_FRAMES_CELLS]; /* scratch cells, used without totals */
    CachedGroup cached[CACHED_GROUPS];       /* indexed by key % CACHED_GROUPS */
} FrameWork;

static inline uint64_t *cells_in_totals(FrameWork *work, uint64_t key)
{
    CachedGroup *cached = &work->cached[key % CACHED_GROUPS];

    if (G_UNLIKELY(cached->number == 0 || cached->key != key)) {
        xtf_group_totals_cells_of(work->totals, &key);
        *cached = (CachedGroup){.key = key, .number = work->totals->last + 1};
    }
    return work->totals->groups + (size_t)(cached->number - 1) * (1 + XTF_FRAMES_CELLS) + 1;
}

static inline uint64_t *cells_of(FrameWork *work, uint64_t key)
{
    return work->totals ? cells_in_totals(work, key) : work->unused_cells;
}

static void grow_stack_array(FrameWork *work)
{
    work->depth = work->stack->frames->len;
    work->room = work->depth + work->depth / 2 + 16;
    g_array_set_size(work->stack->frames, work->room);
    work->frames = (XtfOpenFrame *)work->stack->frames->data;
}

static void trim_stack_array(FrameWork *work)
{
    g_array_set_size(work->stack->frames, work->depth);
}

static bool load_outer_frames(FrameWork *work, GError **error)
{
    uint64_t n_outer = work->stack->n_outer;

    trim_stack_array(work);
    bool good = work->loader && work->loader->load(work->stack, work->loader->data, error);
    grow_stack_array(work);
    if (!good)
        return false;
    return work->stack->n_outer < n_outer ||
           xtf_damaged(error, "row %" PRIu64 ": the frames around it were not found", work->stack->inner_row);
}

/* Finds the frame that `row` began. *found gets the number of frames up to and including it; 0 if no such frame is
 * open. */
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

/* Adds the duration of a frame that ends at `time` to the cells of its key. */
static inline void add_duration(uint64_t *cells, const XtfOpenFrame *frame, uint64_t time)
{
    uint64_t duration = time - frame->time;

    cells[XTF_FRAMES_INCLUSIVE] += frame->outermost ? duration : 0;
    cells[XTF_FRAMES_LONGEST] = MAX(cells[XTF_FRAMES_LONGEST], duration);
}

static void end_top(FrameWork *work, uint64_t time)
{
    const XtfOpenFrame *top = &work->frames[--work->depth];

    add_duration(cells_of(work, top->key), top, time);
}

static void end_frames_above(FrameWork *work, guint depth, uint64_t time)
{
    while (work->depth > depth)
        end_top(work, time);
}

/* Ends the frames that a row ends if its distance does not lead to the top frame. Sets *never_began if the row ends a
 * frame that never began. */
static bool end_inner_frames(FrameWork *work, bool is_end, uint64_t distance, uint64_t time, bool *never_began,
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

static void push_open_frame(FrameWork *work, XtfOpenFrame frame)
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
                add_duration(cells, top, time);
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

    grow_stack_array(&work);
    while (good && row < end) {
        uint32_t left = (uint32_t)((size_t)(end - row) / schema->row_size);
        row += (size_t)add_nested_rows(&work, &fields, row, schema->row_size, left) * schema->row_size;
        if (row == end)
            break;
        good = add_frame_row(&work, &fields, row, error);
        row += schema->row_size;
    }
    trim_stack_array(&work);
    return good;
}

/* Returns the number of rows from row i on whose template is that of two rows later. */
static inline uint32_t count_alternating(const uint8_t *numbers, uint32_t i, uint32_t to)
{
    uint32_t row = i;

    for (; row + 2 + sizeof(uint64_t) <= to; row += (uint32_t)sizeof(uint64_t)) {
        uint64_t difference = xtf_load64(numbers + row) ^ xtf_load64(numbers + row + 2);
        if (difference != 0)
            return row - i + (uint32_t)__builtin_ctzll(difference) / 8;
    }
    while (row + 2 < to && numbers[row] == numbers[row + 2])
        row++;
    return row - i;
}

/* Returns the number of calls from row i on, one behind the other. A row begins the frame of a call, and the next row
 * ends it. All these calls have the same two templates. `empty`: no frame is open before row i.
 */
static inline uint32_t count_brief_calls(const XtfFrameColumns *columns, uint32_t i, uint32_t to, bool empty)
{
    const XtfFrameTemplate *begin = &columns->templates[columns->numbers[i]];

    if (i + 1 >= to)
        return 0;
    const XtfFrameTemplate *end = &columns->templates[columns->numbers[i + 1]];
    if (!end->is_end || end->distance != 1 || xtf_frame_key(columns, end, i + 1) != xtf_frame_key(columns, begin, i))
        return 0;
    if (columns->keys || (begin->distance != XTF_FRAME_CHAINED && !empty)) /* the next call has another key or target */
        return 1;
    return 1 + count_alternating(columns->numbers, i, to) / 2;
}

/* Adds n calls of one key, as count_brief_calls() counts them. Returns the ticks in them. */
static inline uint64_t add_brief_calls(const XtfFrameColumns *columns, uint32_t i, uint32_t n, bool outermost,
                                       uint64_t *cells)
{
    const uint32_t *offsets = columns->offsets ? columns->offsets + i : NULL;
    uint64_t ticks = 0, longest = 0;

    for (uint32_t row = 0; row < 2 * n; row += 2) {
        uint64_t duration = offsets ? offsets[row + 1] - offsets[row]
                                    : xtf_frame_time(columns, i + row + 1) - xtf_frame_time(columns, i + row);
        ticks += duration;
        longest = MAX(longest, duration);
    }
    cells[XTF_FRAMES_BEGUN] += n;
    cells[XTF_FRAMES_ENDED] += n;
    cells[XTF_FRAMES_INCLUSIVE] += outermost ? ticks : 0;
    cells[XTF_FRAMES_EXCLUSIVE] += ticks;
    cells[XTF_FRAMES_LONGEST] = MAX(cells[XTF_FRAMES_LONGEST], longest);
    return ticks;
}

/*
 * Adds rows of columns like nest_rows(), and rows that begin a frame in an empty stack. A chained row leads to where
 * the target of the row before leads. This target is on the stack, or has just left it, and leads to the frame below
 * it. Calls that end at once, of which programs that wait make thousands in a row, are added together. With
 * `trusts`, the rows are known to nest. `adds` and `trusts` are compile-time constants.
 */
static inline void nest_columns(FrameWork *work, XtfFrameWalk *walk, uint32_t to, bool adds, bool trusts)
{
    const XtfFrameColumns columns = *walk->columns;
    XtfOpenFrame *const frames = work->frames;
    const bool may_be_empty = work->stack->n_outer == 0;
    guint depth = work->depth, least = G_MAXUINT;
    uint64_t n = work->stack->n, before = work->stack->time, chain = walk->chain, time;
    const uint64_t first = n - walk->next;
    uint32_t i = walk->next, calls;

    for (; i < to && depth < work->room; i++, n++, before = time) {
        const XtfFrameTemplate *row = &columns.templates[columns.numbers[i]];
        const XtfOpenFrame *top = &frames[depth - 1];
        uint64_t target = row->distance == XTF_FRAME_CHAINED ? chain : n - row->distance;
        if (depth == 0 ? row->is_end || !may_be_empty : !trusts && top->row != target)
            break;
        time = xtf_frame_time(&columns, i);
        const uint64_t key = xtf_frame_key(&columns, row, i);
        uint64_t *cells = adds && depth > 0 ? cells_in_totals(work, top->key) : NULL;
        if (adds && depth > 0)
            cells[XTF_FRAMES_EXCLUSIVE] += time - before;
        if (row->is_end) {
            if (adds) {
                add_duration(cells, top, time);
                (key == top->key ? cells : cells_in_totals(work, key))[XTF_FRAMES_ENDED]++;
            }
            depth--;
            least = MIN(least, depth);
            chain = depth > 0 && top->row >= first ? top[-1].row : UINT64_MAX;
        } else if ((calls = count_brief_calls(&columns, i, to, depth == 0)) > 0) { /* they leave the stack as it is */
            uint32_t last = i + 2 * calls - 1;
            uint64_t begin = time;
            time = xtf_frame_time(&columns, last);
            if (adds) {
                uint64_t ticks = add_brief_calls(&columns, i, calls, row->outermost, cells_in_totals(work, key));
                if (depth > 0)
                    cells_in_totals(work, top->key)[XTF_FRAMES_EXCLUSIVE] += time - begin - ticks;
            }
            least = MIN(least, depth);
            chain = depth > 0 ? top->row : UINT64_MAX;
            n += last - i;
            i = last;
        } else {
            least = MIN(least, depth);
            if (adds)
                cells_in_totals(work, key)[XTF_FRAMES_BEGUN]++;
            chain = depth > 1 && top->row >= first ? top[-1].row : UINT64_MAX;
            frames[depth++] = (XtfOpenFrame){.key = key, .row = n, .time = time, .outermost = row->outermost};
        }
    }
    work->depth = depth;
    if (i > walk->next)
        work->stack->least = MIN(work->stack->least, work->stack->n_outer + least);
    work->stack->n = n;
    work->stack->time = before;
    walk->next = i;
    walk->chain = chain;
}

static void add_columns(FrameWork *work, XtfFrameWalk *walk, uint32_t to)
{
    if (work->totals && walk->nests)
        nest_columns(work, walk, to, true, true);
    else if (work->totals)
        nest_columns(work, walk, to, true, false);
    else if (walk->nests)
        nest_columns(work, walk, to, false, true);
    else
        nest_columns(work, walk, to, false, false);
}

void xtf_accumulate_frames(XtfFrameWalk *walk, uint32_t to, XtfFrameStack *stack, XtfGroupTotals *totals)
{
    FrameWork work = {.stack = stack, .totals = totals};
    bool full;

    if (walk->next >= to)
        return;
    grow_stack_array(&work);
    do {
        add_columns(&work, walk, to);
        full = work.depth == work.room;
        if (full) {
            trim_stack_array(&work);
            grow_stack_array(&work);
        }
    } while (full && walk->next < to);
    trim_stack_array(&work);
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
