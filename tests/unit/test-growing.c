/* Files that grow: the complete time that a writer promises, and readers that refresh their trace. */
#include "fixture.h"

static bool append_at(XtfWriter *writer, uint64_t location, uint64_t t, GError **error)
{
    XtfArrayWriter *array = xtf_writer_array(writer, location, add_schema(writer, "calls"), error);
    TestRow row = {.time = t};
    return array && xtf_array_writer_append(array, &row, error);
}

static void assert_refused(bool good, GError **error)
{
    cr_assert(!good);
    cr_assert(g_error_matches(*error, XTF_ERROR, XTF_ERROR_INVALID));
    g_clear_error(error);
}

static uint64_t complete_in(const char *path)
{
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    assert_sound(trace);
    return xtf_trace_clock(trace)->complete;
}

/* FORMAT W23, W26, W27, W28 */
Test(growing, the_complete_time_is_kept)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    const XtfWriterOptions options = {.no_sync = true};
    GError *error = NULL;
    XtfWriter *writer = xtf_writer_create(path, &options, &error);

    cr_assert_good(append_at(writer, 1, 50, &error), error);
    cr_assert_good(xtf_writer_commit(writer, &error), error);
    cr_assert_eq(complete_in(path), 0); /* no complete time was set */
    cr_assert_good(xtf_writer_set_complete(writer, 100, &error), error);
    assert_refused(append_at(writer, 1, 99, &error), &error);
    assert_refused(append_at(writer, 2, 99, &error), &error); /* in a new location, too */
    assert_refused(xtf_writer_set_complete(writer, 99, &error), &error);
    assert_refused(xtf_writer_set_origin(writer, 10, &error), &error);
    cr_assert_good(append_at(writer, 1, 100, &error), error);
    cr_assert_good(append_at(writer, 1, 300, &error), error);
    cr_assert_eq(complete_in(path), 0); /* not committed yet */
    cr_assert_good(xtf_writer_commit(writer, &error), error);
    cr_assert_eq(complete_in(path), 100);
    xtf_writer_abort(writer);

    /* A writer that continues the file after a crash keeps the complete time. */
    writer = xtf_writer_open(path, &options, &error);
    cr_assert_good(writer, error);
    assert_refused(append_at(writer, 3, 99, &error), &error);
    cr_assert_good(append_at(writer, 3, 150, &error), error);
    cr_assert_good(xtf_writer_close(writer, &error), error);
    cr_assert_eq(complete_in(path), UINT64_MAX);

    /* A writer that continues a closed file has no complete time. */
    writer = xtf_writer_open(path, &options, &error);
    cr_assert_good(writer, error);
    cr_assert_good(append_at(writer, 4, 5, &error), error);
    cr_assert_good(xtf_writer_commit(writer, &error), error);
    cr_assert_eq(complete_in(path), 0);
    cr_assert_good(xtf_writer_close(writer, &error), error);
    remove_folder(folder);
}

/* The contents of side rows may be known long after their time. Their own times must be in order nevertheless. */
/* FORMAT W26 */
Test(growing, side_rows_may_be_before_the_complete_time)
{
    static const XtfFieldSpec fields[] = {{.name = "time", .type = XTF_TYPE_U64, .role = "time", .unit = "ticks"},
                                          {.name = "seq", .type = XTF_TYPE_U64, .role = "seq"},
                                          {0}};
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    GError *error = NULL;
    XtfWriter *writer = xtf_writer_create(path, &(XtfWriterOptions){.no_sync = true}, &error);
    XtfSchema *schema = xtf_schema_new("late", XTF_SCHEMA_SIDE, fields, &error);
    struct {
        uint64_t time, seq;
    } row = {.time = 20};
    uint32_t id;

    cr_assert_good(append_at(writer, 1, 50, &error), error);
    cr_assert_good(schema && xtf_writer_add_schema(writer, schema, &id, &error), error);
    XtfArrayWriter *array = xtf_writer_array(writer, 1, id, &error);
    cr_assert_good(array && xtf_array_writer_append(array, &row, &error), error);
    cr_assert_good(xtf_writer_set_complete(writer, 100, &error) && xtf_writer_commit(writer, &error), error);
    row.time = 30;
    cr_assert_good(xtf_array_writer_append(array, &row, &error), error);
    row.time = 29;
    assert_refused(xtf_array_writer_append(array, &row, &error), &error);
    array = xtf_writer_array(writer, 2, id, &error); /* in a new array, too */
    cr_assert_good(array && xtf_array_writer_append(array, &row, &error), error);
    assert_refused(append_at(writer, 1, 99, &error), &error);
    cr_assert_good(xtf_writer_commit(writer, &error), error);
    cr_assert_eq(complete_in(path), 100);
    cr_assert_good(xtf_writer_close(writer, &error), error);
    xtf_schema_free(schema);
    remove_folder(folder);
}

