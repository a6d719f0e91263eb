/*
 * Fast loads of a field in loops over rows. A load reads the 8 bytes that end with the field, so that the loop does not
 * look at the field's type in each row. The 8 bytes are always inside a record or side row: its first field, the time,
 * is 8 bytes long.
 */
#pragma once

#include "libxtf/schema.h"

XTF_BEGIN_DECLS

typedef struct {
    uint32_t at;    /* offset of the 8 bytes in the row */
    unsigned shift; /* number of the low bits, which are of earlier fields */
    uint64_t sign;  /* sign bit of an I32, else 0 */
} XtfFieldLoad;

static inline XtfFieldLoad xtf_field_load(const XtfField *field)
{
    XtfFieldLoad load;

    load.at = field->offset + field->width - 8u;
    load.shift = 64 - 8u * field->width;
    load.sign = field->type == XTF_TYPE_I32 ? UINT64_C(1) << 31 : 0;
    return load;
}

/* Returns the field's bits, zero-extended. */
static inline uint64_t xtf_load_bits(const XtfFieldLoad *load, const uint8_t *row)
{
    uint64_t bits;

    memcpy(&bits, row + load->at, sizeof bits);
    return GUINT64_FROM_LE(bits) >> load->shift;
}

/* Returns the field's value as xtf_field_get() does: an I32 is sign-extended. */
static inline uint64_t xtf_load_value(const XtfFieldLoad *load, const uint8_t *row)
{
    return (xtf_load_bits(load, row) ^ load->sign) - load->sign;
}

XTF_END_DECLS
