/* Converts compilers' symbols to Fortran names. */
#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "src/record/names/symbol.h"

/* Parses gfortran's __MODULE_MOD_NAME. Fortran names are in lower case there, so they cannot contain _MOD_. */
static char *name_of_gfortran(const char *symbol)
{
    const char *end = strstr(symbol, "_MOD_");

    if (!g_str_has_prefix(symbol, "__") || !end || end == symbol + 1 || end == symbol + 2 || !end[strlen("_MOD_")])
        return NULL;
    g_autofree char *module = g_strndup(symbol + 2, (gsize)(end - symbol) - 2);
    return g_strdup_printf("%s::%s", module, end + strlen("_MOD_"));
}

/* Reads a part of a flang symbol and advances *at. The next capital begins another part. The caller frees it. */
static char *next_part(const char **at)
{
    const char *begin = *at;

    while (**at && !g_ascii_isupper(**at))
        (*at)++;
    return g_strndup(begin, (gsize)(*at - begin));
}

/* Parses a flang symbol: _Q, then M or S and a module, F and the containing subprogram, B and a block number. P and the
 * name follow last. */
static char *name_of_flang(const char *symbol)
{
    g_autoptr(GString) name = g_string_new(NULL);
    const char *at = symbol + strlen("_Q");

    if (!g_str_has_prefix(symbol, "_Q"))
        return NULL;
    while (*at && strchr("MSFBP", *at)) {
        char kind = *at++;
        g_autofree char *part = next_part(&at);
        /* A main program as container has an empty name. */
        if (!part[0] && kind != 'F')
            return NULL;
        if (kind == 'M' || kind == 'S')
            g_string_append_printf(name, "%s::", part);
        if (kind == 'F')
            g_string_truncate(name, 0);
        if (kind == 'P')
            return *at ? NULL : g_strdup_printf("%s%s", name->str, part);
    }
    return NULL;
}

/* Returns the Fortran name for a source name. For module procedures, ifx makes the symbol MODULE_mp_NAME_. */
static char *name_of_source(const char *symbol, const char *source)
{
    g_autofree char *tail = g_strdup_printf("_mp_%s_", source);
    size_t length = strlen(symbol), end = strlen(tail);

    if (length <= end || g_ascii_strcasecmp(symbol + length - end, tail) != 0)
        return g_strdup(source);
    g_autofree char *module = g_strndup(symbol, length - end);
    return g_strdup_printf("%s::%s", module, source);
}

static char *without_underscore(const char *symbol)
{
    size_t length = strlen(symbol);

    return length > 1 && symbol[length - 1] == '_' && symbol[length - 2] != '_' ? g_strndup(symbol, length - 1) : NULL;
}

char *xtf_fortran_name(const XtfSymbol *symbol)
{
    if (symbol->language == XTF_LANGUAGE_OTHER)
        return NULL;
    bool is_fortran = symbol->language == XTF_LANGUAGE_FORTRAN;
    char *name = name_of_gfortran(symbol->name);
    if (!name)
        name = name_of_flang(symbol->name);
    if (!name && is_fortran && symbol->source_name)
        name = name_of_source(symbol->name, symbol->source_name);
    /* flang's main program gets the name that all other compilers use. */
    if (strcmp(name ? name : symbol->name, "_QQmain") == 0) {
        g_free(name);
        return g_strdup("MAIN__");
    }
    return name || !is_fortran ? name : without_underscore(symbol->name);
}