/* Returns row n of a location. It depends only on the location and n. */
static TestRow row_of(uint64_t location, uint64_t n)
{
    return (TestRow){.time = 10 * n + location, .seq = n, .value = (int32_t)(n * 2654435761u + location)};
}

static void assert_rows(XtfTrace *trace, uint64_t location, uint64_t n_rows)
{
    XtfArray array = find_array(trace, location, 0);
    GError *error = NULL;
    g_auto(XtfCursor) cursor;
    bool found;

    cr_assert_eq(array.n_rows, n_rows);
    xtf_cursor_init(&cursor, &array);
    cr_assert_good(xtf_cursor_seek_n(&cursor, 0, &found, &error), error);
    for (uint64_t n = 0; n < n_rows; n++) {
        TestRow expected = row_of(location, n);
        cr_assert(found);
        cr_assert_eq(memcmp(xtf_cursor_row(&cursor), &expected, sizeof expected), 0);
        cr_assert_good(xtf_cursor_next(&cursor, 1, &found, &error), error);
    }
}

/* FORMAT R21, R22, R23, R27 */
Test(growing, a_trace_is_refreshed)
{
    enum { COMMITS = 50, LOCATIONS = 3, ROWS = 333 };
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    const XtfWriterOptions options = {.no_sync = true};
    GError *error = NULL;
    XtfWriter *writer = xtf_writer_create(path, &options, &error);
    uint32_t schema = add_schema(writer, "calls");
    g_autoptr(XtfTrace) trace = NULL;

    for (uint64_t commit = 1; commit <= COMMITS; commit++) {
        for (uint64_t location = 0; location < LOCATIONS; location++) {
            XtfArrayWriter *array = xtf_writer_array(writer, location, schema, &error);
            for (uint64_t n = (commit - 1) * ROWS; n < commit * ROWS; n++) {
                TestRow row = row_of(location, n);
                cr_assert_good(xtf_array_writer_append(array, &row, &error), error);
            }
        }
        cr_assert_good(commit < COMMITS ? xtf_writer_commit(writer, &error) : xtf_writer_close(writer, &error), error);
        g_autoptr(XtfTrace) later = NULL;
        if (!trace) {
            trace = open_trace(path, 0);
            continue;
        }
        XtfCounters before, after;
        xtf_trace_get_counters(trace, &before);
        cr_assert_good(xtf_trace_refresh(trace, &later, &error), error);
        cr_assert_not_null(later);
        for (uint64_t location = 0; location < LOCATIONS; location++)
            assert_rows(later, location, commit * ROWS);
        xtf_trace_get_counters(later, &after);
        cr_assert_lt(after.cache_loads - before.cache_loads, 12 * LOCATIONS); /* most pages are in the cache */
        XtfTrace *newer;
        cr_assert_good(xtf_trace_refresh(later, &newer, &error), error);
        cr_assert_null(newer);
        assert_rows(trace, 1, (commit - 1) * ROWS); /* the older snapshot stays readable */
        xtf_trace_unref(trace);
        trace = g_steal_pointer(&later);
    }
    cr_assert_eq(xtf_trace_clock(trace)->complete, UINT64_MAX);

    writer = xtf_writer_create(path, &options, &error);
    cr_assert_good(xtf_writer_close(writer, &error), error);
    XtfTrace *newer;
    cr_assert_not(xtf_trace_refresh(trace, &newer, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_INVALID));
    g_clear_error(&error);
    remove_folder(folder);
}

