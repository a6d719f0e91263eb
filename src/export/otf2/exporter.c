#include "src/export/otf2/exporter.h"

#include <string.h>
#include <sys/stat.h>

static bool is_folder(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* An archive, and nothing else: traces.otf2, traces.def, and in traces/ files of locations. */
static bool has_archive_only(const char *path)
{
    static const char *const names[] = {XTF_OTF2_EXPORT_NAME ".otf2", XTF_OTF2_EXPORT_NAME ".def", XTF_OTF2_EXPORT_NAME,
                                        NULL};
    g_autofree char *files = g_build_filename(path, XTF_OTF2_EXPORT_NAME, NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL), inner = is_folder(files) ? g_dir_open(files, 0, NULL) : NULL;
    const char *name;

    while (dir && (name = g_dir_read_name(dir)))
        if (!g_strv_contains(names, name))
            return false;
    while (inner && (name = g_dir_read_name(inner)))
        if (strspn(name, "0123456789") == 0 || !(g_str_has_suffix(name, ".evt") || g_str_has_suffix(name, ".def")))
            return false;
    return dir;
}

const XtfExporter xtf_otf2_exporter = {
    .name = "otf2",
    .description = "an OTF2 archive",
    .option = "otf2",
    .folder = true,
    .may_replace = has_archive_only,
#ifdef XTF_WITH_OTF2
    .run = xtf_otf2_export,
#endif
};
