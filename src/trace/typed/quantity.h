/*
 * Quantities: numbers with a unit, as users type them in options: "0.5", "15%", "20us", "10G".
 *
 * A number is decimal, finite and not negative: "0x10", "inf", "nan", "+1" and "-1" are no numbers.
 */
#pragma once

#include <stdbool.h>

typedef struct {
    const char *name; /* "" for a number without unit */
    double value;     /* what 1 of it is worth */
} XtfUnit;

/* Units of time, in seconds, up to an entry whose name is NULL: ns, us, ms, s. */
extern const XtfUnit xtf_units_of_time[];

/* Parses the number with which `text` begins. Returns where it ends, or NULL if no number is there. */
const char *xtf_quantity_number(const char *text, double *number);

/* Parses a number followed by one of the units; an entry whose name is NULL ends them. Returns false for any other
 * text; *value is then unchanged. */
bool xtf_quantity_parse(const char *text, const XtfUnit *units, double *value);
