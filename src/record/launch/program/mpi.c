#include "src/record/launch/program/mpi.h"

#include <string.h>

#include "libxtf/error.h"
#include "src/record/launch/program/command-line.h"
#include "src/record/mpi-library.h"

static const struct {
    const char *option, *name, *module, *package, *feature;
} mpis[] = {
    [XTF_MPI_NONE] = {"none", "no MPI", "libxtf-record.so", NULL, NULL},
    [XTF_MPI_OPENMPI] = {"openmpi", "Open MPI", "libxtf-record-openmpi.so", "libopenmpi-dev", "openmpi"},
    [XTF_MPI_MPICH] = {"mpich", "MPICH", "libxtf-record-mpich.so", "libmpich-dev", "mpich"},
};

bool xtf_mpi_parse(const char *name, XtfMpi *mpi)
{
    for (unsigned i = 0; i < XTF_N_MPIS; i++) {
        if (g_str_equal(name, mpis[i].option)) {
            *mpi = (XtfMpi)i;
            return true;
        }
    }
    return false;
}

const char *xtf_mpi_name(XtfMpi mpi)
{
    return mpi < XTF_N_MPIS ? mpis[mpi].name : "an unknown MPI";
}

XtfMpi xtf_mpi_of_library(const char *name, bool *is_other_abi)
{
    const char *version = strstr(name, ".so.");

    if (!xtf_is_mpi_interface(name) || !version)
        return XTF_MPI_UNKNOWN;
    version += strlen(".so.");
    g_autofree char *major = g_strndup(version, strcspn(version, "."));
    if (g_str_equal(major, "40"))
        return XTF_MPI_OPENMPI;
    if (g_str_equal(major, "12"))
        return XTF_MPI_MPICH;
    *is_other_abi = g_str_has_prefix(name, "libmpi.so.") || g_str_has_prefix(name, "libmpich.so.") ||
                    g_str_has_prefix(name, "libmpi_abi.so."); /* library of MPI 5 */
    return XTF_MPI_UNKNOWN;
}

/* Finds a module in XTF_RECORD_LIBDIR, if it is set. Else searches the folders of an installation and of a build, by
 * the path of this executable. */
static char *find_module(const char *name)
{
    const char *libdir = g_getenv("XTF_RECORD_LIBDIR");
    g_autofree char *self = xtf_real_path("/proc/self/exe");
    g_autofree char *folder = g_path_get_dirname(self ? self : "");
    const char *const folders[] = {"../" XTF_LIBDIR "/xtf", "../record", XTF_LIBDIR_WHOLE "/xtf"};

    if (libdir)
        return g_build_filename(libdir, name, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autofree char *file = g_build_filename(*folders[i] == '/' ? "" : folder, folders[i], name, NULL);
        if (g_file_test(file, G_FILE_TEST_IS_REGULAR))
            return xtf_real_path(file);
    }
    return g_build_filename(XTF_LIBDIR_WHOLE, "xtf", name, NULL);
}

char *xtf_mpi_module(XtfMpi mpi, GError **error)
{
    g_autofree char *file = find_module(mpis[mpi].module);

    if (!g_file_test(file, G_FILE_TEST_IS_REGULAR)) {
        if (mpis[mpi].package)
            xtf_fail(error, XTF_ERROR_NOT_FOUND,
                     "%s: there is no such file: xtf was built without %s, or is not installed as a whole (needed: "
                     "Debian's package %s, and `meson setup -D%s=enabled`)",
                     file, xtf_mpi_name(mpi), mpis[mpi].package, mpis[mpi].feature);
        else
            xtf_fail(error, XTF_ERROR_NOT_FOUND, "%s: there is no such file: xtf is not installed as a whole", file);
        return NULL;
    }
    if (strpbrk(file, ": \t;")) { /* separators of LD_PRELOAD */
        xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                 "%s: the dynamic linker can load no file at startup whose path has a space, a colon or a semicolon",
                 file);
        return NULL;
    }
    return g_steal_pointer(&file);
}
