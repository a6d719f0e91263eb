/* The writer: what a reader sees after commits, crashes and resumptions. */
#include "fixture.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/rounds.h"

/* Returns a row that depends only on its number. */
static TestRow row_of(uint64_t n)
{
    return (TestRow){.time = 10 * n + n % 7, .seq = n, .value = (int32_t)(n * 2654435761u), .event = n % 2};
}

static void append_numbered(XtfArrayWriter *array, uint64_t count)
{
    GError *error = NULL;
    for (uint64_t i = 0; i < count; i++) {
        TestRow row = row_of(xtf_array_writer_n_rows(array));
        cr_assert_good(xtf_array_writer_append(array, &row, &error), error);
    }
}

static void assert_numbered(XtfTrace *trace, uint64_t location, uint64_t n_rows)
{
    GError *error = NULL;
    XtfArray array = find_array(trace, location, 0);
    g_auto(XtfCursor) cursor;
    bool found;

    cr_assert_eq(array.n_rows, n_rows);
    xtf_cursor_init(&cursor, &array);
    cr_assert_good(xtf_cursor_seek_n(&cursor, 0, &found, &error), error);
    for (uint64_t n = 0; n < n_rows; n++) {
        TestRow expected = row_of(n);
        cr_assert(found);
        cr_assert_eq(memcmp(xtf_cursor_row(&cursor), &expected, sizeof expected), 0);
        cr_assert_good(xtf_cursor_next(&cursor, 1, &found, &error), error);
    }
}

static XtfWriter *create_writer(const char *path, bool plain)
{
    GError *error = NULL;
    XtfWriterOptions options = {
        .page_size = 4096, .codec = plain ? "plain" : NULL, .no_sync = true, .origin = UINT64_MAX};
    XtfWriter *writer = xtf_writer_create(path, &options, &error);
    cr_assert_good(writer, error);
    return writer;
}

static void check_snapshots(bool plain)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    GError *error = NULL;
    XtfWriter *writer = create_writer(path, plain);
    XtfArrayWriter *array = xtf_writer_array(writer, 3, add_schema(writer, "calls"), &error);
    XtfTrace *snapshots[20];

    cr_assert_null(xtf_trace_open(path, NULL, &error)); /* no commit yet */
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_NOT_XTF));
    g_clear_error(&error);
    for (int i = 0; i < 20; i++) {
        append_numbered(array, 777);
        cr_assert_good(xtf_writer_commit(writer, &error), error);
        snapshots[i] = open_trace(path, 0);
    }
    append_numbered(array, 1000); /* never committed */
    for (int i = 0; i < 20; i++) {
        assert_numbered(snapshots[i], 3, 777u * (i + 1));
        assert_sound(snapshots[i]);
        xtf_trace_unref(snapshots[i]);
    }
    xtf_writer_abort(writer);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    assert_numbered(trace, 3, 20 * 777);
    remove_folder(folder);
}

/* FORMAT W14, R41 */
Test(writer, snapshots_stay_valid_while_the_writer_continues)
{
    check_snapshots(true);
    check_snapshots(false);
}

static void check_resumption(bool plain)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    GError *error = NULL;
    uint64_t committed = 0;
    uint32_t hello;

    xtf_writer_close(create_writer(path, plain), NULL);
    for (int i = 0; i < 12; i++) {
        XtfWriter *writer =
            xtf_writer_open(path, &(XtfWriterOptions){.codec = plain ? "plain" : NULL, .no_sync = true}, &error);
        cr_assert_good(writer, error);
        cr_assert_null(xtf_writer_open(path, NULL, NULL), "a second writer can open the file");
        XtfArrayWriter *array = xtf_writer_array(writer, 3, add_schema(writer, "calls"), &error);
        cr_assert_eq(xtf_array_writer_n_rows(array), committed);
        cr_assert_good(xtf_writer_add_string(writer, i % 2 ? "hello" : "world", &hello, &error), error);
        append_numbered(array, 500u * (i % 4));
        if (i % 3 == 2) {
            xtf_writer_abort(writer); /* a crash: its sealed pages are after the commit, and are overwritten */
            continue;
        }
        committed = xtf_array_writer_n_rows(array);
        cr_assert_good(xtf_writer_close(writer, &error), error);
        g_autoptr(XtfTrace) trace = open_trace(path, 0);
        assert_sound(trace);
        if (committed > 0)
            assert_numbered(trace, 3, committed);
    }
    remove_folder(folder);
}

