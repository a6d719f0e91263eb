/*
 * A field as the 8 bytes that end with it, for loops over rows: no look at the field's type, row by row. A record or
 * side row has these bytes before the end of any field, as its first field, the time, is 8 bytes long.
 */
#pragma once

#include "libxtf/schema.h"

XTF_BEGIN_DECLS

typedef struct {
    uint32_t at;    /* of the 8 bytes in the row */
    unsigned shift; /* bits of fields before this one */
    uint64_t sign;  /* the sign bit of an I32, else 0 */
} XtfFieldLoad;

static inline XtfFieldLoad xtf_field_load(const XtfField *field)
{
    XtfFieldLoad load;

    load.at = field->offset + field->width - 8u;
    load.shift = 64 - 8u * field->width;
    load.sign = field->type == XTF_TYPE_I32 ? UINT64_C(1) << 31 : 0;
    return load;
}

/* The field's bits, zero-extended. */
static inline uint64_t xtf_load_bits(const XtfFieldLoad *load, const uint8_t *row)
{
    uint64_t bits;

    memcpy(&bits, row + load->at, sizeof bits);
    return GUINT64_FROM_LE(bits) >> load->shift;
}

/* As xtf_field_get(): an I32 is sign-extended. */
static inline uint64_t xtf_load_value(const XtfFieldLoad *load, const uint8_t *row)
{
    return (xtf_load_bits(load, row) ^ load->sign) - load->sign;
}

XTF_END_DECLS
