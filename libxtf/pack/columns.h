/*
 * Columns of fields that have too many values for templates.
 */
#pragma once

#include "libxtf/pack/streams.h"

/* Returns the mode with the smallest size among COLUMN, STEPS and PLANES, estimated from a sample of the rows. */
XtfPackMode xtf_choose_column(const XtfPackField *field, const uint8_t *rows, size_t row_size, uint32_t count);
/* Writes the column in the field's mode. */
void xtf_put_column(XtfStreamWriter *writer, const XtfPackField *field, const uint8_t *rows, size_t row_size,
                    uint32_t count);
