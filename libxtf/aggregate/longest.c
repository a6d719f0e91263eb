/*
 * The longest frames that begin in a range of rows, best first.
 *
 * Totals keep the longest duration of the frames that END among their rows, since only then is it known. A frame that
 * begins in [n1, n2) either ends there too, or is on the stack at row n2. Those on the stack are few: the end of each
 * is found by a descent. The others are looked for where they end, in the order of what they can be at most: a heap has
 * pages, leaves, chunks of leaves and frames. The first is taken out; in its place come its parts, or, if it is a
 * frame, the frame is the next of the answer, since nothing left in the heap can be longer. A bound may be due to a
 * frame that begins before n1 and so is no part of the answer: there are no more of these than frames on the stack at
 * row n1, and each costs a leaf at most.
 */
#include "libxtf/longest.h"

#include "libxtf/aggregate/digest.h"
#include "libxtf/aggregate/frames.h"
#include "libxtf/field-load.h"
#include "libxtf/schema/schema-codec.h"
#include "libxtf/totals/stored.h"

/* What a heap has. The rows of parts are [from, to), all of them below one child of their level, or in one chunk. */
typedef enum { PART_CHILD, PART_CHUNK, PART_FRAME } PartKind;

typedef struct {
    uint64_t longest; /* at most; of a frame just so */
    PartKind kind;
    unsigned level;     /* of a child: 0 is a leaf */
    uint64_t from;      /* its first row */
    XtfFrameSpan frame; /* of a frame */
} Part;

struct XtfLongestSearch {
    XtfArray array; /* in local ticks: what lasts is measured by the location's clock */
    unsigned index;
    XtfGroupFilter filter;
    uint64_t n1, n2, last;
    GArray *heap; /* Part: the greatest first */
};

typedef XtfLongestSearch LongestSearch;

/* Whether frames of a key are looked for. */
static bool takes(const LongestSearch *search, uint64_t key)
{
    const XtfGroupFilter *filter = &search->filter;

    if (key == XTF_FRAMES_BEFORE)
        return false;
    return filter->exact ? key == *filter->exact
                         : !filter->match || filter->match(&key, 1, filter->data) == XTF_MATCH_ALL;
}

/* Whether a comes out of the heap before b: of equals, parts before frames, since a part may have an earlier frame as
 * long; and frames by their rows. */
static bool comes_first(const Part *a, const Part *b)
{
    if (a->longest != b->longest)
        return a->longest > b->longest;
    if ((a->kind == PART_FRAME) != (b->kind == PART_FRAME))
        return b->kind == PART_FRAME;
    return a->from < b->from;
}

static Part *at(const LongestSearch *search, guint i)
{
    return &g_array_index(search->heap, Part, i);
}

static void swap(const LongestSearch *search, guint i, guint j)
{
    Part part = *at(search, i);

    *at(search, i) = *at(search, j);
    *at(search, j) = part;
}

static void push(LongestSearch *search, const Part *part)
{
    guint i = search->heap->len;

    g_array_append_vals(search->heap, part, 1);
    for (; i > 0 && comes_first(at(search, i), at(search, (i - 1) / 2)); i = (i - 1) / 2)
        swap(search, i, (i - 1) / 2);
}

static Part pop(LongestSearch *search)
{
    Part first = *at(search, 0);
    guint n = search->heap->len - 1, i = 0;

    swap(search, 0, n);
    g_array_set_size(search->heap, n);
    for (;;) {
        guint best = i, left = 2 * i + 1;
        if (left < n && comes_first(at(search, left), at(search, best)))
            best = left;
        if (left + 1 < n && comes_first(at(search, left + 1), at(search, best)))
            best = left + 1;
        if (best == i)
            return first;
        swap(search, i, best);
        i = best;
    }
}

/* The longest duration that child totals keep of a child, of the frames that are looked for. */
static bool longest_of(const LongestSearch *search, const XtfChildTotals *children, uint32_t i, uint64_t *longest)
{
    bool any = false;

    *longest = 0;
    for (uint32_t entry = children->exact.starts[i]; entry < children->exact.starts[i + 1]; entry++) {
        uint32_t group = children->exact.groups[entry];
        uint64_t key = xtf_child_totals_key(children, group)[0];
        bool all = xtf_child_totals_depth(children, group) == 0;
        if (!all && !takes(search, key))
            continue;
        any = true;
        *longest = MAX(*longest, xtf_child_totals_cells(children, &children->exact, entry)[XTF_FRAMES_LONGEST]);
    }
    return any;
}

/* Puts the children of a page into the heap that have rows in the range. */
static bool push_children(LongestSearch *search, const XtfDescentPage *page, GError **error)
{
    g_autoptr(XtfBlock) stored = xtf_stored_totals_get(page, search->index, error);

    if (!stored)
        return false;
    for (uint32_t slot = 0; slot < page->page.count; slot++) {
        Part part = {.kind = PART_CHILD, .level = page->level - 1, .from = xtf_descent_child_start(page, slot)};
        if (part.from < search->n2 && xtf_descent_child_end(page, slot) > search->n1 &&
            longest_of(search, xtf_block_child_totals(stored), slot, &part.longest))
            push(search, &part);
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
            longest_of(search, chunks, chunk, &part.longest))
            push(search, &part);
    }
    return true;
}

