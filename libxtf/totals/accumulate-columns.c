/*
 * Adds columns of rows of frames to totals. A reader does it for the leaves at the edges of a window, a tenth of the
 * time of a profile of a new window. Nearly all rows push a frame or pop the top one, so all that changes from row to
 * row is in local variables. Calls that end at once are added together. Programs that wait make thousands of them in a
 * row.
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
 * ends it. All these calls have the same two templates. Row i, of template `begin`, begins a frame, and row i + 1 is
 * before `to`. `empty`: no frame is open before row i. */
static inline uint32_t count_brief_calls(const XtfFrameColumns *columns, const XtfFrameTemplate *begin, uint64_t key,
                                         uint32_t i, uint32_t to, bool empty)
{
    const XtfFrameTemplate *end = &columns->templates[columns->numbers[i + 1]];

    if (!end->is_end || end->distance != 1 || xtf_frame_key(columns, end, i + 1) != key)
        return 0;
    if (columns->keys || (begin->distance != XTF_FRAME_CHAINED && !empty)) /* the next call has another key or target */
        return 1;
    return 1 + count_alternating(columns->numbers, i, to) / 2;
}

typedef uint32_t Quads __attribute__((vector_size(16)));

#ifdef __clang__
#define CHOOSE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define CHOOSE(a, b, ...) __builtin_shuffle(a, b, (Quads){__VA_ARGS__})
#endif

/* Adds up the durations of calls that begin and end in turn, four calls at once. Returns the number of calls. The sum
 * of durations fits 32 bits, as the offset of the last row does. */
static inline uint32_t sum_four_durations(const uint32_t *offsets, uint32_t n, uint64_t *ticks, uint64_t *longest)
{
    Quads sums = {0}, maxima = {0}, first, second;
    uint32_t call = 0;

    for (; n - call >= 4; call += 4, offsets += 8) {
        memcpy(&first, offsets, sizeof first);
        memcpy(&second, offsets + 4, sizeof second);
        const Quads durations = CHOOSE(first, second, 1, 3, 5, 7) - CHOOSE(first, second, 0, 2, 4, 6);
        const Quads longer = (Quads)(durations > maxima);
        sums += durations;
        maxima = (durations & longer) | (maxima & ~longer);
    }
    for (unsigned i = 0; i < 4; i++) {
        *ticks += sums[i];
        *longest = MAX(*longest, maxima[i]);
    }
    return call;
}

/* Adds n calls of one key, as count_brief_calls() counts them. Returns the ticks in them. */
static inline uint64_t add_brief_calls(const XtfFrameColumns *columns, uint32_t i, uint32_t n, bool outermost,
                                       uint64_t *cells)
{
    uint64_t ticks = 0, longest = 0;
    uint32_t call = n >= 4 && columns->offsets ? sum_four_durations(columns->offsets + i, n, &ticks, &longest) : 0;

    for (; call < n; call++) {
        const uint32_t row = i + 2 * call;
        uint64_t duration = xtf_frame_time(columns, row + 1) - xtf_frame_time(columns, row);
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

/* Adds the end of the top frame, whose cells are at `top_at`, by a row of `key`. */
static inline void add_end(XtfFrameWork *work, size_t top_at, const XtfOpenFrame *top, uint64_t key, uint64_t time)
{
    xtf_frame_work_add_duration(work->totals->groups + top_at, top, time);
    size_t at = key == top->key ? top_at : xtf_frame_work_cells_at(work, key);
    work->totals->groups[at + XTF_FRAMES_ENDED]++;
}

/*
 * Adds rows as long as they end the top frame or begin one in it, or begin one in an empty stack. A chained row leads
 * to where the target of the row before leads. This target is on the stack, or has just left it, and leads to the frame
 * below it. With `trusts`, the rows are known to nest. `adds` is true if there are totals. Both are constants.
 */
__attribute__((always_inline)) static inline void nest_columns(XtfFrameWork *work, XtfFrameWalk *walk, uint32_t to,
                                                               const bool adds, const bool trusts)
{
    const XtfFrameColumns columns = *walk->columns;
    const bool may_be_empty = work->stack->n_outer == 0;
    const uint64_t first = work->stack->n - walk->next;
    XtfOpenFrame *const frames = work->frames, *const limit = frames + work->room;
    XtfOpenFrame *end = frames + work->depth, *least = end; /* the top frame is end[-1] */
    uint64_t before = work->stack->time, chain = walk->chain, time;
    uint32_t i = walk->next, calls;
    size_t top_at = 0; /* cells of the top frame; 0: not known */

    for (; i < to && end < limit; i++, before = time) {
        const XtfFrameTemplate *row = &columns.templates[columns.numbers[i]];
        if (end == frames
                ? row->is_end || !may_be_empty
                : !trusts && end[-1].row != (row->distance == XTF_FRAME_CHAINED ? chain : first + i - row->distance))
            break;
        const uint64_t key = xtf_frame_key(&columns, row, i);
        time = xtf_frame_time(&columns, i);
        if (adds && end > frames) {
            top_at = top_at > 0 ? top_at : xtf_frame_work_cells_at(work, end[-1].key);
            work->totals->groups[top_at + XTF_FRAMES_EXCLUSIVE] += time - before;
        }
        if (row->is_end) {
            const XtfOpenFrame *top = --end;
            if (adds)
                add_end(work, top_at, top, key, time);
            least = MIN(least, end);
            chain = end > frames && top->row >= first ? end[-1].row : UINT64_MAX;
            top_at = 0; /* a group is added only when it gets an amount */
        } else if (i + 1 < to && (calls = count_brief_calls(&columns, row, key, i, to, end == frames)) > 0) {
            const uint32_t last = i + 2 * calls - 1; /* the stack stays as it is */
            const uint64_t begin = time;
            time = xtf_frame_time(&columns, last);
            if (adds) {
                uint64_t ticks = add_brief_calls(&columns, i, calls, row->outermost, xtf_frame_work_cells(work, key));
                if (end > frames)
                    work->totals->groups[top_at + XTF_FRAMES_EXCLUSIVE] += time - begin - ticks;
            }
            chain = end > frames ? end[-1].row : UINT64_MAX;
            i = last;
        } else {
            if (adds) {
                top_at = xtf_frame_work_cells_at(work, key);
                work->totals->groups[top_at + XTF_FRAMES_BEGUN]++;
            }
            chain = end > frames + 1 && end[-1].row >= first ? end[-2].row : UINT64_MAX;
            end->key = key;
            end->row = first + i;
            end->time = time;
            end++->outermost = row->outermost;
        }
    }
    work->depth = (guint)(end - frames);
    if (i > walk->next)
        work->stack->least = MIN(work->stack->least, work->stack->n_outer + (uint64_t)(least - frames));
    work->stack->n = first + i;
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
