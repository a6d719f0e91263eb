/* The tree against a naive memory of the same records. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "src/query/time.h"

static const Recipe ordinary = {.n_locations = 6,
                                .n_types = 4,
                                .records_each = 3000,
                                .t_first = 1000,
                                .t_step = 3,
                                .resolution_num = 1000000,
                                .resolution_den = 1,
                                .has_table = true};
/* More arrays than a heap merges: read in slices of time. */
static const Recipe many = {.n_locations = 60,
                            .n_types = 4,
                            .records_each = 300,
                            .t_first = 0,
                            .t_step = 5,
                            .resolution_num = 2399987654,
                            .resolution_den = 1,
                            .has_table = true};
static const Recipe bare = {.n_locations = 4,
                            .n_types = 1,
                            .records_each = 1000,
                            .t_first = 77,
                            .t_step = 2,
                            .resolution_num = 1,
                            .resolution_den = 1,
                            .has_table = false};

/* ---- Random selections, as paths and as subsets. */

typedef struct {
    char *component;
    int64_t proc, proc_last, thread, type; /* -1: any */
    uint64_t a, b;
} Filter;

static void filter_clear(void *data)
{
    g_free(((Filter *)data)->component);
}

static bool passes(const Filter *filter, const Known *known)
{
    return (filter->proc < 0 ||
            (known->proc >= (uint64_t)filter->proc && known->proc <= (uint64_t)filter->proc_last)) &&
           (filter->thread < 0 || known->thread == (uint64_t)filter->thread) &&
           (filter->type < 0 || known->type == (unsigned)filter->type) && known->t >= filter->a && known->t < filter->b;
}

static Filter random_filter(Fixture *fixture)
{
    Filter filter = {NULL, -1, -1, -1, -1, 0, UINT64_MAX};
    const Known *some = known_at(fixture->records, random_below(fixture, fixture->records->len));
    const Known *other = known_at(fixture->records, random_below(fixture, fixture->records->len));
    char window[XTF_WINDOW_TEXT_MAX];
    XtfScale scale;

    switch (random_below(fixture, 4)) {
    case 0:
        filter.proc = (int64_t)MIN(some->proc, other->proc);
        filter.proc_last = (int64_t)MAX(some->proc, other->proc);
        if (filter.proc == filter.proc_last)
            filter.component = g_strdup_printf("proc/%ld", filter.proc);
        else
            filter.component = g_strdup_printf("proc/%ld-%ld", filter.proc, filter.proc_last);
        break;
    case 1:
        filter.thread = (int64_t)some->thread;
        filter.component = g_strdup_printf("thread/%ld", filter.thread);
        break;
    case 2:
        filter.type = some->type;
        filter.component = g_strdup(type_names[some->type]);
        break;
    default:
        filter.a = MIN(some->t, other->t) + random_below(fixture, 2);
        filter.b = MAX(some->t, other->t) + random_below(fixture, 2);
        filter.b = MAX(filter.a, filter.b);
        xtf_scale_init(&scale, xtf_trace_clock(fixture->trace));
        xtf_scale_print_window(&scale, filter.a, filter.b, window);
        filter.component = g_strdup_printf("time/%s", window);
    }
    return filter;
}

static GArray *subset(const GArray *records, const Filter *filter)
{
    GArray *left = g_array_new(FALSE, FALSE, sizeof(Known));
    for (unsigned i = 0; i < records->len; i++) {
        if (passes(filter, known_at(records, i)))
            g_array_append_vals(left, known_at(records, i), 1);
    }
    return left;
}

/* Appends filters in some order to both paths, and narrows the records. */
static void narrow(Fixture *fixture, GString *path, GString *shuffled, GArray **records)
{
    g_autoptr(GArray) filters = g_array_new(FALSE, FALSE, sizeof(Filter));
    unsigned n = (unsigned)random_below(fixture, 4);

    g_array_set_clear_func(filters, filter_clear);
    for (unsigned i = 0; i < n; i++) {
        Filter filter = random_filter(fixture);
        GArray *left = subset(*records, &filter);
        g_array_unref(*records);
        *records = left;
        g_array_append_val(filters, filter);
        g_string_append_printf(path, "/%s", filter.component);
    }
    for (unsigned left = n; left > 0; left--) {
        unsigned i = (unsigned)random_below(fixture, left);
        g_string_append_printf(shuffled, "/%s", g_array_index(filters, Filter, i).component);
        g_array_remove_index(filters, i);
    }
}

