/*
 * The longest frames that begin in a range of rows, by best-first search.
 *
 * Totals keep the longest duration of the frames that END in their rows, because only the end gives the duration. A
 * frame that begins in [n1, n2) either ends there too, or is on the stack at row n2. The frames on the stack are few: a
 * descent finds the end of each. The search finds the others where they end, in descending order of upper bounds. A
 * heap holds parts: pages, leaves, chunks of leaves and frames. Each step removes the first part. If it is a frame, it
 * is the next result, because nothing in the heap can be longer. Otherwise the parts that it consists of replace it. A
 * bound may come from a frame that begins before n1 and is not a result. The number of such frames is at most the depth
 * of the stack at row n1, and each costs at most one leaf.
 */
#include "libxtf/longest.h"

#include "libxtf/aggregate/digest.h"
#include "libxtf/aggregate/frames.h"
#include "libxtf/field-load.h"
#include "libxtf/schema/schema-codec.h"
#include "libxtf/totals/tables/stored.h"

/* Kinds of parts that the heap holds: a child of an index page (or the root), a chunk of a leaf, a frame. */
typedef enum { PART_CHILD, PART_CHUNK, PART_FRAME } PartKind;

typedef struct {
    uint64_t longest; /* upper bound of the durations; exact for a frame */
    PartKind kind;
    unsigned level;     /* level of a child: 0 is a leaf */
    uint64_t from;      /* first row of the part; of a frame, the row that begins it */
    XtfFrameSpan frame; /* set if the part is a frame */
} Part;

struct XtfLongestSearch {
    XtfArray array; /* in local ticks, because the location's clock measures durations */
    unsigned index;
    XtfGroupFilter filter;
    uint64_t n1, n2, last;
    GArray *heap; /* Part: a max-heap */
};

typedef XtfLongestSearch LongestSearch;

/* True if the search returns frames of the key. */
static bool accepts_key(const LongestSearch *search, uint64_t key)
{
    const XtfGroupFilter *filter = &search->filter;

    if (key == XTF_FRAMES_BEFORE)
        return false;
    return filter->exact ? key == *filter->exact
                         : !filter->match || filter->match(&key, 1, filter->data) == XTF_MATCH_ALL;
}

/* True if a leaves the heap before b. With equal bounds, parts precede frames, because a part may contain an earlier
 * frame of the same duration. Frames are ordered by row. */
static bool precedes(const Part *a, const Part *b)
{
    if (a->longest != b->longest)
        return a->longest > b->longest;
    if ((a->kind == PART_FRAME) != (b->kind == PART_FRAME))
        return b->kind == PART_FRAME;
    return a->from < b->from;
}

static Part *part_at(const LongestSearch *search, guint i)
{
    return &g_array_index(search->heap, Part, i);
}

static void swap_parts(const LongestSearch *search, guint i, guint j)
{
    Part part = *part_at(search, i);

    *part_at(search, i) = *part_at(search, j);
    *part_at(search, j) = part;
}

static void push_part(LongestSearch *search, const Part *part)
{
    guint i = search->heap->len;

    g_array_append_vals(search->heap, part, 1);
    for (; i > 0 && precedes(part_at(search, i), part_at(search, (i - 1) / 2)); i = (i - 1) / 2)
        swap_parts(search, i, (i - 1) / 2);
}

static Part pop_part(LongestSearch *search)
{
    Part first = *part_at(search, 0);
    guint n = search->heap->len - 1, i = 0;

    swap_parts(search, 0, n);
    g_array_set_size(search->heap, n);
    for (;;) {
        guint best = i, left = 2 * i + 1;
        if (left < n && precedes(part_at(search, left), part_at(search, best)))
            best = left;
        if (left + 1 < n && precedes(part_at(search, left + 1), part_at(search, best)))
            best = left + 1;
        if (best == i)
            return first;
        swap_parts(search, i, best);
        i = best;
    }
}

