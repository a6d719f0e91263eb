#include "libxtf/totals/frame-work.h"

void xtf_frame_work_grow(XtfFrameWork *work)
{
    work->depth = work->stack->frames->len;
    work->room = work->depth + work->depth / 2 + 16;
    g_array_set_size(work->stack->frames, work->room);
    work->frames = (XtfOpenFrame *)work->stack->frames->data;
}

void xtf_frame_work_trim(XtfFrameWork *work)
{
    g_array_set_size(work->stack->frames, work->depth);
}

size_t xtf_frame_work_look_up(XtfFrameWork *work, uint64_t key)
{
    const uint64_t *cells = xtf_group_totals_cells_of(work->totals, &key);
    size_t at = (size_t)(cells - work->totals->groups);

    work->cached[key % XTF_CACHED_GROUPS] = (XtfCachedGroup){.key = key, .at = at};
    return at;
}