static void slice(Fixture *fixture, GString *path, GString *shuffled, GArray **records)
{
    uint64_t i = random_below(fixture, (*records)->len + 1), j = i + random_below(fixture, (*records)->len + 3 - i);
    GArray *left = g_array_new(FALSE, FALSE, sizeof(Known));

    for (uint64_t k = i; k < MIN(j, (*records)->len); k++)
        g_array_append_vals(left, known_at(*records, k), 1);
    g_array_unref(*records);
    *records = left;
    g_string_append_printf(path, "/num/%lu-%lu", i, j);
    g_string_append_printf(shuffled, "/num/%lu-%lu", i, j);
}

/* ---- What its files must show. */

static void assert_line(Fixture *fixture, const char *line, const Known *known, const char *path)
{
    char time[80], event[64], expected[XTF_TIME_TEXT_MAX] = "";
    uint64_t proc, thread, seq;
    XtfScale scale;

    xtf_scale_init(&scale, xtf_trace_clock(fixture->trace));
    cr_assert_eq(sscanf(line, " %79s %lu %lu %lu %63s", time, &proc, &thread, &seq, event), 5, "%s: %.80s", path, line);
    cr_assert_str_eq(time, xtf_scale_put(&scale, known->t - scale.origin, expected + sizeof expected - 1));
    cr_assert(proc == known->proc && thread == known->thread && seq == known->seq,
              "%s: %lu %lu %lu where %lu %lu %lu should be", path, proc, thread, seq, known->proc, known->thread,
              known->seq);
    if (known->type == 0)
        cr_assert(g_str_equal(event, "ENTER") || g_str_equal(event, "LEAVE"));
    else
        cr_assert_str_eq(event, known->type == 1 ? "MPI_SEND" : type_names[known->type]);
}

static void assert_records(Fixture *fixture, const char *path, const GArray *records)
{
    g_autofree char *file = g_strconcat(path, "/records", NULL);
    GString *text = read_file(fixture, file);
    size_t line = records->len ? text->len / records->len : 0;

    cr_assert_eq(text->len, line * records->len);
    for (unsigned i = 0; i < records->len; i++) {
        cr_assert_eq(text->str[(i + 1) * line - 1], '\n');
        assert_line(fixture, text->str + i * line, known_at(records, i), path);
    }
    g_string_free(text, TRUE);
}

/* Any part of `records` is that part of the whole. */
static void assert_parts(Fixture *fixture, const char *path)
{
    g_autofree char *file = g_strconcat(path, "/records", NULL);
    GString *whole = read_file(fixture, file);
    g_autoptr(XtfNode) node = resolve(fixture, file);
    g_autofree char *buffer = g_malloc(whole->len + 1);
    uint64_t offset = 0;

    for (unsigned i = 0; i < 20; i++) {
        size_t length = random_below(fixture, i % 2 ? 300 : whole->len + 100), got = 0;
        GError *error = NULL;
        if (i % 4 < 2) /* else go on where the last one ended */
            offset = random_below(fixture, whole->len + 10);
        cr_assert(xtf_node_read(node, offset, buffer, MIN(length, whole->len), &got, &error), "%s",
                  error ? error->message : "");
        size_t expected = offset < whole->len ? MIN(MIN(length, whole->len), whole->len - offset) : 0;
        cr_assert_eq(got, expected);
        cr_assert(memcmp(buffer, whole->str + MIN(offset, whole->len), got) == 0, "%s from %lu", path, offset);
        offset += got;
    }
    g_string_free(whole, TRUE);
}

