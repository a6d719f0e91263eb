/*
 * Preloaded library: lets calls on files of the folder $XTF_TORTURE_FOLDER fail, or delays them.
 *
 * $XTF_TORTURE_FAULT is "CALL N HOW EXTENT". The N-th CALL, counted from 1 over all processes, fails. If N is 0, none
 * fails. HOW is a number of errno, or "short": the call does half of its work, or "slow": the call takes SLOW_US
 * longer. EXTENT is "once", or "on" for all later calls too. $XTF_TORTURE_COUNTS is a file that all processes share: 8
 * bytes for each of KINDS, with the number of calls.
 */
#undef _FILE_OFFSET_BITS /* otherwise pread and pread64 would be the same function */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "preload.h"

#define KINDS(KIND) \
    KIND(pread)     \
    KIND(pwrite)    \
    KIND(write) KIND(fsync) KIND(ftruncate) KIND(fallocate) KIND(rename) KIND(linkat) KIND(copy_file_range) KIND(mmap)

#define ENUM(name) KIND_##name,
#define NAME(name) #name,
enum { KINDS(ENUM) N_KINDS, SHORT = -1, SLOW_US = 5000 };

static const char *const names[] = {KINDS(NAME)};

/* Returns the counters of all processes. */
static _Atomic uint64_t *counters(void)
{
    static _Atomic(_Atomic uint64_t *) shared;
    _Atomic uint64_t *mapped = atomic_load(&shared);
    const char *path = getenv("XTF_TORTURE_COUNTS");

    if (mapped || !path)
        return mapped;
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    mapped =
        (void *)syscall(SYS_mmap, NULL, N_KINDS * sizeof *mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)0);
    if (file < 0 || mapped == MAP_FAILED)
        abort();
    syscall(SYS_close, file);
    atomic_store(&shared, mapped);
    return mapped;
}

/* Counts a call on a watched file. Returns 0, the error with which it fails, or SHORT. */
static int fault_of(int kind)
{
    const char *fault = getenv("XTF_TORTURE_FAULT");
    char call[32], result[16], extent[8];
    unsigned long nth;

    if (!counters())
        return 0;
    uint64_t number = atomic_fetch_add(&counters()[kind], 1) + 1;
    if (!fault || sscanf(fault, "%31s %lu %15s %7s", call, &nth, result, extent) != 4 || strcmp(call, names[kind]) != 0)
        return 0;
    if (nth == 0 || number < nth || (number > nth && strcmp(extent, "on") != 0))
        return 0;
    if (strcmp(result, "slow") == 0)
        usleep(SLOW_US);
    return strcmp(result, "short") == 0 ? SHORT : atoi(result);
}

static int fault_of_file(int kind, int file)
{
    char path[PATH_MAX];

    return file >= 0 && file_is_watched(file, path) ? fault_of(kind) : 0;
}

static int fault_of_name(int kind, int folder, const char *name)
{
    char path[PATH_MAX];

    return name_is_watched(folder, name, path) ? fault_of(kind) : 0;
}

/* Returns the size of a call that may be short. */
static size_t size_of(size_t size, int fault)
{
    return fault == SHORT && size > 1 ? size / 2 : size;
}

#define FAIL_WITH(fault, result) \
    if ((fault) > 0) {           \
        errno = fault;           \
        return result;           \
    }

ssize_t pread64(int file, void *data, size_t size, off_t offset)
{
    int fault = fault_of_file(KIND_pread, file);

    FAIL_WITH(fault, -1)
    return syscall(SYS_pread64, file, data, size_of(size, fault), offset);
}

ssize_t pread(int file, void *data, size_t size, off_t offset)
{
    return pread64(file, data, size, offset);
}

ssize_t pwrite64(int file, const void *data, size_t size, off_t offset)
{
    int fault = fault_of_file(KIND_pwrite, file);

    FAIL_WITH(fault, -1)
    return syscall(SYS_pwrite64, file, data, size_of(size, fault), offset);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t offset)
{
    return pwrite64(file, data, size, offset);
}

ssize_t write(int file, const void *data, size_t size)
{
    int fault = fault_of_file(KIND_write, file);

    FAIL_WITH(fault, -1)
    return syscall(SYS_write, file, data, size_of(size, fault));
}

/* Counts only syncs of files: some file systems cannot sync folders, so programs ignore that error. */
int fsync(int file)
{
    struct stat status;
    bool is_folder = fstat(file, &status) == 0 && S_ISDIR(status.st_mode);
    int fault = is_folder ? 0 : fault_of_file(KIND_fsync, file);

    FAIL_WITH(fault, -1)
    return 0; /* the real sync would only take time */
}

int fdatasync(int file)
{
    return fsync(file);
}

int ftruncate64(int file, off_t size)
{
    int fault = fault_of_file(KIND_ftruncate, file);

    FAIL_WITH(fault, -1)
    return (int)syscall(SYS_ftruncate, file, size);
}

int ftruncate(int file, off_t size)
{
    return ftruncate64(file, size);
}

int fallocate64(int file, int mode, off_t offset, off_t length)
{
    int fault = fault_of_file(KIND_fallocate, file);

    FAIL_WITH(fault, -1)
    return (int)syscall(SYS_fallocate, file, mode, offset, length);
}

int fallocate(int file, int mode, off_t offset, off_t length)
{
    return fallocate64(file, mode, offset, length);
}

int posix_fallocate64(int file, off_t offset, off_t length)
{
    int before = errno, error = fallocate64(file, 0, offset, length) == 0 ? 0 : errno;

    errno = before;
    return error;
}

int posix_fallocate(int file, off_t offset, off_t length)
{
    return posix_fallocate64(file, offset, length);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    int fault = fault_of_name(KIND_rename, to_folder, to);

    FAIL_WITH(fault, -1)
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    return renameat2(from_folder, from, to_folder, to, 0);
}

int rename(const char *from, const char *to)
{
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    int fault = fault_of_name(KIND_linkat, to_folder, to);

    FAIL_WITH(fault, -1)
    return (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}

ssize_t copy_file_range(int from, off_t *in, int to, off_t *out, size_t length, unsigned flags)
{
    int fault = fault_of_file(KIND_copy_file_range, to);

    FAIL_WITH(fault, -1)
    return syscall(SYS_copy_file_range, from, in, to, out, size_of(length, fault), flags);
}

void *mmap64(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    int fault = flags & MAP_ANONYMOUS ? 0 : fault_of_file(KIND_mmap, file);

    FAIL_WITH(fault, MAP_FAILED)
    return (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}

void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    return mmap64(address, size, protection, flags, file, offset);
}
