/*
 * Templates: the few ways in which rows follow from the previous rows, and the template of each row.
 */
#pragma once

#include "libxtf/pack/pack-format.h"

typedef struct {
    const XtfSchema *schema;
    const uint8_t *rows;
    uint32_t count;
    unsigned n_fields; /* number of fields, the time left out */
    XtfPackField fields[XTF_FIELDS_MAX];
    uint64_t before[XTF_FIELDS_MAX]; /* for STEP fields: the value before the first row */
} XtfPackInput;

void xtf_pack_input_init(XtfPackInput *input, const XtfSchema *schema, const uint8_t *rows, uint32_t count);

/* Finds the templates, and writes the number of each row's template to `numbers`, `count` bytes. Fields with too many
 * values get the mode COLUMN. Returns the number of templates. Sets `firsts` to the row in which each template was
 * first found. */
unsigned xtf_find_templates(XtfPackInput *input, uint8_t *numbers, uint32_t firsts[XTF_PACK_TEMPLATES_MAX]);

/* True if the distance of row n is CHAINED. A row after a row of distance 0 is never chained, even if the numbers
 * happen to match. */
static inline bool xtf_is_chained(const XtfPackInput *input, const XtfPackField *distance, uint32_t n, uint64_t value)
{
    size_t row_size = input->schema->row_size;
    const uint8_t *row = input->rows + n * row_size;
    uint64_t before = n > 0 ? xtf_pack_get(distance, row - row_size) : 0, row_distance = before + 1;

    return before - 1 < n - UINT64_C(1) &&
           ((row_distance + xtf_pack_get(distance, row - row_distance * row_size)) & distance->mask) == value;
}