/* The sum of its slices is the count, and every slice counts what falls in it. */
static void assert_histogram(Fixture *fixture, const char *path, const GArray *records)
{
    g_autofree char *file = g_strconcat(path, "/histogram", NULL);
    GString *text = read_file(fixture, file);
    g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);
    uint64_t sum = 0;

    cr_assert_eq(g_strv_length(lines), 102); /* the last one is empty */
    for (unsigned i = 1; i <= 100; i++) {
        char from[80], to[80], window[170];
        uint64_t count, a, b, expected = 0;
        XtfScale scale;
        cr_assert_eq(sscanf(lines[i], " %79s %79s %lu", from, to, &count), 3);
        g_snprintf(window, sizeof window, "%s-%s", from, to);
        xtf_scale_init(&scale, xtf_trace_clock(fixture->trace));
        cr_assert(xtf_scale_parse_window(&scale, window, &a, &b, NULL));
        for (unsigned k = 0; k < records->len; k++)
            expected += known_at(records, k)->t >= a && known_at(records, k)->t < b;
        cr_assert_eq(count, expected, "%s, slice %u: %lu, not %lu", path, i, count, expected);
        sum += count;
    }
    cr_assert_eq(sum, records->len);
    g_string_free(text, TRUE);
}

static void assert_info(Fixture *fixture, const char *path, const GArray *records)
{
    g_autofree char *file = g_strconcat(path, "/info", NULL);
    GString *text = read_file(fixture, file);
    g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);

    for (char **line = lines + 1; *line && **line; line++) {
        char what[64], value[80];
        uint64_t expected = 0;
        cr_assert_eq(sscanf(*line, " %63s %79s", what, value), 2);
        for (unsigned k = 0; k < records->len; k++)
            expected += g_str_equal(what, "records") || g_str_equal(what, type_names[known_at(records, k)->type]);
        if (!strchr(value, '.') && line > lines + 3)
            cr_assert_eq(g_ascii_strtoull(value, NULL, 10), expected, "%s: %s", path, *line);
    }
    g_string_free(text, TRUE);
}

static void try_selections(uint32_t seed, const Recipe *recipe, unsigned rounds)
{
    g_autoptr(Fixture) fixture = fixture_new(seed, recipe);

    for (unsigned round = 0; round < rounds; round++) {
        g_autoptr(GString) path = g_string_new(NULL);
        g_autoptr(GString) shuffled = g_string_new(NULL);
        GArray *records = g_array_ref(fixture->records);

        narrow(fixture, path, shuffled, &records);
        if (round % 2) {
            slice(fixture, path, shuffled, &records);
            narrow(fixture, path, shuffled, &records);
        }
        cr_assert_eq(read_count(fixture, path->str), records->len, "%s", path->str);
        cr_assert_eq(read_count(fixture, shuffled->str), records->len, "%s", shuffled->str);
        assert_records(fixture, path->str, records);
        assert_parts(fixture, shuffled->str);
        if (round % 4 < 2) {
            assert_histogram(fixture, path->str, records);
            assert_info(fixture, path->str, records);
        }
        g_array_unref(records);
    }
}

Test(tree, selections, .timeout = 120)
{
    for (uint32_t seed = 1; seed <= 3; seed++)
        try_selections(seed, &ordinary, 60);
}

Test(tree, selections_of_many_arrays, .timeout = 120)
{
    try_selections(11, &many, 40);
}

Test(tree, selections_without_tables, .timeout = 120)
{
    try_selections(21, &bare, 40);
}

/* Very many records of one time: nothing but location and seq orders them. */
Test(tree, one_time_for_all, .timeout = 120)
{
    Recipe few = ordinary, most = many;

    few.t_step = 1;
    try_selections(31, &few, 20);
    most.t_step = 1;
    most.records_each = 1500;
    try_selections(32, &most, 3);
}

/* ---- Everything that is listed is there, and everything that is there can be read. */

typedef struct {
    XtfNode *directory;
    GPtrArray *names;
    GArray *kinds;
} Listing;

static bool note(const char *name, XtfNodeKind kind, void *data)
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

    cr_assert(xtf_node_list(directory, 0, note, &listing, NULL));
    for (unsigned i = 0; i < listing.names->len; i++)
        visit_child(fixture, path, &listing, i, n_files);
    g_ptr_array_unref(listing.names);
    g_array_unref(listing.kinds);
}

