/*
 * Writes traces whose checksums are right, for readers to agree on:
 *
 *     rewrite-files SEED N FOLDER FILE...
 *
 * Each is one of the files with other rows. In two of three, a field of a page is changed, too.
 */
#include <stdlib.h>

#include "fuzz-structure.h"

enum { SIZE_MAX_BYTES = 64 << 10 };

static bool write_file(const char *folder, unsigned number, const uint8_t *data, size_t size)
{
    g_autofree char *name = g_strdup_printf("%06u.xtf", number), *path = g_build_filename(folder, name, NULL);

    return g_file_set_contents_full(path, (const char *)data, (gssize)size, G_FILE_SET_CONTENTS_NONE, 0644, NULL);
}

int main(int argc, char **argv)
{
    uint8_t *rewritten = g_malloc(SIZE_MAX_BYTES);
    unsigned n_written = 0;

    if (argc < 5) {
        g_printerr("usage: %s SEED N FOLDER FILE...\n", argv[0]);
        return 2;
    }
    uint32_t seed = (uint32_t)atol(argv[1]);
    for (unsigned i = 0; i < (unsigned)atol(argv[2]); i++) {
        g_autofree char *data = NULL;
        gsize size;
        if (!g_file_get_contents(argv[4 + i % (unsigned)(argc - 4)], &data, &size, NULL))
            continue;
        size = fuzz_rewrite((const uint8_t *)data, size, rewritten, SIZE_MAX_BYTES, seed + i);
        if (size > 0 && i % 3 > 0)
            fuzz_change_payload(rewritten, size, seed + i);
        n_written += size > 0 && write_file(argv[3], i, rewritten, size);
    }
    g_free(rewritten);
    return n_written > 0 ? 0 : 1;
}
