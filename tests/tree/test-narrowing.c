/* Narrowing by region, communicator, peer and tag, compared with a scan of the same records in memory. */
#include <criterion/criterion.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "src/trace/context/name-index.h"
#include "src/trace/text/time-scale.h"
#include "tests/tree/traces/messages.h"

/* ---- Names with every byte escaped that is no letter or digit. */

static char *escape_name(const char *text)
{
    GString *name = g_string_new(NULL);

    for (const char *p = text; *p; p++) {
        if (g_ascii_isalnum(*p))
            g_string_append_c(name, *p);
        else
            g_string_append_printf(name, "\\x%02X", (unsigned char)*p);
    }
    return g_string_free(name, FALSE);
}

enum { NAMED_MAX = 64 }; /* greatest number of rows of a table with names */

/* Returns a component for one row, by its number or valid name, or for a pattern. Marks the rows in `marked`. */
static char *spell_rows(Fixture *fixture, const char *const *names, unsigned n, bool marked[static NAMED_MAX])
{
    static const char *const patterns[] = {"*", "*_*", "*[!A-Z]*", "*s*", "*[a-m]*"};
    const char *pattern = patterns[random_below(fixture, G_N_ELEMENTS(patterns))];
    uint64_t row = random_below(fixture, n), form = random_below(fixture, 5);
    g_autofree char *name = escape_name(names[row]);
    bool by_name = *name && strlen(name) <= 255 / 3;

    for (unsigned i = 0; i < n; i++) {
        if (form == 0)
            marked[i] |= *names[i] && fnmatch(pattern, names[i], FNM_NOESCAPE) == 0;
        else
            marked[i] |= i == row || (form > 1 && by_name && g_str_equal(names[i], names[row]));
    }
    if (form == 0)
        return g_strdup(pattern);
    return form > 1 && by_name ? g_steal_pointer(&name) : g_strdup_printf("#%lu", row);
}

/* ---- Random narrowings, as paths and as subsets. */

typedef enum { BY_PROC, BY_THREAD, BY_TYPE, BY_WINDOW, BY_REGION, BY_COMM, BY_PEER, BY_TAG, BY_CLASS, N_KINDS } Kind;

typedef struct {
    char *component;
    Kind kind;
    uint64_t first, last; /* inclusive; of a window in ticks */
    bool is_named;        /* true if `rows` marks the rows that pass */
    bool rows[NAMED_MAX];
} Filter;

static void filter_clear(void *data)
{
    g_free(((Filter *)data)->component);
}

/* Classes of the regions of these traces: the program and MPI point to point. */
enum { PROGRAM, P2P, NEITHER };

static uint64_t class_of(uint64_t region)
{
    return region == NOTHING ? NOTHING : strncmp(message_regions[region], "MPI_", 4) ? PROGRAM : P2P;
}

static uint64_t value_of(const Message *message, Kind kind)
{
    const uint64_t values[N_KINDS] = {
        [BY_PROC] = message->proc, [BY_THREAD] = message->thread, [BY_TYPE] = message->type,
        [BY_WINDOW] = message->t,  [BY_REGION] = message->region, [BY_COMM] = message->comm,
        [BY_PEER] = message->peer, [BY_TAG] = message->tag,       [BY_CLASS] = class_of(message->region),
    };
    return values[kind];
}

static bool passes_filter(const Filter *filter, const Message *message)
{
    uint64_t value = value_of(message, filter->kind);

    if (value == NOTHING)
        return false;
    if (filter->is_named)
        return filter->rows[value];
    return value >= filter->first && value <= filter->last;
}

/* Returns a filter by a list of one to three rows or patterns. */
static Filter named_filter(Fixture *fixture, Kind kind, const char *name, const char *const *names, unsigned n)
{
    Filter filter = {.kind = kind, .is_named = true};
    g_autoptr(GString) path = g_string_new(name);

    for (uint64_t i = 0, n_parts = 1 + random_below(fixture, 3); i < n_parts; i++) {
        g_autofree char *part = spell_rows(fixture, names, n, filter.rows);
        g_string_append_printf(path, "%c%s", i ? ',' : '/', part);
    }
    filter.component = g_strdup(path->str);
    return filter;
}

