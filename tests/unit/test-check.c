/*
 * The checker on files that are expensive to check. tests/reader/test_invariants.py tests the problems that it finds.
 */
#include "frames.h"

#include <math.h>

#include "libxtf/base/le.h"
#include "libxtf/check.h"
#include "tests/fuzz/fuzz-structure.h"

static void write_begins(const char *path, uint32_t n)
{
    GError *error = NULL;
    g_autoptr(XtfSchema) schema = frame_schema();
    XtfWriter *writer = xtf_writer_create(path, &(XtfWriterOptions){.no_sync = true}, &error);
    uint32_t id;

    cr_assert_good(writer, error);
    cr_assert_good(xtf_writer_add_schema(writer, schema, &id, &error), error);
    XtfArrayWriter *array = xtf_writer_array(writer, 1, id, &error);
    for (uint32_t i = 0; i < n; i++) {
        FrameRow row = {.time = i, .region = 1, .distance = i > 0, .outermost = i == 0};
        cr_assert_good(xtf_array_writer_append(array, &row, &error), error);
    }
    cr_assert_good(xtf_writer_close(writer, &error), error);
}

/* Without a bound the checker would need 130 bytes of memory for each byte of the file. */
Test(check, open_frames_are_bounded)
{
    enum { ALLOWED = 1 << 20, TOO_MANY = (1 << 21) + (1 << 18) };
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "t.xtf", NULL);
    g_autoptr(GString) problems = g_string_new(NULL);
    GError *error = NULL;
    XtfCheckReport report;

    write_begins(path, ALLOWED);
    XtfTrace *trace = open_trace(path, 0);
    assert_sound(trace);
    xtf_trace_unref(trace);

    write_begins(path, TOO_MANY);
    trace = open_trace(path, 0);
    cr_assert_good(xtf_trace_check(trace, count_problem, NULL, problems, &report, &error), error);
    cr_assert(strstr(problems->str, "frames are open"), "%s", problems->str);
    cr_assert_eq(report.problems, 1);
    xtf_trace_unref(trace);
    remove_folder(folder);
}

/* Writes an array of one leaf whose only aggregate sums up doubles. Returns the offset of the sum. */
static uint64_t write_doubles(const char *path)
{
    static const XtfFieldSpec fields[] = {
        {.name = "time", .type = XTF_TYPE_U64, .role = "time"}, {.name = "value", .type = XTF_TYPE_F64}, {0}};
    const XtfAggregateSpec spec = {
        .kind = XTF_AGGREGATE_GROUPS, .values = (const char *const[]){"value", NULL}, .extremes = true};
    enum { SUM = 8 + 32 + 8 + 16 + 8 + 1 + 8 }; /* edge, open leaf, length, table, child, depth, rows */
    const XtfWriterOptions options = {.no_sync = true, .codec = "plain", .page_size = 4096};
    GError *error = NULL;
    g_autoptr(XtfSchema) schema = xtf_schema_new("values", XTF_SCHEMA_RECORD, fields, &error);
    uint32_t id;

    cr_assert_good(schema && xtf_schema_add_aggregate(schema, &spec, &error), error);
    XtfWriter *writer = xtf_writer_create(path, &options, &error);
    cr_assert_good(writer && xtf_writer_add_schema(writer, schema, &id, &error), error);
    XtfArrayWriter *array = xtf_writer_array(writer, 1, id, &error);
    for (uint64_t i = 0; i < 200; i++) {
        const uint64_t row[] = {i, xtf_f64_to_bits(0.1 * (double)i)};
        cr_assert_good(xtf_array_writer_append(array, row, &error), error);
    }
    cr_assert_good(xtf_writer_close(writer, &error), error);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    assert_sound(trace);
    return find_array(trace, 1, id).edge_offset + SUM;
}

/* Sums that differ in their last bits may come from another order of additions. */
/* FORMAT C6 */
Test(check, sums_of_doubles_may_be_rounded)
{
    const struct {
        double factor;
        bool accepted;
    } cases[] = {{1 + 0x1p-50, true}, {1 - 0x1p-45, true}, {1 + 0x1p-20, false},
                 {2, false},          {NAN, false},        {INFINITY, false}};
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "t.xtf", NULL), *bytes = NULL;
    uint64_t sum_at = write_doubles(path);
    GError *error = NULL;
    gsize length;

    cr_assert_good(g_file_get_contents(path, &bytes, &length, &error), error);
    double sum = xtf_f64_from_bits(xtf_load64((uint8_t *)bytes + sum_at));
    cr_assert_float_eq(sum, 1990, 1e-6);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GString) problems = g_string_new(NULL);
        XtfCheckReport report;
        xtf_store64((uint8_t *)bytes + sum_at, xtf_f64_to_bits(sum * cases[i].factor));
        fuzz_correct_checksums((uint8_t *)bytes, length, NULL);
        cr_assert_good(g_file_set_contents(path, bytes, (gssize)length, &error), error);
        g_autoptr(XtfTrace) trace = open_trace(path, 0);
        cr_assert_good(xtf_trace_check(trace, count_problem, NULL, problems, &report, &error), error);
        cr_assert_eq(report.problems == 0, cases[i].accepted, "case %zu: %s", i, problems->str);
    }
    remove_folder(folder);
}
