#include "src/import/importer.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/error.h"
#include "src/import/chrome/importer.h"
#include "src/import/opents/importer.h"
#include "src/import/otf1/importer.h"
#include "src/import/otf2/importer.h"
#include "src/network/import/importer.h"

const XtfImporter *const xtf_importers[] = {
    &xtf_otf2_importer, &xtf_otf1_importer, &xtf_nettest_importer, &xtf_opents_importer, &xtf_chrome_importer, NULL,
};

const XtfImporter *xtf_importer_by_ending(const char *name)
{
    const XtfImporter *const *importer = xtf_importers;

    while (*importer && !g_str_has_suffix(name, (*importer)->ending))
        importer++;
    return *importer;
}

GPtrArray *xtf_importer_files(const XtfImporter *importer, const char *anchor)
{
    if (importer->files)
        return importer->files(anchor);
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(files, g_strdup(anchor));
    return files;
}

static const XtfImporter *importer_of_file(const char *path)
{
    const XtfImporter *const *importer = xtf_importers;

    while (*importer && !(*importer)->detect(path))
        importer++;
    return *importer;
}

/* True if two anchors are files of the same trace. */
static bool are_files_of_one_trace(const XtfImporter *importer, const char *a, const char *b)
{
    g_autoptr(GPtrArray) files = xtf_importer_files(importer, a);

    return g_ptr_array_find_with_equal_func(files, b, g_str_equal, NULL);
}

static void fail_with_advice(const char *path, const char *fault, const char *formats, GError **error)
{
    g_autofree char *advice = xtf_import_advice(path);

    xtf_fail(error, XTF_ERROR_NOT_XTF, "%s: %s %s%s%s", path, fault, formats, advice ? "; " : "", advice ? advice : "");
}

/* Returns the only anchor in a folder, or the first by name of several that are files of one trace. */
static char *find_anchor_in(const char *path, const char *formats, const XtfImporter **importer, GError **error)
{
    g_autofree char *anchor = NULL;
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;

    if (!dir) {
        xtf_fail(error, XTF_ERROR_IO, "%s: %s", path, g_strerror(access(path, R_OK | X_OK) != 0 ? errno : EIO));
        return NULL;
    }
    while ((name = g_dir_read_name(dir))) {
        const XtfImporter *matching = xtf_importer_by_ending(name);
        if (!matching)
            continue;
        g_autofree char *candidate = g_build_filename(path, name, NULL);
        if (matching->common_ending && !matching->detect(candidate))
            continue;
        if (anchor && (matching != *importer || !are_files_of_one_trace(matching, anchor, candidate))) {
            xtf_fail(error, XTF_ERROR_NOT_XTF, "%s: the folder has several archives: give the path of one", path);
            return NULL;
        }
        if (!anchor || strcmp(candidate, anchor) < 0) {
            g_free(anchor);
            anchor = g_steal_pointer(&candidate);
        }
        *importer = matching;
    }
    if (!anchor)
        fail_with_advice(path, "the folder does not contain", formats, error);
    return g_steal_pointer(&anchor);
}

char *xtf_import_advice(const char *path)
{
    char *advice = NULL;

    for (const XtfImporter *const *importer = xtf_importers; *importer && !advice; importer++)
        advice = (*importer)->advice ? (*importer)->advice(path) : NULL;
    return advice;
}

/* True if this build has the importer. */
static bool check_build(const XtfImporter *importer, const char *path, GError **error)
{
    return importer->run || xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                                     "%s: this xtf was built without the importer of %s: build it with -D%s=enabled",
                                     path, importer->name, importer->option);
}

static char *list_names(void)
{
    g_autoptr(GString) names = g_string_new(NULL);

    for (const XtfImporter *const *importer = xtf_importers; *importer; importer++)
        g_string_append_printf(names, "%s%s", names->len > 0 ? ", " : "", (*importer)->name);
    return g_string_free(g_steal_pointer(&names), FALSE);
}

char *xtf_import_of_format(const char *path, const char *format, const XtfImporter **importer, GError **error)
{
    const XtfImporter *const *named = xtf_importers;
    g_autofree char *names = list_names();
    struct stat info;

    while (*named && g_ascii_strcasecmp((*named)->name, format) != 0)
        named++;
    if (!*named) {
        xtf_fail(error, XTF_ERROR_INVALID, "there is no format '%s' to import; the formats are %s", format, names);
        return NULL;
    }
    if (stat(path, &info) != 0) {
        xtf_fail(error, errno == ENOENT ? XTF_ERROR_NOT_FOUND : XTF_ERROR_IO, "%s: %s", path, g_strerror(errno));
        return NULL;
    }
    if (!S_ISREG(info.st_mode)) {
        xtf_fail(error, XTF_ERROR_INVALID, "%s: is not a file; --format needs %s", path, (*named)->description);
        return NULL;
    }
    if (!check_build(*named, path, error))
        return NULL;
    *importer = *named;
    return g_strdup(path);
}

char *xtf_import_detect(const char *path, const XtfImporter **importer, GError **error)
{
    g_autofree char *formats = xtf_import_formats();
    g_autofree char *anchor = NULL;
    const XtfImporter *detected = NULL;
    struct stat info;

    if (stat(path, &info) != 0) {
        xtf_fail(error, errno == ENOENT ? XTF_ERROR_NOT_FOUND : XTF_ERROR_IO, "%s: %s", path, g_strerror(errno));
        return NULL;
    }
    if (S_ISDIR(info.st_mode)) {
        if (!(anchor = find_anchor_in(path, formats, &detected, error)))
            return NULL;
    } else if (!S_ISREG(info.st_mode) || !(detected = importer_of_file(path))) {
        fail_with_advice(path, "is not", formats, error);
        return NULL;
    }
    if (!check_build(detected, path, error))
        return NULL;
    *importer = detected;
    return anchor ? g_steal_pointer(&anchor) : g_strdup(path);
}

char **xtf_import_format_list(void)
{
    GPtrArray *formats = g_ptr_array_new();

    for (const XtfImporter *const *importer = xtf_importers; *importer; importer++)
        g_ptr_array_add(formats, (*importer)->run
                                     ? g_strdup((*importer)->description)
                                     : g_strdup_printf("%s (this xtf was built without it: build with -D%s=enabled)",
                                                       (*importer)->description, (*importer)->option));
    g_ptr_array_add(formats, NULL);
    return (char **)g_ptr_array_free(formats, FALSE);
}

char *xtf_import_formats(void)
{
    g_auto(GStrv) formats = xtf_import_format_list();

    return g_strjoinv(" or ", formats);
}
