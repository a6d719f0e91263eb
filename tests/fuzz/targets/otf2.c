/*
 * Imports the input as an OTF2 archive. The input is a sequence of files as in target_write_files(). The anchor file is
 * always that of XTF_FUZZ_ANCHOR: OTF2's library reads it alone, and loops for many seconds over hostile counts in it.
 */
#include "src/import/otf2/importer.h"

#include <glib/gstdio.h>

#include "tests/fuzz/targets/import.h"

/* The ids of locations are as in archives of eztrace. */
static const char *const names[] = {"in.def",           "in/0.evt",          "in/0.def",          "in/536870911.evt",
                                    "in/536870911.def", "in/1073741822.evt", "in/1073741822.def", "in/1610612733.evt",
                                    "in/1610612733.def"};

static void copy_anchor(const char *folder)
{
    static gchar *data;
    static gsize size;

    if (!data)
        target_must(g_file_get_contents(g_getenv("XTF_FUZZ_ANCHOR"), &data, &size, NULL), "XTF_FUZZ_ANCHOR is no file");
    target_write(folder, "in.otf2", (const uint8_t *)data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *base = target_folder(), *folder = g_build_filename(base, "otf2", NULL);
    g_autofree char *locations = g_build_filename(folder, "in", NULL);
    g_autofree char *anchor = g_build_filename(folder, "in.otf2", NULL);

    g_mkdir_with_parents(locations, 0700);
    copy_anchor(folder);
    target_write_files(folder, names, G_N_ELEMENTS(names), data, size);
    target_import(&xtf_otf2_importer, folder, anchor, size % 2 == 0);
    target_remove(folder);
    return 0;
}
