/*
 * Rows of numbers whose columns are as narrow as their values permit: 0 to 8 bytes each.
 */
#pragma once

#include "libxtf/base/le.h"

typedef struct {
    uint64_t mask; /* of the bytes of the column */
    uint8_t at;    /* offset in a row */
} XtfNarrowColumn;

/* 8 bytes behind the last row are readable. */
typedef struct {
    const uint8_t *bytes;
    const XtfNarrowColumn *columns;
    uint32_t stride; /* bytes from each row to the next */
} XtfNarrowRows;

static inline uint64_t xtf_narrow_number(const XtfNarrowRows *rows, uint32_t row, unsigned column)
{
    const XtfNarrowColumn *narrow = &rows->columns[column];

    return xtf_load64(rows->bytes + (size_t)row * rows->stride + narrow->at) & narrow->mask;
}
