/*
 * Recognizes runtimes of OpenMP by their files. Uses libc only: traced processes include it, too.
 */
#pragma once

#include <string.h>

/* Returns which runtime a shared library is: "libgomp", "libomp", "libiomp5"; NULL: none. `path` may have more text
 * after the file's name. libompitrace.so of Open MPI, which begins alike, is none. */
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
