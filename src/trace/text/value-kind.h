/*
 * Kinds of 64-bit values whose type is the label of another field of the row.
 */
#pragma once

#include <stdint.h>

#include "libxtf/schema.h"

typedef enum {
    XTF_KIND_UNSIGNED, /* unsigned numbers, and numbers of rows and locations */
    XTF_KIND_SIGNED,
    XTF_KIND_REAL,
    XTF_KIND_STRING,
} XtfValueKind;

/* Returns the kind of a row's value by its field `type`, which may be NULL. */
XtfValueKind xtf_value_kind(const XtfField *type, const uint8_t *row);
/* Returns the kind of a value's growth: an unsigned value's growth is signed. */
XtfValueKind xtf_growth_kind(const XtfField *type, const uint8_t *row);
