#include "src/record/core/inner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    RINGS = 1024,
    SHARED_MIN = 64 << 20, /* bytes that must be free in /dev/shm: other programs use it, too */
};

/* Returns the number of rings that fit into the limit of file sizes. The limit applies to files in memory, too, and a
 * process that exceeds it gets a deadly signal. */
static uint32_t rings_within_limit(uint64_t ring_size, uint64_t page)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return RINGS;
    uint64_t front = xtf_wire_data_at(RINGS, page);
    uint64_t rings = limit.rlim_cur > front ? (limit.rlim_cur - front) / ring_size : 0;
    return rings < RINGS ? (uint32_t)rings : RINGS;
}

/* Allocates the pages of a file, so that missing memory is an error now and not a SIGBUS later. Calls the kernel
 * directly, since fallocate() is a cancellation point. */
static bool allocate_pages(int descriptor, uint64_t from, uint64_t size)
{
    XtfCoreHeldSignal held = xtf_core_hold_size_signal();
    long failed;

    while ((failed = syscall(SYS_fallocate, descriptor, 0, (off_t)from, (off_t)size)) && errno == EINTR)
        continue;
    xtf_core_release_size_signal(&held);
    return !failed || errno == EOPNOTSUPP || errno == ENOSYS;
}

static bool map_front(uint64_t size)
{
    int descriptor = xtf_core.memory.number;

    if (!allocate_pages(descriptor, 0, size))
        return false;
    void *front = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
    if (front == MAP_FAILED)
        return false;
    madvise(front, size, MADV_DONTFORK);
    xtf_core.process = front;
    xtf_core.shared = (XtfWireRing *)((uint8_t *)front + XTF_WIRE_HEADER_SIZE);
    return true;
}

/* Creates a file and unlinks it, for systems that allow no files in memory. The collector recognizes its maps by the
 * name (collect/watch.c). */
static int make_file(const char *folder)
{
    char name[64];
    int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (directory < 0)
        return -1;
    snprintf(name, sizeof name, ".xtf-record-%d-%llx", (int)getpid(), (unsigned long long)xtf_monotonic_ns());
    int descriptor = openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor >= 0)
        unlinkat(directory, name, 0);
    int saved = errno;
    syscall(SYS_close, directory);
    errno = saved;
    return descriptor;
}

/* Opens a file in memory. If the system refuses, as some containers do, opens an unlinked file in /dev/shm, or in the
 * job folder. */
static int open_memory(void)
{
    const char *folder = xtf_core_option("FOLDER");
    int descriptor = (int)syscall(SYS_memfd_create, "xtf-record", 3U /* MFD_CLOEXEC | MFD_ALLOW_SEALING */);

    if (descriptor >= 0 || (errno != EPERM && errno != ENOSYS && errno != EACCES))
        return descriptor;
    struct statvfs space;
    bool is_small = !statvfs("/dev/shm", &space) && space.f_bavail * space.f_frsize < SHARED_MIN;
    descriptor = is_small ? -1 : make_file("/dev/shm");
    if (descriptor < 0 && folder) {
        mkdir(folder, 0700);
        descriptor = make_file(folder);
    }
    return descriptor;
}

static bool make_rings(uint64_t ring_size, uint32_t n_rings)
{
    uint64_t front = xtf_wire_data_at(n_rings, xtf_core.page);
    int descriptor = open_memory();

    if (descriptor < 0)
        return false;
    xtf_core.memory = xtf_core_hide(descriptor);
    if (xtf_core.memory.number < 0)
        return false;
    if (ftruncate(xtf_core.memory.number, (off_t)(front + n_rings * ring_size)) || !map_front(front))
        return false;
    /* No process, not even the program, may truncate the file while the collector reads it. */
    fcntl(xtf_core.memory.number, F_ADD_SEALS, F_SEAL_SHRINK);
    void *rings = mmap(NULL, n_rings * sizeof(XtfRing), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (rings == MAP_FAILED)
        return false;
    xtf_core.rings = rings;
    XtfWireProcess *process = xtf_core.process; /* all zeros: the file is new */
    process->magic = XTF_WIRE_MAGIC;
    process->version = XTF_WIRE_VERSION;
    process->n_rings = n_rings;
    process->ring_size = ring_size;
    process->pid = getpid();
    atomic_store(&process->rank, XTF_WIRE_NONE);
    return true;
}

bool xtf_core_make_memory(uint64_t ring_size)
{
    xtf_core.page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t least = xtf_core.page > XTF_CORE_RING_SIZE_MIN ? xtf_core.page : XTF_CORE_RING_SIZE_MIN;
    uint64_t size = least;
    while (size <= ring_size / 2)
        size *= 2;
    uint32_t n_rings;
    while (n_rings = rings_within_limit(size, xtf_core.page), n_rings < 2 && size > least)
        size /= 2;
    if (!n_rings) {
        xtf_core_refuse("the limit of file sizes (ulimit -f) leaves no room for what is recorded: this process is not "
                        "recorded");
        return false;
    }
    xtf_core.memory.number = -1;
    if (make_rings(size, n_rings) && xtf_core_map_ring(0))
        return true;
    xtf_core_refuse("no memory for what is recorded: %s: this process is not recorded", strerror(errno));
    xtf_core_unmake_memory();
    return false;
}

void xtf_core_unmake_memory(void)
{
    XtfWireProcess *process = xtf_core.process;

    if (xtf_core.rings) {
        if (xtf_core.rings[0].data)
            munmap(xtf_core.rings[0].data, 2 * process->ring_size);
        munmap(xtf_core.rings, process->n_rings * sizeof(XtfRing));
        xtf_core.rings = NULL;
    }
    if (process)
        munmap(process, xtf_wire_data_at(process->n_rings, xtf_core.page));
    xtf_core.process = NULL;
    xtf_core_drop_descriptor(&xtf_core.memory);
}

bool xtf_core_map_ring(uint32_t index)
{
    XtfRing *ring = &xtf_core.rings[index];
    uint64_t size = xtf_core.process->ring_size;
    uint64_t from = xtf_wire_data_at(xtf_core.process->n_rings, xtf_core.page) + index * size;

    if (ring->data)
        return true;
    if (!xtf_core_is_ours(&xtf_core.memory)) {
        errno = EBADF;
        return false;
    }
    int descriptor = xtf_core.memory.number;
    if (!allocate_pages(descriptor, from, size))
        return false;
    uint8_t *data = mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED)
        return false;
    for (int half = 0; half < 2; half++)
        if (mmap(data + (uint64_t)half * size, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
                 descriptor, (off_t)from) == MAP_FAILED) {
            int saved = errno;
            munmap(data, 2 * size);
            errno = saved;
            return false;
        }
    madvise(data, 2 * size, MADV_DONTFORK);
    ring->shared = &xtf_core.shared[index];
    ring->list = index < XTF_WIRE_LISTS ? xtf_core.process->lists[index] : NULL;
    ring->data = data;
    ring->mask = size - 1;
    return true;
}
