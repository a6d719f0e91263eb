/*
 * Guesses of expressions: which product of powers of the parameters and of P a number is.
 */
#pragma once

#include "src/studies/model/expression.h"

/* Returns the simplest expression that has the value, "N^2/P", with at least one parameter; NULL if there is none. The
 * expression is one of `factors`, which 0 ends, times powers of the variables. Exponents of parameters are 0 to 2, the
 * exponent of P is -1 to 1. The caller frees the text. */
char *xtf_program_guess(const XtfProgramVariables *variables, double value, const double *factors);
