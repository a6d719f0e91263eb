/*
 * Functions of object files by their addresses: names from symbol tables, source files and
 * Fortran's names from debug information.
 *
 * Built with libdw (Meson feature `elf`); without it, no function is found. An object file is read when the first
 * address in it is asked for; what it tells stays in memory. One thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/record/names/symbol.h"

typedef struct XtfSymbols XtfSymbols;

XtfSymbols *xtf_symbols_new(void);
void xtf_symbols_free(XtfSymbols *symbols);
/* The function that `address` lies in; `base` is what the loader added to the addresses of the file `path`. The texts
 * live as long as `symbols`. */
bool xtf_symbols_find(XtfSymbols *symbols, const char *path, uint64_t base, uint64_t address, XtfSymbol *symbol);
