#include "src/import/otf2/files.h"

#include <string.h>
#include <sys/stat.h>

#include "libxtf/error.h"
#include "src/files/head.h"

bool xtf_otf2_is_anchor(const char *path)
{
    static const char magic[] = "OTF2"; /* after two bytes of OTF2's header, the second for the byte order */
    char start[16] = "";

    return xtf_file_read_head(path, start, sizeof start, NULL) >= 6 && memcmp(start + 2, magic, strlen(magic)) == 0;
}

/* Returns a path without the ending of its name; NULL: the name has no ending. */
static char *remove_ending(const char *path)
{
    const char *name = strrchr(path, '/');
    const char *dot = strrchr(name ? name : path, '.');

    return dot ? g_strndup(path, (gsize)(dot - path)) : NULL;
}

/* Returns the anchor whose path is `stem` with the ending of anchors; NULL: there is no such anchor. */
static char *find_anchor_of(const char *stem)
{
    char *anchor = stem ? g_strconcat(stem, XTF_OTF2_ENDING, NULL) : NULL;

    if (anchor && !xtf_otf2_is_anchor(anchor))
        g_clear_pointer(&anchor, g_free);
    return anchor;
}

/* Returns advice for the files of an archive: NAME and NAME.def are next to the anchor NAME.otf2, NAME/0.evt is in
 * NAME. Score-P's profile.cubex is next to traces.otf2. */
char *xtf_otf2_advice(const char *path)
{
    bool is_profile = g_str_has_suffix(path, ".cubex"), is_folder = g_file_test(path, G_FILE_TEST_IS_DIR);
    g_autofree char *folder = g_path_get_dirname(path), *stem = remove_ending(path);
    g_autofree char *scorep = is_profile ? g_build_filename(folder, "traces", NULL) : NULL;
    g_autofree char *sibling = find_anchor_of(is_profile ? scorep : stem);
    g_autofree char *anchor = sibling ? g_steal_pointer(&sibling) : find_anchor_of(is_folder ? path : folder);

    if (is_profile)
        return anchor ? g_strdup_printf("it is a profile, and the trace of its run is '%s'", anchor)
                      : g_strdup("it is a profile, which has no events");
    return anchor ? g_strdup_printf("it is a file of the archive with the anchor '%s'", anchor) : NULL;
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
