#include "src/network/results/netcdf-library.h"

#include "src/files/late-library.h"

XtfNetcdfCalls xtf_netcdf_calls;

bool xtf_netcdf_load(GError **error)
{
    static const char *const names[] = {XTF_NETCDF_NAMES, NULL};
    static XtfLateLibrary library = {
        .soname = XTF_NETCDF_FILE, .label = "libnetcdf", .names = names, .calls = &xtf_netcdf_calls};

    return xtf_late_library_load(&library, error);
}
