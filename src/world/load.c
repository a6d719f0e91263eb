#include "src/world/load.h"

#include <dlfcn.h>

#include "libxtf/error.h"

/* An MPI: the names of its library, the preferred one first, and its module. */
static const struct {
    const char *name, *module, *libraries[5], *package, *feature;
} mpis[] = {
    [XTF_LAUNCHER_OPENMPI] =
        {"Open MPI", "libxtf-world-openmpi.so", {"libmpi.so.40", "libmpi.so"}, "libopenmpi-dev", "openmpi"},
    [XTF_LAUNCHER_MPICH] = {"MPICH",
                            "libxtf-world-mpich.so",
                            {"libmpich.so.12", "libmpi.so.12", "libmpi_cray.so.12", "libmpich.so"},
                            "libmpich-dev",
                            "mpich"},
};

const char *xtf_world_mpi_name(XtfLauncher launcher)
{
    return launcher == XTF_LAUNCHER_NONE ? "no MPI" : mpis[launcher].name;
}

/* Returns the path of a module: in XTF_WORLD_LIBDIR if it is set, else in the folder of an installation or of a build.
 */
static char *find_module(const char *name)
{
    const char *libdir = g_getenv("XTF_WORLD_LIBDIR");
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *folder = g_path_get_dirname(self ? self : "");
    const char *const folders[] = {"../" XTF_LIBDIR "/xtf", "../world/mpi"};

    if (libdir)
        return g_build_filename(libdir, name, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autofree char *path = g_build_filename(folder, folders[i], name, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
            return g_steal_pointer(&path);
    }
    return g_build_filename(XTF_LIBDIR_WHOLE, "xtf", name, NULL);
}

/* Loads the library of MPI, whose functions the module then finds. Its own plugins need its symbols, too. */
static bool load_library(XtfLauncher launcher, GError **error)
{
    const char *const *names = mpis[launcher].libraries;
    g_autofree char *fault = NULL;

    for (; *names; names++) {
        if (dlopen(*names, RTLD_NOW | RTLD_GLOBAL))
            return true;
        if (!fault)
            fault = g_strdup(dlerror());
    }
    return xtf_fail(error, XTF_ERROR_NOT_FOUND, "the library of %s cannot be loaded: %s", mpis[launcher].name, fault);
}

const XtfWorldModule *xtf_world_load(XtfLauncher launcher, GError **error)
{
    g_autofree char *path = find_module(mpis[launcher].module);

    if (!g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
        xtf_fail(error, XTF_ERROR_NOT_FOUND,
                 "%s: there is no such file: xtf was built without %s, or is not installed as a whole (needed: "
                 "Debian's package %s, and `meson setup -D%s=enabled`)",
                 path, mpis[launcher].name, mpis[launcher].package, mpis[launcher].feature);
        return NULL;
    }
    if (!load_library(launcher, error))
        return NULL;
    void *loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const XtfWorldModule *module = loaded ? dlsym(loaded, XTF_WORLD_MODULE_SYMBOL) : NULL;
    if (!module)
        xtf_fail(error, XTF_ERROR_NOT_FOUND, "%s: %s", path, dlerror());
    else if (module->version != XTF_WORLD_MODULE_VERSION)
        xtf_fail(error, XTF_ERROR_UNSUPPORTED, "%s: it belongs to another version of xtf", path);
    return module && module->version == XTF_WORLD_MODULE_VERSION ? module : NULL;
}
