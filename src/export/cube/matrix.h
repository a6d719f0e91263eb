/*
 * The values of a metric, by call path and location, in an unlinked file: so memory is the kernel's to reclaim, however
 * many there are.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/error.h"

typedef struct {
    uint64_t *cells; /* mapped; NULL: nothing was added yet */
    int fd;
    uint32_t n_rows, n_columns; /* rows that there is room for */
    uint8_t *used;              /* by row: whether it has a value */
    uint8_t *roomy;             /* by block of rows: whether the disk has room for it */
    uint32_t block;             /* rows of a block */
} XtfCubeMatrix;

void xtf_cube_matrix_init(XtfCubeMatrix *matrix, uint32_t n_columns);
void xtf_cube_matrix_finish(XtfCubeMatrix *matrix); /* all zeros is fine */

/* Adds to a value. `folder` is one to put the file in. */
bool xtf_cube_matrix_add(XtfCubeMatrix *matrix, uint32_t row, uint32_t column, uint64_t value, const char *folder,
                         GError **error);
/* Adds row `from` to row `to`. */
bool xtf_cube_matrix_add_row(XtfCubeMatrix *matrix, uint32_t from, uint32_t to, const char *folder, GError **error);

static inline bool xtf_cube_matrix_has(const XtfCubeMatrix *matrix, uint32_t row)
{
    return row < matrix->n_rows && matrix->used[row];
}

/* The row's values, by column. It must have some. */
static inline const uint64_t *xtf_cube_matrix_row(const XtfCubeMatrix *matrix, uint32_t row)
{
    return matrix->cells + (size_t)row * matrix->n_columns;
}
