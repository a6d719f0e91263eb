/*
 * Changes one byte of a file at a time, and leaves its checksum. Each answer of the tree must then be the answer for
 * the whole file, or an error: data must not go missing silently.
 *
 *     wrong-byte ROUNDS SEED FILE...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "fuzz-structure.h"

#include "libxtf/xtf.h"
#include "src/tree/paths/tree.h"

enum { CACHE_BYTES = 16 << 20 };

/* Asks for answer `only`, or for all answers if `only` is N_ANSWERS. Returns false if the file cannot be opened. */
static bool ask_tree(Answers *answers, const uint8_t *data, size_t size, unsigned only)
{
    g_autoptr(GBytes) bytes = g_bytes_new_static(data, size);
    g_autoptr(XtfTrace) trace =
        xtf_trace_open_source(xtf_source_new_bytes(bytes), &(XtfOpenOptions){.cache_bytes = CACHE_BYTES}, NULL);
    g_autoptr(XtfTree) tree = trace ? xtf_tree_new(trace, NULL) : NULL;

    for (unsigned i = 0; tree && i < N_ANSWERS; i++)
        if (only >= N_ANSWERS || i == only)
            answers_add(answers, i, tree);
    return tree;
}

static void print_fault(const char *path, const FuzzPart *part, size_t offset, unsigned i, const Answers *answers)
{
    fprintf(stderr, "%s: byte %zu (structure of kind %d) changed: %s: %s\n", path, offset, part->kind, answers_path(i),
            answers->errors[i] ? answers->errors[i] : "another answer without an error");
}

/* Changes random bytes of the structures of a file, the superblocks excepted. Returns the number of wrong answers. */
static unsigned long try_file(const char *path, unsigned long rounds, GRand *random)
{
    g_autofree uint8_t *data = NULL;
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(FuzzPart));
    g_auto(GStrv) none = NULL;
    GError *error = NULL;
    size_t size;
    unsigned long faults = 0;
    Answers whole = {0};

    if (!g_file_get_contents(path, (char **)&data, &size, &error))
        g_error("%s", error->message);
    if (!ask_tree(&whole, data, size, N_ANSWERS))
        g_error("%s: it cannot be opened", path);
    fuzz_correct_checksums(data, size, parts);
    for (unsigned long round = 0; round < rounds; round++) {
        const FuzzPart *part = &g_array_index(parts, FuzzPart, g_rand_int_range(random, 0, (gint32)parts->len));
        if (part->kind == FUZZ_SUPERBLOCK || part->length == 0)
            continue;
        size_t offset = part->offset + g_rand_int(random) % part->length;
        unsigned number = g_rand_int(random) % N_ANSWERS;
        Answers answers = {0};
        data[offset] ^= 1u << round % 8;
        if (ask_tree(&answers, data, size, number) && !answers_correct(&whole, &answers, number) && ++faults < 20)
            print_fault(path, part, offset, number, &answers);
        data[offset] ^= 1u << round % 8;
        answers_clear(&answers);
    }
    answers_clear(&whole);
    return faults;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: %s ROUNDS SEED FILE...\n", argv[0]);
        return 2;
    }
    GRand *random = g_rand_new_with_seed((guint32)atol(argv[2]));
    unsigned long faults = 0;

    for (int i = 3; i < argc; i++)
        faults += try_file(argv[i], strtoul(argv[1], NULL, 10), random);
    g_rand_free(random);
    printf("%lu wrong answers: they differ from those of the whole file, and are no errors\n", faults);
    return faults == 0 ? 0 : 1;
}
