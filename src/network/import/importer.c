#include "src/network/import/importer.h"

#include <xtf-options.h>

#include "src/network/results/network.h"

const XtfImporter xtf_nettest_importer = {
    .name = "network_test",
    .description = "a netCDF file (NAME.nc) of network_test",
    .ending = ".nc",
    .identity = XTF_NETTEST_ID,
    .option = "netcdf",
    .types = UINT64_C(1) << XTF_MODEL_LINKS | UINT64_C(1) << XTF_MODEL_LINK_CLUSTERS,
    .detect = xtf_network_detect,
    .files = xtf_network_files,
#ifdef XTF_WITH_NETCDF
    .run = xtf_nettest_import,
#endif
};
