/*
 * Superblocks: which commit is the file's.
 *
 * A commit writes its superblock into the slot that holds the older of the two, after everything that it names is on
 * the disk. So at any instant one slot is whole, and the newest whole one names a whole commit. A writer that closes
 * fills both slots alike.
 */
#include "libxtf/base/checksum.h"
#include "libxtf/tree/trace-private.h"

static bool page_size_valid(uint32_t size)
{
    return size >= 4096 && size <= 1 << 20 && (size & (size - 1)) == 0;
}

static void decode(const XtfDiskSuperblock *disk, uint64_t file_size, XtfSuperblock *superblock)
{
    *superblock = (XtfSuperblock){
        .info =
            {
                .page_size = xtf_read32(disk->page_size),
                .epoch = xtf_read32(disk->epoch),
                .commit = xtf_read64(disk->commit),
                .pages = xtf_read64(disk->pages),
                .file_size = file_size,
                .version_major = xtf_read16(disk->version_major),
                .version_minor = xtf_read16(disk->version_minor),
                .compact = xtf_read64(disk->incompatible) & XTF_FEATURE_COMPACT,
            },
        .incompatible = xtf_read64(disk->incompatible),
        .catalog = xtf_ref_read(&disk->catalog),
    };
    memcpy(superblock->info.file_id, disk->file_id, sizeof disk->file_id);
}

bool xtf_superblock_read_slot(XtfSource *source, unsigned slot, XtfSuperblock *superblock, bool *found, GError **error)
{
    XtfDiskSuperblock disk;
    uint64_t offset = (uint64_t)slot * XTF_SUPERBLOCK_STRIDE;

    *found = false;
    if (source->size < sizeof disk || offset > source->size - sizeof disk)
        return true;
    if (!source->ops->read(source, offset, &disk, sizeof disk, error))
        return false;
    if (memcmp(disk.magic, XTF_FILE_MAGIC, sizeof disk.magic) != 0)
        return true;
    if (xtf_read32(disk.checksum) != xtf_checksum(&disk, offsetof(XtfDiskSuperblock, checksum)))
        return true;
    decode(&disk, source->size, superblock);
    *found = true;
    return true;
}

static bool check(const XtfSuperblock *superblock, GError **error)
{
    const XtfTraceInfo *info = &superblock->info;

    if (info->version_major > XTF_VERSION_MAJOR) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_UNSUPPORTED, "the file is of version %u.%u, this program reads %d.x",
                    info->version_major, info->version_minor, XTF_VERSION_MAJOR);
        return false;
    }
    uint64_t unknown = superblock->incompatible & ~XTF_FEATURES_INCOMPATIBLE_KNOWN;
    if (unknown) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_UNSUPPORTED,
                    "the file uses features that this program does not know (bits 0x%" PRIx64 ")", unknown);
        return false;
    }
    if (!page_size_valid(info->page_size) || info->pages > UINT64_MAX >> 24)
        return xtf_damaged(error, "superblock: pages of %u bytes, %" PRIu64 " of them", info->page_size, info->pages);
    return true;
}

bool xtf_superblock_read(XtfSource *source, XtfSuperblock *superblock, GError **error)
{
    XtfSuperblock best = {0};
    bool any = false;

    for (unsigned slot = 0; slot < XTF_SUPERBLOCK_SLOTS; slot++) {
        XtfSuperblock one;
        bool found;
        if (!xtf_superblock_read_slot(source, slot, &one, &found, error))
            return false;
        if (found && (!any || one.info.commit > best.info.commit)) {
            best = one;
            any = true;
        }
    }
    if (!any) {
        char magic[sizeof XTF_FILE_MAGIC - 1];
        bool ours = source->size >= sizeof magic && source->ops->read(source, 0, magic, sizeof magic, NULL) &&
                    memcmp(magic, XTF_FILE_MAGIC, sizeof magic) == 0;
        g_set_error(error, XTF_ERROR, XTF_ERROR_NOT_XTF,
                    ours ? "both superblocks are damaged" : "it is not an XTF file, or no commit of it ever completed");
        return false;
    }
    if (!check(&best, error))
        return false;
    *superblock = best;
    return true;
}