/* Returns a filter by numbers below n. A comma ends a set that has neither bound. */
static Filter set_filter(Fixture *fixture, Kind kind, const char *name, uint64_t n)
{
    Filter filter = {.kind = kind, .first = random_below(fixture, n)};

    filter.last = filter.first + random_below(fixture, n - filter.first);
    bool from_start = filter.first == 0 && random_below(fixture, 2),
         to_end = filter.last == n - 1 && random_below(fixture, 2);
    if (from_start && to_end)
        filter.component = g_strdup_printf("%s/-%lu,%lu-", name, filter.last / 2, filter.last / 2);
    else if (from_start)
        filter.component = g_strdup_printf("%s/-%lu", name, filter.last);
    else if (to_end)
        filter.component = g_strdup_printf("%s/%lu-", name, filter.first);
    else if (filter.first == filter.last)
        filter.component = g_strdup_printf("%s/%lu", name, filter.first);
    else
        filter.component = g_strdup_printf("%s/%lu-%lu", name, filter.first, filter.last);
    return filter;
}

static Filter class_filter(Fixture *fixture)
{
    static const struct {
        const char *component;
        uint64_t first, last;
    } classes[] = {{"class/program", PROGRAM, PROGRAM},
                   {"class/p2p", P2P, P2P},
                   {"class/mpi", P2P, P2P},
                   {"class/wait,mpi", P2P, P2P},
                   {"class/p[12]p", P2P, P2P},
                   {"class/p*", PROGRAM, P2P},
                   {"class/omp,p2p,io", P2P, P2P},
                   {"class/useful,p2p", PROGRAM, P2P},
                   {"class/barrier", NEITHER, NEITHER},
                   {"class/useful", PROGRAM, PROGRAM}};
    unsigned i = (unsigned)random_below(fixture, G_N_ELEMENTS(classes));

    return (Filter){.kind = BY_CLASS,
                    .first = classes[i].first,
                    .last = classes[i].last,
                    .component = g_strdup(classes[i].component)};
}

static Filter window_filter(Fixture *fixture)
{
    uint64_t n = fixture->records->len;
    Filter filter = {.kind = BY_WINDOW,
                     .first = message_at(fixture->records, random_below(fixture, n))->t,
                     .last = message_at(fixture->records, random_below(fixture, n))->t};
    char window[XTF_WINDOW_TEXT_MAX];
    XtfTimeScale scale;

    if (filter.first > filter.last) {
        uint64_t first = filter.last;
        filter.last = filter.first;
        filter.first = first;
    }
    xtf_time_scale_init(&scale, xtf_trace_clock(fixture->trace));
    xtf_time_scale_print_window(&scale, filter.first, filter.last + 1, window);
    filter.component = g_strdup_printf("time/%s", window);
    return filter;
}

static Filter random_filter(Fixture *fixture, uint64_t n_procs)
{
    Filter filter = {.kind = (Kind)random_below(fixture, N_KINDS)};

    switch (filter.kind) {
    case BY_PROC:
        return set_filter(fixture, BY_PROC, "proc", n_procs);
    case BY_PEER:
        return set_filter(fixture, BY_PEER, "peer", n_procs);
    case BY_TAG:
        return set_filter(fixture, BY_TAG, "tag", N_TAGS);
    case BY_REGION:
        return named_filter(fixture, BY_REGION, "region", message_regions, n_message_regions);
    case BY_COMM:
        return named_filter(fixture, BY_COMM, "comm", message_comms, n_message_comms);
    case BY_WINDOW:
        return window_filter(fixture);
    case BY_CLASS:
        return class_filter(fixture);
    case BY_THREAD:
        return set_filter(fixture, BY_THREAD, "thread", 2);
    default:
        filter.first = filter.last = random_below(fixture, N_MESSAGES_TYPES);
        filter.component = g_strdup(message_types[filter.first]);
        return filter;
    }
}

static void filter_records(GArray **records, const Filter *filter)
{
    GArray *left = g_array_new(FALSE, FALSE, sizeof(Message));

    for (unsigned i = 0; i < (*records)->len; i++) {
        if (passes_filter(filter, message_at(*records, i)))
            g_array_append_vals(left, message_at(*records, i), 1);
    }
    g_array_unref(*records);
    *records = left;
}

/* Appends up to `most` filters to `path`, and shuffled to `shuffled`. Removes other records from `*records`. */
static void narrow_records(Fixture *fixture, uint64_t n_procs, unsigned most, GString *path, GString *shuffled,
                           GArray **records)
{
    g_autoptr(GArray) filters = g_array_new(FALSE, FALSE, sizeof(Filter));
    unsigned n = (unsigned)random_below(fixture, most + 1);

    g_array_set_clear_func(filters, filter_clear);
    for (unsigned i = 0; i < n; i++) {
        Filter filter = random_filter(fixture, n_procs);
        filter_records(records, &filter);
        g_array_append_val(filters, filter);
        g_string_append_printf(path, "/%s", filter.component);
    }
    for (unsigned left = n; left > 0; left--) {
        unsigned i = (unsigned)random_below(fixture, left);
        g_string_append_printf(shuffled, "/%s", g_array_index(filters, Filter, i).component);
        g_array_remove_index(filters, i);
    }
}

