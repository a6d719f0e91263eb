#include "src/network/results/netcdf-library.h"

#include <dlfcn.h>

#include "libxtf/error.h"

/* dlsym() needs the library's own names. */
#undef nc_close
#undef nc_create
#undef nc_def_dim
#undef nc_def_var
#undef nc_enddef
#undef nc_get_att_double
#undef nc_get_var_double
#undef nc_get_var_int
#undef nc_get_var_text
#undef nc_get_vara_double
#undef nc_get_vara_int
#undef nc_inq_att
#undef nc_inq_dimlen
#undef nc_inq_var
#undef nc_inq_varid
#undef nc_inq_varndims
#undef nc_inq_vartype
#undef nc_open
#undef nc_put_att_double
#undef nc_put_att_int
#undef nc_put_att_text
#undef nc_put_var1_int
#undef nc_put_var_int
#undef nc_put_var_text
#undef nc_put_vara_double
#undef nc_put_vara_int
#undef nc_redef
#undef nc_set_fill
#undef nc_strerror
#undef nc_sync

XtfNetcdfCalls xtf_netcdf_calls;

/* Loads the library and finds its functions. Returns NULL, or the reason of a failure, which is never freed. */
static const char *load_functions(void)
{
    void *library = dlopen(XTF_NETCDF_SONAME, RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return g_strdup(dlerror());
#define X(name)                                                           \
    if (!(xtf_netcdf_calls.name = (typeof(name) *)dlsym(library, #name))) \
        return g_strdup(dlerror());
    XTF_NETCDF_FUNCTIONS(X)
#undef X
    return NULL;
}

bool xtf_netcdf_load(GError **error)
{
    static gsize once;
    static const char *failure;

    if (g_once_init_enter(&once)) {
        failure = load_functions();
        g_once_init_leave(&once, 1);
    }
    return !failure || xtf_fail(error, XTF_ERROR_UNSUPPORTED, "cannot load libnetcdf: %s", failure);
}
