#include "src/export/cube/matrix.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libxtf/base/nameless.h"

enum {
    FIRST_ROWS = 64,
    BLOCK = 1 << 16, /* bytes of disk space to reserve at once */
};

void xtf_cube_matrix_init(XtfCubeMatrix *matrix, uint32_t n_columns)
{
    *matrix = (XtfCubeMatrix){.fd = -1, .n_columns = n_columns};
    matrix->block = (uint32_t)MAX(1, BLOCK / (MAX(n_columns, 1) * sizeof *matrix->cells));
}

static size_t rows_bytes(const XtfCubeMatrix *matrix, uint32_t n_rows)
{
    return (size_t)n_rows * matrix->n_columns * sizeof *matrix->cells;
}

void xtf_cube_matrix_finish(XtfCubeMatrix *matrix)
{
    if (!matrix->cells)
        return;
    munmap(matrix->cells, rows_bytes(matrix, matrix->n_rows));
    close(matrix->fd);
    g_free(matrix->used);
    g_free(matrix->reserved);
    matrix->cells = NULL;
}

/* Grows the matrix to at least `least` rows. Grows by whole blocks, so that ftruncate() cuts off no reserved block. */
static bool grow_matrix(XtfCubeMatrix *matrix, uint32_t least, const char *folder, GError **error)
{
    uint32_t n_rows = (least + matrix->block - 1) / matrix->block * matrix->block;

    if (matrix->fd < 0 && (matrix->fd = xtf_nameless_file(folder, error)) < 0)
        return false;
    if (ftruncate(matrix->fd, (off_t)rows_bytes(matrix, n_rows)) != 0)
        return xtf_fail(error, XTF_ERROR_IO, "%s: %s", folder, g_strerror(errno));
    void *cells =
        matrix->cells
            ? mremap(matrix->cells, rows_bytes(matrix, matrix->n_rows), rows_bytes(matrix, n_rows), MREMAP_MAYMOVE)
            : mmap(NULL, rows_bytes(matrix, n_rows), PROT_READ | PROT_WRITE, MAP_SHARED, matrix->fd, 0);
    if (cells == MAP_FAILED)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "cannot map the values of a metric, %zu bytes: %s",
                        rows_bytes(matrix, n_rows), g_strerror(errno));
    matrix->cells = cells;
    matrix->used = g_realloc(matrix->used, n_rows);
    memset(matrix->used + matrix->n_rows, 0, n_rows - matrix->n_rows);
    uint32_t before = matrix->n_rows > 0 ? matrix->n_rows / matrix->block + 1 : 0, after = n_rows / matrix->block + 1;
    matrix->reserved = g_realloc(matrix->reserved, after);
    memset(matrix->reserved + before, 0, after - before);
    matrix->n_rows = n_rows;
    return true;
}

/* Marks a row as used. Reserves its disk space first, since a write to a mapped file on a full disk raises SIGBUS. */
static bool reserve_row(XtfCubeMatrix *matrix, uint32_t row, const char *folder, GError **error)
{
    if (row >= matrix->n_rows &&
        !grow_matrix(matrix, MAX(MAX(row + 1, 2 * matrix->n_rows), (uint32_t)FIRST_ROWS), folder, error))
        return false;
    uint32_t block = row / matrix->block;
    int failure = matrix->reserved[block]
                      ? 0
                      : posix_fallocate(matrix->fd, (off_t)rows_bytes(matrix, block * matrix->block),
                                        (off_t)rows_bytes(matrix, matrix->block));
    if (failure != 0)
        return xtf_fail(error, XTF_ERROR_IO, "%s: cannot reserve space for a temporary file: %s", folder,
                        g_strerror(failure));
    matrix->reserved[block] = 1;
    matrix->used[row] = 1;
    return true;
}

bool xtf_cube_matrix_add(XtfCubeMatrix *matrix, uint32_t row, uint32_t column, uint64_t value, const char *folder,
                         GError **error)
{
    if (value == 0)
        return true;
    if (!reserve_row(matrix, row, folder, error))
        return false;
    matrix->cells[(size_t)row * matrix->n_columns + column] += value;
    return true;
}

bool xtf_cube_matrix_add_row(XtfCubeMatrix *matrix, uint32_t from, uint32_t to, const char *folder, GError **error)
{
    if (!xtf_cube_matrix_has(matrix, from))
        return true;
    if (!reserve_row(matrix, to, folder, error))
        return false;
    const uint64_t *a = xtf_cube_matrix_row(matrix, from);
    uint64_t *b = matrix->cells + (size_t)to * matrix->n_columns;
    for (uint32_t i = 0; i < matrix->n_columns; i++)
        b[i] += a[i];
    return true;
}
