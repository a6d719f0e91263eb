/*
 * Memory in a file, on a file system that cannot allocate space. libc then writes to each block. This posix_fallocate()
 * writes zeros to the whole range, as libc does to a block that another thread has just begun to fill.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/base/file-memory.h"

enum { STEP = 100000, STEPS = 20 };

int posix_fallocate(int file, off_t offset, off_t size)
{
    static const char zeros[4096];

    if (offset < 0 || size <= 0)
        return EINVAL;
    for (off_t at = 0; at < size; at += (off_t)sizeof zeros) {
        size_t n = MIN(sizeof zeros, (size_t)(size - at));
        if (pwrite(file, zeros, n, offset + at) != (ssize_t)n)
            return errno;
    }
    return 0;
}

Test(file_memory, growing_keeps_the_content)
{
    XtfFileMemory memory = {0};
    GError *error = NULL;

    for (size_t step = 0; step < STEPS; step++) {
        size_t size = (step + 1) * STEP;
        cr_assert(xtf_file_memory_grow(&memory, size, 2 * size, &error), "%s", error ? error->message : "");
        cr_assert(xtf_file_memory_grow(&memory, size, size, &error), "growing to the same size");
        cr_assert_eq(memory.size, size);
        for (size_t i = 0; i < size; i++)
            cr_assert_eq(memory.data[i], i < step * STEP ? 1 + i / STEP : 0, "byte %zu in step %zu", i, step);
        memset(memory.data + step * STEP, (int)step + 1, STEP);
    }
    xtf_file_memory_free(&memory);
}
