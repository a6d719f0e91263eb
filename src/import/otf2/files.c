#include "src/import/otf2/files.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/source.h"

bool xtf_otf2_is_anchor(const char *path)
{
    static const char magic[] = "OTF2"; /* after a byte of OTF2's own, and one for the byte order */
    char start[16] = "";
    uint64_t size;
    int fd = xtf_file_open(path, &size, NULL);
    bool is = fd >= 0 && read(fd, start, sizeof start) >= 6 && memcmp(start + 2, magic, strlen(magic)) == 0;

    if (fd >= 0)
        close(fd);
    return is;
}

bool xtf_otf2_file_size(const char *path, int64_t *size, GError **error)
{
    struct stat info;

    *size = -1;
    if (stat(path, &info) != 0)
        return true;
    if (!S_ISREG(info.st_mode))
        return xtf_fail(error, XTF_ERROR_IO, "%s: is no regular file", path);
    *size = (int64_t)info.st_size;
    return true;
}

char *xtf_otf2_folder(const char *anchor)
{
    return g_str_has_suffix(anchor, XTF_OTF2_ENDING) ? g_strndup(anchor, strlen(anchor) - strlen(XTF_OTF2_ENDING))
                                                     : g_strdup(anchor);
}

GPtrArray *xtf_otf2_files(const char *anchor)
{
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *folder = g_path_get_dirname(anchor);
    g_autofree char *stem = g_path_get_basename(anchor);
    g_autoptr(GDir) listing = g_dir_open(folder, 0, NULL);
    const char *name;

    if (strrchr(stem, '.'))
        *strrchr(stem, '.') = '\0';
    size_t length = strlen(stem);
    while (listing && (name = g_dir_read_name(listing)))
        if (strncmp(name, stem, length) == 0 && (name[length] == '\0' || name[length] == '.'))
            g_ptr_array_add(files, g_build_filename(folder, name, NULL));
    return files;
}