Test(tree, listings_hold_what_they_say, .timeout = 120)
{
    g_autoptr(Fixture) fixture = fixture_new(41, &ordinary);
    unsigned n_files = 0;

    visit_all(fixture, "", &n_files);
    /* 5 files in the root, 3 processes, 6 threads and 24 types of them; README; 2 tables */
    cr_assert_eq(n_files, 5 * (1 + 3 + 6 + 24) + 1 + 2);
    n_files = 0;
    visit_all(fixture, "/proc/1/time/10%-60%", &n_files);
    cr_assert_gt(n_files, 5);
}

/* ---- Windows and what lies beside them. */

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
        g_autofree char *zoom = g_strdup_printf("/zoom/%u", i), *both = g_strdup_printf("/zoom/%u/zoom/%u", i, 9 - i);
        parts += read_count(fixture, zoom);
        cr_assert_leq(read_count(fixture, both), read_count(fixture, zoom));
    }
    cr_assert_eq(parts, fixture->records->len);
    g_string_free(path, TRUE);
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

/* Keeps the call stacks by hand, and compares each record's `enter` with it. */
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

Test(tree, records_show_what_hangs_on_them)
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

/* ---- Names that are not there. */

Test(tree, nonsense_is_not_there)
{
    static const char *const wrong[] = {"/nothing",       "/proc/3",   "/proc/0-3",      "/proc/x",
                                        "/thread/2",      "/time/5-3", "/time/5",        "/num/x",
                                        "/proc/0/proc/7", "/count/x",  "/definitions/x", "/zoom/10",
                                        "/zoom/x",        "/next",     "/proc/0/README", "/sends/definitions",
                                        "/num/3-2",       "/notes",    "/time/1-2/x",    "/profile",
                                        "/matrix",        "/stack"};
    g_autoptr(Fixture) fixture = fixture_new(71, &ordinary);

    for (unsigned i = 0; i < G_N_ELEMENTS(wrong); i++)
        cr_assert_eq(resolve_error(fixture, wrong[i]), XTF_ERROR_NOT_FOUND, "%s", wrong[i]);
    cr_assert_eq(read_count(fixture, "/proc/0/proc/1"), 0);
    cr_assert_eq(read_count(fixture, "/sends/calls"), 0);
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

    read_count(fixture, "/proc/1/time/1%-2%"); /* whoever is first loads the definitions */
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

/* Of one thread, 4 arrays: what a stream holds pinned fits a cache of 16 pages, so no page is needed twice. */
Test(tree, streams_load_each_leaf_once)
{
    Recipe recipe = ordinary;
    recipe.records_each = 20000;
    g_autoptr(Fixture) fixture = fixture_new(82, &recipe);
    XtfOpenOptions options = {.cache_bytes = 16 * 4096};
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
    cr_assert_leq(most, 16 * 4096);
}

typedef struct {
    XtfNode *node;
    const GString *whole;
    unsigned first;
} Reader;

/* Blocks in the order in which a kernel that reads ahead might ask for them. */
static void *read_blocks(void *data)
{
    Reader *reader = data;
    char buffer[4096];

    for (uint64_t offset = reader->first * 4096; offset < reader->whole->len; offset += 4 * 4096) {
        size_t got = 0;
        if (!xtf_node_read(reader->node, offset, buffer, sizeof buffer, &got, NULL) ||
            got != MIN(sizeof buffer, reader->whole->len - offset) ||
            memcmp(buffer, reader->whole->str + offset, got) != 0)
            return "differs";
    }
    return NULL;
}

Test(tree, threads_read_side_by_side, .timeout = 120)
{
    const Recipe *recipes[] = {&ordinary, &many};

    for (unsigned r = 0; r < 2; r++) {
        g_autoptr(Fixture) fixture = fixture_new(91, recipes[r]);
        GString *whole = read_file(fixture, "/records");
        g_autoptr(XtfNode) node = resolve(fixture, "/records");
        Reader readers[4];
        GThread *threads[4];

        for (unsigned i = 0; i < 4; i++) {
            readers[i] = (Reader){node, whole, i};
            threads[i] = g_thread_new("reader", read_blocks, &readers[i]);
        }
        for (unsigned i = 0; i < 4; i++)
            cr_assert_null(g_thread_join(threads[i]));
        g_string_free(whole, TRUE);
    }
}
