#include "src/export/otf2/exporter.h"

#include <string.h>
#include <sys/stat.h>
#include <xtf-options.h>

/* True if a folder's entry is of a type. */
static bool is_of_type(const char *folder, const char *name, mode_t type)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    struct stat info;

    return lstat(path, &info) == 0 && (info.st_mode & S_IFMT) == type;
}

/* True if the folder has only files of an archive: traces.otf2, traces.def, and files of locations in traces/. */
static bool has_archive_only(const char *path)
{
    static const char *const names[] = {XTF_OTF2_EXPORT_NAME ".otf2", XTF_OTF2_EXPORT_NAME ".def", NULL};
    g_autofree char *files = g_build_filename(path, XTF_OTF2_EXPORT_NAME, NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL), inner = NULL;
    const char *name;

    while (dir && (name = g_dir_read_name(dir)))
        if (g_str_equal(name, XTF_OTF2_EXPORT_NAME) ? !is_of_type(path, name, S_IFDIR)
                                                    : !g_strv_contains(names, name) || !is_of_type(path, name, S_IFREG))
            return false;
    inner = dir ? g_dir_open(files, 0, NULL) : NULL;
    while (inner && (name = g_dir_read_name(inner)))
        if (strspn(name, "0123456789") == 0 || !is_of_type(files, name, S_IFREG) ||
            !(g_str_has_suffix(name, ".evt") || g_str_has_suffix(name, ".def")))
            return false;
    return dir;
}

const XtfExporter xtf_otf2_exporter = {
    .name = "otf2",
    .description = "an OTF2 archive",
    .option = "otf2",
    .for_scalasca = true,
    .folder = true,
    .may_replace = has_archive_only,
#ifdef XTF_WITH_OTF2
    .run = xtf_otf2_export,
#endif
};