/* ---- Opening while a writer commits, XTF_OPENINGS times if this variable is set. */

typedef struct {
    char *path;
    gint stop, commits; /* atomic */
} BusyWriter;

static void *commit_in_thread(void *data)
{
    const XtfWriterOptions options = {.no_sync = true};
    BusyWriter *busy = data;
    GError *error = NULL;
    g_autoptr(XtfWriter) writer = xtf_writer_open(busy->path, &options, &error);
    g_autofree char *name = NULL;
    uint32_t string;

    cr_assert_good(writer, error);
    uint32_t schema = add_schema(writer, "calls");
    for (uint64_t n = 1; !g_atomic_int_get(&busy->stop); n++) {
        for (uint64_t location = 0; location < 3; location++) {
            XtfArrayWriter *array = xtf_writer_array(writer, location, schema, &error);
            TestRow row = row_of(location, n);
            cr_assert_good(xtf_array_writer_append(array, &row, &error), error);
        }
        g_free(name);
        name = g_strdup_printf("string %" G_GUINT64_FORMAT, n);
        cr_assert_good(xtf_writer_add_string(writer, name, &string, &error), error);
        cr_assert_good(xtf_writer_commit(writer, &error), error);
        g_atomic_int_inc(&busy->commits);
        g_usleep(200);
    }
    return NULL;
}

/* FORMAT R17, R19 */
Test(growing, opening_never_fails)
{
    const char *openings = g_getenv("XTF_OPENINGS");
    uint64_t n_openings = openings ? g_ascii_strtoull(openings, NULL, 10) : 1000, before = 0;
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    const XtfWriterOptions options = {.no_sync = true};
    GError *error = NULL;
    BusyWriter busy = {.path = path};

    XtfWriter *writer = xtf_writer_create(path, &options, &error);
    for (uint64_t location = 0; location < 3; location++) {
        XtfArrayWriter *array = xtf_writer_array(writer, location, add_schema(writer, "calls"), &error);
        TestRow row = row_of(location, 0);
        cr_assert_good(xtf_array_writer_append(array, &row, &error), error);
    }
    cr_assert_good(xtf_writer_commit(writer, &error), error);
    xtf_writer_abort(writer);
    GThread *thread = g_thread_new("writer", commit_in_thread, &busy);
    uint64_t i = 0;
    for (; i < n_openings || (uint64_t)g_atomic_int_get(&busy.commits) < n_openings / 2; i++) {
        XtfTraceInfo info;
        g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, &error);
        cr_assert_good(trace, error);
        xtf_trace_get_info(trace, &info);
        cr_assert_geq(info.commit, before);
        cr_assert_eq(info.damaged_commit, 0);
        before = info.commit;
        XtfArray array = find_array(trace, i % 3, 0);
        TestRow row, expected = row_of(i % 3, array.n_rows - 1);
        cr_assert_eq(array.n_rows, info.commit); /* each commit adds a row */
        cr_assert_good(xtf_array_row(&array, array.n_rows - 1, (uint8_t *)&row, &error), error);
        cr_assert_eq(memcmp(&row, &expected, sizeof row), 0);
    }
    g_atomic_int_set(&busy.stop, 1);
    g_thread_join(thread);
    cr_log_info("%" G_GUINT64_FORMAT " openings beside %d commits", i, busy.commits);
    remove_folder(folder);
}

static void add_rows(XtfWriter *writer, uint64_t location, uint64_t from, uint64_t to)
{
    GError *error = NULL;
    XtfArrayWriter *array = xtf_writer_array(writer, location, add_schema(writer, "calls"), &error);

    for (uint64_t n = from; n < to; n++) {
        TestRow row = row_of(location, n);
        cr_assert_good(xtf_array_writer_append(array, &row, &error), error);
    }
}

