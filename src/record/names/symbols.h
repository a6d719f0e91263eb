/*
 * Functions of object files by address: names from symbol tables, source files and Fortran names from debug
 * information.
 *
 * Built with libdw (Meson feature `elf`), which is loaded at the first look-up. Without libdw, no function is found.
 * The first look-up in an object file reads the file, and its data stays in memory. For one thread.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/record/names/symbol.h"

typedef struct XtfSymbols XtfSymbols;

/* Loads libdw. Fails with XTF_ERROR_UNSUPPORTED if it cannot be loaded. Then, as in a build without libdw, no function
 * is found. Only callers that report the failure need to call it. */
bool xtf_symbols_load(GError **error);
XtfSymbols *xtf_symbols_new(void);
void xtf_symbols_free(XtfSymbols *symbols);
/* Finds the function that contains `address`. `base` is the loader's offset for the addresses of the file `path`. The
 * texts live as long as `symbols`. */
bool xtf_symbols_find(XtfSymbols *symbols, const char *path, uint64_t base, uint64_t address, XtfSymbol *symbol);
/* Finds the place of the call that returns to `address`, from debug information, else from symbol tables. Unknown
 * members are "" or 0. */
void xtf_symbols_find_call(XtfSymbols *symbols, const char *path, uint64_t base, uint64_t address, XtfCallPlace *place);
