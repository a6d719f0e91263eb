#include "src/files/late-library.h"

#include <dlfcn.h>

#include "libxtf/error.h"

/* Loads the library and finds its functions. Returns NULL, or the reason of a failure. */
static char *load_functions(const XtfLateLibrary *library)
{
    void *handle = dlopen(library->soname, RTLD_NOW | RTLD_LOCAL), **calls = library->calls;

    if (!handle)
        return g_strdup(dlerror());
    for (const char *const *name = library->names; *name; name++, calls++)
        if (!(*calls = dlsym(handle, *name)))
            return g_strdup(dlerror());
    return NULL;
}

bool xtf_late_library_load(XtfLateLibrary *library, GError **error)
{
    if (g_once_init_enter(&library->once)) {
        library->failure = load_functions(library);
        g_once_init_leave(&library->once, 1);
    }
    return !library->failure ||
           xtf_fail(error, XTF_ERROR_UNSUPPORTED, "cannot load %s: %s", library->label, library->failure);
}
