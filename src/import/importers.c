#include "src/import/importer.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/error.h"
#include "src/import/opents/importer.h"
#include "src/import/otf2/importer.h"
#include "src/network/import/importer.h"

const XtfImporter *const xtf_importers[] = {
    &xtf_otf2_importer,
    &xtf_nettest_importer,
    &xtf_opents_importer,
    NULL,
};

const XtfImporter *xtf_importer_by_ending(const char *name)
{
    const XtfImporter *const *importer = xtf_importers;

    while (*importer && !g_str_has_suffix(name, (*importer)->ending))
        importer++;
    return *importer;
}

static const XtfImporter *importer_of_file(const char *path)
{
    const XtfImporter *const *importer = xtf_importers;

    while (*importer && !(*importer)->detect(path))
        importer++;
    return *importer;
}

/* Whether two anchors are files of one trace. */
static bool belong_together(const XtfImporter *importer, const char *a, const char *b)
{
    g_autoptr(GPtrArray) files = importer->files(a);

    return g_ptr_array_find_with_equal_func(files, b, g_str_equal, NULL);
}

static void fail(const char *path, const char *what, const char *formats, const char *where, GError **error)
{
    g_autofree char *advice = xtf_import_advice(path);

    xtf_fail(error, XTF_ERROR_NOT_XTF, "%s: %s %s%s%s%s", path, what, formats, where, advice ? "; " : "",
             advice ? advice : "");
}

/* The only anchor in a folder; of several files of one trace the first by name. */
static char *anchor_in(const char *path, const char *formats, const XtfImporter **importer, GError **error)
{
    g_autofree char *anchor = NULL;
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;

    if (!dir) {
        xtf_fail(error, XTF_ERROR_IO, "%s: %s", path, g_strerror(access(path, R_OK | X_OK) != 0 ? errno : EIO));
        return NULL;
    }
    while ((name = g_dir_read_name(dir))) {
        const XtfImporter *found = xtf_importer_by_ending(name);
        if (!found)
            continue;
        g_autofree char *other = g_build_filename(path, name, NULL);
        if (found->common_ending && !found->detect(other))
            continue;
        if (anchor && (found != *importer || !belong_together(found, anchor, other))) {
            xtf_fail(error, XTF_ERROR_NOT_XTF, "%s: has several archives; name the one that is meant", path);
            return NULL;
        }
        if (!anchor || strcmp(other, anchor) < 0) {
            g_free(anchor);
            anchor = g_steal_pointer(&other);
        }
        *importer = found;
    }
    if (!anchor)
        fail(path, "the folder does not have", formats, " in it", error);
    return g_steal_pointer(&anchor);
}

char *xtf_import_advice(const char *path)
{
    char *advice = NULL;

    for (const XtfImporter *const *importer = xtf_importers; *importer && !advice; importer++)
        advice = (*importer)->advice ? (*importer)->advice(path) : NULL;
    return advice;
}

char *xtf_import_detect(const char *path, const XtfImporter **importer, GError **error)
{
    g_autofree char *formats = xtf_import_formats();
    g_autofree char *anchor = NULL;
    const XtfImporter *found = NULL;
    struct stat info;

    if (stat(path, &info) != 0) {
        xtf_fail(error, errno == ENOENT ? XTF_ERROR_NOT_FOUND : XTF_ERROR_IO, "%s: %s", path, g_strerror(errno));
        return NULL;
    }
    if (S_ISDIR(info.st_mode)) {
        if (!(anchor = anchor_in(path, formats, &found, error)))
            return NULL;
    } else if (!S_ISREG(info.st_mode) || !(found = importer_of_file(path))) {
        fail(path, "is not", formats, "", error);
        return NULL;
    }
    if (!found->run) {
        xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                 "%s: this xtf was built without the importer of %s: build it with -D%s=enabled", path, found->name,
                 found->option);
        return NULL;
    }
    *importer = found;
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
