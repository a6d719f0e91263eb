#include "src/record/names/call-place.h"

#include <glib.h>
#include <stdlib.h>

#include "src/record/names/dw-library.h"
#include "src/record/names/subprograms.h"

char *xtf_source_line(Dwfl_Module *module, uint64_t address, int *number)
{
    Dwfl_Line *line = dwfl_module_getsrc(module, address);
    const char *file = line ? dwfl_lineinfo(line, NULL, number, NULL, NULL, NULL) : NULL;
    const char *folder = file && file[0] != '/' ? dwfl_line_comp_dir(line) : NULL;

    return folder ? g_build_filename(folder, file, NULL) : g_strdup(file ? file : "");
}

/* Returns the unit of an address; NULL if there is none. Some compilers write no index of addresses. */
static Dwarf_Die *find_unit(Dwfl_Module *module, uint64_t address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);

    if (unit)
        return unit;
    while ((unit = dwfl_module_nextcu(module, unit, bias)))
        if (dwarf_haspc(unit, address - *bias) > 0)
            return unit;
    return NULL;
}

/* Returns the readable name of a subprogram, or of an inlined one; NULL if it has none. The caller frees it. */
static char *readable_name(Dwarf_Die *die, XtfLanguage language)
{
    Dwarf_Attribute memory;
    Dwarf_Attribute *linkage = dwarf_attr_integrate(die, DW_AT_linkage_name, &memory);
    const char *name = dwarf_diename(die), *linked = linkage ? dwarf_formstring(linkage) : NULL;
    XtfSymbol symbol = {.name = linked ? linked : name, .language = language, .source_name = name};

    if (language != XTF_LANGUAGE_FORTRAN)
        symbol.source_name = NULL;
    return symbol.name ? xtf_readable_name(&symbol) : NULL;
}

/* Adds the names of the subprograms around an address, innermost first. */
static void name_subprograms(Dwarf_Die *scopes, int n, XtfLanguage language, XtfCallPlace *place)
{
    g_autoptr(GString) outer = g_string_new(NULL);

    for (int i = 0; i < n; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine && tag != DW_TAG_entry_point)
            continue;
        g_autofree char *name = readable_name(&scopes[i], language);
        if (name && !place->function)
            place->function = g_steal_pointer(&name);
        else if (name)
            g_string_append_printf(outer, "%s%s", outer->len > 0 ? ", " : "", name);
        if (tag == DW_TAG_subprogram)
            break; /* a subprogram around it contains its definition, not its code */
    }
    if (outer->len > 0)
        place->inlined_into = g_string_free(g_steal_pointer(&outer), FALSE);
}

void xtf_call_place_find(Dwfl_Module *module, uint64_t address, XtfCallPlace *place)
{
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = find_unit(module, address, &bias), *scopes = NULL, *around = NULL;
    int line = 0;

    if (!unit)
        return;
    place->file = xtf_source_line(module, address, &line);
    place->line = line > 0 ? line : 0;
    /* dwarf_getscopes() goes from an inlined subprogram to the scopes of its definition, dwarf_getscopes_die() to the
     * code around it. */
    if (dwarf_getscopes(unit, address - bias, &scopes) > 0) {
        int n = dwarf_getscopes_die(&scopes[0], &around);
        name_subprograms(around, n, xtf_language_of_unit(unit), place);
    }
    free(around);
    free(scopes);
}
