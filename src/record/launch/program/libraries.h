/*
 * Where the dynamic linker finds a library: by the path in the file that needs it, LD_LIBRARY_PATH, the cache of
 * ldconfig, and the folders of the system, in this order.
 */
#pragma once

#include "src/record/launch/program/elf-file.h"

/* The path of a library that `elf`, which lies in the file `of`, needs; NULL: it is not found. `inherited` is a
 * DT_RPATH of who needs `of`, expanded, or NULL. The caller frees it. */
char *xtf_library_find(const char *name, const char *of, const XtfElf *elf, const char *inherited);

/* A path of folders with that of the file `of` in the place of $ORIGIN, and with those of the system in the place of
 * $LIB and $PLATFORM. Links on the way to `of` are not resolved: the dynamic linker does so for programs, but not for
 * libraries. The caller frees it. */
char *xtf_library_expand(const char *path, const char *of);

/* Looks a name up in the bytes of a cache of ldconfig; NULL if it is not in it, or the bytes are no such cache. The
 * caller frees it. */
char *xtf_library_in_cache(const char *name, const void *bytes, gsize size);
