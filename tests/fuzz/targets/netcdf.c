/* Imports the input as a result of network_test, which libnetcdf reads. */
#include "src/network/import/importer.h"

#include "tests/fuzz/targets/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *folder = target_folder(), *anchor = g_build_filename(folder, "in.nc", NULL);

    target_write(folder, "in.nc", data, size);
    target_import(&xtf_nettest_importer, folder, anchor, size % 2 == 0);
    return 0;
}
