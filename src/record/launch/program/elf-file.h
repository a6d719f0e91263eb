/*
 * What an ELF file says to the dynamic linker: the libraries that it needs, and where they are looked for.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct {
    bool is_static;    /* names no dynamic linker: of a program, nothing can be loaded before it */
    bool foreign;      /* of another machine, byte order or word size: nothing else here is set */
    bool defines_init; /* MPI_Init is a function of the file itself, as far as its symbols say */
    bool old_path;     /* `path` is a DT_RPATH, which holds for the libraries of its libraries, too */
    char *path;        /* DT_RUNPATH, or else DT_RPATH: folders between colons, as the file has them; NULL: none */
    GPtrArray *needed; /* names, of char */
} XtfElf;

/* Reads a file; *is_elf is false if it is something else, which is no error. XTF_ERROR_IO, and _DAMAGED for a file
 * whose tables lie outside of it. */
bool xtf_elf_read(const char *file, bool *is_elf, XtfElf *elf, GError **error);
void xtf_elf_finish(XtfElf *elf);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfElf, xtf_elf_finish)