static char *write_locations(const char *folder, uint64_t locations, uint64_t rows)
{
    char *path = g_build_filename(folder, "a.xtf", NULL);
    GError *error = NULL;
    XtfWriter *writer = xtf_writer_create(path, &(XtfWriterOptions){.no_sync = true}, &error);

    for (uint64_t location = 0; location < locations; location++)
        add_rows(writer, location, 0, rows);
    cr_assert_good(xtf_writer_close(writer, &error), error);
    return path;
}

/* A writer that continues a file opens an array at its first new row, perhaps many commits later. Pages with other
 * contents of the file have been reused by then. */
Test(growing, arrays_are_opened_at_their_first_new_row)
{
    enum { LOCATIONS = 5, ROWS = 5000, COMMITS = 60, MORE = 100 };
    char *folder = make_folder();
    g_autofree char *path = write_locations(folder, LOCATIONS, ROWS);
    const XtfWriterOptions options = {.no_sync = true, .keep_commits = 2, .keep_seconds = -1};
    const uint64_t expected[LOCATIONS] = {ROWS + COMMITS * MORE, ROWS + MORE, ROWS, ROWS, ROWS + 2 * MORE};
    GError *error = NULL;
    XtfWriter *writer = xtf_writer_open(path, &options, &error);

    cr_assert_good(writer, error);
    for (uint64_t commit = 0; commit < COMMITS; commit++) {
        add_rows(writer, 0, ROWS + commit * MORE, ROWS + (commit + 1) * MORE);
        cr_assert_good(xtf_writer_commit(writer, &error), error);
    }
    add_rows(writer, 1, ROWS, ROWS + MORE);
    XtfArrayWriter *closed = xtf_writer_array(writer, 3, 0, &error);
    cr_assert_good(xtf_array_writer_close(closed, &error), error);
    TestRow refused_row = row_of(3, ROWS);
    assert_refused(xtf_array_writer_append(closed, &refused_row, &error), &error);
    add_rows(writer, 4, ROWS, ROWS + MORE);
    cr_assert_good(xtf_writer_commit(writer, &error), error);
    add_rows(writer, 4, ROWS + MORE, ROWS + 2 * MORE);
    cr_assert_good(xtf_writer_close(writer, &error), error);

    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    assert_sound(trace);
    for (uint64_t location = 0; location < LOCATIONS; location++)
        assert_rows(trace, location, expected[location]);
    g_clear_pointer(&trace, xtf_trace_unref);
    remove_folder(folder);
}

/* An array with a damaged open leaf accepts no rows, but keeps its others. Other arrays are not affected. */
/* FORMAT R2 */
Test(growing, a_damaged_array_takes_no_rows)
{
    enum { ROWS = 100 };
    char *folder = make_folder();
    g_autofree char *path = write_locations(folder, 3, ROWS);
    GError *error = NULL;
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    XtfArray array = find_array(trace, 1, 0);
    uint64_t leaf = (array.edge_offset + array.edge_length + 7) / 8 * 8;
    g_autofree char *bytes = NULL;
    gsize length;

    cr_assert(g_file_get_contents(path, &bytes, &length, NULL));
    bytes[leaf + 5] ^= 1;
    cr_assert(g_file_set_contents(path, bytes, (gssize)length, NULL));
    g_clear_pointer(&trace, xtf_trace_unref);
    XtfWriter *writer = xtf_writer_open(path, &(XtfWriterOptions){.no_sync = true}, &error);
    cr_assert_good(writer, error);
    for (unsigned i = 0; i < 2; i++) {
        TestRow row = row_of(1, ROWS);
        cr_assert_not(xtf_array_writer_append(xtf_writer_array(writer, 1, 0, NULL), &row, &error));
        cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_DAMAGED));
        cr_assert(strstr(error->message, path));
        g_clear_error(&error);
    }
    add_rows(writer, 2, ROWS, 2 * ROWS);
    cr_assert_good(xtf_writer_close(writer, &error), error);
    trace = open_trace(path, 0);
    assert_rows(trace, 0, ROWS);
    assert_rows(trace, 2, 2 * ROWS);
    cr_assert_eq(find_array(trace, 1, 0).n_rows, ROWS);
    g_clear_pointer(&trace, xtf_trace_unref);
    remove_folder(folder);
}