/* FORMAT W18, R41 */
Test(writer, continues_the_file_of_another_writer)
{
    check_resumption(true);
    check_resumption(false);
}

/* Runs in the child of the next test: writes forever, and reports after each commit how many rows are committed. */
static void write_forever(const char *path, bool plain, int report)
{
    XtfWriter *writer = create_writer(path, plain);
    uint32_t schema = add_schema(writer, "calls");
    XtfArrayWriter *arrays[3];

    for (uint64_t i = 0; i < 3; i++)
        arrays[i] = xtf_writer_array(writer, i, schema, NULL);
    for (uint64_t round = 1;; round++) {
        for (int i = 0; i < 3; i++)
            append_numbered(arrays[i], 50);
        if (!xtf_writer_commit(writer, NULL))
            _exit(1);
        uint64_t n_committed = xtf_array_writer_n_rows(arrays[0]);
        if (write(report, &n_committed, sizeof n_committed) != sizeof n_committed)
            _exit(1);
    }
}

static void check_kills(bool plain)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(5);
    GError *error = NULL;
    int with_data = 0;

    for (int i = 0; i < 150; i++) {
        int report[2];
        uint64_t n_committed = 0, n_reported;
        cr_assert_eq(pipe(report), 0);
        g_unlink(path);
        pid_t child = fork();
        if (child == 0)
            write_forever(path, plain, report[1]);
        close(report[1]);
        g_usleep((gulong)g_rand_int_range(random, 0, 8000));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        while (read(report[0], &n_reported, sizeof n_reported) == sizeof n_reported)
            n_committed = n_reported;
        close(report[0]);

        g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, &error);
        if (!trace) {
            cr_assert_eq(n_committed, 0, "a commit is lost: %s", error->message);
            g_clear_error(&error);
            continue;
        }
        with_data++;
        assert_sound(trace);
        for (uint64_t location = 0; location < 3; location++) {
            XtfArray array = find_array(trace, location, 0);
            cr_assert_geq(array.n_rows, n_committed);
            assert_numbered(trace, location, array.n_rows);
        }
    }
    cr_assert_gt(with_data, 75); /* else most writers were killed before their first commit */
    remove_folder(folder);
}

Test(writer, killed_at_many_instants)
{
    check_kills(true);
    check_kills(false);
}

static void check_checkpoints(bool plain)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    GError *error = NULL;
    XtfWriter *writer = create_writer(path, plain);
    uint32_t schema = add_schema(writer, "calls");

    for (int round = 0; round < 3000; round++) {
        for (uint64_t location = 0; location < 5; location++)
            append_numbered(xtf_writer_array(writer, location, schema, &error), 20);
        cr_assert_good(xtf_writer_checkpoint(writer, &error), error);
    }
    uint64_t commits = xtf_writer_commit_bytes(writer);
    cr_assert_good(xtf_writer_close(writer, &error), error);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    uint64_t pages = assert_sound(trace).pages;
    cr_assert_leq(commits, 2 * pages * 4096);
    XtfTraceInfo info;
    xtf_trace_get_info(trace, &info);
    cr_assert_gt(info.commit, 2); /* more than the first and the last: packed rows take few pages */
    remove_folder(folder);
}

Test(writer, checkpoints_bound_dead_commits)
{
    check_checkpoints(true);
    check_checkpoints(false);
}

Test(writer, times_may_be_equal_but_not_decrease)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GError) error = NULL;
    XtfWriter *writer = create_writer(path, true);
    XtfArrayWriter *array = xtf_writer_array(writer, 0, add_schema(writer, "calls"), &error);
    TestRow row = {.time = 100};

    cr_assert(xtf_array_writer_append(array, &row, &error));
    cr_assert(xtf_array_writer_append(array, &row, &error));
    row.time = 99;
    cr_assert_not(xtf_array_writer_append(array, &row, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_INVALID));
    cr_assert_eq(xtf_array_writer_n_rows(array), 2);
    g_clear_error(&error);
    cr_assert(xtf_array_writer_close(array, &error));
    row.time = 101;
    cr_assert_not(xtf_array_writer_append(array, &row, &error));
    xtf_writer_abort(writer);
    remove_folder(folder);
}

