/* Listings, windows, single records, costs and threads of the tree, compared with the same records in memory. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/tree/traces/fixture.h"
#include "tests/tree/traces/side-by-side.h"

/* ---- Every listed name exists, and every file can be read. */

typedef struct {
    XtfNode *directory;
    GPtrArray *names;
    GArray *kinds;
} Listing;

static bool add_name(const char *name, XtfNodeKind kind, void *data)
{
    Listing *listing = data;
    g_ptr_array_add(listing->names, g_strdup(name));
    g_array_append_val(listing->kinds, kind);
    return true;
}

static bool stop_at_once(const char *name, XtfNodeKind kind, void *data)
{
    *(char **)data = g_strdup(name);
    return false;
}

static void visit_all(Fixture *fixture, const char *path, unsigned *n_files);

static void visit_child(Fixture *fixture, const char *path, Listing *listing, unsigned i, unsigned *n_files)
{
    g_autofree char *child = g_strdup_printf("%s/%s", path, (char *)listing->names->pdata[i]);
    XtfNodeKind kind = g_array_index(listing->kinds, XtfNodeKind, i);
    GError *error = NULL;
    g_autoptr(XtfNode) node = xtf_node_lookup(listing->directory, listing->names->pdata[i], &error);
    char *again = NULL;

    cr_assert(node, "%s: %s", child, error ? error->message : "");
    cr_assert_eq(xtf_node_kind(node), kind, "%s", child);
    cr_assert(xtf_node_list(listing->directory, i, stop_at_once, &again, NULL));
    cr_assert_str_eq(again, listing->names->pdata[i], "going on from the %u-th", i);
    g_free(again);
    if (kind == XTF_NODE_DIRECTORY) {
        visit_all(fixture, child, n_files);
    } else if (kind == XTF_NODE_FILE) {
        GString *text = read_file(fixture, child);
        cr_assert_eq(strlen(text->str), text->len, "%s is text", child);
        cr_assert(text->len == 0 || text->str[text->len - 1] == '\n', "%s", child);
        g_string_free(text, TRUE);
        ++*n_files;
    } else {
        g_autoptr(XtfNode) there = resolve(fixture, child);
        cr_assert_eq(xtf_node_size(node), strlen(xtf_node_target(node)));
        cr_assert_eq(xtf_node_kind(there), XTF_NODE_DIRECTORY, "%s", child);
    }
}

static void visit_all(Fixture *fixture, const char *path, unsigned *n_files)
{
    g_autoptr(XtfNode) directory = resolve(fixture, path);
    Listing listing = {directory, g_ptr_array_new_with_free_func(g_free),
                       g_array_new(FALSE, FALSE, sizeof(XtfNodeKind))};

    cr_assert(xtf_node_list(directory, 0, add_name, &listing, NULL));
    for (unsigned i = 0; i < listing.names->len; i++)
        visit_child(fixture, path, &listing, i, n_files);
    g_ptr_array_unref(listing.names);
    g_array_unref(listing.kinds);
}

Test(tree, listed_names_exist_and_read, .timeout = 120)
{
    g_autoptr(Fixture) fixture = fixture_new(41, &ordinary);
    unsigned n_files = 0;

    visit_all(fixture, "", &n_files);
    /* 7 files in the root, 3 processes, 6 threads, 24 types of them and 6 of calls; README; 2 tables. Selections
     * that may have calls also have profile, classes, clusters, efficiency, stack, imbalance and longest. Selections
     * that may have sends also have bytes. The root also has findings, a page, four pictures and their colours. Only
     * the root, processes and threads have monitor and iterations. */
    cr_assert_eq(n_files,
                 7 * (1 + 3 + 6 + 24 + 6) + 7 * (1 + 3 + 6 + 6 + 6) + (1 + 3 + 6 + 6) + 1 + 2 + 7 + 2 * (1 + 3 + 6));
    n_files = 0;
    visit_all(fixture, "/proc/1/time/10%-60%", &n_files);
    cr_assert_gt(n_files, 5);
}

