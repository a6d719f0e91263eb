#include "src/studies/model/expression.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/trace/typed/quantity.h"

/* ---- Values. */

typedef struct {
    const char *at;
    const XtfProgramVariables *variables;
    const char *fault; /* NULL: none so far */
    unsigned depth;    /* of parentheses and signs */
} Parser;

enum { DEPTH_MAX = 64 };

static double parse_sum(Parser *parser);
static double parse_signed(Parser *parser);

static bool take_sign(Parser *parser, char sign)
{
    while (*parser->at == ' ')
        parser->at++;
    if (*parser->at != sign)
        return false;
    parser->at++;
    return true;
}

static double find_variable(Parser *parser, const char *name, size_t length)
{
    for (unsigned i = 0; i < parser->variables->n; i++) {
        const char *known = parser->variables->names[i];
        if (strlen(known) == length && memcmp(known, name, length) == 0)
            return parser->variables->values[i];
    }
    parser->fault = "it has an unknown name";
    return NAN;
}

static double parse_parentheses(Parser *parser)
{
    double value = parse_sum(parser);

    if (!take_sign(parser, ')') && !parser->fault)
        parser->fault = "a ) is missing";
    return value;
}

static double parse_name(Parser *parser)
{
    const char *name = parser->at;

    while (g_ascii_isalnum(*parser->at) || *parser->at == '_')
        parser->at++;
    size_t length = (size_t)(parser->at - name);
    bool is_log = length == 4 && memcmp(name, "log2", 4) == 0, is_ceil = length == 4 && memcmp(name, "ceil", 4) == 0;
    if (!is_log && !is_ceil)
        return find_variable(parser, name, length);
    if (!take_sign(parser, '(')) {
        parser->fault = "a ( is missing";
        return NAN;
    }
    double value = parse_parentheses(parser);
    return is_log ? log2(value) : ceil(value);
}

static double parse_atom(Parser *parser)
{
    double value;

    if (take_sign(parser, '('))
        return parse_parentheses(parser);
    if (g_ascii_isalpha(*parser->at))
        return parse_name(parser);
    const char *end = xtf_quantity_number(parser->at, &value);
    if (!end) {
        parser->fault = parser->fault ? parser->fault : "a number or a name is missing";
        return NAN;
    }
    parser->at = end;
    return value;
}

static double parse_power(Parser *parser)
{
    double base = parse_atom(parser);

    return take_sign(parser, '^') ? pow(base, parse_signed(parser)) : base;
}

static double parse_signed(Parser *parser)
{
    double value = NAN;

    if (++parser->depth > DEPTH_MAX)
        parser->fault = "it is too deep";
    else
        value = take_sign(parser, '-') ? -parse_signed(parser) : parse_power(parser);
    parser->depth--;
    return value;
}

static double parse_product(Parser *parser)
{
    double value = parse_signed(parser);

    while (!parser->fault) {
        if (take_sign(parser, '*'))
            value *= parse_signed(parser);
        else if (take_sign(parser, '/'))
            value /= parse_signed(parser);
        else
            break;
    }
    return value;
}

static double parse_sum(Parser *parser)
{
    double value = parse_product(parser);

    while (!parser->fault) {
        if (take_sign(parser, '+'))
            value += parse_product(parser);
        else if (take_sign(parser, '-'))
            value -= parse_product(parser);
        else
            break;
    }
    return value;
}

bool xtf_expression_value(const char *text, const XtfProgramVariables *variables, double *value, GError **error)
{
    Parser parser = {.at = text, .variables = variables};
    double result = parse_sum(&parser);

    if (!parser.fault && !take_sign(&parser, '\0'))
        parser.fault = "it has something behind its end";
    if (parser.fault)
        return xtf_fail(error, XTF_ERROR_INVALID, "\"%s\" is not an expression: %s", text, parser.fault);
    *value = result;
    return true;
}

/* True if expressions can have a name: letters, digits and _, and not the name of a function. */
static bool is_variable_name(const char *name, size_t length)
{
    bool is_function = length == 4 && (memcmp(name, "log2", 4) == 0 || memcmp(name, "ceil", 4) == 0);

    if (length == 0 || length >= XTF_PROGRAM_NAME_MAX || !g_ascii_isalpha(*name) || is_function)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (!g_ascii_isalnum(name[i]) && name[i] != '_')
            return false;
    }
    return true;
}