static void check_any_order(bool plain)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(6);
    g_autoptr(GHashTable) sizes = g_hash_table_new(g_direct_hash, g_direct_equal);
    GError *error = NULL;
    XtfWriter *writer = create_writer(path, plain);
    uint32_t schemas[2] = {add_schema(writer, "calls"), add_schema(writer, "sends")};

    for (int i = 0; i < 20000; i++) {
        uint64_t location = g_rand_int(random) % 9000;
        uint32_t schema = g_rand_int(random) % 2;
        XtfArrayWriter *array = xtf_writer_array(writer, location, schemas[schema], &error);
        append_numbered(array, 1);
        g_hash_table_insert(sizes, GUINT_TO_POINTER(2 * location + schema + 1),
                            GUINT_TO_POINTER(xtf_array_writer_n_rows(array)));
        if (i % 5000 == 4999)
            cr_assert_good(xtf_writer_commit(writer, &error), error);
    }
    cr_assert_good(xtf_writer_close(writer, &error), error);

    g_autoptr(XtfTrace) trace = open_trace(path, 1 << 20);
    assert_sound(trace);
    cr_assert_eq(xtf_trace_n_arrays(trace), g_hash_table_size(sizes));
    uint64_t rank = 0;
    for (uint64_t location = 0; location < 9000; location++) {
        for (uint32_t schema = 0; schema < 2; schema++) {
            guint expected = GPOINTER_TO_UINT(g_hash_table_lookup(sizes, GUINT_TO_POINTER(2 * location + schema + 1)));
            XtfArray array, ranked;
            uint64_t before;
            bool found;
            cr_assert_good(xtf_trace_find_array(trace, location, schema, &array, &found, &error), error);
            cr_assert_eq(found, expected > 0);
            cr_assert_good(xtf_trace_array_rank(trace, location, schema, &before, &error), error);
            cr_assert_eq(before, rank);
            if (!found)
                continue;
            cr_assert_eq(array.n_rows, expected);
            cr_assert_good(xtf_trace_get_arrays(trace, rank++, 1, &ranked, &error), error);
            cr_assert_eq(ranked.id, array.id);
        }
    }
    remove_folder(folder);
}

Test(writer, rows_may_come_in_any_order_of_arrays)
{
    check_any_order(true);
    check_any_order(false);
}

/* Checks very many small arrays, which real traces have; the arrays in the paper are large. */
static void check_small_locations(bool plain)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    GError *error = NULL;
    XtfWriter *writer = create_writer(path, plain);
    uint32_t schemas[2] = {add_schema(writer, "calls"), add_schema(writer, "sends")};
    const uint64_t n = TEST_ROUNDS(100000);
    uint64_t raw = 0;

    for (uint64_t location = 0; location < n; location++) {
        for (int s = 0; s < 2; s++) {
            XtfArrayWriter *array = xtf_writer_array(writer, location, schemas[s], &error);
            append_numbered(array, 5);
            raw += 5 * sizeof(TestRow);
            cr_assert_good(xtf_array_writer_close(array, &error), error);
        }
    }
    cr_assert_good(xtf_writer_close(writer, &error), error);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    XtfTraceInfo info;
    XtfCounters counters;
    xtf_trace_get_info(trace, &info);
    xtf_trace_get_counters(trace, &counters);
    cr_assert_leq(info.file_size, 3 * raw, "%" G_GUINT64_FORMAT " bytes for %" G_GUINT64_FORMAT, info.file_size, raw);
    cr_assert_eq(counters.cache_loads, 0, "opening must read no node and no edge");
    assert_numbered(trace, n / 9 * 7, 5);
    cr_assert_eq(assert_sound(trace).arrays, 2 * n);
    remove_folder(folder);
}

Test(writer, very_many_small_locations)
{
    check_small_locations(true);
}

Test(writer, very_many_small_locations_packed)
{
    check_small_locations(false);
}

static const XtfFieldSpec region_fields[] = {
    {.name = "name", .type = XTF_TYPE_STRING},
    {.name = "line", .type = XTF_TYPE_U32, .flags = XTF_FIELD_OPTIONAL},
    {.name = "weight", .type = XTF_TYPE_F64},
    {0},
};
static const char *const region_names[] = {"MPI_Send", "", "main", "MPI_Send", "Größe"};

static void append_regions(XtfWriter *writer, const XtfSchema *schema)
{
    struct __attribute__((packed)) {
        uint32_t name, line;
        double weight;
    } row;
    GError *error = NULL;
    uint32_t id;

    cr_assert_good(xtf_writer_add_schema(writer, schema, &id, &error), error);
    XtfTableWriter *table = xtf_writer_table(writer, id, &error);
    for (uint32_t i = 0; i < G_N_ELEMENTS(region_names); i++) {
        uint64_t number;
        uint32_t name;
        cr_assert_good(xtf_writer_add_string(writer, region_names[i], &name, &error), error);
        row.name = name;
        row.line = i == 1 ? UINT32_MAX : 10 * i;
        row.weight = -1.5 * i;
        cr_assert_good(xtf_table_writer_append(table, &row, &number, &error), error);
        cr_assert_eq(number, i);
    }
}

