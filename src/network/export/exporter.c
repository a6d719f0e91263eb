#include "src/network/export/exporter.h"

#include <xtf-options.h>

#include "src/network/results/network.h"

const XtfExporter xtf_network_exporter = {
    .name = "network",
    .description = "a result of network_test",
    .option = "netcdf",
    .may_replace = xtf_network_detect,
#ifdef XTF_WITH_NETCDF
    .run = xtf_network_export,
#endif
};
