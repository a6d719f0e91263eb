#include "libxtf/base/file-memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libxtf/base/nameless.h"
#include "libxtf/error.h"

static bool fail_allocation(int error_number, const char *folder, size_t size, GError **error)
{
    return xtf_fail(error, XTF_ERROR_IO, "a temporary file in '%s' cannot grow to %zu bytes: %s",
                    folder ? folder : g_get_tmp_dir(), size, g_strerror(error_number));
}

/* Allocates the file's blocks for bytes [before, size). On file systems without fallocate, libc writes to each block.
 * Existing blocks are therefore left out: other threads may be writing to them. */
static int allocate_blocks(int file, size_t before, size_t size)
{
    int error_number = 0;

    if (size > before)
        do
            error_number = posix_fallocate(file, (off_t)before, (off_t)(size - before));
        while (error_number == EINTR);
    return error_number;
}

/* Maps the file in single pages. New kernels keep files in huge pages, and one access would map 2 MiB of a table that
 * is used sparsely. */
static void *map_file(int file, size_t reserved)
{
    void *data = mmap(NULL, reserved, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

    if (data != MAP_FAILED)
        (void)madvise(data, reserved, MADV_NOHUGEPAGE);
    return data;
}

static bool make_memory(XtfFileMemory *memory, const char *folder, size_t size, size_t reserved, GError **error)
{
    int file = xtf_nameless_file(folder, error);
    void *data = MAP_FAILED;

    if (file < 0)
        return false;
    int error_number = allocate_blocks(file, 0, size);
    if (error_number == 0 && (data = map_file(file, reserved)) == MAP_FAILED)
        error_number = errno;
    if (error_number != 0) {
        close(file);
        return fail_allocation(error_number, folder, size, error);
    }
    *memory = (XtfFileMemory){.data = data, .size = size, .reserved = reserved, .file = file};
    return true;
}

bool xtf_file_memory_grow(XtfFileMemory *memory, size_t size, size_t reserved, GError **error)
{
    if (!memory->data)
        return make_memory(memory, NULL, size, reserved, error);
    int error_number = allocate_blocks(memory->file, memory->size, size);
    if (error_number != 0)
        return fail_allocation(error_number, NULL, size, error);
    if (reserved > memory->reserved) {
        void *data = mremap(memory->data, memory->reserved, reserved, MREMAP_MAYMOVE);
        if (data == MAP_FAILED)
            return fail_allocation(errno, NULL, size, error);
        memory->data = data;
        memory->reserved = reserved;
    }
    memory->size = size;
    return true;
}

bool xtf_file_memory_make(XtfFileMemory *memory, const char *folder, size_t size, GError **error)
{
    if (!make_memory(memory, folder, size, size, error))
        return false;
    close(memory->file);
    memory->file = -1;
    return true;
}

void xtf_file_memory_page_out(void *data, size_t size)
{
    (void)madvise(data, size, MADV_DONTNEED); /* the mapping is shared: written bytes stay in the file */
}

void xtf_file_memory_free(XtfFileMemory *memory)
{
    if (memory->data) {
        munmap(memory->data, memory->reserved);
        if (memory->file >= 0)
            close(memory->file);
    }
    *memory = (XtfFileMemory){0};
}
