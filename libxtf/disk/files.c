#include "libxtf/disk/files.h"

#include "libxtf/error.h"

bool xtf_file_name_valid(const char *name, size_t length)
{
    if (length == 0 || length > XTF_FILE_NAME_MAX || memchr(name, '/', length) || memchr(name, '\0', length))
        return false;
    return !(length == 1 && name[0] == '.') && !(length == 2 && name[0] == '.' && name[1] == '.');
}

/* Padding after a name. */
static const uint8_t zeros[XTF_ITEM_ALIGNMENT];

void xtf_files_encode(const XtfCatalog *catalog, GByteArray *bytes)
{
    for (uint32_t i = 0; i < catalog->n_files; i++) {
        const XtfPartFile *file = &catalog->files[i];
        size_t length = strlen(file->name);
        XtfDiskFile disk = {0};
        xtf_write64(&disk.first_page, file->first_page);
        xtf_write64(&disk.pages, file->pages);
        xtf_write64(&disk.size, file->size);
        memcpy(disk.file_id, file->file_id, sizeof disk.file_id);
        xtf_write64(&disk.commit, file->commit);
        xtf_write64(&disk.wall_time, file->wall_time);
        xtf_write32(&disk.epoch, file->epoch);
        xtf_write32(&disk.name_length, (uint32_t)length);
        g_byte_array_append(bytes, (const guint8 *)&disk, sizeof disk);
        g_byte_array_append(bytes, (const guint8 *)file->name, (guint)length);
        g_byte_array_append(bytes, zeros, (XTF_ITEM_ALIGNMENT - length % XTF_ITEM_ALIGNMENT) % XTF_ITEM_ALIGNMENT);
    }
}

static bool decode_file(XtfPartFile *file, XtfBytesReader *reader, GError **error)
{
    XtfDiskFile disk;

    xtf_bytes_read(reader, &disk, sizeof disk);
    *file = (XtfPartFile){
        .first_page = xtf_read64(disk.first_page),
        .pages = xtf_read64(disk.pages),
        .size = xtf_read64(disk.size),
        .commit = xtf_read64(disk.commit),
        .wall_time = xtf_read64(disk.wall_time),
        .epoch = xtf_read32(disk.epoch),
    };
    memcpy(file->file_id, disk.file_id, sizeof disk.file_id);
    uint32_t length = xtf_read32(disk.name_length);
    const char *name = (const char *)xtf_bytes_take(reader, length);
    uint32_t n_padding = (XTF_ITEM_ALIGNMENT - length % XTF_ITEM_ALIGNMENT) % XTF_ITEM_ALIGNMENT;
    const uint8_t *padding = xtf_bytes_take(reader, n_padding);
    if (reader->failed || !xtf_file_name_valid(name, length))
        return xtf_damaged(error, "catalog: the name of a file is invalid");
    if (memcmp(padding, zeros, n_padding) != 0)
        return xtf_damaged(error, "catalog: bytes follow the name of a file");
    file->name = g_strndup(name, length);
    if (file->first_page > XTF_FILES_PAGES_MAX || file->pages > XTF_FILES_PAGES_MAX)
        return xtf_damaged(error, "catalog: the pages of file \"%s\" lie beyond the largest possible file", file->name);
    return true;
}

bool xtf_files_decode(XtfCatalog *catalog, XtfBytesReader *reader, GError **error)
{
    uint64_t end = 0;

    catalog->files = g_new0(XtfPartFile, reader->left / sizeof(XtfDiskFile) + 1);
    while (reader->left > 0) {
        XtfPartFile *file = &catalog->files[catalog->n_files];
        catalog->n_files += reader->left >= sizeof(XtfDiskFile);
        if (!decode_file(file, reader, error))
            return false;
        if ((catalog->n_files > 1 && file->first_page != end) || file->pages == 0)
            return xtf_damaged(error, "catalog: the pages of file \"%s\" do not follow those of the file before it",
                               file->name);
        end = file->first_page + file->pages;
    }
    return catalog->n_files > 0 || xtf_damaged(error, "catalog: the section of files names no file");
}

void xtf_files_finish(XtfCatalog *catalog)
{
    for (uint32_t i = 0; i < catalog->n_files; i++)
        g_free(catalog->files[i].name);
    g_free(catalog->files);
    catalog->files = NULL;
    catalog->n_files = 0;
}

XtfPartFile xtf_part_file_of(const char *name, const XtfTraceInfo *info)
{
    XtfPartFile file = {
        .name = (char *)name,
        .size = info->file_size,
        .commit = info->commit,
        .wall_time = info->wall_time,
        .epoch = info->epoch,
    };

    memcpy(file.file_id, info->file_id, sizeof file.file_id);
    return file;
}

bool xtf_part_file_is(const XtfPartFile *file, bool growing, const XtfTraceInfo *now, uint64_t size, GError **error)
{
    bool same = now->commit == file->commit && now->wall_time == file->wall_time && now->epoch == file->epoch;

    if (memcmp(now->file_id, file->file_id, sizeof file->file_id) != 0 || now->commit < file->commit ||
        (now->commit == file->commit && !same))
        return xtf_damaged(error, "it is another file than expected");
    if (!same && !growing)
        return xtf_fail(error, XTF_ERROR_STALE,
                        "it was appended to: the trace that names it expects commit %" PRIu64
                        ", the file has commit %" PRIu64,
                        file->commit, now->commit);
    if (size < file->size || (size != file->size && !growing))
        return xtf_damaged(error, "it has %" PRIu64 " bytes instead of %" PRIu64, size, file->size);
    return true;
}
