/*
 * Collects the memory of a traced process that the input describes: its layout, the positions of its rings, and the
 * records in them. The input changes all of it once more between the rounds. The collector refuses the
 * memory, or writes a part in which the check finds nothing.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libxtf/xtf.h"
#include "src/record/collect/session.h"
#include "tests/fuzz/targets/target.h"

enum {
    N_RINGS = 3,
    RING_BYTES = 16 << 10,
    ROUNDS_MAX = 4,
};

/* The memory as the process maps it. */
typedef struct {
    int fd;
    size_t size;
    XtfWireProcess *process;
    XtfWireRing *rings;
    uint8_t *data; /* of the first ring */
} Memory;

static void make_memory(Memory *memory)
{
    uint64_t data = xtf_wire_data_at(N_RINGS, (uint64_t)sysconf(_SC_PAGESIZE));

    memory->size = data + N_RINGS * RING_BYTES;
    memory->fd = memfd_create("xtf-fuzz-ring", MFD_CLOEXEC);
    target_must(memory->fd >= 0 && ftruncate(memory->fd, (off_t)memory->size) == 0, "no memory can be made");
    memory->process = mmap(NULL, memory->size, PROT_READ | PROT_WRITE, MAP_SHARED, memory->fd, 0);
    target_must(memory->process != MAP_FAILED, "the memory cannot be mapped");
    memory->rings = (XtfWireRing *)((uint8_t *)memory->process + XTF_WIRE_HEADER_SIZE);
    memory->data = (uint8_t *)memory->process + data;
    memory->process->magic = XTF_WIRE_MAGIC;
    memory->process->version = XTF_WIRE_VERSION;
    memory->process->n_rings = N_RINGS;
    memory->process->ring_size = RING_BYTES;
    memory->process->clock = XTF_WIRE_CLOCK_MONOTONIC;
    memory->process->pid = 0; /* no process has it, so the collector reads nothing of /proc */
}

/* Changes members of the header that the process may change at any time. */
static void change_process(Memory *memory, TargetBytes *bytes)
{
    XtfWireProcess *process = memory->process;

    atomic_store(&process->phase, (uint32_t)target_take(bytes, 1) % 4);
    atomic_store(&process->rank, (uint32_t)target_take(bytes, 2));
    atomic_store(&process->world_size, (uint32_t)target_take(bytes, 2));
    atomic_store(&process->claimed, (uint32_t)target_take(bytes, 1));
    atomic_store(&process->nested, target_take(bytes, 1));
    atomic_store(&process->unrecorded[target_take(bytes, 1)], target_take(bytes, 1));
    atomic_store(&process->exit_status, (int32_t)target_take(bytes, 1));
    atomic_store(&process->exited, atomic_load(&process->exit_status) & 1);
}

/* Changes the layout, rarely: the collector reads it once, and refuses the memory after any change. */
static void change_layout(Memory *memory, TargetBytes *bytes)
{
    switch (target_take(bytes, 1)) {
    case 0xf0:
        memory->process->n_rings = (uint32_t)target_take(bytes, 4);
        break;
    case 0xf1:
        memory->process->ring_size = target_take(bytes, 8);
        break;
    case 0xf2:
        memory->process->clock = (uint32_t)target_take(bytes, 4);
        break;
    case 0xf3:
        memory->process->when_full = (uint32_t)target_take(bytes, 4);
        break;
    }
}

/* Appends bytes of the input to a ring, and publishes them. Rarely sets any positions instead. */
static void change_ring(Memory *memory, TargetBytes *bytes)
{
    unsigned i = (unsigned)target_take(bytes, 1), words = (unsigned)target_take(bytes, 2);
    XtfWireRing *ring = &memory->rings[i % N_RINGS];
    uint8_t *data = memory->data + (i % N_RINGS) * RING_BYTES;
    uint64_t head = atomic_load(&ring->head);

    for (; words > 0 && bytes->left > 0; words--, head += 8) {
        uint64_t word = target_take(bytes, 8);
        memcpy(data + (head & (RING_BYTES - 8)), &word, sizeof word);
    }
    atomic_store(&ring->head, i >= 0xf8 ? target_take(bytes, 8) : head);
    if (i >= 0xfc)
        atomic_store(&ring->tail, target_take(bytes, 8));
    if (i & 0x40) {
        atomic_store(&ring->region, (uint32_t)target_take(bytes, 4));
        atomic_store(&ring->since, target_take(bytes, 4));
        atomic_store(&ring->called, target_take(bytes, 4));
        atomic_store(&ring->peer, (uint32_t)target_take(bytes, 4));
        atomic_store(&ring->comm, (uint32_t)target_take(bytes, 4));
        atomic_store(&ring->dropped, target_take(bytes, 1));
        if (i & 0x20) {
            atomic_store(&ring->tag, (uint32_t)target_take(bytes, 4));
            atomic_store(&ring->requests, (uint32_t)target_take(bytes, 4));
            atomic_store(&ring->request, target_take(bytes, 8));
            atomic_store(&ring->dest, (uint32_t)target_take(bytes, 4));
        }
    }
}

static void collect_rounds(XtfCollectSession *session, Memory *memory, TargetBytes *bytes)
{
    GError *error = NULL;

    for (unsigned round = 0; round < ROUNDS_MAX && bytes->left > 0; round++) {
        change_process(memory, bytes);
        for (unsigned n = (unsigned)target_take(bytes, 1) % 8; n > 0; n--)
            change_ring(memory, bytes);
        xtf_collect_begin(session, round > 0);
        xtf_collect_round(session);
        if (target_take(bytes, 1) & 1)
            xtf_collect_commit(session, target_take(bytes, 8));
    }
    session->ended = target_take(bytes, 8);
    xtf_collect_begin(session, true);
    xtf_collect_round(session);
    target_result(xtf_collect_close(session, "killed", (int64_t)target_take(bytes, 1), &error), &error);
}

static void stop_at_problem(const char *message, void *data)
{
    g_error("fuzz: the check finds a problem in a part: %s", message);
}

static void check_part(const char *path)
{
    GError *error = NULL;
    XtfCheckReport report;
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, &error);

    if (!trace || !xtf_trace_check(trace, stop_at_problem, NULL, NULL, &report, &error))
        g_error("fuzz: a part cannot be read: %s", error->message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *base = target_folder(), *folder = g_build_filename(base, "parts", NULL);
    TargetBytes bytes = {data, size};
    XtfCollectSession session;
    GError *error = NULL;
    Memory memory;

    make_memory(&memory);
    change_layout(&memory, &bytes);
    const XtfCollectOptions options = {.memory = memory.fd, .process = -1, .socket = -1, .folder = folder};
    if (target_result(xtf_collect_session_init(&session, &options, &error), &error)) {
        collect_rounds(&session, &memory, &bytes);
        if (session.part.path)
            check_part(session.part.path);
    }
    xtf_collect_session_finish(&session);
    munmap(memory.process, memory.size);
    close(memory.fd);
    target_remove(folder);
    return 0;
}
