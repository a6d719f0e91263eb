#include "src/cli/mount/mount-point.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libxtf/error.h"

/* Finds NAME=VALUE in a comma-separated list. Returns VALUE, which the caller frees; NULL: none. */
static char *find_option(const char *options, const char *name)
{
    g_auto(GStrv) parts = g_strsplit(options, ",", -1);
    size_t length = strlen(name);

    for (char **part = parts; *part; part++)
        if (g_str_has_prefix(*part, name) && (*part)[length] == '=')
            return g_strdup(*part + length + 1);
    return NULL;
}

void xtf_mounted_find(XtfMounted *mounted, const char *path)
{
    g_autofree char *table = NULL;

    *mounted = (XtfMounted){0};
    if (!g_file_get_contents("/proc/self/mountinfo", &table, NULL, NULL))
        return;
    /* ID PARENT DEVICE ROOT PATH OPTIONS [OPTIONAL...] - TYPE SOURCE SUPER-OPTIONS; see proc(5). */
    g_auto(GStrv) lines = g_strsplit(table, "\n", -1);
    for (char **line = lines; *line; line++) {
        g_auto(GStrv) fields = g_strsplit(*line, " ", -1);
        const char *filesystem = strstr(*line, " - ");
        if (g_strv_length(fields) < 7 || !filesystem)
            continue;
        g_autofree char *mount_path = g_strcompress(fields[4]); /* decodes \040 and similar */
        g_auto(GStrv) filesystem_fields = g_strsplit(filesystem + 3, " ", 3);
        if (!g_str_equal(mount_path, path) || g_strv_length(filesystem_fields) < 3)
            continue;
        xtf_mounted_finish(mounted); /* a later line is a mount over an earlier one */
        mounted->type = g_strdup(filesystem_fields[0]);
        mounted->source = g_strcompress(filesystem_fields[1]);
        mounted->owner = find_option(filesystem_fields[2], "user_id");
    }
}

char *xtf_mounted_owner(const XtfMounted *mounted)
{
    guint64 owner;

    if (!mounted->owner || !g_ascii_string_to_unsigned(mounted->owner, 10, 0, UINT32_MAX, &owner, NULL))
        return g_strdup("?");
    const struct passwd *user = getpwuid((uid_t)owner);
    return g_strdup(user ? user->pw_name : mounted->owner);
}

void xtf_mounted_finish(XtfMounted *mounted)
{
    g_free(mounted->type);
    g_free(mounted->source);
    g_free(mounted->owner);
    *mounted = (XtfMounted){0};
}

char *xtf_mounted_above(XtfMounted *mounted, const char *path)
{
    g_autofree char *folder = g_strdup(path);

    for (;;) {
        xtf_mounted_find(mounted, folder);
        if (g_strcmp0(mounted->type, "fuse.xtf") == 0)
            return g_steal_pointer(&folder);
        xtf_mounted_finish(mounted);
        char *parent = g_path_get_dirname(folder);
        bool top = g_str_equal(parent, folder);
        g_free(folder);
        folder = parent;
        if (top)
            return NULL;
    }
}

char *xtf_mount_path(const char *directory)
{
    g_autofree char *whole = g_canonicalize_filename(directory, NULL);
    g_autofree char *name = g_path_get_basename(whole);
    g_autofree char *above = g_path_get_dirname(whole);
    char *resolved = realpath(directory, NULL);

    if (resolved || (errno != ENOTCONN && errno != EACCES))
        return resolved;
    g_autofree char *parent = realpath(above, NULL);
    return parent ? g_build_filename(parent, name, NULL) : NULL;
}

static bool fail_to_mount(const char *directory, int number, GError **error)
{
    return xtf_fail(error, XTF_ERROR_IO, "cannot mount at '%s': %s", directory, g_strerror(number));
}

/* True if the kernel says that nothing is mounted at a path. False also if the kernel is too old to say so. */
static bool is_no_mount(const char *path)
{
    struct statx attributes;

    return statx(AT_FDCWD, path, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, 0, &attributes) == 0 &&
           attributes.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT &&
           !(attributes.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

/* True if a mount at the path would hide no other mount. */
static bool hides_no_mount(const char *directory, const char *path, GError **error)
{
    g_auto(XtfMounted) mounted = {0};

    if (is_no_mount(path)) /* reading the list of all mounts takes thirty times as long */
        return true;
    xtf_mounted_find(&mounted, path);
    g_autofree char *user = xtf_mounted_owner(&mounted);
    if (mounted.type && g_str_equal(mounted.type, "fuse.xtf"))
        return xtf_fail(
            error, XTF_ERROR_IO,
            "'%s' is mounted at '%s' already, by user %s: 'xtf unmount' it first (-o nonempty mounts over it)",
            mounted.source, directory, user);
    if (mounted.type)
        return xtf_fail(error, XTF_ERROR_IO, "a filesystem (%s) is mounted at '%s' (-o nonempty mounts over it)",
                        mounted.type, directory);
    return true;
}

static bool hides_no_files(const char *directory, const char *path, GError **error)
{
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);

    if (folder && g_dir_read_name(folder))
        return xtf_fail(error, XTF_ERROR_IO, "'%s' is not empty: a mount would hide its files (-o nonempty allows it)",
                        directory);
    return true;
}

char *xtf_mount_point(const char *directory, bool hide, GError **error)
{
    g_autofree char *path = xtf_mount_path(directory); /* absolute, as the daemon changes its working directory */
    struct stat attributes;

    if (!path)
        fail_to_mount(directory, errno, error);
    else if (stat(path, &attributes) != 0 && errno == ENOTCONN)
        xtf_fail(error, XTF_ERROR_IO, "the daemon of the mount at '%s' has died: 'xtf unmount' it first", directory);
    else if (!hide && !hides_no_mount(directory, path, error)) /* before stat(), which fails for another user's mount */
        return NULL;
    else if (stat(path, &attributes) != 0)
        fail_to_mount(directory, errno, error);
    else if (!S_ISDIR(attributes.st_mode))
        fail_to_mount(directory, ENOTDIR, error);
    else if (hide || hides_no_files(directory, path, error))
        return g_steal_pointer(&path);
    return NULL;
}
