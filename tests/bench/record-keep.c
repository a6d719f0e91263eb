/*
 * Replaces `xtf collect`: stores the memory of a traced process in a file, which record-collect packs. The rings are
 * not emptied while the process runs, so they need space for all records (xtf record --buffer).
 *
 * usage: XTF_RECORD_XTF=record-keep RECORD_KEEP=FOLDER and the variables that `xtf record --dry-run` prints
 */
#include <fcntl.h>
#include <glib.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/record/collect/memory.h"

enum { MEMORY = 3, SOCKET = 4, PROCESS = 5, NAP_MS = 5, PIECE = 1 << 16 };

static void set_word(_Atomic uint32_t *word, uint32_t value)
{
    if (atomic_exchange(word, value) != value)
        syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static bool has_ended(void)
{
    struct pollfd process = {.fd = PROCESS, .events = POLLIN};

    return poll(&process, 1, NAP_MS) > 0;
}

/* Stores the first `used` bytes. The file has the size of the memory; its other bytes take no space. */
static bool store_memory(const char *path, uint64_t used)
{
    g_autofree uint8_t *bytes = g_malloc(PIECE);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    struct stat status;
    bool good = file >= 0 && fstat(MEMORY, &status) == 0 && ftruncate(file, status.st_size) == 0;

    for (uint64_t at = 0; good && at < used; at += PIECE) {
        ssize_t n = pread(MEMORY, bytes, PIECE, (off_t)at);
        good = n > 0 && pwrite(file, bytes, (size_t)n, (off_t)at) == n;
    }
    return file >= 0 && close(file) == 0 && good;
}

int main(void)
{
    XtfCollectMemory memory;
    g_autoptr(GError) error = NULL;
    const char *folder = g_getenv("RECORD_KEEP");

    if (!folder || !xtf_collect_memory_init(&memory, MEMORY, &error)) {
        fprintf(stderr, "record-keep: %s\n", error ? error->message : "RECORD_KEEP is not set");
        return 1;
    }
    bool ended;
    do {
        ended = has_ended();
        set_word(&memory.process->collector_ready, 1);
        set_word(&memory.process->drained, atomic_load(&memory.process->drain));
    } while (!ended);
    uint32_t rings = MIN(atomic_load(&memory.process->claimed), memory.n_rings);
    g_autofree char *path = g_strdup_printf("%s/%" PRIu32 ".memory", folder, atomic_load(&memory.process->rank));
    bool good = store_memory(path, memory.data + rings * memory.ring_size);
    xtf_collect_memory_finish(&memory);
    return good ? 0 : 1;
}
