/*
 * Demangles C++ names with the C++ library. The library is loaded at run time, since no other code here needs it.
 *
 * A short mangled name may have a very long demangled one: a substitution repeats an earlier part, which may hold
 * substitutions itself. 40 substitutions make at most some 20 MB, and real names have fewer.
 */
#include <dlfcn.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "src/record/names/symbol.h"

enum {
    SUBSTITUTIONS_MAX =
        40, /* most uses of substitutions (S_, T0_, ...) in a mangled name; a name with more stays mangled */
    NAME_MAX_BYTES = 4096, /* bytes; a name that is longer when demangled stays mangled, too */
};

typedef char *Demangle(const char *name, char *buffer, size_t *size, int *status);

static gpointer find_demangle(gpointer unused)
{
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);

    if (!library)
        library = dlopen("libc++abi.so.1", RTLD_LAZY | RTLD_LOCAL);
    return library ? dlsym(library, "__cxa_demangle") : NULL;
}

/* Counts the substitutions S_, S0_, ... and T_, T0_, ... of a mangled name. */
static unsigned count_substitutions(const char *name)
{
    unsigned n = 0;

    for (; *name; name++) {
        if (*name == 'S' || *name == 'T')
            n += name[1 + strspn(name + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '_';
    }
    return n;
}

char *xtf_demangle(const char *name)
{
    static GOnce once = G_ONCE_INIT;
    int status;

    if (strncmp(name, "_Z", 2) != 0 || count_substitutions(name) > SUBSTITUTIONS_MAX)
        return NULL;
    Demangle *demangle = (Demangle *)g_once(&once, find_demangle, NULL);
    char *demangled = demangle ? demangle(name, NULL, NULL, &status) : NULL;
    if (!demangled || strlen(demangled) <= NAME_MAX_BYTES)
        return demangled;
    free(demangled);
    return NULL;
}
