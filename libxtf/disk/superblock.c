#include "libxtf/disk/superblock.h"

#include "libxtf/base/checksum.h"
#include "libxtf/disk/address.h"
#include "libxtf/disk/codec.h"
#include "libxtf/error.h"

static void decode_superblock(const XtfDiskSuperblock *disk, XtfSuperblock *superblock)
{
    *superblock = (XtfSuperblock){
        .info =
            {
                .page_size = xtf_read32(disk->page_size),
                .epoch = xtf_read32(disk->epoch),
                .commit = xtf_read64(disk->commit),
                .pages = xtf_read64(disk->pages),
                .wall_time = xtf_read64(disk->wall_time),
                .closed = disk->flags & XTF_SUPERBLOCK_CLOSED,
                .kept_commits = xtf_read32(disk->kept_commits),
                .kept_seconds = xtf_read32(disk->kept_seconds),
                .version_major = xtf_read16(disk->version_major),
                .version_minor = xtf_read16(disk->version_minor),
                .codec = xtf_codec_of_features(xtf_read64(disk->incompatible))->name,
            },
        .incompatible = xtf_read64(disk->incompatible),
        .read_only = xtf_read64(disk->read_only),
        .compatible = xtf_read64(disk->compatible),
        .catalog = xtf_ref_read(&disk->catalog),
        .opening = xtf_read64(disk->opening),
        .opening_bytes = xtf_read32(disk->opening_bytes),
        .slot = disk->slot,
        .checksum_kind = disk->checksum_kind,
    };
    if (superblock->incompatible & XTF_FEATURE_VOLUMES) /* else the bytes are reserved */
        superblock->own_first = xtf_read64(disk->own_first);
    memcpy(superblock->info.file_id, disk->file_id, sizeof disk->file_id);
}

/* Decodes the superblock of a slot. Returns false if the bytes are no superblock, a torn one, or one of the other
 * slot. */
static bool decode_slot(const XtfDiskSuperblock *disk, unsigned slot, XtfSuperblock *superblock)
{
    if (memcmp(disk->magic, XTF_FILE_MAGIC, sizeof disk->magic) != 0 ||
        xtf_read32(disk->checksum) != xtf_checksum(disk, offsetof(XtfDiskSuperblock, checksum)))
        return false;
    decode_superblock(disk, superblock);
    return superblock->info.version_major != XTF_VERSION_MAJOR || superblock->slot == slot;
}

bool xtf_superblock_read_slot(XtfSource *source, unsigned slot, XtfSuperblock *superblock, bool *found, GError **error)
{
    XtfDiskSuperblock disk;
    uint64_t offset = (uint64_t)slot * XTF_SUPERBLOCK_STRIDE;

    *found = false;
    uint64_t size = xtf_source_size(source);
    if (size < sizeof disk || offset > size - sizeof disk)
        return true;
    if (!source->ops->read(source, offset, &disk, sizeof disk, error))
        return false;
    *found = decode_slot(&disk, slot, superblock);
    return true;
}

/* Reads both slots by one read. Returns 2 if both superblocks are whole, else 0: the caller then reads slot by slot. */
static unsigned read_both(XtfSource *source, XtfSuperblock superblocks[XTF_SUPERBLOCK_SLOTS])
{
    enum { BYTES = (XTF_SUPERBLOCK_SLOTS - 1) * XTF_SUPERBLOCK_STRIDE + sizeof(XtfDiskSuperblock) };
    uint8_t bytes[BYTES];

    if (xtf_source_size(source) < BYTES || !source->ops->read(source, 0, bytes, BYTES, NULL))
        return 0;
    for (unsigned slot = 0; slot < XTF_SUPERBLOCK_SLOTS; slot++) {
        XtfDiskSuperblock disk;
        memcpy(&disk, bytes + (size_t)slot * XTF_SUPERBLOCK_STRIDE, sizeof disk);
        if (!decode_slot(&disk, slot, &superblocks[slot]))
            return 0;
    }
    return XTF_SUPERBLOCK_SLOTS;
}

static bool check_version(const XtfTraceInfo *info, GError **error)
{
    if (info->version_major < XTF_VERSION_MAJOR)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                        "the file is of format %u.%u, which is not read any more: import the original trace again "
                        "(this program reads format %d)",
                        info->version_major, info->version_minor, XTF_VERSION_MAJOR);
    return info->version_major == XTF_VERSION_MAJOR ||
           xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                    "the file is of format %u.%u: a newer program is needed (this one reads format %d)",
                    info->version_major, info->version_minor, XTF_VERSION_MAJOR);
}