static void slice_records(Fixture *fixture, GString *path, GString *shuffled, GArray **records)
{
    unsigned n = (*records)->len;
    uint64_t i = random_below(fixture, n + 1), j = i + random_below(fixture, n + 3 - i);

    g_string_append_printf(path, "/num/%lu-%lu", i, j);
    g_string_append_printf(shuffled, "/num/%lu-%lu", i, j);
    g_array_set_size(*records, (guint)MIN(j, n));
    g_array_remove_range(*records, 0, (guint)MIN(i, (*records)->len));
}

/* ---- Contents of the files. */

static void assert_records(Fixture *fixture, const char *path, const GArray *records)
{
    g_autofree char *file = g_strconcat(path, "/records", NULL);
    GString *text = read_file(fixture, file);
    size_t line = records->len ? text->len / records->len : 0;

    cr_assert_eq(text->len, line * records->len, "%s", path);
    for (unsigned i = 0; i < records->len; i++) {
        const Message *message = message_at(records, i);
        uint64_t proc, thread, seq;
        text->str[(i + 1) * line - 1] = '\0'; /* sscanf() looks for the end of the text */
        cr_assert_eq(sscanf(text->str + i * line, " %*s %lu %lu %lu", &proc, &thread, &seq), 3);
        cr_assert(proc == message->proc && thread == message->thread && seq == message->seq,
                  "%s, line %u: %lu %lu %lu where %lu %lu %lu should be", path, i, proc, thread, seq, message->proc,
                  message->thread, message->seq);
    }
    g_string_free(text, TRUE);
}

/* Asserts that any part of `records` equals the same part of the whole. */
static void assert_parts(Fixture *fixture, const char *path)
{
    g_autofree char *file = g_strconcat(path, "/records", NULL);
    GString *whole = read_file(fixture, file);
    g_autoptr(XtfNode) node = resolve(fixture, file);
    g_autofree char *buffer = g_malloc(whole->len + 1);

    for (unsigned i = 0; i < 5; i++) {
        uint64_t offset = random_below(fixture, whole->len + 1);
        size_t length = random_below(fixture, i % 2 ? 300 : whole->len + 1), got = 0;
        cr_assert(xtf_node_read(node, offset, buffer, length, &got, NULL));
        cr_assert_eq(got, MIN(length, whole->len - offset));
        cr_assert(memcmp(buffer, whole->str + offset, got) == 0, "%s from %lu", path, offset);
    }
    g_string_free(whole, TRUE);
}

static void assert_counts(Fixture *fixture, const char *path, const GArray *records)
{
    for (unsigned type = 0; type < N_MESSAGES_TYPES; type++) {
        g_autofree char *narrower = g_strdup_printf("%s/%s", path, message_types[type]);
        uint64_t expected = 0;
        for (unsigned i = 0; i < records->len; i++)
            expected += message_at(records, i)->type == type;
        cr_assert_eq(read_count(fixture, narrower), expected, "%s", narrower);
    }
}

/* Asserts that each slice counts the records in it. */
static void assert_histogram(Fixture *fixture, const char *path, const GArray *records)
{
    g_autofree char *file = g_strconcat(path, "/histogram", NULL);
    GString *text = read_file(fixture, file);
    g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);
    uint64_t sum = 0;
    XtfTimeScale scale;

    xtf_time_scale_init(&scale, xtf_trace_clock(fixture->trace));
    for (char **line = lines + 1; *line && **line; line++) {
        char from[80], to[80], window[170];
        uint64_t count, a, b, expected = 0;
        cr_assert_eq(sscanf(*line, " %79s %79s %lu", from, to, &count), 3);
        g_snprintf(window, sizeof window, "%s-%s", from, to);
        cr_assert(xtf_time_scale_parse_window(&scale, window, &a, &b, NULL));
        for (unsigned i = 0; i < records->len; i++)
            expected += message_at(records, i)->t >= a && message_at(records, i)->t < b;
        cr_assert_eq(count, expected, "%s: %s: not %lu", path, *line, expected);
        sum += count;
    }
    cr_assert_eq(sum, records->len, "%s", path);
    g_string_free(text, TRUE);
}

