/*
 * A function of an object file: its name for the linker, its name in the source, and its file and line.
 */
#pragma once

#include <stdint.h>

typedef enum { XTF_LANGUAGE_UNKNOWN, XTF_LANGUAGE_FORTRAN, XTF_LANGUAGE_OTHER } XtfLanguage;

typedef struct {
    const char *name; /* the linker's name */
    const char *file; /* source file; "": unknown */
    uint32_t line;    /* 0: unknown */
    XtfLanguage language;
    const char *source_name; /* name of a Fortran subprogram in the source; NULL: unknown */
} XtfSymbol;

/* Place of a call in the source. The texts are the caller's. */
typedef struct {
    char *function;     /* name in the source; "": unknown */
    char *inlined_into; /* functions into which `function` is inlined here, innermost first, with ", " between them */
    char *file;         /* "": unknown */
    uint32_t line;      /* 0: unknown */
    uint64_t offset;    /* bytes from the begin of the function to the return address; 0: unknown */
} XtfCallPlace;

void xtf_call_place_clear(XtfCallPlace *place);
/* Returns the name of a call site for readers: `exchange (stencil.c:142)`. NULL if neither its function nor its file is
 * known. The caller frees it. */
char *xtf_call_place_name(const XtfCallPlace *place);

/* Returns the readable name of a function, that of its source. The caller frees it with g_free(). */
char *xtf_readable_name(const XtfSymbol *symbol);

/* Returns a C++ name demangled by the installed C++ library. NULL if it is no C++ name, or if there is no such library.
 * The caller frees it with free(). */
char *xtf_demangle(const char *name);

/* Returns a readable Fortran name, "module::procedure". Symbols that only Fortran compilers make need no language:
 * gfortran's __module_MOD_procedure, flang's _QMmodulePprocedure. Other symbols count only if the language is known to
 * be Fortran. NULL if the linker's name is as good. The caller frees the name. */
char *xtf_fortran_name(const XtfSymbol *symbol);
