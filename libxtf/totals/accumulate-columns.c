/*
 * Adds columns of rows of frames to totals. A reader does this for the leaves at the edges of a window.
 */
#include "libxtf/totals/accumulate.h"

#include "libxtf/base/le.h"
#include "libxtf/totals/frame-work.h"

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
static inline void nest_columns(XtfFrameWork *work, XtfFrameWalk *walk, uint32_t to, bool adds, bool trusts)
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
        uint64_t *cells = adds && depth > 0 ? xtf_frame_work_cells(work, top->key) : NULL;
        if (adds && depth > 0)
            cells[XTF_FRAMES_EXCLUSIVE] += time - before;
        if (row->is_end) {
            if (adds) {
                xtf_frame_work_add_duration(cells, top, time);
                (key == top->key ? cells : xtf_frame_work_cells(work, key))[XTF_FRAMES_ENDED]++;
            }
            depth--;
            least = MIN(least, depth);
            chain = depth > 0 && top->row >= first ? top[-1].row : UINT64_MAX;
        } else if ((calls = count_brief_calls(&columns, i, to, depth == 0)) > 0) { /* they leave the stack as it is */
            uint32_t last = i + 2 * calls - 1;
            uint64_t begin = time;
            time = xtf_frame_time(&columns, last);
            if (adds) {
                uint64_t ticks = add_brief_calls(&columns, i, calls, row->outermost, xtf_frame_work_cells(work, key));
                if (depth > 0)
                    xtf_frame_work_cells(work, top->key)[XTF_FRAMES_EXCLUSIVE] += time - begin - ticks;
            }
            least = MIN(least, depth);
            chain = depth > 0 ? top->row : UINT64_MAX;
            n += last - i;
            i = last;
        } else {
            least = MIN(least, depth);
            if (adds)
                xtf_frame_work_cells(work, key)[XTF_FRAMES_BEGUN]++;
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

static void add_columns(XtfFrameWork *work, XtfFrameWalk *walk, uint32_t to)
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
    XtfFrameWork work = {.stack = stack, .totals = totals};
    bool full;

    if (walk->next >= to)
        return;
    xtf_frame_work_grow(&work);
    do {
        add_columns(&work, walk, to);
        full = work.depth == work.room;
        if (full) {
            xtf_frame_work_trim(&work);
            xtf_frame_work_grow(&work);
        }
    } while (full && walk->next < to);
    xtf_frame_work_trim(&work);
}
