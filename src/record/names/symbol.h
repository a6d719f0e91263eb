/*
 * A function of an object file: what its linker and its source call it.
 */
#pragma once

#include <stdint.h>

typedef enum { XTF_LANGUAGE_UNKNOWN, XTF_LANGUAGE_FORTRAN, XTF_LANGUAGE_OTHER } XtfLanguage;

typedef struct {
    const char *name; /* the linker's */
    const char *file; /* of the source; "": not known */
    uint32_t line;    /* 0: not known */
    XtfLanguage language;
    const char *source_name; /* of a subprogram of Fortran; NULL: not known */
} XtfSymbol;

/* A C++ name as people read it: by the C++ library that is installed here. NULL: it is none, or there is no such
 * library. The caller frees it with free(). */
char *xtf_demangle(const char *name);

/* A Fortran name as people read it, "module::procedure". By the symbol's text where no other language has such names
 * (gfortran's __module_MOD_procedure, flang's _QMmodulePprocedure), else only if the language is known to be Fortran.
 * NULL: the linker's name is as good. The caller frees it. */
char *xtf_fortran_name(const XtfSymbol *symbol);
