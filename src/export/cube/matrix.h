/*
 * The values of a metric, by call path and location, in a mapped and unlinked file. So the kernel can reclaim their
 * memory, however many values there are.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/error.h"

typedef struct {
    uint64_t *cells; /* mapped; NULL: no value was added yet */
    int fd;
    uint32_t n_rows, n_columns; /* n_rows: rows that are mapped */
    uint8_t *used;              /* by row: 1 if it has values */
    uint8_t *reserved;          /* by block of rows: 1 if its disk space is reserved */
    uint32_t block;             /* rows in a block */
} XtfCubeMatrix;

void xtf_cube_matrix_init(XtfCubeMatrix *matrix, uint32_t n_columns);
void xtf_cube_matrix_finish(XtfCubeMatrix *matrix); /* all zeros is fine */

/* Adds to a value. The first call creates the file in `folder`. */
bool xtf_cube_matrix_add(XtfCubeMatrix *matrix, uint32_t row, uint32_t column, uint64_t value, const char *folder,
                         GError **error);
/* Adds row `from` to row `to`. */
bool xtf_cube_matrix_add_row(XtfCubeMatrix *matrix, uint32_t from, uint32_t to, const char *folder, GError **error);

static inline bool xtf_cube_matrix_has(const XtfCubeMatrix *matrix, uint32_t row)
{
    return row < matrix->n_rows && matrix->used[row];
}

/* Returns the row's values, by column. The row must have values. */
static inline const uint64_t *xtf_cube_matrix_row(const XtfCubeMatrix *matrix, uint32_t row)
{
    return matrix->cells + (size_t)row * matrix->n_columns;
}
