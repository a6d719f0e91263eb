#include "src/cli/trace/cache-folder.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "src/cli/ui/print.h"

#define ARCHIVE_ENDING ".archive"
#define LOCK_ENDING    ".lock"
#define NEW_ENDING     ".archive.new" /* a note that is written */

enum {
    LOCK_POLL = 20 * 1000, /* pause between attempts to lock, microseconds */
};

static bool fail_errno(const char *path, GError **error)
{
    return xtf_fail(error, XTF_ERROR_IO, "'%s': %s", path, g_strerror(errno));
}

/* ---- The folder's path. */

/* True if a path, or its nearest parent that exists, is on a network file system. */
static bool is_remote(const char *path)
{
    /* <linux/magic.h> lacks some types that statfs(2) lists. */
    static const uint32_t remote[] = {NFS_SUPER_MAGIC,
                                      SMB_SUPER_MAGIC,
                                      0xff534d42 /* CIFS */,
                                      0xfe534d42 /* SMB2 */,
                                      AFS_SUPER_MAGIC,
                                      CEPH_SUPER_MAGIC,
                                      V9FS_MAGIC,
                                      0x0bd00bd0 /* Lustre */,
                                      0x47504653 /* GPFS */,
                                      0x19830326 /* BeeGFS */,
                                      0xaad7aaea /* PanFS */,
                                      0x20030528 /* OrangeFS */,
                                      0x013111a8 /* IBRIX */};
    g_autofree char *folder = g_strdup(path);
    struct statfs info;

    while (statfs(folder, &info) != 0) {
        char *parent = g_path_get_dirname(folder);
        bool top = g_str_equal(parent, folder);
        g_free(folder);
        folder = parent;
        if (top)
            return false;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(remote); i++)
        if ((uint32_t)info.f_type == remote[i])
            return true;
    return false;
}

static char *local_folder(void)
{
    const char *temporary = g_getenv("TMPDIR");
    g_autofree char *name = g_strdup_printf("xtf-%u", (unsigned)geteuid());

    return g_build_filename(temporary && g_path_is_absolute(temporary) ? temporary : "/var/tmp", name, NULL);
}

static bool has_other_owner(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && info.st_uid != geteuid();
}

static char *choose_folder(const char *given)
{
    const char *own_variable = g_getenv("XTF_CACHE_DIR"), *cache = g_getenv("XDG_CACHE_HOME"), *home = g_getenv("HOME");

    if (given)
        return g_canonicalize_filename(given, NULL);
    if (own_variable && *own_variable)
        return g_canonicalize_filename(own_variable, NULL);
    if (cache && g_path_is_absolute(cache))
        return g_build_filename(cache, "xtf", NULL);
    bool at_home = home && g_path_is_absolute(home) && !has_other_owner(home); /* sudo may keep $HOME */
    if (at_home && is_remote(home))
        return local_folder();
    if (at_home)
        return g_build_filename(home, ".cache", "xtf", NULL);
    return geteuid() == 0 ? g_strdup("/var/cache/xtf") : NULL;
}

/* ---- Trusted files. */

static bool is_own(const struct stat *info, mode_t kind)
{
    return (info->st_mode & S_IFMT) == kind && info->st_uid == geteuid() && !(info->st_mode & (S_IWGRP | S_IWOTH));
}

static bool is_own_file(const struct stat *info)
{
    return is_own(info, S_IFREG) && info->st_nlink == 1;
}

static bool check_folder(const char *folder, GError **error)
{
    struct stat info;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &info) != 0) {
        bool link = errno == ELOOP || errno == ENOTDIR;
        if (fd >= 0)
            close(fd);
        if (link)
            return xtf_fail(error, XTF_ERROR_IO, "the cache folder '%s' is a link, or not a folder", folder);
        return fail_errno(folder, error);
    }
    close(fd);
    return is_own(&info, S_IFDIR) ||
           xtf_fail(error, XTF_ERROR_IO,
                    "the cache folder '%s' is not only yours: its owner is user %u and its mode %o; XTF_CACHE_DIR, or "
                    "mount's -o cachedir=, names another",
                    folder, (unsigned)info.st_uid, (unsigned)info.st_mode & 07777);
}

char *xtf_cache_folder(const char *given, GError **error)
{
    g_autofree char *folder = choose_folder(given);

    if (!folder) {
        xtf_fail(error, XTF_ERROR_INVALID,
                 "no folder for the import: set HOME or XTF_CACHE_DIR, or use 'xtf import' and its output");
        return NULL;
    }
    if (g_mkdir_with_parents(folder, 0700) != 0) {
        xtf_fail(error, XTF_ERROR_IO,
                 "no folder for the import: '%s': %s; XTF_CACHE_DIR, or mount's -o cachedir=, names another", folder,
                 g_strerror(errno));
        return NULL;
    }
    return check_folder(folder, error) ? g_steal_pointer(&folder) : NULL;
}