/* ---- Windows and their neighbours. */

Test(tree, windows_tile)
{
    g_autoptr(Fixture) fixture = fixture_new(51, &ordinary);
    uint64_t total = 0, parts = 0, windows = 0;
    GString *path = g_string_new("/time/0-0.001");

    for (;;) {
        g_autofree char *next = g_strconcat(path->str, "/next", NULL);
        total += read_count(fixture, path->str);
        windows++;
        if (resolve_error(fixture, next) >= 0)
            break;
        g_autofree char *back = g_strconcat(next, "/prev", NULL);
        cr_assert_eq(read_count(fixture, back), read_count(fixture, path->str));
        g_autoptr(XtfNode) directory = resolve(fixture, path->str);
        g_autoptr(XtfNode) link = xtf_node_lookup(directory, "next", NULL);
        g_string_printf(path, "/time/%s", xtf_node_target(link) + strlen("../"));
    }
    cr_assert_gt(windows, 2);
    cr_assert_eq(total, fixture->records->len, "windows side by side hold everything once");
    for (unsigned i = 0; i < 10; i++) {
        g_autofree char *zoom = g_strdup_printf("/zoom/%u", i), *nested = g_strdup_printf("/zoom/%u/zoom/%u", i, 9 - i);
        parts += read_count(fixture, zoom);
        cr_assert_leq(read_count(fixture, nested), read_count(fixture, zoom));
    }
    cr_assert_eq(parts, fixture->records->len);
    g_string_free(path, TRUE);
}

/* The previous window begins at 0 at the earliest; the next window keeps its width. */
Test(tree, windows_at_the_ends)
{
    g_autoptr(Fixture) fixture = fixture_new(52, &ordinary);
    static const char *const cases[][2] = {{"/time/0.001-0.003/prev", "../0-0.001"},
                                           {"/time/0-0.001/next", "../0.001-0.002"},
                                           {"/time/0.0015-0.002/prev", "../0.001-0.0015"}};
    g_autoptr(XtfNode) last = resolve(fixture, "/time/99%-");

    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *window = g_path_get_dirname(cases[i][0]), *name = g_path_get_basename(cases[i][0]);
        g_autoptr(XtfNode) directory = resolve(fixture, window);
        g_autoptr(XtfNode) link = xtf_node_lookup(directory, name, NULL);
        cr_assert_str_eq(xtf_node_target(link), cases[i][1], "%s: %s", cases[i][0], xtf_node_target(link));
    }
    cr_assert_eq(resolve_error(fixture, "/time/-1us/prev"), XTF_ERROR_NOT_FOUND);
    cr_assert_null(xtf_node_lookup(last, "next", NULL));
    cr_assert(xtf_node_lookup(last, "prev", NULL));
}

static bool append_name(const char *name, XtfNodeKind kind, void *data)
{
    g_string_append_printf(data, "%s ", name);
    return true;
}

static void assert_same_text(Fixture *fixture, const char *path, const char *other_path)
{
    GString *a = read_file(fixture, path), *b = read_file(fixture, other_path);

    cr_assert_str_eq(a->str, b->str, "%s, %s", path, other_path);
    g_string_free(a, TRUE);
    g_string_free(b, TRUE);
}