static void push_frame(LongestSearch *search, const XtfOpenFrame *open, uint64_t end_row, uint64_t end_time)
{
    if (open->row < search->n1 || open->row >= search->n2 || !takes(search, open->key))
        return;
    Part part = {
        .kind = PART_FRAME,
        .from = open->row,
        .longest = end_time - open->time,
        .frame = {.key = open->key, .row = open->row, .end_row = end_row, .begin = open->time, .end = end_time}};
    push(search, &part);
}

/* The frames of `before` that `after` has no more ended in row `n`. Both are ordered by the rows that began them. */
static void push_ended(LongestSearch *search, const GArray *before, const XtfFrameStack *after, uint64_t n)
{
    guint kept = 0;

    for (guint i = 0; i < before->len; i++) {
        const XtfOpenFrame *frame = &g_array_index(before, XtfOpenFrame, i);
        while (kept < after->frames->len && xtf_frame_stack_at(after, kept)->row < frame->row)
            kept++;
        bool open = kept < after->frames->len && xtf_frame_stack_at(after, kept)->row == frame->row;
        if (!open)
            push_frame(search, frame, n, after->time);
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

/* Takes a row that does what most rows do, as add_nested_rows() of accumulate.c does: it ends the frame on top, or
 * begins one within it. False, and nothing is changed, if it does something else. */
static bool take_nested_row(LongestSearch *search, XtfFrameStack *stack, const FrameFields *fields, const uint8_t *row)
{
    guint depth = stack->frames->len;
    const XtfOpenFrame *top = depth > 0 ? xtf_frame_stack_at(stack, depth - 1) : NULL;
    uint64_t distance = xtf_load_bits(&fields->distance, row), time = xtf_load64(row);

    if (!top || distance == 0 || top->row != stack->n - distance)
        return false;
    if (xtf_load_bits(&fields->is_end, row) != 0) {
        push_frame(search, top, stack->n, time);
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

/* The frames that end in the rows of a chunk. A row that may end several is looked at with the whole stack that it
 * finds. */
static bool push_frames(LongestSearch *search, const XtfDescentLeaf *leaf, uint32_t first, GError **error)
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
        if (take_nested_row(search, &stack, &fields, row))
            continue;
        g_array_set_size(before, 0);
        g_array_append_vals(before, stack.frames->data, stack.frames->len);
        if (!xtf_accumulate_rows(schema, aggregate, row, 1, &stack, &outer.loader, NULL, error))
            return false;
        push_ended(search, before, &stack, leaf->first_n + i);
    }
    return true;
}

/* Puts the parts of a part into the heap. */
static bool open_part(LongestSearch *search, const Part *part, GError **error)
{
    g_auto(XtfDescent) descent = {0};

    if (!xtf_descent_find(&search->array, part->from, &descent, error))
        return false;
    if (part->kind == PART_CHUNK)
        return push_frames(search, &descent.leaf, (uint32_t)(part->from - descent.leaf.first_n), error);
    if (part->level == 0)
        return push_chunks(search, &descent.leaf, error);
    return push_children(search, &descent.pages[descent.n_pages - part->level], error);
}

/* The frames on the stack at row n2 that begin in the range. */
static bool push_open(LongestSearch *search, GError **error)
{
    g_autofree XtfOpenFrame *frames = NULL;
    size_t n_frames;

    if (!xtf_array_stack(&search->array, search->index, search->n2, &frames, &n_frames, error))
        return false;
    for (size_t i = n_frames; i > 0 && frames[i - 1].row >= search->n1; i--) {
        uint64_t end_row, time = search->last;
        if (!takes(search, frames[i - 1].key))
            continue;
        if (!xtf_array_frame_end(&search->array, search->index, frames[i - 1].row, &end_row, error) ||
            (end_row < search->array.n_rows && !xtf_array_time(&search->array, end_row, &time, error)))
            return false;
        push_frame(search, &frames[i - 1], end_row, time);
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
    if (!xtf_aggregate_is_known(array->schema, index, error))
        return NULL;
    if (n1 >= search->n2)
        return g_steal_pointer(&search);
    push(search, &whole);
    return push_open(search, error) ? g_steal_pointer(&search) : NULL;
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
        *ticks = at(search, 0)->longest;
    return search->heap->len > 0;
}

bool xtf_longest_step(XtfLongestSearch *search, XtfFrameSpan *frame, bool *found, GError **error)
{
    *found = false;
    if (search->heap->len == 0)
        return true;
    Part part = pop(search);
    if (part.kind != PART_FRAME)
        return open_part(search, &part, error);
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