bool xtf_cache_has(const char *path)
{
    struct stat info;

    if (lstat(path, &info) != 0)
        return false;
    if (is_own_file(&info))
        return true;
    xtf_print_line(stderr, "xtf: warning: '%s' is a link, or may be another user's: it is replaced", path);
    g_unlink(path);
    return false;
}

/* ---- The files of an archive. */

char *xtf_cache_prefix(const char *archive)
{
    g_autofree char *name = g_path_get_basename(archive);
    g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, archive, -1);

    return g_strdup_printf("%.100s-%.12s", name, hash);
}

static char *file_path(const char *folder, const char *prefix, const char *ending)
{
    g_autofree char *name = g_strconcat(prefix, ending, NULL);
    return g_build_filename(folder, name, NULL);
}

static int lock_file(const char *path, const atomic_bool *cancel, GError **error)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    struct stat info;
    /* A file without a link is a lock that its owner removes at this moment. */
    bool trusted = fd >= 0 && fstat(fd, &info) == 0 && is_own(&info, S_IFREG) && info.st_nlink <= 1;

    /* Polls: a signal just before a blocking flock() would not end it. */
    while (trusted && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        bool cancelled = cancel && atomic_load(cancel);
        if ((errno == EINTR || errno == EWOULDBLOCK) && !cancelled) {
            g_usleep(LOCK_POLL);
            continue;
        }
        if (cancelled)
            xtf_fail(error, XTF_ERROR_CANCELLED, "interrupted");
        else
            fail_errno(path, error);
        close(fd);
        return -1;
    }
    if (trusted)
        return fd;
    if (fd >= 0 || errno == ELOOP)
        xtf_fail(error, XTF_ERROR_IO, "'%s' is a link, or may be another user's: remove it", path);
    else
        fail_errno(path, error);
    if (fd >= 0)
        close(fd);
    return -1;
}

int xtf_cache_lock(const char *folder, const char *prefix, const atomic_bool *cancel, GError **error)
{
    g_autofree char *path = file_path(folder, prefix, LOCK_ENDING);
    int fd;

    while ((fd = lock_file(path, cancel, error)) >= 0) {
        struct stat locked, present;
        /* The former owner has removed the lock file; another file may have its name now. */
        if (fstat(fd, &locked) == 0 && lstat(path, &present) == 0 && locked.st_ino == present.st_ino &&
            locked.st_dev == present.st_dev)
            return fd;
        close(fd);
    }
    return -1;
}

void xtf_cache_unlock(const char *folder, const char *prefix, int lock)
{
    g_autofree char *path = file_path(folder, prefix, LOCK_ENDING);

    g_unlink(path);
    close(lock);
}

static void remove_file(const char *folder, const char *prefix, const char *ending)
{
    g_autofree char *path = file_path(folder, prefix, ending);

    g_unlink(path);
}

static void remove_old_imports(const char *folder, const char *prefix, const char *kept)
{
    g_autofree char *start = g_strconcat(prefix, "-", NULL);
    g_autoptr(GDir) listing = g_dir_open(folder, 0, NULL);
    const char *name;

    while (listing && (name = g_dir_read_name(listing))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (g_str_has_prefix(name, start) && g_strcmp0(path, kept) != 0)
            g_unlink(path);
    }
}

void xtf_cache_note(const char *folder, const char *prefix, const char *archive)
{
    g_autofree char *note = file_path(folder, prefix, ARCHIVE_ENDING);
    g_autofree char *new_note = file_path(folder, prefix, NEW_ENDING);
    g_autofree char *present = NULL;

    if (g_file_get_contents(note, &present, NULL, NULL) && g_str_equal(present, archive))
        return;
    g_unlink(new_note); /* a killed process may have left it */
    /* The import works without a note, too. */
    if (!g_file_set_contents_full(new_note, archive, -1, G_FILE_SET_CONTENTS_NONE, 0600, NULL) ||
        g_rename(new_note, note) != 0)
        g_unlink(new_note);
}

void xtf_cache_keep(const char *folder, const char *prefix, const char *path)
{
    remove_old_imports(folder, prefix, path);
    /* Sets the mode regardless of the umask, since a file that other users can write is not trusted. If chmod() fails,
     * the next command imports again. */
    (void)!chmod(path, 0600);
}

/* ---- All imports. */