static void assert_regions(XtfTrace *trace, const XtfSchema *schema)
{
    GError *error = NULL;
    const XtfTable *read;

    cr_assert_good(xtf_trace_table(trace, "nothing", &read, &error), error);
    cr_assert_null(read);
    cr_assert_good(xtf_trace_table(trace, "regions", &read, &error), error);
    cr_assert_eq(read->n_rows, G_N_ELEMENTS(region_names));
    cr_assert(xtf_schema_equal(read->schema, schema));
    for (uint32_t i = 0; i < G_N_ELEMENTS(region_names); i++) {
        const uint8_t *at = read->rows + i * read->schema->row_size;
        const char *text;
        cr_assert_good(xtf_trace_string(trace, (uint32_t)xtf_field_get(&read->schema->fields[0], at), &text, &error),
                       error);
        cr_assert_str_eq(text, region_names[i]);
        cr_assert_eq(xtf_field_is_none(&read->schema->fields[1], at), i == 1);
    }
}

static void assert_limits_of_regions(XtfTrace *trace)
{
    uint32_t id = xtf_trace_find_schema(trace, "regions")->id;
    const XtfLimits *limits = xtf_trace_limits(trace, id, 0);
    double low;

    cr_assert_eq(limits->max, 8); /* "MPI_Send"; "Größe" has 7 bytes */
    limits = xtf_trace_limits(trace, id, 1);
    cr_assert(limits->min == 0 && limits->max == 40 && limits->has_none);
    limits = xtf_trace_limits(trace, id, 2);
    memcpy(&low, &limits->min, sizeof low);
    cr_assert_eq(low, -6.0);
}

Test(writer, tables_strings_and_limits)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    GError *error = NULL;
    XtfWriter *writer = create_writer(path, true);
    g_autoptr(XtfSchema) schema = xtf_schema_new("regions", XTF_SCHEMA_TABLE, region_fields, &error);

    cr_assert_good(schema, error);
    append_regions(writer, schema);
    append_rows(writer, 1, add_schema(writer, "calls"), NULL, 0, 0);
    cr_assert_good(xtf_writer_close(writer, &error), error);

    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    assert_regions(trace, schema);
    assert_limits_of_regions(trace);
    cr_assert_eq(xtf_trace_n_arrays(trace), 0);
    const XtfClock *clock = xtf_trace_clock(trace);
    cr_assert_gt(clock->first, clock->last); /* no records */
    assert_sound(trace);
    remove_folder(folder);
}

Test(writer, a_companion_is_committed_once)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL), *beside = g_strconcat(path, ".analysis", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    g_autoptr(GArray) rows = random_rows(random, 100, 10);
    GError *error = NULL;

    write_rows(path, 4096, false, rows);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    XtfWriter *writer = xtf_writer_create_companion(beside, trace, path, NULL, &error);
    cr_assert_good(writer, error);
    cr_assert(!xtf_writer_commit(writer, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_INVALID), "%s", error->message);
    g_clear_error(&error);
    cr_assert_good(xtf_writer_close(writer, &error), error);
    g_autoptr(XtfTrace) whole = open_trace(beside, 0);
    assert_sound(whole);
    cr_assert_eq(find_array(whole, 7, xtf_trace_find_schema(whole, "calls")->id).n_rows, rows->len);

    writer = xtf_writer_open(path, NULL, &error);
    cr_assert_good(writer, error);
    append_rows(writer, 8, 0, rows, 0, rows->len);
    cr_assert_good(xtf_writer_close(writer, &error), error);
    cr_assert_null(xtf_trace_open(beside, NULL, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_STALE), "%s", error->message);
    g_clear_error(&error);
    write_rows(path, 4096, false, rows);
    cr_assert_null(xtf_trace_open_companion(beside, path, NULL, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_INVALID), "%s", error->message);
    g_clear_error(&error);
    g_unlink(path);
    cr_assert_null(xtf_trace_open(beside, NULL, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_IO), "%s", error->message);
    g_clear_error(&error);
    remove_folder(folder);
}
