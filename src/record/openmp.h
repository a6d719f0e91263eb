/*
 * Runtimes of OpenMP, by their files. Only libc: traced processes use this, too.
 */
#pragma once

#include <string.h>

/* The runtime that a shared library is: "libgomp", "libomp", "libiomp5"; NULL: none. `path` may go on behind the name
 * of the file. Open MPI has libraries that begin alike, libompitrace.so. */
static inline const char *xtf_openmp_runtime(const char *path)
{
    static const char *const names[] = {"libgomp", "libomp", "libiomp5"};
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(file, names[i], length) == 0 && strchr(".-5", file[length]) && file[length])
            return names[i];
    }
    return NULL;
}