/* Returns the prefix in the name of an import, PREFIX-HASH.xtf; NULL: another file. The caller frees it. */
static char *find_prefix(const char *name)
{
    static GRegex *pattern;
    g_autoptr(GMatchInfo) match = NULL;

    if (g_once_init_enter(&pattern))
        g_once_init_leave(&pattern, g_regex_new("^(.+-[0-9a-f]{12})-[0-9a-f]{16}\\.xtf$", G_REGEX_RAW, 0, NULL));
    return g_regex_match(pattern, name, 0, &match) ? g_match_info_fetch(match, 1) : NULL;
}

static void entry_clear(void *data)
{
    XtfCacheEntry *entry = data;

    g_free(entry->path);
    g_free(entry->archive);
}

static gint compare_times(gconstpointer a, gconstpointer b)
{
    const XtfCacheEntry *x = a, *y = b;
    return (x->imported > y->imported) - (x->imported < y->imported);
}

GArray *xtf_cache_entries(const char *folder, GError **error)
{
    g_autoptr(GDir) listing = g_dir_open(folder, 0, error);
    GArray *entries = listing ? g_array_new(FALSE, FALSE, sizeof(XtfCacheEntry)) : NULL;
    const char *name;

    if (!entries)
        return NULL;
    g_array_set_clear_func(entries, entry_clear);
    while ((name = g_dir_read_name(listing))) {
        g_autofree char *prefix = find_prefix(name);
        g_autofree char *path = g_build_filename(folder, name, NULL);
        struct stat info;
        if (!prefix || lstat(path, &info) != 0 || !is_own_file(&info))
            continue;
        g_autofree char *note = file_path(folder, prefix, ARCHIVE_ENDING);
        XtfCacheEntry entry = {.bytes = (uint64_t)info.st_size,
                               .imported = info.st_mtim.tv_sec * G_TIME_SPAN_SECOND + info.st_mtim.tv_nsec / 1000,
                               .path = g_steal_pointer(&path)};
        g_file_get_contents(note, &entry.archive, NULL, NULL);
        g_array_append_val(entries, entry);
    }
    g_array_sort(entries, compare_times);
    return entries;
}

static bool has_import(const char *folder, const char *prefix)
{
    g_autoptr(GDir) listing = g_dir_open(folder, 0, NULL);
    const char *name;
    bool found = false;

    while (!found && listing && (name = g_dir_read_name(listing))) {
        g_autofree char *name_prefix = find_prefix(name);
        found = g_strcmp0(name_prefix, prefix) == 0;
    }
    return found;
}

void xtf_cache_drop_note(const char *folder, const char *prefix)
{
    if (has_import(folder, prefix))
        return;
    remove_file(folder, prefix, ARCHIVE_ENDING);
    remove_file(folder, prefix, NEW_ENDING);
}

/* Returns the prefix in the name of a lock or a note; NULL: another file. The caller frees it. */
static char *find_prefix_of_note(const char *name)
{
    static GRegex *pattern;
    g_autoptr(GMatchInfo) match = NULL;

    if (g_once_init_enter(&pattern))
        g_once_init_leave(&pattern,
                          g_regex_new("^(.+-[0-9a-f]{12})\\.(lock|archive|archive\\.new)$", G_REGEX_RAW, 0, NULL));
    return g_regex_match(pattern, name, 0, &match) ? g_match_info_fetch(match, 1) : NULL;
}

void xtf_cache_tidy(const char *folder)
{
    g_autoptr(GDir) listing = g_dir_open(folder, 0, NULL);
    const atomic_bool at_once = true;
    const char *name;

    while (listing && (name = g_dir_read_name(listing))) {
        g_autofree char *prefix = find_prefix_of_note(name);
        int lock = prefix ? xtf_cache_lock(folder, prefix, &at_once, NULL) : -1;
        if (lock < 0)
            continue;
        xtf_cache_drop_note(folder, prefix);
        xtf_cache_unlock(folder, prefix, lock);
    }
}

bool xtf_cache_remove(const char *folder, const XtfCacheEntry *entry, GError **error)
{
    g_autofree char *name = g_path_get_basename(entry->path);
    g_autofree char *prefix = find_prefix(name);
    int lock = xtf_cache_lock(folder, prefix, NULL, error);

    if (lock < 0)
        return false;
    g_autofree char *note = file_path(folder, prefix, ARCHIVE_ENDING);
    bool removed = g_unlink(entry->path) == 0 || errno == ENOENT || fail_errno(entry->path, error);
    g_unlink(note);
    xtf_cache_unlock(folder, prefix, lock);
    return removed;
}
