/* A build without libdw. */
#include <glib.h>

#include "src/record/names/symbols.h"

struct XtfSymbols {
    char unused;
};

bool xtf_symbols_load(GError **error)
{
    return true;
}

XtfSymbols *xtf_symbols_new(void)
{
    return g_new0(XtfSymbols, 1);
}

void xtf_symbols_free(XtfSymbols *symbols)
{
    g_free(symbols);
}

void xtf_symbols_find_call(XtfSymbols *symbols, const char *path, uint64_t base, uint64_t address, XtfCallPlace *place)
{
    *place = (XtfCallPlace){.function = g_strdup(""), .inlined_into = g_strdup(""), .file = g_strdup("")};
}

bool xtf_symbols_find(XtfSymbols *symbols, const char *path, uint64_t base, uint64_t address, XtfSymbol *symbol)
{
    return false;
}
