/*
 * Files that grow: what a writer promises of the time that is complete.
 */
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

Test(growing, promises)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    const XtfWriterOptions options = {.no_sync = true};
    GError *error = NULL;
    XtfWriter *writer = xtf_writer_create(path, &options, &error);

    cr_assert_good(append_at(writer, 1, 50, &error), error);
    cr_assert_good(xtf_writer_commit(writer, &error), error);
    cr_assert_eq(complete_in(path), 0); /* nothing promised */
    cr_assert_good(xtf_writer_set_complete(writer, 100, &error), error);
    assert_refused(append_at(writer, 1, 99, &error), &error);
    assert_refused(append_at(writer, 2, 99, &error), &error); /* a new location, too */
    assert_refused(xtf_writer_set_complete(writer, 99, &error), &error);
    cr_assert_good(append_at(writer, 1, 100, &error), error);
    cr_assert_good(append_at(writer, 1, 300, &error), error);
    cr_assert_eq(complete_in(path), 0); /* not committed yet */
    cr_assert_good(xtf_writer_commit(writer, &error), error);
    cr_assert_eq(complete_in(path), 100);
    xtf_writer_abort(writer);

    /* A writer that goes on after a crash keeps the promise. */
    writer = xtf_writer_open(path, &options, &error);
    cr_assert_good(writer, error);
    assert_refused(append_at(writer, 3, 99, &error), &error);
    cr_assert_good(append_at(writer, 3, 150, &error), error);
    cr_assert_good(xtf_writer_close(writer, &error), error);
    cr_assert_eq(complete_in(path), UINT64_MAX);

    /* One that goes on with a closed file has promised nothing. */
    writer = xtf_writer_open(path, &options, &error);
    cr_assert_good(writer, error);
    cr_assert_good(append_at(writer, 4, 5, &error), error);
    cr_assert_good(xtf_writer_commit(writer, &error), error);
    cr_assert_eq(complete_in(path), 0);
    cr_assert_good(xtf_writer_close(writer, &error), error);
    remove_folder(folder);
}
