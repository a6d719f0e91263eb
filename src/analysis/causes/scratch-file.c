#include "src/analysis/causes/scratch-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/error.h"

/* Blocks are found by their number: a set of WAYS of them, in which the one that was not used for longest gives way. */
enum { BLOCK_SIZE = 16 << 10, WAYS = 4, SETS = 128 };

typedef struct {
    uint64_t number; /* UINT64_MAX: none */
    uint64_t used;
    bool dirty;
    uint8_t *data;
} Block;

struct XtfScratchFile {
    int fd;
    uint32_t row_size, rows; /* in a block */
    uint64_t n, n_written;   /* rows; blocks that the file has */
    uint64_t clock;
    Block blocks[SETS][WAYS];
};

XtfScratchFile *xtf_scratch_file_new(uint32_t row_size, const char *folder, GError **error)
{
    g_autofree char *path = g_build_filename(folder ? folder : g_get_tmp_dir(), "xtf-scratch-XXXXXX", NULL);
    int fd = g_mkstemp(path);

    g_assert(row_size > 0 && row_size <= BLOCK_SIZE);
    if (fd < 0) {
        xtf_fail(error, XTF_ERROR_IO, "%s: %s", path, g_strerror(errno));
        return NULL;
    }
    unlink(path);
    XtfScratchFile *file = g_new0(XtfScratchFile, 1);
    *file = (XtfScratchFile){.fd = fd, .row_size = row_size, .rows = BLOCK_SIZE / row_size};
    for (Block *block = file->blocks[0]; block < file->blocks[SETS]; block++)
        block->number = UINT64_MAX;
    return file;
}

void xtf_scratch_file_free(XtfScratchFile *file)
{
    if (!file)
        return;
    for (Block *block = file->blocks[0]; block < file->blocks[SETS]; block++)
        g_free(block->data);
    close(file->fd);
    g_free(file);
}

uint64_t xtf_scratch_file_n(const XtfScratchFile *file)
{
    return file->n;
}

static bool write_block(XtfScratchFile *file, Block *block, GError **error)
{
    for (size_t done = 0; done < BLOCK_SIZE;) {
        ssize_t n = pwrite(file->fd, block->data + done, BLOCK_SIZE - done, (off_t)(block->number * BLOCK_SIZE + done));
        if (n < 0 && errno != EINTR)
            return xtf_fail(error, XTF_ERROR_IO, "writing a temporary file: %s", g_strerror(errno));
        done += n > 0 ? (size_t)n : 0;
    }
    file->n_written = MAX(file->n_written, block->number + 1);
    block->dirty = false;
    return true;
}

/* A block that was never written is new, and zeros. */
static bool read_block(XtfScratchFile *file, Block *block, GError **error)
{
    if (block->number >= file->n_written) {
        memset(block->data, 0, BLOCK_SIZE);
        return true;
    }
    for (size_t done = 0; done < BLOCK_SIZE;) {
        ssize_t n = pread(file->fd, block->data + done, BLOCK_SIZE - done, (off_t)(block->number * BLOCK_SIZE + done));
        if (n < 0 && errno != EINTR)
            return xtf_fail(error, XTF_ERROR_IO, "reading a temporary file: %s", g_strerror(errno));
        if (n == 0) { /* a hole at the end: blocks behind it were written before this one */
            memset(block->data + done, 0, BLOCK_SIZE - done);
            return true;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* The block, read if need be; NULL is an error. */
static Block *block_of(XtfScratchFile *file, uint64_t number, GError **error)
{
    Block *set = file->blocks[number % SETS], *oldest = set;

    for (Block *block = set; block < set + WAYS; block++) {
        if (block->number == number) {
            block->used = ++file->clock;
            return block;
        }
        if (block->used < oldest->used)
            oldest = block;
    }
    if (oldest->dirty && !write_block(file, oldest, error))
        return NULL;
    if (!oldest->data)
        oldest->data = g_malloc(BLOCK_SIZE);
    oldest->number = number;
    if (!read_block(file, oldest, error)) {
        oldest->number = UINT64_MAX;
        oldest->used = 0;
        return NULL;
    }
    oldest->used = ++file->clock;
    return oldest;
}

bool xtf_scratch_file_get(XtfScratchFile *file, uint64_t i, void *row, GError **error)
{
    Block *block = block_of(file, i / file->rows, error);

    if (!block)
        return false;
    memcpy(row, block->data + i % file->rows * file->row_size, file->row_size);
    return true;
}

bool xtf_scratch_file_put(XtfScratchFile *file, uint64_t i, const void *row, GError **error)
{
    Block *block = block_of(file, i / file->rows, error);

    if (!block)
        return false;
    memcpy(block->data + i % file->rows * file->row_size, row, file->row_size);
    block->dirty = true;
    return true;
}

bool xtf_scratch_file_append(XtfScratchFile *file, const void *row, GError **error)
{
    if (!xtf_scratch_file_put(file, file->n, row, error))
        return false;
    file->n++;
    return true;
}
