/*
 * Compares each block of by/KEY/VIEW with the file KEY/VALUE/VIEW, for each key, each view and each value. Each line
 * of a block begins with cells that name the value. The random run determines the values and their names.
 */
#include <string.h>

#include "pick.h"
#include "tests/rounds.h"

static const RunRecipe ordinary = {.n_procs = 5, .events = 600};
static const RunRecipe wide = {.n_procs = 150, .events = 20};

/* One value of a key: the path of its selection, and the cells of its lines with one blank between. */
typedef struct {
    char *path, *cells;
} Value;

static void value_clear(void *data)
{
    Value *value = data;
    g_free(value->path);
    g_free(value->cells);
}

static GArray *values_new(void)
{
    GArray *values = g_array_new(FALSE, FALSE, sizeof(Value));
    g_array_set_clear_func(values, value_clear);
    return values;
}

static void add_value(GArray *values, char *path, char *cells)
{
    Value value = {path, cells};
    g_array_append_val(values, value);
}

static GArray *procs_of(const Run *run, const Pick *pick, bool threads)
{
    GArray *values = values_new();
    const RunLocation *last = NULL;

    for (unsigned i = 0; i < run->n_locations; i++) {
        const RunLocation *location = &run->locations[i];
        if (!pick_takes(pick, location))
            continue;
        if (threads)
            add_value(values, g_strdup_printf("proc/%u/thread/%u", location->proc, location->thread),
                      g_strdup_printf("%u %u", location->proc, location->thread));
        else if (!last || last->proc != location->proc)
            add_value(values, g_strdup_printf("proc/%u", location->proc), g_strdup_printf("%u", location->proc));
        last = location;
    }
    return values;
}

static GArray *numbers_of(const char *directory, unsigned n)
{
    GArray *values = values_new();

    for (unsigned i = 0; i < n; i++)
        add_value(values, g_strdup_printf("%s/%u", directory, i), g_strdup_printf("%u", i));
    return values;
}

static GArray *regions_of(void)
{
    static const char *const words[RUN_REGIONS] = {
        "main", "compute", "MPI_Isend", "MPI_Recv", "a\\x20name,\\x20with\\x20blanks", "never"};
    GArray *values = values_new();

    for (unsigned i = 0; i < RUN_REGIONS; i++)
        add_value(values, g_strdup_printf("region/#%u", i), g_strdup_printf("%u %s", i, words[i]));
    return values;
}

static GArray *classes_of(void)
{
    static const char *const classes[] = {"program", "p2p"};
    GArray *values = values_new();

    for (unsigned i = 0; i < G_N_ELEMENTS(classes); i++)
        add_value(values, g_strdup_printf("class/%s", classes[i]), g_strdup(classes[i]));
    return values;
}

static GArray *comms_of(void)
{
    GArray *values = values_new();

    for (unsigned i = 0; i < 4; i++)
        add_value(values, g_strdup_printf("comm/#%u", i), g_strdup_printf("%u %s", i, i ? "\"\"" : "world"));
    return values;
}

static GArray *slices_of(const Pick *pick, uint64_t n)
{
    GArray *values = values_new();

    for (uint64_t i = 0; i < n; i++) {
        g_autofree char *from = seconds(pick->a + (pick->b - pick->a) * i / n);
        g_autofree char *to = seconds(pick->a + (pick->b - pick->a) * (i + 1) / n);
        add_value(values, g_strdup_printf("time/%s-%s", from, to), g_strdup_printf("%s %s", from, to));
    }
    return values;
}

static GArray *values_of(const Run *run, const Pick *pick, const char *key)
{
    if (g_str_equal(key, "proc") || g_str_equal(key, "thread"))
        return procs_of(run, pick, *key == 't');
    if (g_str_equal(key, "region"))
        return regions_of();
    if (g_str_equal(key, "class"))
        return classes_of();
    if (g_str_equal(key, "comm"))
        return comms_of();
    if (g_str_equal(key, "peer"))
        return numbers_of("peer", run->recipe.n_procs);
    if (g_str_equal(key, "tag"))
        return numbers_of("tag", RUN_TAGS);
    return slices_of(pick, (uint64_t)atoi(key + strlen("time:")));
}

