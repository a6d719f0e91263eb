/*
 * The dynamic linker's search for a library. The order is: the path in the file that needs it, LD_LIBRARY_PATH, the
 * cache of ldconfig, the system's folders.
 */
#pragma once

#include "src/record/launch/program/elf-file.h"

/* Returns the path of a library that the ELF file `of`, described by `elf`, needs; NULL if it is not found. `inherited`
 * is the expanded DT_RPATH of the file that needs `of`, or NULL. The caller frees it. */
char *xtf_library_find(const char *name, const char *of, const XtfElf *elf, const char *inherited);

/* Expands a search path: $ORIGIN becomes the folder of the file `of`; $LIB and $PLATFORM get the system's values. Links
 * in the path of `of` are not resolved: the dynamic linker resolves them for programs, not for libraries. The caller
 * frees it. */
char *xtf_library_expand(const char *path, const char *of);

/* Looks up a name in the bytes of an ldconfig cache. NULL if it is missing, or if the bytes are no such cache. The
 * caller frees the path. */
char *xtf_library_in_cache(const char *name, const void *bytes, gsize size);
