/*
 * Values of which another field of the row says the type: 64 bits, to be read as its label says.
 */
#pragma once

#include <stdint.h>

#include "libxtf/schema.h"

typedef enum {
    XTF_KIND_UNSIGNED, /* and a number of something: a row, a location */
    XTF_KIND_SIGNED,
    XTF_KIND_REAL,
    XTF_KIND_STRING,
} XtfValueKind;

/* `type` is the field that says the type; NULL: nothing does. */
XtfValueKind xtf_value_kind(const XtfField *type, const uint8_t *row);
