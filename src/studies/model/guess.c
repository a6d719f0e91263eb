#include "src/studies/model/guess.h"

#include <math.h>

typedef struct {
    const XtfProgramVariables *variables;
    double value, factor;
    double exponents[XTF_PROGRAM_VARIABLES_MAX], best[XTF_PROGRAM_VARIABLES_MAX];
    double best_cost, best_factor;
} Search;

/* Compares the product of the current exponents with the value. */
static void try_exponents(Search *search)
{
    double product = search->factor, cost = search->factor == 1 ? 0 : 0.5;
    bool has_parameter = false;

    for (unsigned i = 0; i < search->variables->n; i++) {
        product *= pow(search->variables->values[i], search->exponents[i]);
        cost += fabs(search->exponents[i]);
        has_parameter |= i > 0 && search->exponents[i] > 0;
    }
    if (!has_parameter || !(fabs(product - search->value) <= 1e-6 * search->value) || cost >= search->best_cost)
        return;
    search->best_cost = cost;
    search->best_factor = search->factor;
    memcpy(search->best, search->exponents, sizeof search->best);
}

/* Tries all exponents of the variables from `i` on. */
static void try_variable(Search *search, unsigned i)
{
    if (i == search->variables->n) {
        try_exponents(search);
        return;
    }
    for (int exponent = i == 0 ? -1 : 0; exponent <= (i == 0 ? 1 : 2); exponent++) {
        search->exponents[i] = exponent;
        try_variable(search, i + 1);
    }
}

char *xtf_program_guess(const XtfProgramVariables *variables, double value, const double *factors)
{
    Search search = {.variables = variables, .value = value, .best_cost = INFINITY};
    XtfProgramProduct product = {.coefficient = 1};
    GString *text = g_string_new(NULL);

    for (; *factors > 0; factors++) {
        search.factor = *factors;
        try_variable(&search, 0);
    }
    if (search.best_cost == INFINITY)
        return g_string_free(text, TRUE);
    memcpy(product.exponents, search.best, sizeof product.exponents);
    if (search.best_factor != 1)
        g_string_append_printf(text, "%.4g*", search.best_factor);
    xtf_program_product_print(&product, variables, text);
    return g_string_free(text, FALSE);
}
