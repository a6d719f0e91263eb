/* Opening files: only regular files are accepted, and opening never blocks. */
#include "fixture.h"

#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char *folder;

static void set_up(void)
{
    folder = g_dir_make_tmp("xtf-source-XXXXXX", NULL);
    alarm(20); /* ends a test that waits for a FIFO */
}

static void tear_down(void)
{
    g_rmdir(folder);
    g_free(folder);
}

TestSuite(source, .init = set_up, .fini = tear_down);

static void assert_refused(const char *path, const char *reason)
{
    g_autoptr(GError) no_pread = NULL, no_mmap = NULL, no_trace = NULL;
    const XtfOpenOptions options = {.use_mmap = true};

    cr_assert_null(xtf_source_open_pread(path, &no_pread));
    cr_assert(strstr(no_pread->message, path) && strstr(no_pread->message, reason), "%s", no_pread->message);
    cr_assert_null(xtf_source_open_mmap(path, &no_mmap));
    cr_assert(strstr(no_mmap->message, reason), "%s", no_mmap->message);
    cr_assert_null(xtf_trace_open(path, &options, &no_trace));
    cr_assert(g_error_matches(no_trace, XTF_ERROR, XTF_ERROR_IO), "%s", no_trace->message);
}

/* FORMAT R76 */
Test(source, fifos_devices_and_directories_are_refused)
{
    g_autofree char *fifo = g_build_filename(folder, "fifo", NULL);

    cr_assert_eq(mkfifo(fifo, 0600), 0);
    assert_refused(fifo, "a FIFO");
    assert_refused("/dev/zero", "a device");
    assert_refused("/dev/null", "a device");
    assert_refused(folder, "a directory");
    g_unlink(fifo);
}

Test(source, a_link_to_a_fifo_is_refused)
{
    g_autofree char *fifo = g_build_filename(folder, "fifo", NULL), *link = g_build_filename(folder, "link", NULL);

    cr_assert_eq(mkfifo(fifo, 0600), 0);
    cr_assert_eq(symlink("fifo", link), 0);
    assert_refused(link, "a FIFO");
    g_unlink(fifo);
    g_unlink(link);
}

Test(source, a_regular_file_is_opened)
{
    g_autofree char *path = g_build_filename(folder, "file", NULL);
    g_autoptr(GError) error = NULL;
    uint64_t size;

    cr_assert(g_file_set_contents(path, "12345", 5, &error));
    int fd = xtf_file_open(path, &size, &error);
    cr_assert_geq(fd, 0);
    cr_assert_eq(size, 5);
    close(fd);
    g_unlink(path);
}

/* Writes a trace of some pages. */
static void write_pages(const char *path)
{
    GError *error = NULL;
    XtfWriter *writer = xtf_writer_create(path, &(XtfWriterOptions){.no_sync = true, .page_size = 4096}, &error);

    cr_assert_good(writer, error);
    XtfArrayWriter *array = xtf_writer_array(writer, 0, add_schema(writer, "calls"), &error);
    for (uint64_t i = 0; array && i < 100000; i++) {
        const TestRow row = {.time = i, .seq = i, .value = (int32_t)(i * 2654435761u)};
        cr_assert_good(xtf_array_writer_append(array, &row, &error), error);
    }
    cr_assert_good(xtf_writer_close(writer, &error), error);
}

/* A mapped file would end the process by SIGBUS. */
/* FORMAT R75 */
Test(source, a_file_that_is_truncated_while_it_is_read_is_an_error)
{
    g_autofree char *path = g_build_filename(folder, "t.xtf", NULL);
    g_autoptr(GError) error = NULL;
    TestRow row;

    write_pages(path);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    XtfArray array = find_array(trace, 0, 0);
    cr_assert_good(xtf_array_row(&array, 0, (uint8_t *)&row, &error), error);
    cr_assert_eq(truncate(path, 8192), 0);
    cr_assert(!xtf_array_row(&array, array.n_rows / 2, (uint8_t *)&row, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_IO), "%s", error->message);
    cr_assert(strstr(error->message, "truncated while it was read"), "%s", error->message);
    g_unlink(path);
}
