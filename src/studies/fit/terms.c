#include "src/studies/fit/terms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    int8_t numerator;
    uint8_t denominator;
} Exponent;

/* Simple exponents first, since of two models that fit equally the first one is taken. */
static const Exponent many[] = {{0, 1}, {1, 1}, {1, 2}, {2, 1}, {3, 2}, {3, 1}, {1, 3}, {2, 3}, {1, 4}, {3, 4},
                                {4, 3}, {5, 3}, {5, 4}, {7, 4}, {5, 2}, {4, 5}, {7, 3}, {8, 3}, {9, 4}, {11, 4}};
static const Exponent few[] = {{0, 1}, {1, 1}, {1, 2}, {2, 1}};

enum { MANY = sizeof many / sizeof *many, FEW = sizeof few / sizeof *few, MANY_LOGS = 2, FEW_LOGS = 1 };

_Static_assert((MANY_LOGS + 2) * MANY <= XTF_SCALING_TERMS_MAX, "all terms of the largest set have room");

unsigned xtf_scaling_terms(unsigned set, XtfScalingTerm terms[static XTF_SCALING_TERMS_MAX])
{
    const Exponent *exponents = set & XTF_SCALING_FEW ? few : many;
    unsigned n_exponents = set & XTF_SCALING_FEW ? FEW : MANY, logs = set & XTF_SCALING_FEW ? FEW_LOGS : MANY_LOGS;
    unsigned n = 0;

    for (unsigned log = 0; log <= logs; log++) {
        for (const Exponent *e = exponents; e < exponents + n_exponents; e++) {
            if (e->numerator || log)
                terms[n++] = (XtfScalingTerm){e->numerator, e->denominator, (uint8_t)log};
            if (e->numerator && log == 0 && set & XTF_SCALING_FALLING)
                terms[n++] = (XtfScalingTerm){(int8_t)-e->numerator, e->denominator, 0};
        }
    }
    return n;
}

double xtf_scaling_term_at(const XtfScalingTerm *term, double p)
{
    double value = term->numerator ? pow(p, (double)term->numerator / term->denominator) : 1, log = log2(p);

    for (unsigned i = 0; i < term->log; i++)
        value *= log;
    return value;
}

/* Prints the power of p: "p", "p^2", "p^-1", "p^(3/2)" or "". Returns the number of bytes. */
static int print_power(const XtfScalingTerm *term, char *text, size_t size)
{
    if (!term->numerator)
        return 0;
    if (term->denominator != 1)
        return snprintf(text, size, "p^(%d/%d)", term->numerator, term->denominator);
    return term->numerator == 1 ? snprintf(text, size, "p") : snprintf(text, size, "p^%d", term->numerator);
}

void xtf_scaling_term_print(const XtfScalingTerm *term, char text[static XTF_SCALING_TERM_TEXT])
{
    int n = print_power(term, text, XTF_SCALING_TERM_TEXT);
    size_t left = XTF_SCALING_TERM_TEXT - (size_t)n;

    if (term->log == 0)
        snprintf(text + n, left, "%s", n ? "" : "1");
    else if (term->log == 1)
        snprintf(text + n, left, "%slog2(p)", n ? "*" : "");
    else
        snprintf(text + n, left, "%slog2(p)^%u", n ? "*" : "", term->log);
}
