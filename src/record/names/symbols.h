/*
 * Functions of object files by their addresses: names from symbol tables, source files from debug information.
 *
 * Built with libdw (Meson feature `elf`); without it, no function is found. An object file is read when the first
 * address in it is asked for; what it tells stays in memory. One thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct XtfSymbols XtfSymbols;

typedef struct {
    const char *name; /* the linker's */
    const char *file; /* of the source; "": not known */
    uint32_t line;    /* 0: not known */
} XtfSymbol;

XtfSymbols *xtf_symbols_new(void);
void xtf_symbols_free(XtfSymbols *symbols);
/* The function that `address` lies in; `base` is what the loader added to the addresses of the file `path`. The texts
 * live as long as `symbols`. */
bool xtf_symbols_find(XtfSymbols *symbols, const char *path, uint64_t base, uint64_t address, XtfSymbol *symbol);

/* A C++ name as people read it: by the C++ library that is installed here. NULL: it is none, or there is no such
 * library. The caller frees it with free(). */
char *xtf_demangle(const char *name);
