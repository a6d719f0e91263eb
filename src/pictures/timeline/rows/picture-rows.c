#include "src/pictures/timeline/rows/picture-rows.h"

#include <inttypes.h>
#include <stdio.h>

/* True if the threads are few enough for a row each, and more than processes. */
static bool shows_threads(const XtfSelectedLocations *selected)
{
    return selected->n <= XTF_ROWS_WITH_THREADS && selected->n > selected->n_procs;
}

bool xtf_picture_rows_init(XtfPictureRows *rows, XtfTraceContext *context, const XtfSelection *selection,
                           GError **error)
{
    *rows = (XtfPictureRows){0};
    if (!xtf_selected_locations_init(&rows->selected, context, selection, error))
        return false;
    const XtfSelectedLocations *selected = &rows->selected;
    bool threads = shows_threads(selected);
    rows->all = g_new0(XtfPictureRow, MAX(selected->n, 1));
    for (uint32_t i = 0; i < selected->n_procs; i++) {
        const XtfSelectedProcess *proc = &selected->procs[i];
        uint32_t n_rows = threads ? proc->n : 1;
        for (uint32_t j = 0; j < n_rows; j++) {
            XtfPictureRow *row = &rows->all[rows->n++];
            *row = (XtfPictureRow){.proc = proc->proc,
                                   .thread = xtf_selected_location(selected, proc->first + j)->thread,
                                   .is_thread = threads && proc->n > 1,
                                   .first = proc->first + j,
                                   .n = threads ? 1 : proc->n};
        }
    }
    return true;
}

void xtf_picture_rows_finish(XtfPictureRows *rows)
{
    xtf_selected_locations_finish(&rows->selected);
    g_clear_pointer(&rows->all, g_free);
}

GArray *xtf_picture_row_lives(const XtfPictureRow *row, const XtfPictureRows *rows, XtfTraceContext *context,
                              GError **error)
{
    g_autoptr(GArray) lives = g_array_new(FALSE, FALSE, sizeof(XtfPictureLife));
    g_auto(XtfLocationArrays) arrays = {0};

    if (!xtf_location_arrays_load(&arrays, context, xtf_selected_location(&rows->selected, row->first), error))
        return NULL;
    XtfPictureLife life = {arrays.first, arrays.last};
    for (uint32_t i = 0; i < arrays.gaps->n; i++) {
        XtfRunGap gap;
        bool exists;
        if (!xtf_location_gap(&arrays, i, &gap, &exists, error))
            return NULL;
        if (!exists)
            continue;
        life.last = gap.end;
        g_array_append_val(lives, life);
        life = (XtfPictureLife){gap.begin, arrays.last};
    }
    if (life.first <= life.last)
        g_array_append_val(lives, life);
    return g_steal_pointer(&lives);
}

void xtf_picture_row_label(const XtfPictureRow *row, char label[static XTF_ROW_LABEL])
{
    if (row->is_thread)
        snprintf(label, XTF_ROW_LABEL, "%" PRIu64 ".%" PRIu64, row->proc, row->thread);
    else
        snprintf(label, XTF_ROW_LABEL, "%" PRIu64, row->proc);
}
