#include <glib.h>
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

void xtf_call_place_clear(XtfCallPlace *place)
{
    g_free(place->function);
    g_free(place->inlined_into);
    g_free(place->file);
    *place = (XtfCallPlace){0};
}
