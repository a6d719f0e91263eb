/* Volumes that were removed on purpose: rows of the others, and problems that the checker finds. */
#include "volumes-fixture.h"

#include "libxtf/disk/format.h"

static void begin_removed(Volumes *volumes, const char *codec)
{
    XtfWriterOptions options = quick;

    options.codec = codec;
    options.keep_volumes = 2;
    begin_volumes(volumes, &options);
}

/* Appends to the arrays of locations 0 to 2 in each volume. */
static void append_volumes(Volumes *volumes, unsigned n_volumes)
{
    for (unsigned i = 0; i < n_volumes; i++) {
        append_to(volumes, 0, 40000);
        append_to(volumes, 1, 700);
        append_to(volumes, 2, 2);
        if (i + 1 < n_volumes)
            next_volume(volumes);
    }
    end_volumes(volumes);
}

/* Writes the same trace each time: `n_volumes` files, of which the newest and the two before it are kept. The array of
 * location 3 is closed in the first volume, and its right edge stays there. The caller finishes the volumes. */
static void write_removed(Volumes *volumes, const char *codec, unsigned n_volumes)
{
    GError *error = NULL;

    begin_removed(volumes, codec);
    append_to(volumes, 3, 10);
    XtfArrayWriter *array = xtf_writer_array(volumes->writer, 3, volumes->schema, &error);
    cr_assert_good(array && xtf_array_writer_close(array, &error), error);
    append_volumes(volumes, n_volumes);
}

/* Reads rows by their numbers, from the last to the first, and compares them. Returns how many can be read. */
static uint64_t count_readable(XtfTrace *trace, uint64_t location, uint64_t n_rows, uint32_t schema)
{
    const XtfArray array = find_array(trace, location, schema);
    uint64_t n = n_rows;
    uint8_t row[sizeof(TestRow)];
    g_autoptr(GError) error = NULL;

    while (n > 0 && xtf_array_row(&array, n - 1, row, &error)) {
        const TestRow expected = row_of(location, --n);
        cr_assert_eq(memcmp(row, &expected, sizeof row), 0, "row %" PRIu64, n);
    }
    cr_assert(n == 0 || g_error_matches(error, XTF_ERROR, XTF_ERROR_NOT_FOUND));
    return n_rows - n;
}

/* FORMAT R82, C9 */
Test(removed_volumes, the_others_are_checked)
{
    static const char *const codecs[] = {"plain", "compact"};

    for (unsigned i = 0; i < 2; i++) {
        Volumes volumes;
        uint64_t readable = 0;

        write_removed(&volumes, codecs[i], 6);
        g_autoptr(XtfTrace) trace = open_trace(volumes.path, 0);
        XtfTraceInfo info;
        xtf_trace_get_info(trace, &info);
        cr_assert(info.volumes == 6 && info.removed == 3);
        const XtfCheckReport report = assert_sound(trace);
        for (uint64_t location = 0; location < LOCATIONS; location++)
            readable += count_readable(trace, location, volumes.n_rows[location], volumes.schema);
        cr_assert(count_readable(trace, 0, volumes.n_rows[0], volumes.schema) >= 3 * 40000);
        cr_assert_eq(count_readable(trace, 2, volumes.n_rows[2], volumes.schema), 12);
        cr_assert_eq(count_readable(trace, 3, volumes.n_rows[3], volumes.schema), 0);
        cr_assert_eq(report.rows, readable);
        cr_assert(report.arrays == 4 && report.removed_arrays >= 2, "%" PRIu64, report.removed_arrays);
        finish_volumes(&volumes);
    }
}

static uint64_t count_problems(const Volumes *volumes)
{
    g_autoptr(XtfTrace) trace = open_trace(volumes->path, 0);
    g_autoptr(GString) problems = g_string_new(NULL);
    GError *error = NULL;
    XtfCheckReport report;

    cr_assert_good(xtf_trace_check(trace, count_problem, NULL, problems, &report, &error), error);
    return report.problems;
}

