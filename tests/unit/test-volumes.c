/* Volumes: a trace that continues in further files shows the rows that one file would. */
#include "volumes-fixture.h"

/* Writes the same rows with any number of changes of the volume. Location 3 gets rows in the first volume only. */
static void check_many(uint32_t page_size, const char *codec, unsigned n_volumes, int rows_max)
{
    XtfWriterOptions options = quick;
    g_autoptr(GRand) random = g_rand_new_with_seed(page_size + n_volumes);
    Volumes volumes;

    options.page_size = page_size;
    options.codec = codec;
    begin_volumes(&volumes, &options);
    append_to(&volumes, 3, 700);
    for (unsigned i = 0; i < n_volumes; i++) {
        for (uint64_t location = 0; location < 3; location++)
            append_to(&volumes, location, (uint64_t)g_rand_int_range(random, 0, rows_max));
        if (g_rand_boolean(random))
            commit_volume(&volumes);
        if (i + 1 < n_volumes)
            next_volume(&volumes);
    }
    end_volumes(&volumes);
    assert_whole(&volumes, n_volumes);
    finish_volumes(&volumes);
}

/* FORMAT W56, W58, W59, R78, R79 */
Test(volumes, show_all_rows)
{
    static const char *const codecs[] = {"plain", "compact"};

    for (unsigned i = 0; i < 2; i++) {
        check_many(4096, codecs[i], 40, 3);
        check_many(4096, codecs[i], 12, 2500);
        check_many(4096, codecs[i], 2, 40000);
        check_many(8192, codecs[i], 12, 900);
        check_many(1 << 16, codecs[i], 5, 9000);
    }
}

Test(volumes, without_new_rows)
{
    Volumes volumes;

    begin_volumes(&volumes, &quick);
    next_volume(&volumes); /* nothing was written yet */
    append_to(&volumes, 0, 1000);
    next_volume(&volumes);
    next_volume(&volumes);
    end_volumes(&volumes);
    assert_whole(&volumes, 4);
    finish_volumes(&volumes);
}

/* FORMAT W62 */
Test(volumes, a_writer_goes_on)
{
    Volumes volumes;

    begin_volumes(&volumes, &quick);
    for (unsigned i = 0; i < 8; i++) {
        for (uint64_t location = 0; location < 3; location++)
            append_to(&volumes, location, location == i % 3 ? 0 : 3000 * i + 11);
        if (i % 4 == 0)
            end_volumes(&volumes);
        else
            commit_volume(&volumes);
        if (i % 4 == 1)
            xtf_writer_abort(volumes.writer);
        if (i % 4 < 2)
            resume_volume(&volumes);
        if (i % 2)
            next_volume(&volumes);
    }
    append_to(&volumes, 0, 5000);
    end_volumes(&volumes);
    assert_whole(&volumes, 5);
    finish_volumes(&volumes);
}

static void append_found(Volumes *volumes, uint32_t schema, uint64_t n)
{
    GError *error = NULL;
    XtfArrayWriter *array = xtf_writer_array(volumes->writer, 1, schema, &error);

    cr_assert_good(array, error);
    for (uint64_t i = 0; i < n; i++) {
        const TestRow row = row_of(1, i);
        cr_assert_good(xtf_array_writer_append(array, &row, &error), error);
    }
}

static void assert_found(const Volumes *volumes, uint32_t schema, uint64_t n)
{
    g_autoptr(XtfTrace) trace = open_trace(volumes->path, 0);
    const XtfArray array = find_array(trace, 1, schema);

    assert_rows(&array, 1, n);
    assert_sound(trace);
}

