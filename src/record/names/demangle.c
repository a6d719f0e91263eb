/* Demangles C++ names with the C++ library. The library is loaded at run time, since no other code here needs it. */
#include <dlfcn.h>
#include <glib.h>
#include <string.h>

#include "src/record/names/symbol.h"

typedef char *Demangle(const char *name, char *buffer, size_t *size, int *status);

static gpointer find_demangle(gpointer unused)
{
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);

    if (!library)
        library = dlopen("libc++abi.so.1", RTLD_LAZY | RTLD_LOCAL);
    return library ? dlsym(library, "__cxa_demangle") : NULL;
}

char *xtf_demangle(const char *name)
{
    static GOnce once = G_ONCE_INIT;
    int status;

    if (strncmp(name, "_Z", 2) != 0)
        return NULL;
    Demangle *demangle = (Demangle *)g_once(&once, find_demangle, NULL);
    return demangle ? demangle(name, NULL, NULL, &status) : NULL;
}
