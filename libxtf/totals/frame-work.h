/*
 * The state of adding rows of frames, from row to row. accumulate.c adds rows as they are, accumulate-columns.c adds
 * their columns.
 */
#pragma once

#include "libxtf/totals/frame-stack.h"
#include "libxtf/totals/group-totals-private.h"

/* Size of a cache of groups: a program calls the same few functions for a while. */
enum { XTF_CACHED_GROUPS = 64 };

typedef struct {
    uint64_t key;
    size_t at; /* word of the totals' groups at which the cells of the key begin; 0: empty slot */
} XtfCachedGroup;

/* State of adding rows. Meanwhile the stack's array is longer than the stack is deep, so that a push is only a store.
 * Before the first xtf_frame_work_grow() all but `stack`, `loader` and `totals` is 0. */
typedef struct {
    XtfFrameStack *stack;
    const XtfFrameLoader *loader; /* NULL: none is needed */
    XtfGroupTotals *totals;       /* NULL: only the stack changes */
    XtfOpenFrame *frames;         /* data of the stack's array */
    guint depth, room;
    uint64_t unused_cells[XTF_FRAMES_CELLS];  /* scratch cells, used without totals */
    XtfCachedGroup cached[XTF_CACHED_GROUPS]; /* indexed by key % XTF_CACHED_GROUPS */
} XtfFrameWork;

/* Makes the stack's array longer than the stack. Resets depth, room and frames from it. */
void xtf_frame_work_grow(XtfFrameWork *work);
/* Gives the stack's array the length of the stack. */
void xtf_frame_work_trim(XtfFrameWork *work);

/* Does what xtf_frame_work_cells_at() does for a key that is not cached. */
size_t xtf_frame_work_look_up(XtfFrameWork *work, uint64_t key);

/* Returns the word of work->totals->groups at which the cells of a key begin. Adds the group if it is new, which moves
 * the groups. */
static inline size_t xtf_frame_work_cells_at(XtfFrameWork *work, uint64_t key)
{
    const XtfCachedGroup *cached = &work->cached[key % XTF_CACHED_GROUPS];

    return G_LIKELY(cached->key == key && cached->at != 0) ? cached->at : xtf_frame_work_look_up(work, key);
}

/* Returns the cells of a key. The pointer is valid until the next call. */
static inline uint64_t *xtf_frame_work_cells(XtfFrameWork *work, uint64_t key)
{
    size_t at = xtf_frame_work_cells_at(work, key);

    return work->totals->groups + at;
}

/* Adds the duration of a frame that ends at `time` to the cells of its key. */
static inline void xtf_frame_work_add_duration(uint64_t *cells, const XtfOpenFrame *frame, uint64_t time)
{
    uint64_t duration = time - frame->time;

    cells[XTF_FRAMES_INCLUSIVE] += frame->outermost ? duration : 0;
    cells[XTF_FRAMES_LONGEST] = MAX(cells[XTF_FRAMES_LONGEST], duration);
}
