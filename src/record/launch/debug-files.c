#include "src/record/launch/debug-files.h"

#include <string.h>

#include "src/record/collect/rows/build-id.h"

#define SYSTEM_FOLDER "/usr/lib/debug"

/* Adds a file if it has the build id and is not yet in the list. Takes the path. */
static void add_file(GPtrArray *files, char *path, const char *build_id)
{
    g_autofree char *found = g_file_test(path, G_FILE_TEST_IS_REGULAR) ? xtf_collect_build_id(path) : NULL;

    if (found && g_str_equal(found, build_id) && !g_ptr_array_find_with_equal_func(files, path, g_str_equal, NULL))
        g_ptr_array_add(files, path);
    else
        g_free(path);
}

/* Adds the file of a folder that is ordered by build ids, as debuggers read it: xx/yyyy.debug. */
static void add_by_id(GPtrArray *files, const char *folder, const char *subfolder, const char *build_id)
{
    g_autofree char *first = g_strndup(build_id, 2), *name = g_strconcat(build_id + 2, ".debug", NULL);

    add_file(files, g_build_filename(folder, subfolder, first, name, NULL), build_id);
}

/* Adds files that lie in a folder under the path of the object file, its name, or another name. */
static void add_from_folder(GPtrArray *files, const char *folder, const char *path, const char *build_id)
{
    g_autofree char *debug_path = g_strconcat(path, ".debug", NULL);
    g_autoptr(GDir) names = g_dir_open(folder, 0, NULL);
    const char *name;

    add_file(files, g_build_filename(folder, debug_path, NULL), build_id);
    add_file(files, g_build_filename(folder, path, NULL), build_id);
    while (names && (name = g_dir_read_name(names)))
        add_file(files, g_build_filename(folder, name, NULL), build_id);
}

GPtrArray *xtf_debug_files(const char *folder, const char *path, const char *build_id)
{
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);

    if (strlen(build_id) < 3)
        return files;
    if (folder) {
        add_by_id(files, folder, ".build-id", build_id);
        add_by_id(files, folder, "", build_id);
        add_from_folder(files, folder, path, build_id);
    }
    add_by_id(files, SYSTEM_FOLDER, ".build-id", build_id);
    add_file(files, g_strdup(path), build_id);
    return files;
}
