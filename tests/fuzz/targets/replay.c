/*
 * Reads all inputs of a corpus, without libFuzzer:
 *
 *     fuzz-TARGET FOLDER|FILE...
 *
 * It ends with `N executions, 0 wrong`. An input that is wrong ends the program, and the line before names it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/fuzz/targets/target.h"

enum { SECONDS_EACH = 120 }; /* elapsed time after which an input counts as a hang */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    return size;
}

static void replay_file(const char *path)
{
    g_autofree char *data = NULL;
    gsize size;
    GError *error = NULL;

    if (!g_file_get_contents(path, &data, &size, &error))
        g_error("%s", error->message);
    printf("%s\n", path);
    fflush(stdout);
    alarm(SECONDS_EACH);
    uint8_t *exact = g_memdup2(data, size); /* of the exact size, so that sanitizers see reads past its end */
    LLVMFuzzerTestOneInput(exact, size);
    g_free(exact);
    alarm(0);
}

static unsigned replay_folder(const char *path)
{
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    unsigned n = 0;
    const char *name;

    target_must(folder != NULL, "the corpus cannot be read");
    while ((name = g_dir_read_name(folder))) {
        g_autofree char *file = g_build_filename(path, name, NULL);
        replay_file(file);
        n++;
    }
    return n;
}

int main(int argc, char **argv)
{
    unsigned n = 0;

    for (int i = 1; i < argc; i++) {
        if (g_file_test(argv[i], G_FILE_TEST_IS_DIR)) {
            n += replay_folder(argv[i]);
        } else {
            replay_file(argv[i]);
            n++;
        }
    }
    printf("%u executions, 0 wrong\n", n);
    return n > 0 ? 0 : 1;
}