/* Asserts that one of the records is a directory. */
static void assert_record_exists(Fixture *fixture, const char *path, const GArray *records)
{
    uint64_t k = random_below(fixture, records->len);
    g_autofree char *file = g_strdup_printf("%s/num/%lu/record", path, k);
    g_autofree char *seq = g_strdup_printf("\nseq %lu\n", message_at(records, k)->seq);
    GString *text = read_file(fixture, file);
    unsigned blanks = 0;

    for (char *p = text->str; (p = strstr(p, "  ")); blanks++)
        memmove(p, p + 1, strlen(p));
    cr_assert(strstr(text->str, seq), "%s: %s", file, text->str);
    g_string_free(text, TRUE);
}

static void try_narrowings(uint32_t seed, unsigned n_locations, uint64_t records_each, unsigned rounds)
{
    g_autoptr(Fixture) fixture = messages_new(seed, n_locations, records_each, true);
    uint64_t n_procs = (n_locations + 1) / 2, found = 0;

    for (unsigned round = 0; round < rounds; round++) {
        g_autoptr(GString) path = g_string_new(NULL);
        g_autoptr(GString) shuffled = g_string_new(NULL);
        GArray *records = g_array_new(FALSE, FALSE, sizeof(Message));

        g_array_append_vals(records, fixture->records->data, fixture->records->len);
        narrow_records(fixture, n_procs, 4, path, shuffled, &records);
        for (unsigned i = round % 3; i; i--) {
            slice_records(fixture, path, shuffled, &records);
            narrow_records(fixture, n_procs, 2, path, shuffled, &records);
        }
        cr_assert_eq(read_count(fixture, path->str), records->len, "%s: %u", path->str, records->len);
        cr_assert_eq(read_count(fixture, shuffled->str), records->len, "%s", shuffled->str);
        assert_records(fixture, path->str, records);
        assert_parts(fixture, shuffled->str);
        assert_counts(fixture, path->str, records);
        if (round % 4 == 0)
            assert_histogram(fixture, path->str, records);
        if (records->len)
            assert_record_exists(fixture, shuffled->str, records);
        found += records->len;
        g_array_unref(records);
    }
    cr_assert_gt(found, rounds, "most narrowings leave something");
}

Test(narrowing, of_few_arrays, .timeout = 200)
{
    for (uint32_t seed = 1; seed <= 3; seed++)
        try_narrowings(seed, 5, 2000, 60);
}

Test(narrowing, of_many_arrays, .timeout = 200)
{
    try_narrowings(11, 60, 200, 40);
}

/* ---- Names. */

static bool add_name(const char *name, XtfNodeKind kind, void *data)
{
    cr_assert_eq(kind, XTF_NODE_DIRECTORY);
    cr_assert(*name && strlen(name) <= 255 && !strchr(name, '/') && *name != '.');
    for (const char *p = name; *p; p++)
        cr_assert(g_ascii_isgraph(*p));
    g_ptr_array_add(data, g_strdup(name));
    return true;
}

static GPtrArray *list_names(Fixture *fixture, const char *path)
{
    g_autoptr(XtfNode) directory = resolve(fixture, path);
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    cr_assert(xtf_node_list(directory, 0, add_name, names, NULL));
    return names;
}

/* Asserts that each record with such a field is in exactly one directory of a listing. */
static void assert_listing(Fixture *fixture, const char *directory, Kind kind, unsigned n_distinct)
{
    g_autoptr(GPtrArray) names = list_names(fixture, directory);
    uint64_t listed = 0, expected = 0;

    cr_assert_eq(names->len, n_distinct);
    for (unsigned i = 0; i < names->len; i++) {
        g_autofree char *path = g_strdup_printf("%s/%s", directory, (char *)names->pdata[i]);
        listed += read_count(fixture, path);
    }
    for (unsigned i = 0; i < fixture->records->len; i++)
        expected += value_of(message_at(fixture->records, i), kind) != NOTHING;
    cr_assert_eq(listed, expected, "%s", directory);
}

Test(narrowing, listed_names_can_be_looked_up)
{
    g_autoptr(Fixture) fixture = messages_new(21, 4, 500, true);
    g_autoptr(GPtrArray) no_peers = list_names(fixture, "/peer"), no_tags = list_names(fixture, "/proc/0/tag");

    assert_listing(fixture, "/region", BY_REGION, n_message_regions - 1); /* two are named "dup", one "" */
    assert_listing(fixture, "/comm", BY_COMM, n_message_comms - 1);
    cr_assert_eq(no_peers->len + no_tags->len, 0);
}

