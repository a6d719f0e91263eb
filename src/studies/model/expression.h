/*
 * Expressions of the size of a run: "N^2/P", of the number of processes P and of parameters that the user names.
 *
 * They have numbers, names, + - * / ^, parentheses, log2() and ceil(). ^ binds strongest and to the right.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

enum {
    XTF_PROGRAM_VARIABLES_MAX = 8,
    XTF_PROGRAM_NAME_MAX = 32,
};

/* The first variable is P. */
typedef struct {
    unsigned n;
    char names[XTF_PROGRAM_VARIABLES_MAX][XTF_PROGRAM_NAME_MAX];
    double values[XTF_PROGRAM_VARIABLES_MAX];
} XtfProgramVariables;

/* Sets the value of a variable: "N=64". A new name makes a new variable if `may_add`. XTF_ERROR_INVALID if the text is
 * no such setting, or the value is not above 0. */
bool xtf_program_variables_set(XtfProgramVariables *variables, const char *setting, bool may_add, GError **error);

/* Computes an expression. XTF_ERROR_INVALID if it is none, or has another name. */
bool xtf_expression_value(const char *text, const XtfProgramVariables *variables, double *value, GError **error);

/* A product: coefficient * variables^exponents * texts. */
typedef struct {
    double coefficient;
    double exponents[XTF_PROGRAM_VARIABLES_MAX];
    char *texts; /* owned: expressions that are no product of powers, each in parentheses, as a product; NULL: none */
} XtfProgramProduct;

void xtf_program_product_finish(XtfProgramProduct *product); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfProgramProduct, xtf_program_product_finish)
XtfProgramProduct xtf_program_product_copy(const XtfProgramProduct *product);
/* Multiplies by an expression that is valid. */
void xtf_program_product_multiply(XtfProgramProduct *product, const char *text, const XtfProgramVariables *variables);
/* Returns the value of a product; NaN if an expression has none. */
double xtf_program_product_value(const XtfProgramProduct *product, const XtfProgramVariables *variables);
/* Prints a product without its coefficient: "N^2/P"; "1" if nothing is left. */
void xtf_program_product_print(const XtfProgramProduct *product, const XtfProgramVariables *variables, GString *out);
