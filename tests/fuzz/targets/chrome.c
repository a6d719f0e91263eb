/* Imports the input as JSON of Chrome's trace events. Inputs of even size are imported with --keep-going. */
#include "src/import/chrome/importer.h"

#include "tests/fuzz/targets/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *folder = target_folder(), *anchor = g_build_filename(folder, "in.json", NULL);

    target_write(folder, "in.json", data, size);
    target_import(&xtf_chrome_importer, folder, anchor, size % 2 == 0);
    return 0;
}
