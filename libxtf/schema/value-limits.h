/*
 * Limits: the least and the greatest value of each field in the whole trace, updated when leaves are sealed.
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

/* Returns the limits of one field over `count` rows. The field must not be a STRING. */
XtfLimits xtf_limits_of_rows(const XtfField *field, const uint8_t *rows, uint32_t row_size, uint32_t count);

/* Returns limits that include both a and b. */
XtfLimits xtf_limits_join(XtfType type, const XtfLimits *a, const XtfLimits *b);