Test(tree, an_instant_lies_between_what_is_before_and_after)
{
    g_autoptr(Fixture) fixture = fixture_new(53, &ordinary);
    g_autoptr(XtfNode) instant = resolve(fixture, "/at/50%");
    GString *names = g_string_new(NULL);

    for (unsigned i = 0; i <= 50; i++) {
        g_autofree char *at = g_strdup_printf("/proc/0/at/%u%%", 2 * i);
        g_autofree char *before = g_strconcat(at, "/before", NULL), *after = g_strconcat(at, "/after", NULL);
        g_autofree char *stack = g_strconcat(at, "/stack", NULL);
        g_autofree char *reordered = g_strdup_printf("/at/%u%%/proc/0/stack", 2 * i);
        /* The window from 0% on is the whole run, whose stack is the one at its end. */
        g_autofree char *beginning = g_strdup_printf("/proc/0/time/%u%%-%s/stack", 2 * i, i == 0 ? "1%" : "");
        cr_assert_eq(read_count(fixture, at), 0);
        cr_assert_eq(read_count(fixture, before) + read_count(fixture, after), read_count(fixture, "/proc/0"));
        cr_assert(i > 0 || read_count(fixture, before) == 0);
        cr_assert(i < 50 || read_count(fixture, after) == 0);
        assert_same_text(fixture, stack, beginning);
        assert_same_text(fixture, reordered, beginning);
    }
    cr_assert(xtf_node_list(instant, 0, append_name, names, NULL));
    cr_assert_str_eq(names->str, "after before stack proc ", "%s", names->str);
    cr_assert_eq(resolve_error(fixture, "/at/1-2"), XTF_ERROR_NOT_FOUND);
    cr_assert_eq(resolve_error(fixture, "/at/50%/next"), XTF_ERROR_NOT_FOUND);
    cr_assert_eq(resolve_error(fixture, "/time/60%-70%/at/50%/stack"), XTF_ERROR_NOT_FOUND);
    cr_assert_eq(resolve_error(fixture, "/time/20%-30%/at/50%/stack"), XTF_ERROR_NOT_FOUND);
    cr_assert_eq(resolve_error(fixture, "/at/60%/at/50%"), XTF_ERROR_NOT_FOUND);
    cr_assert_eq(resolve_error(fixture, "/time/1-2/after"), XTF_ERROR_NOT_FOUND);
    g_string_free(names, TRUE);
}

Test(tree, paths_beyond_the_trace_are_explained)
{
    static const char *const beyond[] = {"/time/1h-/count", "/proc/1/time/100%-", "/at/1h/stack",
                                         "/time/1h-2h/num/0-5/count"};
    static const char *const within[] = {
        "/", "/count", "/time/0-1h/count", "/at/100%/stack", "/time/0-0/count", "/at/0", "/definitions/regions"};
    g_autoptr(Fixture) fixture = fixture_new(54, &ordinary);

    for (unsigned i = 0; i < G_N_ELEMENTS(beyond); i++) {
        g_autoptr(XtfNode) node = resolve(fixture, beyond[i]);
        g_autofree char *remark = xtf_node_remark(node);
        cr_assert(remark && strstr(remark, "the trace ends at "), "%s", beyond[i]);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(within); i++) {
        g_autoptr(XtfNode) node = resolve(fixture, within[i]);
        cr_assert_null(xtf_node_remark(node), "%s", within[i]);
    }
}

/* ---- Single records. */

static uint64_t field_of(Fixture *fixture, const char *path, const char *field)
{
    g_autofree char *file = g_strconcat(path, "/record", NULL);
    GString *text = read_file(fixture, file);
    g_autofree char *start = g_strconcat("\n", field, " ", NULL);
    const char *at = strstr(text->str, start);
    cr_assert(at, "%s has no %s", path, field);
    uint64_t value = g_ascii_strtoull(g_strchug((char *)at + strlen(start)), NULL, 10);
    g_string_free(text, TRUE);
    return value;
}

