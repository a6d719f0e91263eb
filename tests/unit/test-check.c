/* The checker on files that are hard to check. What it finds in wrong ones: tests/reader/test_invariants.py. */
#include "frames.h"

#include "libxtf/check.h"

static void write_beginnings(const char *path, uint32_t n)
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

/* 130 bytes of memory for each byte of the file, without a bound. */
Test(check, frames_without_end)
{
    enum { BEARABLE = 1 << 20, TOO_MANY = (1 << 21) + (1 << 18) };
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "t.xtf", NULL);
    g_autoptr(GString) problems = g_string_new(NULL);
    GError *error = NULL;
    XtfCheckReport report;

    write_beginnings(path, BEARABLE);
    XtfTrace *trace = open_trace(path, 0);
    assert_sound(trace);
    xtf_trace_unref(trace);

    write_beginnings(path, TOO_MANY);
    trace = open_trace(path, 0);
    cr_assert_good(xtf_trace_check(trace, count_problem, NULL, problems, &report, &error), error);
    cr_assert(strstr(problems->str, "frames are open"), "%s", problems->str);
    cr_assert_eq(report.problems, 1);
    xtf_trace_unref(trace);
    remove_folder(folder);
}