/* ---- Lines. */

static char *read_table(Run *run, const char *path, size_t *width)
{
    GString *text = run_read(run, path);

    *width = (size_t)(strchr(text->str, '\n') - text->str) + 1;
    cr_assert_eq(text->len % *width, 0, "%s", path);
    return g_string_free(text, FALSE);
}

/* Returns `length` bytes with each run of blanks as one blank, and none at the ends. */
static char *squeeze(const char *text, size_t length)
{
    GString *out = g_string_new(NULL);

    for (size_t i = 0; i < length; i++) {
        if (text[i] != ' ' || (out->len && out->str[out->len - 1] != ' '))
            g_string_append_c(out, text[i]);
    }
    return g_strchomp(g_string_free(out, FALSE));
}

static int compare_lines(const void *a, const void *b, void *width)
{
    return memcmp(a, b, *(size_t *)width);
}

/* Sorts lines. The lines of `profile`, `imbalance` and `growth` have another order in blocks. */
static void sort_lines(char *lines, size_t n, size_t width)
{
    g_qsort_with_data(lines, (gint)n, width, compare_lines, &width);
}

/* Compares a block with the value's own file. The block's lines have `line_width` bytes and begin with the cells of
 * keys. */
static void check_block(Run *run, const char *lines, size_t n, size_t line_width, const char *path, const char *key)
{
    size_t width;
    g_autofree char *wanted = read_table(run, path, &width);
    const size_t cells = line_width - width;
    g_autofree char *found = g_malloc(n * width + 1);
    bool sorted =
        g_str_has_suffix(path, "/profile") || g_str_has_suffix(path, "/imbalance") || g_str_has_suffix(path, "/growth");

    cr_assert_eq(strlen(wanted), (n + 1) * width, "%s", path);
    for (size_t i = 0; i < n; i++) {
        g_autofree char *shown = squeeze(lines + i * line_width, cells);
        cr_assert_str_eq(shown, key, "%s: line %zu", path, i);
        memcpy(found + i * width, lines + i * line_width + cells, width);
    }
    if (sorted) {
        sort_lines(found, n, width);
        sort_lines(wanted + width, n, width);
    }
    cr_assert_eq(memcmp(found, wanted + width, n * width), 0, "%s", path);
}

/* Compares all blocks of a file with the files KEY/VALUE/`file`. */
static void check_file(Run *run, const Pick *pick, const char *key, const char *file)
{
    g_autofree char *path = g_strdup_printf("%s/by/%s/%s", pick->path->str, key, file);
    g_autoptr(GArray) values = values_of(run, pick, key);
    size_t width, n;
    g_autofree char *text = read_table(run, path, &width);

    cr_assert(values->len);
    n = (strlen(text) / width - 1) / values->len;
    cr_assert_eq(strlen(text), (n * values->len + 1) * width, "%s", path);
    for (unsigned i = 0; i < values->len; i++) {
        const Value *value = &g_array_index(values, Value, i);
        g_autofree char *single = g_strdup_printf("%s/%s/%s", pick->path->str, value->path, file);
        if (g_str_equal(file, "count")) {
            GString *count = run_read(run, single);
            g_autofree char *wanted = g_strdup_printf("%s %s", value->cells, g_strchomp(count->str));
            g_autofree char *found = squeeze(text + (i + 1) * width, width - 1);
            cr_assert_str_eq(found, wanted, "%s", path);
            g_string_free(count, TRUE);
            continue;
        }
        check_block(run, text + (1 + i * n) * width, n, width, single, value->cells);
    }
}

/* ---- Existing files. */

static bool add_name(const char *name, XtfNodeKind kind, void *names)
{
    if (kind == XTF_NODE_FILE)
        g_ptr_array_add(names, g_strdup(name));
    return true;
}

static GPtrArray *files_of(Run *run, const char *path)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(XtfNode) node = xtf_tree_resolve(run->written.tree, path, NULL);

    cr_assert(node, "%s", path);
    cr_assert(xtf_node_list(node, 0, add_name, names, NULL));
    return names;
}