Test(tree, records_lead_to_their_neighbours)
{
    g_autoptr(Fixture) fixture = fixture_new(61, &ordinary);

    for (unsigned i = 0; i < 200; i++) {
        uint64_t k = 1 + random_below(fixture, fixture->records->len - 2);
        g_autofree char *path = g_strdup_printf("/num/%lu", k);
        g_autofree char *next = g_strconcat(path, "/next", NULL), *prev = g_strconcat(path, "/prev", NULL);
        cr_assert_eq(field_of(fixture, path, "seq"), known_at(fixture->records, k)->seq);
        cr_assert_eq(field_of(fixture, path, "proc"), known_at(fixture->records, k)->proc);
        cr_assert_eq(field_of(fixture, next, "seq"), known_at(fixture->records, k + 1)->seq);
        cr_assert_eq(field_of(fixture, prev, "seq"), known_at(fixture->records, k - 1)->seq);
    }
    g_autofree char *last = g_strdup_printf("/num/%u/next", fixture->records->len - 1);
    g_autofree char *beyond = g_strdup_printf("/num/%u", fixture->records->len);
    cr_assert_eq(resolve_error(fixture, "/num/0/prev"), XTF_ERROR_NOT_FOUND);
    cr_assert_eq(resolve_error(fixture, last), XTF_ERROR_NOT_FOUND);
    cr_assert_eq(resolve_error(fixture, beyond), XTF_ERROR_NOT_FOUND);
}

/* Tracks the call stacks and compares each record's `enter` with them. */
Test(tree, records_lead_to_their_enter)
{
    Recipe recipe = ordinary;
    recipe.records_each = 400;
    g_autoptr(Fixture) fixture = fixture_new(62, &recipe);

    for (unsigned location = 0; location < 6; location++) {
        uint64_t proc = location / 2, thread = location % 2, stack[9], k = 0;
        unsigned depth = 0;
        for (unsigned i = 0; i < fixture->records->len; i++) {
            const Known *known = known_at(fixture->records, i);
            if (known->proc != proc || known->thread != thread)
                continue;
            g_autofree char *path = g_strdup_printf("/proc/%lu/thread/%lu/num/%lu/enter", proc, thread, k++);
            if (depth == 0) {
                cr_assert_eq(resolve_error(fixture, path), XTF_ERROR_NOT_FOUND, "%s", path);
            } else {
                cr_assert_eq(field_of(fixture, path, "seq"), stack[depth - 1], "%s", path);
            }
            if (known->type == 0 && (depth == 0 || (depth < 8 && known->bytes % 2)))
                stack[depth++] = known->seq;
            else if (known->type == 0)
                depth--;
        }
    }
}

Test(tree, records_show_their_side_rows)
{
    g_autoptr(Fixture) fixture = fixture_new(63, &ordinary);

    for (unsigned i = 0; i < 300; i++) {
        uint64_t k = random_below(fixture, fixture->records->len);
        unsigned notes = known_at(fixture->records, k)->bytes % 7 % 3, lines = 0;
        g_autofree char *file = g_strdup_printf("/num/%lu/notes", k);
        if (!notes) {
            cr_assert_eq(resolve_error(fixture, file), XTF_ERROR_NOT_FOUND);
            continue;
        }
        GString *text = read_file(fixture, file);
        for (const char *p = text->str; (p = strchr(p, '\n')); p++)
            lines++;
        cr_assert_eq(lines, 1 + notes);
        cr_assert(g_str_has_prefix(text->str, "# note\n"));
        g_string_free(text, TRUE);
    }
}

/* ---- Names that do not exist. */

Test(tree, invalid_paths_do_not_exist)
{
    static const char *const wrong[] = {"/nothing",       "/proc/3",
                                        "/proc/0-3",      "/proc/x",
                                        "/thread/2",      "/time/5-3",
                                        "/time/5",        "/num/x",
                                        "/proc/0/proc/7", "/count/x",
                                        "/definitions/x", "/zoom/10",
                                        "/zoom/x",        "/next",
                                        "/proc/0/README", "/sends/definitions",
                                        "/num/3-2",       "/notes",
                                        "/time/1-2/x",    "/sends/profile",
                                        "/matrix",        "/enters_leaves/values"};
    g_autoptr(Fixture) fixture = fixture_new(71, &ordinary);

    for (unsigned i = 0; i < G_N_ELEMENTS(wrong); i++)
        cr_assert_eq(resolve_error(fixture, wrong[i]), XTF_ERROR_NOT_FOUND, "%s", wrong[i]);
    cr_assert_eq(read_count(fixture, "/proc/0/proc/1"), 0);
    cr_assert_eq(read_count(fixture, "/sends/enters_leaves"), 0);
    cr_assert_eq(read_count(fixture, "/time/0-1ms/time/2ms-"), 0);
    cr_assert_eq(read_count(fixture, "/time/1000h-2000h"), 0);
    cr_assert_eq(read_count(fixture, "/num/999999999-"), 0);
}