static bool check_superblock(const XtfSuperblock *superblock, GError **error)
{
    const XtfTraceInfo *info = &superblock->info;

    if (!check_version(info, error))
        return false;
    uint64_t unknown = superblock->incompatible & ~(xtf_codec_features() | XTF_FEATURE_FILES | XTF_FEATURE_VOLUMES |
                                                    XTF_FEATURE_JOINED | XTF_FEATURE_ANCHORED | XTF_FEATURE_BATCHES);
    if (unknown)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                        "the file uses features that this program does not know (bits 0x%" PRIx64 ")", unknown);
    if (superblock->checksum_kind != XTF_CHECKSUM_CRC32)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "the file has checksums of a kind that is not known (%u)",
                        superblock->checksum_kind);
    if (!xtf_page_size_valid(info->page_size))
        return xtf_damaged(error, "superblock: page size %u is not a power of two from 4096 to 1048576",
                           info->page_size);
    if (info->pages > UINT64_MAX >> 24)
        return xtf_damaged(error, "superblock: %" PRIu64 " pages are more than a file can have", info->pages);
    if (superblock->own_first > info->pages)
        return xtf_damaged(error, "superblock: the file's first page has the number %" PRIu64 ", beyond all pages",
                           superblock->own_first);
    return true;
}

/* Sets *error to the reason why a source has no valid superblock. */
static bool fail_no_superblock(XtfSource *source, GError **error)
{
    char magic[sizeof XTF_FILE_MAGIC - 1];
    bool has_magic = xtf_source_size(source) >= sizeof magic &&
                     source->ops->read(source, 0, magic, sizeof magic, NULL) &&
                     memcmp(magic, XTF_FILE_MAGIC, sizeof magic) == 0;

    if (has_magic && xtf_source_size(source) < XTF_SUPERBLOCK_SLOTS * XTF_SUPERBLOCK_STRIDE)
        return xtf_fail(error, XTF_ERROR_NOT_XTF,
                        "the file is damaged: it ends after %" PRIu64 " bytes, within its superblocks",
                        (uint64_t)xtf_source_size(source));
    return xtf_fail(error, XTF_ERROR_NOT_XTF, "%s",
                    has_magic ? "both superblocks are damaged"
                              : "it is not an XTF file, or no commit of it ever completed");
}

bool xtf_superblock_read(XtfSource *source, XtfSuperblock superblocks[XTF_SUPERBLOCK_SLOTS], unsigned *n,
                         GError **error)
{
    *n = read_both(source, superblocks);
    for (unsigned slot = *n; slot < XTF_SUPERBLOCK_SLOTS; slot++) {
        bool found;
        g_autoptr(GError) read_error = NULL;
        if (xtf_superblock_read_slot(source, slot, &superblocks[*n], &found, &read_error)) {
            *n += found;
        } else if (slot + 1 == XTF_SUPERBLOCK_SLOTS && *n == 0) { /* otherwise one superblock suffices */
            g_propagate_error(error, g_steal_pointer(&read_error));
            return false;
        }
    }
    if (*n == 0)
        return fail_no_superblock(source, error);
    if (*n == XTF_SUPERBLOCK_SLOTS && superblocks[1].info.commit > superblocks[0].info.commit) {
        XtfSuperblock older = superblocks[0];
        superblocks[0] = superblocks[1];
        superblocks[1] = older;
    }
    if (!check_superblock(&superblocks[0], error))
        return false;
    /* The second superblock replaces the first if the first is damaged. It must therefore be valid, and of the same
     * file. */
    if (*n == XTF_SUPERBLOCK_SLOTS &&
        (!check_superblock(&superblocks[1], NULL) ||
         memcmp(superblocks[0].info.file_id, superblocks[1].info.file_id, sizeof superblocks[0].info.file_id) != 0))
        *n = 1;
    return true;
}

void xtf_superblock_encode(const XtfSuperblock *superblock, XtfDiskSuperblock *disk)
{
    const XtfTraceInfo *info = &superblock->info;

    *disk = (XtfDiskSuperblock){
        .slot = superblock->slot,
        .flags = info->closed ? XTF_SUPERBLOCK_CLOSED : 0,
        .checksum_kind = XTF_CHECKSUM_CRC32,
    };
    memcpy(disk->magic, XTF_FILE_MAGIC, sizeof disk->magic);
    xtf_write16(&disk->version_major, XTF_VERSION_MAJOR);
    xtf_write16(&disk->version_minor, XTF_VERSION_MINOR);
    xtf_write32(&disk->page_size, info->page_size);
    memcpy(disk->file_id, info->file_id, sizeof disk->file_id);
    xtf_write64(&disk->incompatible, superblock->incompatible);
    xtf_write64(&disk->read_only, superblock->read_only);
    xtf_write64(&disk->compatible, superblock->compatible);
    xtf_write64(&disk->commit, info->commit);
    xtf_write64(&disk->pages, info->pages);
    xtf_write64(&disk->wall_time, info->wall_time);
    xtf_write32(&disk->epoch, info->epoch);
    xtf_ref_write(&disk->catalog, superblock->catalog);
    xtf_write64(&disk->opening, superblock->opening);
    xtf_write32(&disk->opening_bytes, superblock->opening_bytes);
    xtf_write32(&disk->kept_commits, info->kept_commits);
    xtf_write32(&disk->kept_seconds, info->kept_seconds);
    xtf_write64(&disk->own_first, superblock->own_first);
    xtf_write32(&disk->checksum, xtf_checksum(disk, offsetof(XtfDiskSuperblock, checksum)));
}