static const char *const keys[] = {"proc", "thread", "region", "class",  "comm",
                                   "peer", "tag",    "time:1", "time:7", "time:150"};

static void check_key(Run *run, const Pick *pick, const char *key)
{
    g_autofree char *directory = g_strdup_printf("%s/by/%s", pick->path->str, key);
    g_autoptr(GPtrArray) files = files_of(run, directory);

    for (unsigned i = 0; i < files->len; i++)
        check_file(run, pick, key, files->pdata[i]);
}

Test(blocks, are_the_tables_of_their_values, .timeout = 240)
{
    static const char *const types[] = {"", "", "/sends", "/recvs", "/enters_leaves", "/collectives", "/counters"};

    for (uint32_t seed = 1; seed <= TEST_ROUNDS(3); seed++) {
        g_autoptr(Run) run = run_new(seed, &ordinary);
        for (unsigned i = 0; i < 6; i++) {
            Pick pick = i ? pick_random(run) : pick_all(run);
            g_string_append(pick.path, types[g_rand_int_range(run->random, 0, G_N_ELEMENTS(types))]);
            for (unsigned k = 0; k < G_N_ELEMENTS(keys); k++)
                check_key(run, &pick, keys[k]);
            g_string_free(pick.path, TRUE);
        }
    }
}

/* The table is read in several parts, and so are its blocks. */
Test(blocks, of_a_large_table_match, .timeout = 240)
{
    static const char *const files[][2] = {{"time:20", "matrix"}, {"tag", "recvs/bytes"}, {"thread", "stack"},
                                           {"proc", "profile"},   {"comm", "matrix"},     {"time:20", "bytes"}};
    g_autoptr(Run) run = run_new(4, &wide);
    Pick all = pick_all(run);

    for (unsigned i = 0; i < G_N_ELEMENTS(files); i++) {
        const char *slash = strchr(files[i][1], '/');
        if (slash)
            g_string_append_printf(all.path, "/%.*s", (int)(slash - files[i][1]), files[i][1]);
        check_file(run, &all, files[i][0], slash ? slash + 1 : files[i][1]);
        g_string_truncate(all.path, 0);
    }
    g_string_free(all.path, TRUE);
}

/* Each block of the outer key is the same table as the file below its value. */
Test(blocks, blocks_nest, .timeout = 240)
{
    static const char *const nested[][2] = {{"proc", "by/time:9/profile"},   {"time:9", "by/proc/bytes"},
                                            {"comm", "by/tag/matrix"},       {"region", "by/thread/by/time:3/count"},
                                            {"tag", "by/peer/by/comm/info"}, {"time:3", "by/region/profile"}};
    g_autoptr(Run) run = run_new(5, &ordinary);
    Pick all = pick_all(run);

    for (unsigned i = 0; i < G_N_ELEMENTS(nested); i++) {
        g_autofree char *path = g_strdup_printf("by/%s/%s", nested[i][0], nested[i][1]);
        g_autoptr(GArray) values = values_of(run, &all, nested[i][0]);
        size_t width, own;
        g_autofree char *text = read_table(run, path, &width);
        size_t n = (strlen(text) / width - 1) / values->len;
        for (unsigned j = 0; j < values->len; j++) {
            const Value *value = &g_array_index(values, Value, j);
            g_autofree char *single = g_strdup_printf("%s/%s", value->path, nested[i][1]);
            g_autofree char *wanted = read_table(run, single, &own);
            cr_assert_eq(strlen(wanted), (n + 1) * own, "%s", single);
            for (size_t k = 0; k < n; k++) {
                const char *line = text + (1 + j * n + k) * width;
                g_autofree char *left = squeeze(line, width - 1), *right = squeeze(wanted + (k + 1) * own, own - 1);
                g_autofree char *whole = g_strdup_printf("%s %s", value->cells, right);
                cr_assert_str_eq(left, whole, "%s", single);
            }
        }
    }
    g_string_free(all.path, TRUE);
}

