/*
 * How a file writes its numbers, so that an export can write them alike: with a fixed number of digits behind the
 * point, as "%.6f" does, or with as many as they need.
 */
#pragma once

#include "src/import/opents/numbers.h"

/* A double keeps numbers of so many digits as they are: those below this, without their point. */
#define XTF_NOTATION_DIGITS_OF_REALS UINT64_C(1000000000000000)

/* The attributes that are decimal numbers, in the order of the property XTF_OPENTS_DECIMALS. */
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
        unsigned least, most; /* digits behind the point */
        bool any, trailing, unusual;
    } of[XTF_N_DECIMALS];
} XtfNotation; /* begins as all zeros */

static inline void xtf_notation_note(XtfNotation *notation, XtfDecimalAttribute attribute, const XtfDecimal *number)
{
    if (!notation->of[attribute].any || number->decimals < notation->of[attribute].least)
        notation->of[attribute].least = number->decimals;
    if (number->decimals > notation->of[attribute].most)
        notation->of[attribute].most = number->decimals;
    notation->of[attribute].any = true;
    notation->of[attribute].trailing |= number->trailing;
    notation->of[attribute].unusual |= number->unusual;
}

/* The value of the property: a number of digits for each attribute, "-": as many as are needed. The caller frees it.
 * *mixed: some attribute's numbers are written in neither way, or more exactly than they are kept. */
char *xtf_notation_text(const XtfNotation *notation, bool *mixed);