/* Clears rows that lie in earlier volumes, in the last one, and in both. */
static void check_cleared(bool replaced, bool resumed)
{
    XtfWriterOptions options = quick;
    GError *error = NULL;
    Volumes volumes;

    options.codec = "plain";
    begin_volumes(&volumes, &options);
    append_to(&volumes, 1, 13000);
    uint32_t found = add_schema_of_kind(volumes.writer, "found", XTF_SCHEMA_DERIVED);
    for (unsigned i = 1; i < 5; i++) {
        append_found(&volumes, found, 4000 / i);
        if (i != 2)
            next_volume(&volumes);
        if (resumed) {
            end_volumes(&volumes);
            resume_volume(&volumes);
        }
        g_autoptr(XtfSchema) schema = xtf_schema_new("found", XTF_SCHEMA_DERIVED, test_fields, &error);
        cr_assert_good(replaced ? xtf_writer_replace_schema(volumes.writer, schema, &found, &error)
                                : xtf_writer_clear_arrays(volumes.writer, found, &error),
                       error);
        append_found(&volumes, found, 3000 * i);
        commit_volume(&volumes);
        for (unsigned j = 0; j < 4; j++) { /* uses free pages */
            append_to(&volumes, 1, 900);
            commit_volume(&volumes);
        }
        assert_found(&volumes, found, 3000 * i);
        cr_assert_good(xtf_writer_clear_arrays(volumes.writer, found, &error), error);
    }
    append_found(&volumes, found, 5);
    end_volumes(&volumes);
    assert_found(&volumes, found, 5);
    assert_whole(&volumes, 4);
    finish_volumes(&volumes);
}

/* FORMAT W57 */
Test(volumes, cleared_rows)
{
    for (unsigned i = 0; i < 4; i++)
        check_cleared(i & 1, i & 2);
}

/* FORMAT W57 */
Test(volumes, do_not_change_when_they_have_ended)
{
    g_autofree char *before = NULL, *after = NULL;
    gsize before_size, after_size;
    Volumes volumes;

    begin_volumes(&volumes, &quick);
    append_to(&volumes, 0, 5000);
    append_to(&volumes, 2, 5);
    commit_volume(&volumes);
    next_volume(&volumes);
    g_autofree char *path = volume_path(&volumes, 1);
    cr_assert(g_file_get_contents(path, &before, &before_size, NULL));
    for (unsigned i = 0; i < 30; i++) {
        append_to(&volumes, i % 3, 400);
        commit_volume(&volumes);
    }
    end_volumes(&volumes);
    cr_assert(g_file_get_contents(path, &after, &after_size, NULL));
    cr_assert(before_size == after_size && memcmp(before, after, before_size) == 0);
    assert_whole(&volumes, 2);
    finish_volumes(&volumes);
}

Test(volumes, a_snapshot_stays)
{
    XtfWriterOptions options = quick;
    GError *error = NULL;
    Volumes volumes;

    options.keep_commits = 6;
    begin_volumes(&volumes, &options);
    append_to(&volumes, 0, 2000);
    next_volume(&volumes);
    append_to(&volumes, 0, 100);
    append_to(&volumes, 1, 100);
    commit_volume(&volumes);
    uint64_t before[LOCATIONS];
    memcpy(before, volumes.n_rows, sizeof before);
    g_autoptr(XtfTrace) trace = open_trace(volumes.path, 0);
    for (unsigned i = 0; i < 4; i++) {
        append_to(&volumes, i % 2, 300);
        commit_volume(&volumes);
    }
    assert_trace(trace, before);
    g_autoptr(XtfTrace) later = NULL; /* the last volume grows */
    cr_assert_good(xtf_trace_refresh(trace, &later, &error) && later, error);
    assert_trace(later, volumes.n_rows);
    next_volume(&volumes);
    append_to(&volumes, 0, 6000);
    end_volumes(&volumes);
    assert_trace(later, (uint64_t[LOCATIONS]){2700, 700}); /* the earlier volume is still open */
    assert_whole(&volumes, 3);
    finish_volumes(&volumes);
}

Test(volumes, keep_clock_maps)
{
    const XtfClockKnot knots[] = {{.local = 10, .global = 1010}, {.local = 100000, .global = 101000}};
    const XtfClockMap map = {.knots = knots, .n_knots = 2};
    GError *error = NULL;
    Volumes volumes;
    uint32_t number;
    uint64_t time;

    begin_volumes(&volumes, &quick);
    cr_assert_good(xtf_writer_add_clock_map(volumes.writer, &map, &number, &error), error);
    cr_assert_good(xtf_writer_set_clock_map(volumes.writer, 2, number, &error), error);
    append_to(&volumes, 2, 100);
    for (unsigned i = 0; i < 3; i++)
        next_volume(&volumes);
    end_volumes(&volumes);
    g_autoptr(XtfTrace) trace = open_trace(volumes.path, 0);
    assert_sound(trace);
    const XtfArray array = find_array(trace, 2, volumes.schema);
    cr_assert_good(xtf_array_time(&array, 0, &time, &error), error);
    cr_assert_eq(time, row_of(2, 0).time + 1000);
    finish_volumes(&volumes);
}