bool xtf_program_variables_set(XtfProgramVariables *variables, const char *setting, bool may_add, GError **error)
{
    const char *sign = strchr(setting, '=');
    size_t length = sign ? (size_t)(sign - setting) : 0;
    static const XtfUnit units[] = {{"", 1}, {NULL, 0}};
    double value;
    unsigned i = 0;

    if (!sign || !xtf_quantity_parse(sign + 1, units, &value) || value == 0)
        return xtf_fail(error, XTF_ERROR_INVALID, "\"%s\" is not NAME=NUMBER with a number above 0", setting);
    if (!is_variable_name(setting, length))
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "\"%.*s\" is no name for expressions: up to %d letters, digits and _, a letter first",
                        (int)length, setting, XTF_PROGRAM_NAME_MAX - 1);
    while (i < variables->n &&
           (strlen(variables->names[i]) != length || memcmp(variables->names[i], setting, length) != 0))
        i++;
    if (i == variables->n && !may_add)
        return xtf_fail(error, XTF_ERROR_INVALID, "\"%s\": no parameter has this name", setting);
    if (i == XTF_PROGRAM_VARIABLES_MAX)
        return xtf_fail(error, XTF_ERROR_INVALID, "there are more than %d parameters", XTF_PROGRAM_VARIABLES_MAX - 1);
    memcpy(variables->names[i], setting, length);
    variables->names[i][length] = '\0';
    variables->values[i] = value;
    variables->n = MAX(variables->n, i + 1);
    return true;
}

/* ---- Products. */

void xtf_program_product_finish(XtfProgramProduct *product)
{
    g_clear_pointer(&product->texts, g_free);
}

XtfProgramProduct xtf_program_product_copy(const XtfProgramProduct *product)
{
    XtfProgramProduct copy = *product;

    copy.texts = g_strdup(product->texts);
    return copy;
}

/* Finds the exponents of an expression: how its value grows if one variable is doubled. False if it does not grow by
 * the same factor everywhere, so that it is no product of powers. */
static bool find_exponents(const char *text, const XtfProgramVariables *variables, double *exponents)
{
    static const double scales[] = {1, 3.7, 0.29, 11.3};

    for (unsigned i = 0; i < variables->n; i++) {
        for (unsigned k = 0; k < G_N_ELEMENTS(scales); k++) {
            XtfProgramVariables tried = *variables;
            double low, high;
            for (unsigned j = 0; j < tried.n; j++)
                tried.values[j] *= scales[(k + j * (k + 1)) % G_N_ELEMENTS(scales)];
            if (!xtf_expression_value(text, &tried, &low, NULL))
                return false;
            tried.values[i] *= 2;
            if (!xtf_expression_value(text, &tried, &high, NULL) || !(low > 0) || !(high > 0))
                return false;
            double exponent = log2(high / low);
            if (k > 0 && !(fabs(exponent - exponents[i]) < 1e-9))
                return false;
            exponents[i] = exponent;
        }
    }
    return true;
}

void xtf_program_product_multiply(XtfProgramProduct *product, const char *text, const XtfProgramVariables *variables)
{
    double exponents[XTF_PROGRAM_VARIABLES_MAX], value = 1;

    if (!find_exponents(text, variables, exponents) || !xtf_expression_value(text, variables, &value, NULL)) {
        g_auto(GStrv) parts = g_strsplit(text, " ", -1);
        g_autofree char *joined = g_strjoinv("", parts); /* a word, for tables */
        char *product_text =
            g_strdup_printf("%s%s(%s)", product->texts ? product->texts : "", product->texts ? "*" : "", joined);
        g_free(product->texts);
        product->texts = product_text;
        return;
    }
    for (unsigned i = 0; i < variables->n; i++) {
        double rounded = round(exponents[i] * 720) / 720; /* of fractions such as 1/3 and 1/16 */
        product->exponents[i] += rounded;
        value /= pow(variables->values[i], rounded);
    }
    product->coefficient *= value;
}

double xtf_program_product_value(const XtfProgramProduct *product, const XtfProgramVariables *variables)
{
    double value = product->coefficient, of_texts = 1;

    for (unsigned i = 0; i < variables->n; i++) {
        if (product->exponents[i] != 0)
            value *= pow(variables->values[i], product->exponents[i]);
    }
    if (product->texts && !xtf_expression_value(product->texts, variables, &of_texts, NULL))
        return NAN;
    return value * of_texts;
}

static void print_power(const char *name, double exponent, GString *out)
{
    g_string_append(out, name);
    if (exponent != 1)
        g_string_append_printf(out, "^%.4g", exponent);
}

void xtf_program_product_print(const XtfProgramProduct *product, const XtfProgramVariables *variables, GString *out)
{
    gsize begin = out->len;

    for (unsigned k = 0; k < variables->n; k++) {
        unsigned i = (k + 1) % variables->n; /* P is last */
        if (product->exponents[i] <= 0)
            continue;
        g_string_append(out, out->len > begin ? "*" : "");
        print_power(variables->names[i], product->exponents[i], out);
    }
    if (product->texts)
        g_string_append_printf(out, "%s%s", out->len > begin ? "*" : "", product->texts);
    if (out->len == begin)
        g_string_append_c(out, '1');
    for (unsigned i = 0; i < variables->n; i++) {
        if (product->exponents[i] >= 0)
            continue;
        g_string_append_c(out, '/');
        print_power(variables->names[i], -product->exponents[i], out);
    }
}
