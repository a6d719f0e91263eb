/*
 * Values of 64 bits whose type is the label of another field of the row.
 */
#pragma once

#include <stdint.h>

#include "libxtf/schema.h"

typedef enum {
    XTF_KIND_UNSIGNED, /* also of rows and locations */
    XTF_KIND_SIGNED,
    XTF_KIND_REAL,
    XTF_KIND_STRING,
} XtfValueKind;

/* `type` is the field with the type; NULL if there is none. */
XtfValueKind xtf_value_kind(const XtfField *type, const uint8_t *row);
/* Of the growth of such a value: that of an unsigned one may be negative. */
XtfValueKind xtf_growth_kind(const XtfField *type, const uint8_t *row);
