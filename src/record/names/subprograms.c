#include "src/record/names/subprograms.h"

#include "src/record/names/dw-library.h"

struct XtfSubprograms {
    Dwfl_Module *module;
    GHashTable *units; /* units already read: Dwarf_Die of libdw */
    GHashTable *names; /* names by address in the process */
};

XtfSubprograms *xtf_subprograms_new(Dwfl_Module *module)
{
    XtfSubprograms *subprograms = g_new0(XtfSubprograms, 1);

    subprograms->module = module;
    subprograms->units = g_hash_table_new(NULL, NULL);
    subprograms->names = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    return subprograms;
}

void xtf_subprograms_free(XtfSubprograms *subprograms)
{
    if (!subprograms)
        return;
    g_hash_table_unref(subprograms->units);
    g_hash_table_unref(subprograms->names);
    g_free(subprograms);
}

XtfLanguage xtf_language_of_unit(Dwarf_Die *unit)
{
    switch (dwarf_srclang(unit)) {
    case -1:
        return XTF_LANGUAGE_UNKNOWN;
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08:
#ifdef DW_LANG_Fortran18
    case DW_LANG_Fortran18:
#endif
        return XTF_LANGUAGE_FORTRAN;
    default:
        /* GCC's link-time optimizer joins units of several languages. */
        return g_strcmp0(dwarf_diename(unit), "<artificial>") == 0 ? XTF_LANGUAGE_UNKNOWN : XTF_LANGUAGE_OTHER;
    }
}

/* Destination of a unit's names. */
typedef struct {
    GHashTable *names;
    Dwarf_Addr bias;
} Reading;

static int add_subprogram(Dwarf_Die *die, void *data)
{
    Reading *reading = data;
    Dwarf_Addr base, begin, end;
    const char *name = dwarf_diename(die);

    /* A subprogram may have several ranges, and begins in the first. */
    if (name && name[0] && dwarf_ranges(die, 0, &base, &begin, &end) > 0) {
        uint64_t address = begin + reading->bias;
        g_hash_table_insert(reading->names, g_memdup2(&address, sizeof address), (char *)name);
    }
    return DWARF_CB_OK;
}

void xtf_subprograms_find(XtfSubprograms *subprograms, uint64_t address, XtfSymbol *symbol)
{
    Reading reading = {.names = subprograms->names};
    Dwarf_Die *unit = dwfl_module_addrdie(subprograms->module, address, &reading.bias);

    symbol->language = unit ? xtf_language_of_unit(unit) : XTF_LANGUAGE_UNKNOWN;
    symbol->source_name = NULL;
    if (symbol->language != XTF_LANGUAGE_FORTRAN)
        return;
    if (g_hash_table_add(subprograms->units, unit))
        dwarf_getfuncs(unit, add_subprogram, &reading, 0);
    symbol->source_name = g_hash_table_lookup(subprograms->names, &address);
}