/* Changes a byte of each sealed page of a file. Asserts that the checker finds each change of a page of the opened
 * commit: there are at least `least` of them. */
static void check_damaged_pages(const Volumes *volumes, const char *path, unsigned least)
{
    g_autofree char *bytes = NULL;
    gsize length;
    unsigned found = 0;

    cr_assert(g_file_get_contents(path, &bytes, &length, NULL));
    for (gsize at = 8192; at + 4096 <= length; at += 4096 * 7) {
        if (memcmp(bytes + at, "XTFp", 4) != 0)
            continue;
        bytes[at + 200] ^= 1;
        cr_assert(g_file_set_contents(path, bytes, (gssize)length, NULL));
        found += count_problems(volumes) > 0;
        bytes[at + 200] ^= 1;
    }
    cr_assert(g_file_set_contents(path, bytes, (gssize)length, NULL));
    cr_assert(found >= least, "%s: %u", path, found);
}

/* FORMAT C9 */
Test(removed_volumes, damage_of_the_others_is_found)
{
    Volumes volumes;

    write_removed(&volumes, "plain", 4);
    g_autofree char *kept = volume_path(&volumes, 2);
    cr_assert_eq(count_problems(&volumes), 0);
    check_damaged_pages(&volumes, kept, 20);
    check_damaged_pages(&volumes, volumes.path, 20);
    cr_assert_eq(count_problems(&volumes), 0);
    finish_volumes(&volumes);
}

/* FORMAT C9 */
Test(removed_volumes, a_kept_one_that_is_missing_is_a_problem)
{
    Volumes volumes;

    write_removed(&volumes, "compact", 6);
    g_autofree char *kept = volume_path(&volumes, 4);
    cr_assert_eq(unlink(kept), 0);
    cr_assert_eq(count_problems(&volumes), 1);
    finish_volumes(&volumes);
}

/* FORMAT W67 */
Test(removed_volumes, the_kept_time_moves_with_the_clocks)
{
    const XtfClockKnot later = {.local = 0, .global = 500}, earlier = {.local = 1000, .global = 0};
    Volumes volumes;
    uint32_t number;
    GError *error = NULL;
    uint64_t before, n;

    begin_removed(&volumes, "plain");
    append_volumes(&volumes, 6);
    {
        g_autoptr(XtfTrace) trace = open_trace(volumes.path, 0);
        before = xtf_trace_kept_from(trace);
        cr_assert(before > 1000 && before == xtf_trace_clock(trace)->first);
    }
    g_autoptr(XtfWriter) writer = xtf_writer_open(volumes.path, &quick, &error);
    cr_assert_good(writer, error);
    for (uint64_t location = 0; location < 2; location++) {
        const XtfClockMap map = {.n_knots = 1, .knots = location == 0 ? &later : &earlier};
        cr_assert_good(xtf_writer_add_clock_map(writer, &map, &number, &error), error);
        cr_assert_good(xtf_writer_set_clock_map(writer, location, number, &error), error);
    }
    cr_assert_good(xtf_writer_close(g_steal_pointer(&writer), &error), error);
    g_autoptr(XtfTrace) trace = open_trace(volumes.path, 0);
    cr_assert_eq(xtf_trace_kept_from(trace), before + 500);
    for (uint64_t location = 0; location < 3; location++) {
        const XtfArray array = find_array(trace, location, volumes.schema);
        uint64_t time = 0;
        cr_assert_good(xtf_array_first_kept(&array, &n, &error), error);
        if (n < array.n_rows)
            cr_assert_good(xtf_array_time(&array, n, &time, &error), error);
        cr_assert(n == array.n_rows || time >= before + 500, "location %" PRIu64 ": %" PRIu64, location, time);
        cr_assert(location > 0 || (n > 0 && n < array.n_rows));
    }
    assert_sound(trace);
    finish_volumes(&volumes);
}
