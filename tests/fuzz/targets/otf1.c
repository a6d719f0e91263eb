/*
 * Imports the input as an archive of OTF1. The input is a sequence of files as in target_write_files(). Without a
 * master file among them, the archive has three streams.
 */
#include "src/import/otf1/importer.h"

#include <glib/gstdio.h>
#include <string.h>

#include "tests/fuzz/targets/import.h"

static const char *const names[] = {"in.0.def",      "in.1.events", "in.2.events", "in.0.marker", "in.1.def",
                                    "in.3.events.z", "in.1.snaps",  "in.2.stats",  "in.0.def.z",  "in.otf"};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char master[] = "1:1,4\n2:2\n3:3,5,6\n";
    g_autofree char *base = target_folder(), *folder = g_build_filename(base, "otf1", NULL);
    g_autofree char *anchor = g_build_filename(folder, "in.otf", NULL);

    g_mkdir_with_parents(folder, 0700);
    target_write(folder, "in.otf", (const uint8_t *)master, strlen(master));
    target_write_files(folder, names, G_N_ELEMENTS(names), data, size);
    target_import(&xtf_otf1_importer, folder, anchor, size % 2 == 0);
    target_remove(folder);
    return 0;
}
