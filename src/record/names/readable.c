#include <glib.h>
#include <inttypes.h>
#include <stdlib.h>

#include "src/record/names/symbol.h"

char *xtf_readable_name(const XtfSymbol *symbol)
{
    char *fortran = xtf_fortran_name(symbol);
    char *demangled = fortran ? NULL : xtf_demangle(symbol->name);
    char *name = g_strdup(fortran ? fortran : demangled ? demangled : symbol->name);

    free(demangled);
    g_free(fortran);
    return name;
}

char *xtf_call_place_name(const XtfCallPlace *place)
{
    g_autofree char *file = place->file[0] ? g_path_get_basename(place->file) : NULL;

    if (!place->function[0])
        return file ? g_strdup_printf("%s:%" PRIu32, file, place->line) : NULL;
    if (file && place->line > 0)
        return g_strdup_printf("%s (%s:%" PRIu32 ")", place->function, file, place->line);
    return g_strdup_printf("%s+0x%" PRIx64, place->function, place->offset);
}

void xtf_call_place_clear(XtfCallPlace *place)
{
    g_free(place->function);
    g_free(place->inlined_into);
    g_free(place->file);
    *place = (XtfCallPlace){0};
}