/* Sets *longest to the longest duration that the totals of child i have for keys that the search accepts. Returns false
 * if they have no such key. */
static bool find_longest_in_child(const LongestSearch *search, const XtfChildTotals *children, uint32_t i,
                                  uint64_t *longest)
{
    bool has_frames = false;

    *longest = 0;
    for (uint32_t entry = children->exact.starts[i]; entry < children->exact.starts[i + 1]; entry++) {
        uint32_t group = xtf_totals_tier_group(&children->exact, entry);
        uint64_t key = xtf_child_totals_key(children, group)[0];
        bool covers_all_keys = xtf_child_totals_depth(children, group) == 0;
        if (!covers_all_keys && !accepts_key(search, key))
            continue;
        has_frames = true;
        *longest = MAX(*longest, xtf_totals_tier_cell(&children->exact, entry, XTF_FRAMES_LONGEST));
    }
    return has_frames;
}

/* Adds the children of a batch that have rows in the range to the heap. */
static void push_batch(LongestSearch *search, const XtfDescentPage *page, const XtfChildTotals *children)
{
    for (uint32_t i = 0; i < children->n; i++) {
        const uint32_t slot = children->first + i;
        Part part = {.kind = PART_CHILD, .level = page->level - 1, .from = xtf_descent_child_start(page, slot)};
        if (part.from < search->n2 && xtf_descent_child_end(page, slot) > search->n1 &&
            find_longest_in_child(search, children, i, &part.longest))
            push_part(search, &part);
    }
}

/* Adds the children of a page that have rows in the range to the heap. */
static bool push_children(LongestSearch *search, const XtfDescentPage *page, GError **error)
{
    const uint32_t n = page->page.count, size = xtf_stored_batch_size(page);

    for (uint32_t slot = 0; slot < n; slot += MIN(size, n - slot)) {
        const uint32_t end = slot + MIN(size, n - slot);
        if (xtf_descent_child_start(page, slot) >= search->n2 || xtf_descent_child_end(page, end - 1) <= search->n1)
            continue;
        g_autoptr(XtfBlock) stored = xtf_stored_totals_get(page, search->index, slot, error);
        if (!stored)
            return false;
        push_batch(search, page, xtf_block_child_totals(stored));
    }
    return true;
}

static bool push_chunks(LongestSearch *search, const XtfDescentLeaf *leaf, GError **error)
{
    g_autoptr(XtfBlock) digest = xtf_leaf_digest_get(leaf, search->index, error);

    if (!digest)
        return false;
    const XtfChildTotals *chunks = xtf_block_child_totals(digest);
    for (uint32_t chunk = 0; chunk < chunks->n; chunk++) {
        Part part = {.kind = PART_CHUNK, .from = leaf->first_n + (uint64_t)chunk * XTF_CHUNK_ROWS};
        if (part.from < search->n2 && part.from + XTF_CHUNK_ROWS > search->n1 &&
            find_longest_in_child(search, chunks, chunk, &part.longest))
            push_part(search, &part);
    }
    return true;
}

static void push_longest_frame(LongestSearch *search, const XtfOpenFrame *open, uint64_t end_row, uint64_t end_time)
{
    if (open->row < search->n1 || open->row >= search->n2 || !accepts_key(search, open->key))
        return;
    Part part = {
        .kind = PART_FRAME,
        .from = open->row,
        .longest = end_time - open->time,
        .frame = {.key = open->key, .row = open->row, .end_row = end_row, .begin = open->time, .end = end_time}};
    push_part(search, &part);
}

/* Adds to the heap the frames of `before` that are not in `after`: row n ended them. Both are ordered by the rows that
 * began the frames. */
