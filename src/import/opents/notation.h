/*
 * Notes how a file writes its decimal numbers, so that an export can write them in the same way. A file writes a fixed
 * number of digits after the point, as "%.6f" does, or the fewest digits that are exact.
 */
#pragma once

#include "src/import/opents/numbers.h"

/* A double represents a number exactly enough to write it again if its digits, without the point, are below this. */
#define XTF_NOTATION_DIGITS_OF_REALS UINT64_C(1000000000000000)

/* The attributes with decimal numbers, in the order of the property XTF_OPENTS_DECIMALS. */
typedef enum {
    XTF_DECIMAL_TIME, /* of a slice */
    XTF_DECIMAL_MBYTES,
    XTF_DECIMAL_MFLOPS,
    XTF_DECIMAL_TASKS,
    XTF_DECIMAL_IDLE,
    XTF_DECIMAL_SCHED,
    XTF_DECIMAL_MPI,
    XTF_N_DECIMALS,
} XtfDecimalAttribute;

typedef struct {
    struct {
        unsigned least, most; /* digits after the point */
        bool any, trailing, unusual;
    } attributes[XTF_N_DECIMALS];
} XtfNotation; /* begins as all zeros */

/* Notes how a number of an attribute is written. */
static inline void xtf_notation_note(XtfNotation *notation, XtfDecimalAttribute attribute, const XtfDecimal *number)
{
    if (!notation->attributes[attribute].any || number->decimals < notation->attributes[attribute].least)
        notation->attributes[attribute].least = number->decimals;
    if (number->decimals > notation->attributes[attribute].most)
        notation->attributes[attribute].most = number->decimals;
    notation->attributes[attribute].any = true;
    notation->attributes[attribute].trailing |= number->trailing;
    notation->attributes[attribute].unusual |= number->unusual;
}

/* Returns the value of the property: for each attribute the number of digits after the point, or "-" for the fewest
 * that are exact. The caller frees it. Sets *mixed if numbers of an attribute are written in neither way, or with more
 * digits than the trace keeps. */
char *xtf_notation_text(const XtfNotation *notation, bool *mixed);
