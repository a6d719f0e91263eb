/*
 * Changes one byte of a file at a time, and leaves its checksum. Each answer of the tree must then be the answer for
 * the whole file, or an error: data must not go missing silently.
 *
 *     wrong-byte ROUNDS SEED FILE...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz-structure.h"

#include "libxtf/xtf.h"
#include "src/tree/paths/tree.h"

enum {
    CACHE_BYTES = 16 << 20,
    FILE_BYTES = 16 << 20, /* most bytes read of a file of the tree; no trace of the tests has a larger one */
};

static const char *const directories[] = {"/",      "definitions", "by",       "proc",      "proc/0", "time/10%-20%",
                                          "frames", "waits",       "clusters", "average",   "calls",  "by/proc",
                                          "pair",   "delays",      "ideal",    "length/all"};
static const char *const files[] = {"info",
                                    "columns",
                                    "index.html",
                                    "findings",
                                    "profile",
                                    "efficiency",
                                    "classes",
                                    "waits/profile",
                                    "records",
                                    "matrix.svg",
                                    "messages",
                                    "unmatched",
                                    "critical/profile",
                                    "delays/profile",
                                    "time/0%-50%/timeline.svg",
                                    "frames/50/run",
                                    "frames/50/state",
                                    "links",
                                    "README",
                                    "critical/callpaths",
                                    "definitions/regions",
                                    "histogram.svg",
                                    "time/0%-50%/profile.svg",
                                    "count"};

enum { N_ANSWERS = G_N_ELEMENTS(directories) + G_N_ELEMENTS(files) };

/* Contents of each directory and file of the tree; NULL: an error. */
typedef struct {
    GString *texts[N_ANSWERS];
    char *errors[N_ANSWERS];
} Answers;

static void answers_clear(Answers *answers)
{
    for (unsigned i = 0; i < N_ANSWERS; i++) {
        if (answers->texts[i])
            g_string_free(answers->texts[i], TRUE);
        g_free(answers->errors[i]);
    }
    *answers = (Answers){0};
}

static bool add_name(const char *name, XtfNodeKind kind, void *data)
{
    g_string_append_printf(data, "%s %d\n", name, kind);
    return true;
}

static bool read_file(XtfNode *file, GString *text, GError **error)
{
    size_t length = 0;

    g_string_set_size(text, MIN(xtf_node_size(file), FILE_BYTES));
    return xtf_node_read(file, 0, text->str, text->len, &length, error);
}

static void add_answer(Answers *answers, unsigned i, XtfTree *tree)
{
    bool is_file = i >= G_N_ELEMENTS(directories);
    const char *path = is_file ? files[i - G_N_ELEMENTS(directories)] : directories[i];
    GError *error = NULL;
    g_autoptr(XtfNode) node = xtf_tree_resolve(tree, path, &error);
    g_autoptr(GString) text = g_string_new(NULL);

    if (node && (is_file ? read_file(node, text, &error) : xtf_node_list(node, 0, add_name, text, &error)))
        answers->texts[i] = g_steal_pointer(&text);
    else
        answers->errors[i] = g_strdup_printf("%d %s", error->code, error->message);
    g_clear_error(&error);
}

/* Asks for answer `only`, or for all answers if `only` is N_ANSWERS. Returns false if the file cannot be opened. */
static bool ask_tree(Answers *answers, const uint8_t *data, size_t size, unsigned only)
{
    g_autoptr(GBytes) bytes = g_bytes_new_static(data, size);
    g_autoptr(XtfTrace) trace =
        xtf_trace_open_source(xtf_source_new_bytes(bytes), &(XtfOpenOptions){.cache_bytes = CACHE_BYTES}, NULL);
    g_autoptr(XtfTree) tree = trace ? xtf_tree_new(trace, NULL) : NULL;

    for (unsigned i = 0; tree && i < N_ANSWERS; i++)
        if (only >= N_ANSWERS || i == only)
            add_answer(answers, i, tree);
    return tree;
}

/* True if an answer is that of the whole file, or an error other than "not found". Pictures and findings may also
 * say that the clocks are not judged, as messages cannot be read. */
static bool is_correct(const Answers *whole, const Answers *answers, unsigned i)
{
    const GString *text = answers->texts[i];

    if (text)
        return whole->texts[i] && (g_string_equal(text, whole->texts[i]) ||
                                   g_strstr_len(text->str, (gssize)text->len, "clocks are not judged"));
    return !whole->texts[i] || g_ascii_strtoll(answers->errors[i], NULL, 10) != XTF_ERROR_NOT_FOUND;
}

static void print_fault(const char *path, const FuzzPart *part, size_t offset, unsigned i, const Answers *answers)
{
    const char *answer_path = i < G_N_ELEMENTS(directories) ? directories[i] : files[i - G_N_ELEMENTS(directories)];

    fprintf(stderr, "%s: byte %zu (structure of kind %d) changed: %s: %s\n", path, offset, part->kind, answer_path,
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
    fuzz_seal(data, size, parts);
    for (unsigned long round = 0; round < rounds; round++) {
        const FuzzPart *part = &g_array_index(parts, FuzzPart, g_rand_int_range(random, 0, (gint32)parts->len));
        if (part->kind == FUZZ_SUPERBLOCK || part->length == 0)
            continue;
        size_t offset = part->offset + g_rand_int(random) % part->length;
        unsigned number = g_rand_int(random) % N_ANSWERS;
        Answers answers = {0};
        data[offset] ^= 1u << round % 8;
        if (ask_tree(&answers, data, size, number) && !is_correct(&whole, &answers, number) && ++faults < 20)
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
