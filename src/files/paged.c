#include "src/files/paged.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libxtf/base/nameless.h"

enum { MAPPED_MIN = 4 << 20 }; /* bytes */

static bool map(XtfPaged *paged, size_t size)
{
    int file = xtf_nameless_file(NULL, NULL);
    void *data = MAP_FAILED;

    if (file < 0)
        return false;
    /* Its blocks are allotted at once: on a full disk it stays in memory, and nothing is killed by a signal. */
    if (posix_fallocate(file, 0, (off_t)size) == 0)
        data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (data == MAP_FAILED) {
        close(file);
        return false;
    }
    if (paged->size > 0)
        memcpy(data, paged->data, paged->size);
    xtf_paged_free(paged);
    *paged = (XtfPaged){.data = data, .size = size, .file = file, .mapped = true};
    return true;
}

static bool grow_mapped(XtfPaged *paged, size_t size)
{
    if (posix_fallocate(paged->file, 0, (off_t)size) != 0)
        return false;
    void *data = mremap(paged->data, paged->size, size, MREMAP_MAYMOVE);
    if (data == MAP_FAILED)
        return false;
    paged->data = data;
    paged->size = size;
    return true;
}

static void grow_in_memory(XtfPaged *paged, size_t size)
{
    uint8_t *data = paged->mapped ? g_malloc(size) : g_realloc(paged->data, size);
    size_t before = paged->size;

    if (paged->mapped) {
        memcpy(data, paged->data, before);
        xtf_paged_free(paged);
    }
    memset(data + before, 0, size - before);
    *paged = (XtfPaged){.data = data, .size = size};
}

void *xtf_paged_grow(XtfPaged *paged, size_t size)
{
    bool good = paged->mapped ? grow_mapped(paged, size) : size >= MAPPED_MIN && map(paged, size);

    if (!good)
        grow_in_memory(paged, size);
    return paged->data;
}

void xtf_paged_rest(const XtfPaged *paged)
{
    if (paged->mapped)
        (void)madvise(paged->data, paged->size, MADV_DONTNEED); /* of a file: what was written stays in it */
}

void xtf_paged_free(XtfPaged *paged)
{
    if (paged->mapped) {
        munmap(paged->data, paged->size);
        close(paged->file);
    } else {
        g_free(paged->data);
    }
    *paged = (XtfPaged){0};
}
