/*
 * Preloaded library: logs all calls that change files of the folder $XTF_TORTURE_FOLDER. The log $XTF_TORTURE_LOG has
 * their data, too. disk_states.py builds states after a power cut from it.
 *
 * A record has its kind (8 bytes), inode, offset, length of the path and length of the data (8 bytes each). Path and
 * data follow. The kinds:
 *
 *     w  data written at the offset
 *
 *     t  size set to the offset
 *
 *     b  a sync of the file or folder begins
 *
 *     s  the sync has ended
 *
 *     n  the path names the inode
 *
 *     r  rename; the data is the new path
 *
 *     u  the path is removed
 *
 * A lock makes the order of records the order of the calls. A sync runs without the lock, so the log may have writes
 * between b and s. The first sync of data takes $XTF_TORTURE_SYNC_MS milliseconds, all others no time.
 */
#undef _FILE_OFFSET_BITS /* otherwise pwrite and pwrite64 would be the same function */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "preload.h"

enum { FOLLOWS_BYTES = 1 << 16 };

typedef struct {
    char kind[8];
    uint64_t inode, offset, path_length, data_length;
} Record;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void put_record(char kind, uint64_t inode, uint64_t offset, const char *path, const void *data, size_t length)
{
    Record record = {{kind}, inode, offset, path ? strlen(path) : 0, length};
    struct iovec parts[] = {
        {&record, sizeof record}, {(void *)(path ? path : ""), record.path_length}, {(void *)data, length}};
    const char *log = getenv("XTF_TORTURE_LOG");
    int before = errno, file = log ? (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;

    if (log && (file < 0 || syscall(SYS_writev, file, parts, 3) != (long)(sizeof record + record.path_length + length)))
        abort();
    if (file >= 0)
        syscall(SYS_close, file);
    errno = before;
}

static uint64_t inode_of(int file)
{
    struct stat status;

    return fstat(file, &status) == 0 ? status.st_ino : 0;
}

/* ---- Data. */

static ssize_t log_write(int file, const void *data, ssize_t done, off_t offset)
{
    char path[PATH_MAX];

    if (done > 0 && file_is_watched(file, path))
        put_record('w', inode_of(file), (uint64_t)offset, NULL, data, (size_t)done);
    return done;
}

ssize_t pwrite64(int file, const void *data, size_t size, off_t offset)
{
    pthread_mutex_lock(&lock);
    ssize_t done = log_write(file, data, syscall(SYS_pwrite64, file, data, size, offset), offset);
    pthread_mutex_unlock(&lock);
    return done;
}

ssize_t pwrite(int file, const void *data, size_t size, off_t offset)
{
    return pwrite64(file, data, size, offset);
}

ssize_t write(int file, const void *data, size_t size)
{
    char path[PATH_MAX];

    if (!file_is_watched(file, path)) /* without the lock: the call may block, as on a pipe */
        return syscall(SYS_write, file, data, size);
    pthread_mutex_lock(&lock);
    ssize_t done = syscall(SYS_write, file, data, size);
    log_write(file, data, done, done > 0 ? (off_t)syscall(SYS_lseek, file, 0, SEEK_CUR) - done : 0);
    pthread_mutex_unlock(&lock);
    return done;
}

/* Copies by a read and a write, which the log can hold. The kernel may share blocks instead; the content is the same.
 */
ssize_t copy_file_range(int from, off_t *in, int to, off_t *out, size_t length, unsigned flags)
{
    char path[PATH_MAX], data[FOLLOWS_BYTES];

    if (!file_is_watched(to, path) || !in || !out)
        return syscall(SYS_copy_file_range, from, in, to, out, length, flags);
    ssize_t n = syscall(SYS_pread64, from, data, length < sizeof data ? length : sizeof data, *in);
    if (n > 0)
        n = pwrite64(to, data, (size_t)n, *out);
    if (n > 0) {
        *in += n;
        *out += n;
    }
    return n;
}

static int log_size(int file, int done)
{
    char path[PATH_MAX];
    struct stat status;

    if (done == 0 && file_is_watched(file, path) && fstat(file, &status) == 0)
        put_record('t', status.st_ino, (uint64_t)status.st_size, NULL, NULL, 0);
    return done;
}

int ftruncate64(int file, off_t size)
{
    pthread_mutex_lock(&lock);
    int done = log_size(file, (int)syscall(SYS_ftruncate, file, size));
    pthread_mutex_unlock(&lock);
    return done;
}

int ftruncate(int file, off_t size)
{
    return ftruncate64(file, size);
}

int fallocate64(int file, int mode, off_t offset, off_t length)
{
    pthread_mutex_lock(&lock);
    int done = log_size(file, (int)syscall(SYS_fallocate, file, mode, offset, length));
    pthread_mutex_unlock(&lock);
    return done;
}

int fallocate(int file, int mode, off_t offset, off_t length)
{
    return fallocate64(file, mode, offset, length);
}

int posix_fallocate64(int file, off_t offset, off_t length)
{
    return fallocate64(file, 0, offset, length) == 0 ? 0 : errno;
}

int posix_fallocate(int file, off_t offset, off_t length)
{
    return posix_fallocate64(file, offset, length);
}

/* ---- Syncs. */

static int log_sync(int file, long call)
{
    static atomic_flag was_slow;
    const char *milliseconds = getenv("XTF_TORTURE_SYNC_MS");
    char path[PATH_MAX];

    if (!file_is_watched(file, path))
        return (int)syscall(call, file);
    pthread_mutex_lock(&lock);
    put_record('b', inode_of(file), 0, path, NULL, 0);
    pthread_mutex_unlock(&lock);
    if (milliseconds && call == SYS_fdatasync && !atomic_flag_test_and_set(&was_slow))
        usleep(1000 * (useconds_t)atoi(milliseconds));
    pthread_mutex_lock(&lock);
    put_record('s', inode_of(file), 0, path, NULL, 0);
    pthread_mutex_unlock(&lock);
    return 0;
}

int fsync(int file)
{
    return log_sync(file, SYS_fsync);
}

int fdatasync(int file)
{
    return log_sync(file, SYS_fdatasync);
}

/* ---- Names. */

static int open_logged(int folder, const char *name, int flags, mode_t mode)
{
    char path[PATH_MAX];
    struct stat before, after;

    if (!(flags & (O_CREAT | O_TRUNC)) || (flags & O_TMPFILE) == O_TMPFILE || !name_is_watched(folder, name, path))
        return (int)syscall(SYS_openat, folder, name, flags, mode);
    pthread_mutex_lock(&lock);
    bool existed = stat(path, &before) == 0;
    int file = (int)syscall(SYS_openat, folder, name, flags, mode);
    if (file >= 0 && fstat(file, &after) == 0 && !existed)
        put_record('n', after.st_ino, 0, path, NULL, 0);
    if (file >= 0 && existed && flags & O_TRUNC)
        put_record('t', after.st_ino, 0, NULL, NULL, 0);
    pthread_mutex_unlock(&lock);
    return file;
}

static mode_t mode_of(int flags, va_list *arguments)
{
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(*arguments, mode_t) : 0;
}

#define OPEN_BODY(folder)                     \
    va_list arguments;                        \
    va_start(arguments, flags);               \
    mode_t mode = mode_of(flags, &arguments); \
    va_end(arguments);                        \
    return open_logged(folder, name, flags, mode)

int open64(const char *name, int flags, ...)
{
    OPEN_BODY(AT_FDCWD);
}

int open(const char *name, int flags, ...)
{
    OPEN_BODY(AT_FDCWD);
}

int openat64(int folder, const char *name, int flags, ...)
{
    OPEN_BODY(folder);
}

int openat(int folder, const char *name, int flags, ...)
{
    OPEN_BODY(folder);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    char path[PATH_MAX];
    struct stat status;

    pthread_mutex_lock(&lock);
    int done = (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
    if (done == 0 && name_is_watched(to_folder, to, path) && stat(path, &status) == 0)
        put_record('n', status.st_ino, 0, path, NULL, 0);
    pthread_mutex_unlock(&lock);
    return done;
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    char before[PATH_MAX], after[PATH_MAX];
    bool watched = name_is_watched(from_folder, from, before) && name_is_watched(to_folder, to, after);

    pthread_mutex_lock(&lock);
    int done = (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
    if (done == 0 && watched)
        put_record('r', 0, 0, before, after, strlen(after));
    pthread_mutex_unlock(&lock);
    return done;
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    return renameat2(from_folder, from, to_folder, to, 0);
}

int rename(const char *from, const char *to)
{
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlinkat(int folder, const char *name, int flags)
{
    char path[PATH_MAX];
    bool watched = name_is_watched(folder, name, path);

    pthread_mutex_lock(&lock);
    int done = (int)syscall(SYS_unlinkat, folder, name, flags);
    if (done == 0 && watched)
        put_record('u', 0, 0, path, NULL, 0);
    pthread_mutex_unlock(&lock);
    return done;
}

int unlink(const char *name)
{
    return unlinkat(AT_FDCWD, name, 0);
}
