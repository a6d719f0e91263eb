/*
 * Subprograms of an object file by address: language and source name, from debug information. Only built with libdw.
 * For one thread.
 */
#pragma once

#include <elfutils/libdwfl.h>
#include <glib.h>

#include "src/record/names/symbol.h"

typedef struct XtfSubprograms XtfSubprograms;

/* Returns the language of a unit of debug information. */
XtfLanguage xtf_language_of_unit(Dwarf_Die *unit);

/* Creates the table of a module. The caller keeps the module open as long as it uses the table and its names. */
XtfSubprograms *xtf_subprograms_new(Dwfl_Module *module);
void xtf_subprograms_free(XtfSubprograms *subprograms);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfSubprograms, xtf_subprograms_free)

/* Sets language and source_name of the symbol that begins at `address`, as far as known. Names come from compilation
 * units in Fortran only. The first look-up of an address reads its whole unit. */
void xtf_subprograms_find(XtfSubprograms *subprograms, uint64_t address, XtfSymbol *symbol);
