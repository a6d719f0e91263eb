/* Opening files: only regular files are accepted, and opening never blocks. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/trace.h"

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
