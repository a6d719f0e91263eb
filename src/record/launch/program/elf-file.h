/*
 * The information of an ELF file for the dynamic linker: needed libraries, and where to search them.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct {
    bool is_static;    /* names no dynamic linker: nothing can be loaded before such a program */
    bool foreign;      /* for another machine, byte order or word size: no other field is set */
    bool defines_init; /* the file's symbols define MPI_Init */
    bool old_path;     /* `path` is a DT_RPATH, which also applies to the libraries' own libraries */
    char *path;        /* DT_RUNPATH, or else DT_RPATH: folders between colons, unexpanded; NULL: none */
    GPtrArray *needed; /* names (char *) */
} XtfElf;

/* Reads a file. *is_elf is false for other files, which is no error. XTF_ERROR_IO; XTF_ERROR_DAMAGED if tables lie
 * outside of the file. */
bool xtf_elf_read(const char *file, bool *is_elf, XtfElf *elf, GError **error);
void xtf_elf_finish(XtfElf *elf);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfElf, xtf_elf_finish)