/* Any bytes of a file, read in any order, equal the same bytes of the whole. */
Test(blocks, are_read_from_anywhere, .timeout = 240)
{
    static const char *const files[] = {"by/time:1000/profile", "by/time:40/matrix", "by/thread/stack",
                                        "by/proc/by/time:50/count", "by/tag/bytes"};
    g_autoptr(Run) run = run_new(6, &wide);

    for (unsigned i = 0; i < G_N_ELEMENTS(files); i++)
        run_check_parts(run, files[i]);
}

/* Reads both ends of a file of a million blocks. Reading all of it would take long. */
static void read_ends(Run *run, const char *path)
{
    g_autoptr(XtfNode) node = xtf_tree_resolve(run->written.tree, path, NULL);
    char buffer[4096];
    size_t got;

    cr_assert(node);
    cr_assert(xtf_node_read(node, 0, buffer, sizeof buffer, &got, NULL) && got == sizeof buffer);
    cr_assert(xtf_node_read(node, xtf_node_size(node) - sizeof buffer, buffer, sizeof buffer, &got, NULL));
    cr_assert(got == sizeof buffer && buffer[got - 1] == '\n');
}

Test(blocks, exist_for_valid_keys_only)
{
    static const char *const there[] = {"by/time:1000/count", "num/0-9/by/proc/count", "by/proc/by/tag/by/comm/count",
                                        "tag/90-99/by/tag/count", "proc/1/by/proc/histogram"};
    static const char *const not_there[] = {"by/time/count",         "by/time:/count",      "by/time:0/count",
                                            "by/time:1000001/count", "by/time:-1/count",    "by/time:1x/count",
                                            "by/proc:2/count",       "by/nothing/count",    "by/count",
                                            "by/proc/nothing",       "by/proc/records",     "by/proc/by/count",
                                            "by/proc/by/proc",       "by/proc/by/thread",   "by/thread/by/proc",
                                            "by/comm/profile",       "by/proc/matrix",      "by/proc/stack",
                                            "by/time:5/values",      "by/time:5/histogram", "num/0-9/by/tag/bytes",
                                            "by/time:3/by/time:3",   "definitions/by",      "by/class/profile",
                                            "by/class/by/region",    "by/tag/proc/0"};
    g_autoptr(Run) run = run_new(7, &ordinary);

    for (unsigned i = 0; i < G_N_ELEMENTS(there); i++)
        g_string_free(run_read(run, there[i]), TRUE);
    read_ends(run, "by/time:1000000/count");
    for (unsigned i = 0; i < G_N_ELEMENTS(not_there); i++)
        cr_assert_not(run_exists(run, not_there[i]), "%s", not_there[i]);
}

/* Where the trace does not list all tags, each tag that the path names has a block. The path may name 4096 tags. */
Test(blocks, need_all_tags_listed_or_named)
{
    for (unsigned listed = 0; listed < 3; listed++) { /* no table; some of the tags; all tags */
        g_auto(Written) written = {0};
        Writing writing;
        XtfSendsRow row = {.region = XTF_NONE32, .comm = XTF_NONE32, .tag = 7, .bytes = 3, .request = XTF_NONE64};
        writing_begin(&writing);
        writing_append(&writing, 0, XTF_MODEL_SENDS, &row);
        if (listed)
            writing_define(&writing, XTF_MODEL_TAGS, &(XtfTagRow){.tag = 7});
        if (listed == 1)
            writing_define(&writing, XTF_MODEL_TAGS, &(XtfTagRow){.tag = XTF_NONE32});
        writing_end(&writing, &written);
        GError *error = NULL;
        g_autoptr(XtfNode) all = xtf_tree_resolve(written.tree, "by/tag/count", &error);
        cr_assert_eq(all != NULL, listed == 2);
        cr_assert(listed == 2 || strstr(error->message, "does not list all of its tags"));
        g_clear_error(&error);
        GString *named = written_read(&written, "tag/6-7/by/tag/count");
        cr_assert_str_eq(named->str, listed == 2 ? "# tag   count\n    7       1\n"
                                                 : "# tag   count\n    6       0\n    7       1\n");
        g_string_free(named, TRUE);
        g_autoptr(XtfNode) many = xtf_tree_resolve(written.tree, "tag/0-4096/by/tag/count", NULL);
        cr_assert_eq(many != NULL, listed == 2);
    }
}