static void push_ended_frames(LongestSearch *search, const GArray *before, const XtfFrameStack *after, uint64_t n)
{
    guint n_compared = 0;

    for (guint i = 0; i < before->len; i++) {
        const XtfOpenFrame *frame = &g_array_index(before, XtfOpenFrame, i);
        while (n_compared < after->frames->len && xtf_frame_stack_at(after, n_compared)->row < frame->row)
            n_compared++;
        bool open = n_compared < after->frames->len && xtf_frame_stack_at(after, n_compared)->row == frame->row;
        if (!open)
            push_longest_frame(search, frame, n, after->time);
    }
}

typedef struct {
    XtfFieldLoad key, is_end, distance, outermost;
} FrameFields;

static FrameFields frame_fields(const XtfSchema *schema, const XtfAggregate *aggregate)
{
    return (FrameFields){
        .key = xtf_field_load(&schema->fields[aggregate->keys[0]]),
        .is_end = xtf_field_load(&schema->fields[aggregate->values[0]]),
        .distance = xtf_field_load(&schema->fields[aggregate->values[1]]),
        .outermost = xtf_field_load(&schema->fields[aggregate->values[2]]),
    };
}

/* Processes a row that ends the frame on top, or begins a frame inside it, like the fast path of accumulate.c. Most
 * rows are of these kinds. Returns false for other rows, and changes nothing. */
static bool process_nested_row(LongestSearch *search, XtfFrameStack *stack, const FrameFields *fields,
                               const uint8_t *row)
{
    guint depth = stack->frames->len;
    const XtfOpenFrame *top = depth > 0 ? xtf_frame_stack_at(stack, depth - 1) : NULL;
    uint64_t distance = xtf_load_bits(&fields->distance, row), time = xtf_load64(row);

    if (!top || distance == 0 || top->row != stack->n - distance)
        return false;
    if (xtf_load_bits(&fields->is_end, row) != 0) {
        push_longest_frame(search, top, stack->n, time);
        g_array_set_size(stack->frames, depth - 1);
    } else {
        XtfOpenFrame frame = {
            .key = xtf_load_value(&fields->key, row),
            .row = stack->n,
            .time = time,
            .outermost = xtf_load_bits(&fields->outermost, row) != 0,
        };
        g_array_append_val(stack->frames, frame);
    }
    stack->n++;
    stack->time = time;
    return true;
}

/* Adds to the heap the frames that end in the rows of a chunk. For a row that may end several frames, the function
 * compares the whole stacks before and after the row. */
static bool push_chunk_frames(LongestSearch *search, const XtfDescentLeaf *leaf, uint32_t first, GError **error)
{
    const XtfSchema *schema = search->array.schema;
    const XtfAggregate *aggregate = &schema->aggregates[search->index];
    g_autoptr(XtfBlock) digest = xtf_leaf_digest_get(leaf, search->index, error);
    g_autoptr(GArray) before = g_array_new(FALSE, FALSE, sizeof(XtfOpenFrame));
    g_auto(XtfPageView) rows = {0};
    g_auto(XtfFrameStack) stack;
    XtfOuterFrames outer;

    xtf_frame_stack_init(&stack);
    if (!digest || !xtf_descent_leaf_rows(leaf, &rows, error))
        return false;
    xtf_outer_frames_init(&outer, &search->array, search->index);
    xtf_child_totals_stack(xtf_block_child_totals(digest), first / XTF_CHUNK_ROWS, leaf->first_n + first, &stack);
    uint32_t end = (uint32_t)MIN(MIN(first + XTF_CHUNK_ROWS, rows.count), search->n2 - leaf->first_n);
    if (!xtf_frames_load_until(&search->array, search->index, search->n1, &stack, error))
        return false;
    const FrameFields fields = frame_fields(schema, aggregate);
    for (uint32_t i = first; i < end; i++) {
        const uint8_t *row = rows.payload + (size_t)i * schema->row_size;
        if (process_nested_row(search, &stack, &fields, row))
            continue;
        g_array_set_size(before, 0);
        g_array_append_vals(before, stack.frames->data, stack.frames->len);
        if (!xtf_accumulate_rows(schema, aggregate, row, 1, &stack, &outer.loader, NULL, error))
            return false;
        push_ended_frames(search, before, &stack, leaf->first_n + i);
    }
    return true;
}