Test(narrowing, lists_the_classes_that_the_trace_has)
{
    g_autoptr(Fixture) fixture = messages_new(25, 4, 500, true);
    g_autoptr(GPtrArray) names = list_names(fixture, "/class");
    g_autofree char *all = NULL;

    g_ptr_array_add(names, NULL);
    all = g_strjoinv(" ", (char **)names->pdata);
    cr_assert_str_eq(all, "mpi useful program p2p");
}

Test(narrowing, names_lead_back_to_their_rows)
{
    g_autoptr(Fixture) fixture = messages_new(22, 4, 500, true);

    for (unsigned row = 0; row < n_message_regions; row++) {
        g_autofree char *name = xtf_directory_name_escape(message_regions[row]);
        g_autofree char *path = g_strdup_printf("/region/%s", name ? name : ""),
                        *by_row = g_strdup_printf("/region/#%u", row);
        uint64_t of_name = 0, of_row = 0;

        for (unsigned i = 0; i < fixture->records->len; i++) {
            uint64_t region = message_at(fixture->records, i)->region;
            of_row += region == row;
            of_name += region != NOTHING && g_str_equal(message_regions[region], message_regions[row]);
        }
        cr_assert_eq(read_count(fixture, by_row), of_row, "%s", by_row);
        if (!name) {
            cr_assert(!*message_regions[row] || strlen(message_regions[row]) > 255 / 4);
            continue;
        }
        g_autofree char *text = xtf_directory_name_unescape(name);
        cr_assert_str_eq(text, message_regions[row]);
        cr_assert_eq(read_count(fixture, path), of_name, "%s", path);
    }
}

Test(narrowing, invalid_paths_do_not_exist)
{
    static const char *const wrong[] = {
        "/region/MPI_Recv", "/region/#99", "/region/#",    "/region/a\\b",
        "/region/\\x00",    "/comm/none",  "/comm/#5",     "/comm/#-1",
        "/peer/2",          "/peer/x",     "/peer/0-2",    "/tag/x",
        "/tag/3-1",         "/tag/-",      "/region/\\x4", "/region/#18446744073709551616",
        "/region/A/x",      "/tag/--1",    "/peer/2-",     "/peer/-2",
        "/region/MPI*x",    "/region/A,x", "/region/,A",   "/comm/split,",
        "/class/x",         "/class/mpi,", "/class/,mpi",  "/class/MPI",
        "/class/#0",        "/class/x*",   "/class/\\x4"};
    g_autoptr(Fixture) fixture = messages_new(23, 4, 300, true);

    for (unsigned i = 0; i < G_N_ELEMENTS(wrong); i++) {
        if (!g_str_has_suffix(wrong[i], "/"))
            cr_assert_eq(resolve_error(fixture, wrong[i]), XTF_ERROR_NOT_FOUND, "%s", wrong[i]);
    }
    for (unsigned i = 0; i < n_message_regions; i++) /* no name has a character with a meaning in lists or patterns */
        cr_assert_null(strpbrk(message_regions[i], ",*?["), "%s", message_regions[i]);
    cr_assert_eq(read_count(fixture, "/region/A/region/MPI_Send"), 0);
    cr_assert_eq(read_count(fixture, "/tag/1/tag/2"), 0);
    cr_assert_eq(read_count(fixture, "/marks/region/A"), 0);
    cr_assert_eq(read_count(fixture, "/puts/tag/0-4"), 0);
    cr_assert_eq(read_count(fixture, "/tag/77"), 0);
}

Test(narrowing, files_without_aggregates_say_so)
{
    g_autoptr(Fixture) fixture = messages_new(24, 4, 300, false);

    cr_assert_eq(resolve_error(fixture, "/region/A/count"), XTF_ERROR_UNSUPPORTED);
    cr_assert_eq(resolve_error(fixture, "/sends/tag/1/records"), XTF_ERROR_UNSUPPORTED);
    cr_assert_eq(read_count(fixture, "/marks/tag/1"), 0);
    cr_assert_eq(read_count(fixture, ""), fixture->records->len);
    static const char *const views[] = {"matrix", "profile", "bytes", "proc/0/sends/matrix"};
    for (unsigned i = 0; i < G_N_ELEMENTS(views); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(XtfNode) node = xtf_tree_resolve(fixture->tree, views[i], &error);
        cr_assert_null(node, "%s", views[i]);
        cr_assert(strstr(error->message, "needs totals"), "%s", error->message);
    }
}
