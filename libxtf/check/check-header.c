#include "libxtf/check/check-private.h"

/* Whether the slot is whole, or as empty as before the second commit. */
static bool check_slot(const XtfTrace *trace, unsigned slot, XtfSuperblock *superblock, bool *found, GError **error)
{
    static const uint8_t zeros[sizeof(XtfDiskSuperblock)];
    uint8_t bytes[sizeof zeros];

    if (!xtf_superblock_read_slot(trace->source, slot, superblock, found, error) ||
        !trace->source->ops->read(trace->source, (uint64_t)slot * XTF_SUPERBLOCK_STRIDE, bytes, sizeof bytes, error))
        return false;
    return *found || memcmp(bytes, zeros, sizeof zeros) == 0 ||
           xtf_damaged(error, "superblock %u (byte %u) is damaged", slot, slot * XTF_SUPERBLOCK_STRIDE);
}

/* The file's own segment, which begins at page 0. A merged file does not list it. */
static void check_own_segment(const XtfSuperblock *superblock, const XtfSegment *segment, XtfChecking *check)
{
    if (segment->id != xtf_load64(superblock->info.file_id))
        xtf_checking_problem(check, "superblock: the file id does not begin with the id of the file's segment");
    if (segment->epoch > superblock->info.epoch)
        xtf_checking_problem(check, "superblock: writer %u, but pages of writer %u", superblock->info.epoch,
                             segment->epoch);
}

static void check_own_numbers(XtfChecking *check)
{
    const XtfTrace *trace = check->trace;
    const XtfSuperblock *superblock = &trace->superblock;
    const XtfTraceInfo *info = &superblock->info;
    uint64_t size = trace->source->size, opening_end = superblock->opening + superblock->opening_bytes;

    if (info->commit == 0 || info->epoch == 0)
        xtf_checking_problem(check, "superblock: commit %" PRIu64 " of writer %u: both are counted from 1",
                             info->commit, info->epoch);
    if (info->kept_commits < 2)
        xtf_checking_problem(check, "superblock: %u commits are kept, fewer than 2", info->kept_commits);
    if (superblock->opening > size || superblock->opening_bytes > size - superblock->opening ||
        superblock->catalog.offset < superblock->opening ||
        superblock->catalog.offset + superblock->catalog.length > opening_end)
        xtf_checking_problem(check,
                             "superblock: what opening reads does not hold the catalog, or lies beyond the file");
    for (uint32_t i = 0; i < trace->catalog.n_segments; i++)
        if (trace->catalog.segments[i].first_page == 0)
            check_own_segment(superblock, &trace->catalog.segments[i], check);
}

void xtf_checking_superblocks(XtfChecking *check)
{
    const XtfTrace *trace = check->trace;
    XtfSuperblock superblocks[XTF_SUPERBLOCK_SLOTS];
    bool found[XTF_SUPERBLOCK_SLOTS] = {0};

    for (unsigned slot = 0; slot < XTF_SUPERBLOCK_SLOTS; slot++) {
        g_autoptr(GError) error = NULL;
        if (!check_slot(trace, slot, &superblocks[slot], &found[slot], &error))
            xtf_checking_problem(check, "%s", error->message);
    }
    if (trace->superblock.info.closed &&
        !(found[0] && found[1] && superblocks[0].info.commit == superblocks[1].info.commit))
        xtf_checking_problem(check, "superblock: the file is closed, but only one superblock is of its last commit");
    check_own_numbers(check);
}
