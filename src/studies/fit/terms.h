/*
 * Terms of scaling models: p^i log2(p)^j, for p processes.
 *
 * The exponents are taken from Extra-P's performance model normal form (A. Calotoiu, T. Hoefler, M. Poke, F. Wolf:
 * Using automated performance modeling to find scalability bugs in complex codes, SC 2013). Extra-P has no negative
 * exponents. They are needed for strong scaling, in which work is divided among processes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    int8_t numerator; /* of the exponent of p; 0 for both exponents: the term of a constant model */
    uint8_t denominator;
    uint8_t log; /* exponent of log2(p) */
} XtfScalingTerm;

enum {
    XTF_SCALING_TERMS_MAX = 96,
    XTF_SCALING_TERM_TEXT = 32, /* bytes of "p^(5/4)*log2(p)^2" with a NUL */
};

typedef enum {
    XTF_SCALING_FEW = 1,     /* fewer exponents, since there are fewer than 5 numbers of processes */
    XTF_SCALING_FALLING = 2, /* negative exponents too */
} XtfScalingSet;

/* Lists the terms of a set, simple ones first, without the constant one. Returns their number. */
unsigned xtf_scaling_terms(unsigned set, XtfScalingTerm terms[static XTF_SCALING_TERMS_MAX]);

/* Returns the value of a term for p processes, p at least 1. */
double xtf_scaling_term_at(const XtfScalingTerm *term, double p);

/* Prints a term in the notation of awk: "p^(3/2)*log2(p)". A constant one is "1". */
void xtf_scaling_term_print(const XtfScalingTerm *term, char text[static XTF_SCALING_TERM_TEXT]);
