#include "src/import/otf2/importer.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define ENDING ".otf2"

static bool is_anchor(const char *path)
{
    static const char magic[] = "OTF2"; /* after a byte of OTF2's own, and one for the byte order */
    char start[16] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool is = fd >= 0 && read(fd, start, sizeof start) >= 6 && memcmp(start + 2, magic, strlen(magic)) == 0;

    if (fd >= 0)
        close(fd);
    return is;
}

char *xtf_otf2_folder(const char *anchor)
{
    return g_str_has_suffix(anchor, ENDING) ? g_strndup(anchor, strlen(anchor) - strlen(ENDING)) : g_strdup(anchor);
}

/* NAME.otf2, all other NAME.*, and NAME. */
static GPtrArray *archive_files(const char *anchor)
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

const XtfImporter xtf_otf2_importer = {
    .name = "OTF2",
    .description = "the anchor file (NAME" ENDING ") of an OTF2 archive",
    .ending = ENDING,
    .option = "otf2",
    .detect = is_anchor,
    .files = archive_files,
#ifdef XTF_WITH_OTF2
    .run = xtf_otf2_import,
#endif
};
