/*
 * Subprograms of an object file by their addresses: language and name in the source, from debug information. Built with
 * libdw alone. One thread.
 */
#pragma once

#include <elfutils/libdwfl.h>
#include <glib.h>

#include "src/record/names/symbol.h"

typedef struct XtfSubprograms XtfSubprograms;

/* The module must live as long, and as the names that are found. */
XtfSubprograms *xtf_subprograms_new(Dwfl_Module *module);
void xtf_subprograms_free(XtfSubprograms *subprograms);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfSubprograms, xtf_subprograms_free)

/* Sets language and source_name of the symbol that begins at `address`, as far as they are known. Names are read of
 * compilation units in Fortran alone: a unit as a whole, when its first address is asked for. */
void xtf_subprograms_find(XtfSubprograms *subprograms, uint64_t address, XtfSymbol *symbol);
