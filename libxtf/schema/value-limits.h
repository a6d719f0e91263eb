/*
 * Limits: the least and the greatest value of each field over a whole trace, updated as leaves are sealed.
 */
#pragma once

#include "libxtf/schema.h"
#include "libxtf/trace.h"

static inline XtfLimits xtf_limits_empty(void)
{
    return (XtfLimits){.min = 1, .max = 0};
}

static inline bool xtf_limits_are_empty(const XtfLimits *limits)
{
    return limits->min == 1 && limits->max == 0;
}

/* The limits of one field over rows, not a STRING's. */
XtfLimits xtf_limits_of_rows(const XtfField *field, const uint8_t *rows, uint32_t row_size, uint32_t count);

/* The limits of both. */
XtfLimits xtf_limits_join(XtfType type, const XtfLimits *a, const XtfLimits *b);
