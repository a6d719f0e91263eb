/* Imports the input as an XML file of OpenTS. Inputs of even size are imported with --keep-going. */
#include "src/import/opents/importer.h"

#include "tests/fuzz/targets/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *folder = target_folder(), *anchor = g_build_filename(folder, "in.xml", NULL);

    target_write(folder, "in.xml", data, size);
    target_import(&xtf_opents_importer, folder, anchor, size % 2 == 0);
    return 0;
}
