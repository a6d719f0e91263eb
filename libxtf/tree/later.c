/*
 * Finds whether the file has a later commit than its opening found, or its name leads to the next volume.
 */
#include "libxtf/tree/trace-private.h"

bool xtf_trace_has_later(const XtfTrace *trace, bool *later, GError **error)
{
    const XtfTraceInfo *own = &trace->superblock.info;
    uint64_t known = MAX(own->commit, trace->passed_over);

    *later = false;
    for (unsigned slot = 0; slot < XTF_SUPERBLOCK_SLOTS && !*later; slot++) {
        XtfSuperblock superblock;
        bool found;
        if (!xtf_superblock_read_slot(trace->file->own, slot, &superblock, &found, error))
            return false;
        if (found && memcmp(superblock.info.file_id, own->file_id, sizeof own->file_id) != 0)
            return xtf_fail(error, XTF_ERROR_INVALID, "a different trace was written over the file: open it again");
        *later = found && superblock.info.commit > known;
    }
    return true;
}

/* True if a superblock is of the trace's next volume, or of one after it. */
static bool is_next_volume(const XtfTrace *trace, const XtfSuperblock *superblock)
{
    const XtfSuperblock *own = &trace->superblock;

    return memcmp(superblock->info.file_id, own->info.file_id, sizeof own->info.file_id) == 0 &&
           superblock->own_first > own->own_first && superblock->info.commit > own->info.commit;
}

const char *xtf_trace_next_volume(const XtfTrace *trace)
{
    XtfSource *own = trace->file->own;
    const char *path = own->ops->path ? own->ops->path(own) : NULL;
    g_autoptr(XtfSource) named = path ? xtf_source_open_pread(path, NULL) : NULL;

    for (unsigned slot = 0; named && slot < XTF_SUPERBLOCK_SLOTS; slot++) {
        XtfSuperblock superblock;
        bool found;
        if (xtf_superblock_read_slot(named, slot, &superblock, &found, NULL) && found &&
            is_next_volume(trace, &superblock))
            return path;
    }
    return NULL;
}

void xtf_trace_explain(const XtfTrace *trace, GError **error)
{
    const XtfTraceInfo *info = &trace->superblock.info;
    bool later;

    if (!error || !g_error_matches(*error, XTF_ERROR, XTF_ERROR_DAMAGED))
        return;
    if (!xtf_trace_has_later(trace, &later, NULL) || !later)
        return;
    g_clear_error(error);
    xtf_fail(error, XTF_ERROR_STALE,
             "the trace is being written, and its writer has overwritten commit %" PRIu64
             ", which was opened: open the trace again, or follow it",
             info->commit);
}
