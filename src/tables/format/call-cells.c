#include "src/tables/format/call-cells.h"

#include <string.h>

#include "libxtf/error.h"

bool xtf_call_block_load(XtfCallBlock *block, GError **error)
{
    for (uint32_t i = 0; i < block->n; i++)
        if (!xtf_frame_reader_find(block->reader, block->first + i, &block->frames[i], error))
            return false;
    return true;
}

static bool put_ticks(const XtfCell *cell, const XtfCallBlock *block, uint64_t ticks, char *line, GError **error)
{
    if (G_UNLIKELY(ticks > cell->max))
        return xtf_damaged(error, "a call from row %" PRIu64 " on lasts longer than the whole trace", block->first);
    xtf_time_scale_put(block->scale, ticks, line + cell->to);
    return true;
}

/* Returns the ticks that a cell of a call shows. */
static uint64_t ticks_of(const XtfCell *cell, const XtfCallBlock *block, const XtfFrameTimes *call)
{
    const XtfFrameSpan *span = &call->span;

    if (cell->kind == XTF_CELL_CALL_EXCLUSIVE)
        return call->exclusive;
    if (cell->kind == XTF_CELL_CALL_DURATION)
        return span->end - MIN(span->end, span->begin);
    uint64_t end = xtf_clock_map_to_global(block->clock, span->end);
    return end - MIN(end, block->scale->origin);
}

static bool put_durations(const XtfCell *cell, XtfCallBlock *block, char *const *lines, GError **error)
{
    uint64_t ticks;
    bool known;

    for (uint32_t i = 0; i < block->n; i++) {
        if (!xtf_frame_reader_duration(block->reader, block->first + i, &known, &ticks, error))
            return false;
        if (!known)
            continue;
        if (!put_ticks(cell, block, ticks, lines[i], error))
            return false;
    }
    return true;
}

bool xtf_call_cell_put(const XtfCell *cell, XtfCallBlock *block, char *const *lines, GError **error)
{
    if (cell->kind == XTF_CELL_LEAVE_DURATION)
        return put_durations(cell, block, lines, error);
    for (uint32_t i = 0; i < block->n; i++) {
        const XtfFrameTimes *call = &block->frames[i];
        char *line = lines[i];
        if (cell->kind == XTF_CELL_CALL_ENDING)
            memcpy(line + cell->from, cell->names->text + call->ending * cell->names->width, cell->names->width);
        else if (!put_ticks(cell, block, ticks_of(cell, block, call), line, error))
            return false;
    }
    return true;
}
