/* xtf cluster, in a build without libnetcdf. */
#include "libxtf/error.h"
#include "src/cli/commands/commands.h"
#include "src/cli/ui/common.h"

int xtf_command_cluster(int argc, char **argv)
{
    GError *error = NULL;

    xtf_fail(&error, XTF_ERROR_UNSUPPORTED, "this xtf was built without netCDF: build it with -Dnetcdf=enabled");
    return xtf_cli_fail(error);
}