/* Adds to the heap the parts that a part consists of: children, chunks or frames. The caller has removed the part
 * itself. */
static bool expand_part(LongestSearch *search, const Part *part, GError **error)
{
    g_auto(XtfDescent) descent = {0};

    if (!xtf_descent_find(&search->array, part->from, &descent, error))
        return false;
    if (part->kind == PART_CHUNK)
        return push_chunk_frames(search, &descent.leaf, (uint32_t)(part->from - descent.leaf.first_n), error);
    if (part->level == 0)
        return push_chunks(search, &descent.leaf, error);
    return push_children(search, &descent.pages[descent.n_pages - part->level], error);
}

/* Adds to the heap the frames on the stack at row n2 that begin in the range. */
static bool push_open_frames(LongestSearch *search, GError **error)
{
    g_autofree XtfOpenFrame *frames = NULL;
    size_t n_frames;

    if (!xtf_array_stack(&search->array, search->index, search->n2, &frames, &n_frames, error))
        return false;
    for (size_t i = n_frames; i > 0 && frames[i - 1].row >= search->n1; i--) {
        uint64_t end_row, time = search->last;
        if (!accepts_key(search, frames[i - 1].key))
            continue;
        if (!xtf_array_frame_end(&search->array, search->index, frames[i - 1].row, &end_row, error) ||
            (end_row < search->array.n_rows && !xtf_array_time(&search->array, end_row, &time, error)))
            return false;
        push_longest_frame(search, &frames[i - 1], end_row, time);
    }
    return true;
}

XtfLongestSearch *xtf_longest_new(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t n1,
                                  uint64_t n2, uint64_t last, GError **error)
{
    g_autoptr(XtfLongestSearch) search = g_new0(XtfLongestSearch, 1);
    const Part whole = {.kind = PART_CHILD, .level = array->height - 1u, .longest = UINT64_MAX};

    search->array = xtf_array_local(array);
    search->index = index;
    search->filter = filter ? *filter : (XtfGroupFilter){0};
    search->n1 = n1;
    search->n2 = MIN(n2, array->n_rows);
    search->last = MAX(last, search->array.last);
    search->heap = g_array_new(FALSE, FALSE, sizeof(Part));
    if (!xtf_aggregate_is_supported(array->schema, index, error))
        return NULL;
    if (n1 >= search->n2)
        return g_steal_pointer(&search);
    push_part(search, &whole);
    return push_open_frames(search, error) ? g_steal_pointer(&search) : NULL;
}

void xtf_longest_free(XtfLongestSearch *search)
{
    if (!search)
        return;
    g_array_unref(search->heap);
    g_free(search);
}

bool xtf_longest_bound(const XtfLongestSearch *search, uint64_t *ticks)
{
    if (search->heap->len > 0)
        *ticks = part_at(search, 0)->longest;
    return search->heap->len > 0;
}

bool xtf_longest_step(XtfLongestSearch *search, XtfFrameSpan *frame, bool *found, GError **error)
{
    *found = false;
    if (search->heap->len == 0)
        return true;
    Part part = pop_part(search);
    if (part.kind != PART_FRAME)
        return expand_part(search, &part, error);
    *frame = part.frame;
    *found = true;
    return true;
}

bool xtf_array_longest(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t n1, uint64_t n2,
                       uint64_t last, XtfFrameSpan *frames, size_t *n_frames, GError **error)
{
    g_autoptr(XtfLongestSearch) search = xtf_longest_new(array, index, filter, n1, n2, last, error);
    size_t most = *n_frames, n = 0;
    uint64_t ticks;
    bool found;

    if (!search)
        return false;
    while (n < most && xtf_longest_bound(search, &ticks)) {
        if (!xtf_longest_step(search, &frames[n], &found, error))
            return false;
        n += found;
    }
    *n_frames = n;
    return true;
}
