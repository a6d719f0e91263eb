/* Selections by every path, compared with a scan of the same records in memory. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "src/trace/text/time-scale.h"
#include "tests/rounds.h"
#include "tests/tree/traces/fixture.h"

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

static bool passes_filter(const Filter *filter, const Known *known)
{
    return (filter->proc < 0 ||
            (known->proc >= (uint64_t)filter->proc && known->proc <= (uint64_t)filter->proc_last)) &&
           (filter->thread < 0 || known->thread == (uint64_t)filter->thread) &&
           (filter->type < 0 || known->type == (unsigned)filter->type) && known->t >= filter->a && known->t < filter->b;
}

static Filter random_filter(Fixture *fixture)
{
    Filter filter = {NULL, -1, -1, -1, -1, 0, UINT64_MAX};
    const Known *first = known_at(fixture->records, random_below(fixture, fixture->records->len));
    const Known *second = known_at(fixture->records, random_below(fixture, fixture->records->len));
    char window[XTF_WINDOW_TEXT_MAX];
    XtfTimeScale scale;

    switch (random_below(fixture, 4)) {
    case 0:
        filter.proc = (int64_t)MIN(first->proc, second->proc);
        filter.proc_last = (int64_t)MAX(first->proc, second->proc);
        if (filter.proc == filter.proc_last)
            filter.component = g_strdup_printf("proc/%ld", filter.proc);
        else
            filter.component = g_strdup_printf("proc/%ld-%ld", filter.proc, filter.proc_last);
        break;
    case 1:
        filter.thread = (int64_t)first->thread;
        filter.component = g_strdup_printf("thread/%ld", filter.thread);
        break;
    case 2:
        filter.type = first->type;
        filter.component = g_strdup(type_names[first->type]);
        break;
    default:
        filter.a = MIN(first->t, second->t) + random_below(fixture, 2);
        filter.b = MAX(first->t, second->t) + random_below(fixture, 2);
        filter.b = MAX(filter.a, filter.b);
        xtf_time_scale_init(&scale, xtf_trace_clock(fixture->trace));
        xtf_time_scale_print_window(&scale, filter.a, filter.b, window);
        filter.component = g_strdup_printf("time/%s", window);
    }
    return filter;
}

static GArray *subset(const GArray *records, const Filter *filter)
{
    GArray *left = g_array_new(FALSE, FALSE, sizeof(Known));
    for (unsigned i = 0; i < records->len; i++) {
        if (passes_filter(filter, known_at(records, i)))
            g_array_append_vals(left, known_at(records, i), 1);
    }
    return left;
}

/* Appends filters to `path`, and in random order to `shuffled`. Removes the other records from `*records`. */
static void narrow_records(Fixture *fixture, GString *path, GString *shuffled, GArray **records)
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

static void slice_records(Fixture *fixture, GString *path, GString *shuffled, GArray **records)
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

/* ---- Contents of the files. */

static void assert_line(Fixture *fixture, const char *line, const Known *known, const char *path)
{
    char time[80], event[64], expected[XTF_TIME_TEXT_MAX] = "";
    uint64_t proc, thread, seq;
    XtfTimeScale scale;

    xtf_time_scale_init(&scale, xtf_trace_clock(fixture->trace));
    cr_assert_eq(sscanf(line, " %79s %lu %lu %lu %63s", time, &proc, &thread, &seq, event), 5, "%s: %.80s", path, line);
    cr_assert_str_eq(time, xtf_time_scale_put(&scale, known->t - scale.origin, expected + sizeof expected - 1));
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
        char *end = text->str + (i + 1) * line - 1;
        cr_assert_eq(*end, '\n');
        *end = '\0'; /* sscanf() looks for the end of the text */
        assert_line(fixture, text->str + i * line, known_at(records, i), path);
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
    uint64_t offset = 0;

    for (unsigned i = 0; i < 20; i++) {
        size_t length = random_below(fixture, i % 2 ? 300 : whole->len + 100), got = 0;
        GError *error = NULL;
        if (i % 4 < 2) /* else continue where the last part ended */
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

/* Asserts that each slice counts the records in it, and that the sum of the slices is the count. */
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
        XtfTimeScale scale;
        cr_assert_eq(sscanf(lines[i], " %79s %79s %lu", from, to, &count), 3);
        g_snprintf(window, sizeof window, "%s-%s", from, to);
        xtf_time_scale_init(&scale, xtf_trace_clock(fixture->trace));
        cr_assert(xtf_time_scale_parse_window(&scale, window, &a, &b, NULL));
        for (unsigned k = 0; k < records->len; k++)
            expected += known_at(records, k)->t >= a && known_at(records, k)->t < b;
        cr_assert_eq(count, expected, "%s, slice %u: %lu, not %lu", path, i, count, expected);
        sum += count;
    }
    cr_assert_eq(sum, records->len);
    g_string_free(text, TRUE);
}

/* True if the line of `info` named `column` counts a record. */
static bool is_counted(const char *column, const Known *record)
{
    if (g_str_equal(column, "calls"))
        return record->type == 0 && !record->leave;
    return g_str_equal(column, "records") || g_str_equal(column, type_names[record->type]);
}

static void assert_info(Fixture *fixture, const char *path, const GArray *records)
{
    g_autofree char *file = g_strconcat(path, "/info", NULL);
    GString *text = read_file(fixture, file);
    g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);

    for (char **line = lines + 1; *line && **line; line++) {
        char column[64], value[80];
        uint64_t expected = 0;
        cr_assert_eq(sscanf(*line, " %63s %79s", column, value), 2);
        for (unsigned k = 0; k < records->len; k++)
            expected += is_counted(column, known_at(records, k));
        if (!strchr(value, '.') && line > lines + 3)
            cr_assert_eq(g_ascii_strtoull(value, NULL, 10), expected, "%s: %s", path, *line);
    }
    g_string_free(text, TRUE);
}

static void try_selections(uint32_t seed, const Recipe *recipe, unsigned rounds)
{
    g_autoptr(Fixture) fixture = fixture_new(seed, recipe);

    for (unsigned round = 0; round < TEST_ROUNDS(rounds); round++) {
        g_autoptr(GString) path = g_string_new(NULL);
        g_autoptr(GString) shuffled = g_string_new(NULL);
        GArray *records = g_array_ref(fixture->records);

        narrow_records(fixture, path, shuffled, &records);
        if (round % 2) {
            slice_records(fixture, path, shuffled, &records);
            narrow_records(fixture, path, shuffled, &records);
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

Test(selections, of_few_arrays, .timeout = 120)
{
    for (uint32_t seed = 1; seed <= 3; seed++)
        try_selections(seed, &ordinary, 60);
}

Test(selections, of_many_arrays, .timeout = 120)
{
    try_selections(11, &many, 40);
}

Test(selections, without_tables, .timeout = 120)
{
    try_selections(21, &bare, 40);
}

/* Very many records have one time, so only location and seq order them. */
Test(selections, one_time_for_all, .timeout = 120)
{
    Recipe few = ordinary, most = many;

    few.t_step = 1;
    try_selections(31, &few, 20);
    most.t_step = 1;
    most.records_each = 1500;
    try_selections(32, &most, 3);
}
