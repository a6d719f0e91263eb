#include "src/record/collect/memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RING_SIZE_MAX_BITS = 34 };

/* The process's description of its memory. It is read once, since the process may change it later. */
typedef struct {
    uint64_t magic, ring_size;
    uint32_t version, n_rings;
} Layout;

static Layout read_layout(const volatile XtfWireProcess *process)
{
    return (Layout){.magic = process->magic,
                    .ring_size = process->ring_size,
                    .version = process->version,
                    .n_rings = process->n_rings};
}

static bool check_layout(const Layout *layout, uint64_t file_size, uint64_t *data, GError **error)
{
    uint64_t page = sysconf(_SC_PAGESIZE), ring_size = layout->ring_size;

    if (layout->magic != XTF_WIRE_MAGIC)
        return xtf_damaged(error, "the memory is not that of a traced process");
    if (layout->version != XTF_WIRE_VERSION)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                        "the process was traced by version %" PRIu32 " of the recorder, and this is version %d",
                        layout->version, XTF_WIRE_VERSION);
    if (layout->n_rings == 0 || layout->n_rings > XTF_WIRE_RINGS_MAX)
        return xtf_damaged(error, "the memory is damaged: it has %" PRIu32 " rings, not 1 to %d", layout->n_rings,
                           (int)XTF_WIRE_RINGS_MAX);
    if (ring_size < page || ring_size >> RING_SIZE_MAX_BITS > 0 || (ring_size & (ring_size - 1)) != 0)
        return xtf_damaged(error,
                           "the memory is damaged: its rings have %" PRIu64 " bytes, not a power of two from %" PRIu64
                           " to %" PRIu64,
                           ring_size, page, (uint64_t)1 << (RING_SIZE_MAX_BITS - 1));
    *data = xtf_wire_data_at(layout->n_rings, page);
    if (file_size < *data + layout->n_rings * ring_size)
        return xtf_damaged(error, "the memory has %" PRIu64 " bytes, too few for %" PRIu32 " rings of %" PRIu64,
                           file_size, layout->n_rings, ring_size);
    return true;
}

static void *map_shared(int fd, size_t size, uint64_t offset, void *place)
{
    return mmap(place, size, PROT_READ | PROT_WRITE, MAP_SHARED | (place ? MAP_FIXED : 0), fd, offset);
}

bool xtf_collect_memory_init(XtfCollectMemory *memory, int fd, GError **error)
{
    struct stat status;
    uint64_t data = 0;

    if (fstat(fd, &status) != 0)
        return xtf_fail(error, XTF_ERROR_IO, "descriptor %d: %s", fd, g_strerror(errno));
    if (status.st_size < XTF_WIRE_HEADER_SIZE)
        return xtf_damaged(error, "the memory has only %" PRIu64 " bytes", (uint64_t)status.st_size);
    XtfWireProcess *process = map_shared(fd, XTF_WIRE_HEADER_SIZE, 0, NULL);
    if (process == MAP_FAILED)
        return xtf_fail(error, XTF_ERROR_IO, "mapping the memory: %s", g_strerror(errno));
    const Layout layout = read_layout(process);
    munmap(process, XTF_WIRE_HEADER_SIZE);
    if (!check_layout(&layout, status.st_size, &data, error))
        return false;
    process = map_shared(fd, data, 0, NULL);
    if (process == MAP_FAILED)
        return xtf_fail(error, XTF_ERROR_IO, "mapping the memory: %s", g_strerror(errno));
    *memory = (XtfCollectMemory){.process = process,
                                 .rings = (XtfWireRing *)((uint8_t *)process + XTF_WIRE_HEADER_SIZE),
                                 .n_rings = layout.n_rings,
                                 .ring_size = layout.ring_size,
                                 .data = data,
                                 .mapped = data,
                                 .fd = fd,
                                 .ring_data = g_new0(uint8_t *, layout.n_rings)};
    return true;
}

void xtf_collect_memory_finish(XtfCollectMemory *memory)
{
    for (uint32_t i = 0; i < memory->n_rings; i++)
        if (memory->ring_data[i])
            munmap(memory->ring_data[i], 2 * memory->ring_size);
    if (memory->process)
        munmap(memory->process, memory->mapped);
    g_free(memory->ring_data);
    *memory = (XtfCollectMemory){0};
}

uint8_t *xtf_collect_memory_ring(XtfCollectMemory *memory, uint32_t ring, GError **error)
{
    uint64_t size = memory->ring_size, offset = memory->data + ring * size;

    if (memory->ring_data[ring])
        return memory->ring_data[ring];
    /* Reserves room for both copies first, so that no other mapping gets in between. */
    uint8_t *place = mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place != MAP_FAILED && map_shared(memory->fd, size, offset, place) != MAP_FAILED &&
        map_shared(memory->fd, size, offset, place + size) != MAP_FAILED)
        return memory->ring_data[ring] = place;
    xtf_fail(error, XTF_ERROR_IO, "mapping ring %" PRIu32 ": %s", ring, g_strerror(errno));
    if (place != MAP_FAILED)
        munmap(place, 2 * size);
    return NULL;
}

bool xtf_collect_memory_published(const XtfCollectMemory *memory, uint32_t ring, uint64_t *tail, uint64_t *size)
{
    XtfWireRing *shared = &memory->rings[ring];
    uint64_t head = atomic_load_explicit(&shared->head, memory_order_acquire);

    *tail = atomic_load_explicit(&shared->tail, memory_order_relaxed);
    *size = head - *tail;
    return *size <= memory->ring_size && head % 8 == 0 && *tail % 8 == 0;
}
