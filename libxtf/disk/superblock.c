#include "libxtf/disk/superblock.h"

#include "libxtf/base/checksum.h"
#include "libxtf/disk/address.h"
#include "libxtf/disk/codec.h"
#include "libxtf/error.h"

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
                .codec = xtf_codec_of_features(xtf_read64(disk->incompatible))->name,
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

    if (info->version_major > XTF_VERSION_MAJOR)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "the file is of version %u.%u, this program reads %d.x",
                        info->version_major, info->version_minor, XTF_VERSION_MAJOR);
    uint64_t unknown = superblock->incompatible & ~xtf_codec_features();
    if (unknown)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                        "the file uses features that this program does not know (bits 0x%" PRIx64 ")", unknown);
    if (!xtf_page_size_valid(info->page_size) || info->pages > UINT64_MAX >> 24)
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
        return xtf_fail(error, XTF_ERROR_NOT_XTF, "%s",
                        ours ? "both superblocks are damaged"
                             : "it is not an XTF file, or no commit of it ever completed");
    }
    if (!check(&best, error))
        return false;
    *superblock = best;
    return true;
}

void xtf_superblock_encode(const XtfSuperblock *superblock, XtfDiskSuperblock *disk)
{
    const XtfTraceInfo *info = &superblock->info;

    *disk = (XtfDiskSuperblock){0};
    memcpy(disk->magic, XTF_FILE_MAGIC, sizeof disk->magic);
    xtf_write16(&disk->version_major, XTF_VERSION_MAJOR);
    xtf_write16(&disk->version_minor, XTF_VERSION_MINOR);
    xtf_write32(&disk->page_size, info->page_size);
    memcpy(disk->file_id, info->file_id, sizeof disk->file_id);
    xtf_write64(&disk->incompatible, superblock->incompatible);
    xtf_write64(&disk->commit, info->commit);
    xtf_write64(&disk->pages, info->pages);
    xtf_write32(&disk->epoch, info->epoch);
    xtf_ref_write(&disk->catalog, superblock->catalog);
    xtf_write32(&disk->checksum, xtf_checksum(disk, offsetof(XtfDiskSuperblock, checksum)));
}