/* ---- Costs and threads. */

Test(tree, windows_cost_two_descents_an_array)
{
    g_autoptr(Fixture) fixture = fixture_new(81, &ordinary);
    XtfCounters before, after;
    char path[64];

    read_count(fixture, "/proc/1/time/1%-2%"); /* the first query loads the definitions */
    for (unsigned i = 3; i < 90; i++) {
        g_snprintf(path, sizeof path, "/proc/1/time/%u%%-%u.5%%", i, 2 * i % 100 > i ? 2 * i % 100 : i);
        xtf_trace_get_counters(fixture->trace, &before);
        read_count(fixture, path);
        xtf_trace_get_counters(fixture->trace, &after);
        /* 2 threads of 4 types, 3 levels at most */
        cr_assert_leq(after.page_visits - before.page_visits, 2 * 8 * 3, "%s", path);
    }
    xtf_trace_get_counters(fixture->trace, &before);
    read_count(fixture, "");
    read_count(fixture, "/sends");
    read_count(fixture, "/proc/0");
    xtf_trace_get_counters(fixture->trace, &after);
    cr_assert_eq(after.page_visits, before.page_visits, "what has no window costs no descent");
}

/* This thread has 4 arrays. The pages that a stream pins and their right edges fit a cache of 32 pages, so each leaf
 * is loaded once. */
Test(tree, streams_load_each_leaf_once)
{
    Recipe recipe = ordinary;
    recipe.records_each = 20000;
    recipe.plain = true;
    g_autoptr(Fixture) fixture = fixture_new(82, &recipe);
    XtfOpenOptions options = {.cache_bytes = 32 * 4096};
    g_autoptr(XtfTrace) trace = xtf_trace_open(fixture->path, &options, NULL);
    g_autoptr(XtfTree) tree = xtf_tree_new(trace, NULL);
    g_autoptr(XtfNode) node = xtf_tree_resolve(tree, "/proc/1/thread/1/records", NULL);
    uint64_t pages = 0, most = 0;
    XtfCounters before, after;
    char buffer[10000];
    size_t got;

    for (unsigned type = 0; type < 4; type++) {
        XtfArray array;
        bool found;
        cr_assert(xtf_trace_find_array(trace, UINT64_C(1) << 32 | 1, xtf_trace_find_schema(trace, type_names[type])->id,
                                       &array, &found, NULL));
        pages += array.n_rows * array.schema->row_size / 4000 + 2;
    }
    xtf_trace_get_counters(trace, &before);
    for (uint64_t offset = 0; offset < xtf_node_size(node); offset += got) {
        cr_assert(xtf_node_read(node, offset, buffer, sizeof buffer, &got, NULL));
        xtf_trace_get_counters(trace, &after);
        most = MAX(most, after.cache_bytes);
    }
    cr_assert_gt(pages, 50);
    cr_assert_leq(after.cache_loads - before.cache_loads, pages + 16, "%lu loads of %lu pages",
                  after.cache_loads - before.cache_loads, pages);
    cr_assert_leq(most, 32 * 4096);
}

Test(tree, threads_read_side_by_side, .timeout = 120)
{
    const Recipe *recipes[] = {&ordinary, &many};

    for (unsigned r = 0; r < 2; r++) {
        g_autoptr(Fixture) fixture = fixture_new(91, recipes[r]);
        GString *whole = read_file(fixture, "/records");
        g_autoptr(XtfNode) node = resolve(fixture, "/records");
        assert_read_side_by_side(node, whole);
        g_string_free(whole, TRUE);
    }
}
