#include "libxtf/base/file-memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libxtf/base/nameless.h"
#include "libxtf/error.h"

static bool fail(int reason, const char *folder, size_t size, GError **error)
{
    return xtf_fail(error, XTF_ERROR_IO, "a temporary file in '%s' cannot be made %zu bytes long: %s",
                    folder ? folder : g_get_tmp_dir(), size, g_strerror(reason));
}

/* Only what is new: where the file system does not allot, each block is written, which would go over what other threads
 * write meanwhile. */
static int allot(int file, size_t before, size_t size)
{
    int reason = 0;

    if (size > before)
        do
            reason = posix_fallocate(file, (off_t)before, (off_t)(size - before));
        while (reason == EINTR);
    return reason;
}

static bool make(XtfFileMemory *memory, const char *folder, size_t size, size_t room, GError **error)
{
    int file = xtf_nameless_file(folder, error);
    void *data = MAP_FAILED;

    if (file < 0)
        return false;
    int reason = allot(file, 0, size);
    if (reason == 0 && (data = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)) == MAP_FAILED)
        reason = errno;
    if (reason != 0) {
        close(file);
        return fail(reason, folder, size, error);
    }
    *memory = (XtfFileMemory){.data = data, .size = size, .room = room, .file = file};
    return true;
}

bool xtf_file_memory_grow(XtfFileMemory *memory, size_t size, size_t room, GError **error)
{
    if (!memory->data)
        return make(memory, NULL, size, room, error);
    int reason = allot(memory->file, memory->size, size);
    if (reason != 0)
        return fail(reason, NULL, size, error);
    if (room > memory->room) {
        void *data = mremap(memory->data, memory->room, room, MREMAP_MAYMOVE);
        if (data == MAP_FAILED)
            return fail(errno, NULL, size, error);
        memory->data = data;
        memory->room = room;
    }
    memory->size = size;
    return true;
}

bool xtf_file_memory_make(XtfFileMemory *memory, const char *folder, size_t size, GError **error)
{
    if (!make(memory, folder, size, size, error))
        return false;
    close(memory->file);
    memory->file = -1;
    return true;
}

void xtf_file_memory_rest(void *data, size_t size)
{
    (void)madvise(data, size, MADV_DONTNEED); /* of a file: what was written stays in it */
}

void xtf_file_memory_free(XtfFileMemory *memory)
{
    if (memory->data) {
        munmap(memory->data, memory->room);
        if (memory->file >= 0)
            close(memory->file);
    }
    *memory = (XtfFileMemory){0};
}
