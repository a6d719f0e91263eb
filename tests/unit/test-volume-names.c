/* Names of volumes: refused names, names that a crash left, and missing files. */
#include "volumes-fixture.h"

#include "libxtf/base/checksum.h"
#include "libxtf/disk/format.h"

static void assert_error(bool good, GError **error, const char *expected)
{
    cr_assert_not(good);
    cr_assert(*error && strstr((*error)->message, expected), "%s", *error ? (*error)->message : "no error");
    g_clear_error(error);
}

static bool try_next_volume(Volumes *volumes, const char *name, GError **error)
{
    return xtf_writer_begin_volume(volumes->writer, volumes->descriptor, name, error);
}

static unsigned count_names(const Volumes *volumes)
{
    g_autoptr(GDir) folder = g_dir_open(volumes->folder, 0, NULL);
    unsigned n = 0;

    while (g_dir_read_name(folder))
        n++;
    return n;
}

/* FORMAT W61 */
Test(volume_names, names_that_are_refused)
{
    GError *error = NULL;
    Volumes volumes;
    char *kept;

    begin_volumes(&volumes, &quick);
    append_to(&volumes, 0, 3000);
    g_autofree char *second = g_build_filename(volumes.folder, "u.xtf", NULL), *link = NULL;
    g_autofree char *taken = volume_path(&volumes, 1);
    cr_assert(g_file_set_contents(second, "second", -1, NULL));
    assert_error(try_next_volume(&volumes, "u.xtf", &error), &error, "\"u.xtf\" is not the name of its file");
    assert_error(try_next_volume(&volumes, "none.xtf", &error), &error, "is not the name of its file");
    assert_error(try_next_volume(&volumes, "", &error), &error, "is not the name of its file");
    assert_error(try_next_volume(&volumes, "./t.xtf", &error), &error, "is not the name of its file");
    link = g_build_filename(volumes.folder, "l.xtf", NULL);
    cr_assert_eq(symlink("t.xtf", link), 0);
    assert_error(try_next_volume(&volumes, "l.xtf", &error), &error, "is not the name of its file");
    cr_assert_eq(unlink(link), 0);

    cr_assert(g_file_set_contents(taken, "another file", -1, NULL)); /* the name that the ended volume would get */
    assert_error(try_next_volume(&volumes, "t.xtf", &error), &error, "t.xtf.0001: File exists");
    cr_assert(g_file_get_contents(taken, &kept, NULL, NULL) && strcmp(kept, "another file") == 0);
    g_free(kept);
    cr_assert_eq(count_names(&volumes), 3);
    append_to(&volumes, 0, 3000); /* the writer continues in its file */
    cr_assert_eq(unlink(taken), 0);
    next_volume(&volumes);
    end_volumes(&volumes);
    assert_whole(&volumes, 2);
    finish_volumes(&volumes);
}

/* FORMAT W60 */
Test(volume_names, names_that_a_crash_left)
{
    Volumes volumes;

    begin_volumes(&volumes, &quick);
    append_to(&volumes, 0, 3000);
    commit_volume(&volumes);
    g_autofree char *ended = volume_path(&volumes, 1);
    g_autofree char *temporary = g_build_filename(volumes.folder, ".t.xtf.new", NULL);
    cr_assert_eq(link(volumes.path, ended), 0); /* the second name of the same file */
    cr_assert(g_file_set_contents(temporary, "half a volume", -1, NULL));
    xtf_writer_abort(volumes.writer);
    assert_whole(&volumes, 0);
    resume_volume(&volumes);
    append_to(&volumes, 0, 3000);
    next_volume(&volumes);
    append_to(&volumes, 0, 10);
    end_volumes(&volumes);
    cr_assert_eq(count_names(&volumes), 2);
    assert_whole(&volumes, 2);
    finish_volumes(&volumes);
}

Test(volume_names, a_folder_that_cannot_be_written)
{
    GError *error = NULL;
    Volumes volumes;

    begin_volumes(&volumes, &quick);
    append_to(&volumes, 0, 3000);
    commit_volume(&volumes);
    int folder = volumes.descriptor;
    volumes.descriptor = open("/proc/self", O_RDONLY | O_DIRECTORY); /* lacks the file, and allows no new one */
    assert_error(try_next_volume(&volumes, "t.xtf", &error), &error, "is not the name of its file");
    close(volumes.descriptor);
    volumes.descriptor = folder;
    g_autofree char *blocked = g_build_filename(volumes.folder, ".t.xtf.new", NULL);
    cr_assert_eq(mkdir(blocked, 0700), 0);
    assert_error(try_next_volume(&volumes, "t.xtf", &error), &error, "cannot begin a volume: .t.xtf.new: File exists");
    cr_assert_eq(count_names(&volumes), 2);
    append_to(&volumes, 0, 3000);
    cr_assert_eq(rmdir(blocked), 0);
    next_volume(&volumes);
    end_volumes(&volumes);
    assert_whole(&volumes, 2);
    finish_volumes(&volumes);
}

Test(volume_names, a_companion_has_one)
{
    GError *error = NULL;
    Volumes volumes;

    begin_volumes(&volumes, &quick);
    append_to(&volumes, 0, 3000);
    end_volumes(&volumes);
    g_autofree char *path = g_build_filename(volumes.folder, "t.analysis", NULL);
    g_autoptr(XtfTrace) trace = open_trace(volumes.path, 0);
    g_autoptr(XtfWriter) writer = xtf_writer_create_companion(path, trace, volumes.path, &quick, &error);
    cr_assert_good(writer, error);
    assert_error(xtf_writer_begin_volume(writer, volumes.descriptor, "t.analysis", &error), &error,
                 "a companion cannot go on in another volume");
    g_clear_pointer(&writer, xtf_writer_abort);
    finish_volumes(&volumes);
}

/* FORMAT R82, C9 */
Test(volume_names, that_are_missing)
{
    GError *error = NULL;
    Volumes volumes;

    begin_volumes(&volumes, &quick);
    append_to(&volumes, 0, 30000);
    next_volume(&volumes);
    append_to(&volumes, 0, 30000);
    append_to(&volumes, 1, 3000);
    next_volume(&volumes);
    append_to(&volumes, 0, 30000);
    end_volumes(&volumes);
    g_autofree char *first = volume_path(&volumes, 1), *second = volume_path(&volumes, 2);
    cr_assert_eq(unlink(first), 0);

    g_autoptr(XtfTrace) trace = open_trace(volumes.path, 0);
    const XtfArray array = find_array(trace, 0, 0), another = find_array(trace, 1, 0);
    uint8_t row[sizeof(TestRow)];
    assert_rows(&another, 1, 3000);
    for (uint64_t n = 31000; n < 90000; n += 77) {
        const TestRow expected = row_of(0, n);
        cr_assert_good(xtf_array_row(&array, n, row, &error), error);
        cr_assert_eq(memcmp(row, &expected, sizeof row), 0);
    }
    assert_error(xtf_array_row(&array, 100, row, &error), &error, first);

    g_autoptr(GString) problems = g_string_new(NULL);
    XtfCheckReport report;
    cr_assert_good(xtf_trace_check(trace, count_problem, NULL, problems, &report, &error), error);
    cr_assert(strstr(problems->str, first) && !strstr(problems->str, second), "%s", problems->str);

    cr_assert_eq(link(second, first), 0); /* another volume in its place */
    g_autoptr(XtfTrace) again = open_trace(volumes.path, 0);
    const XtfArray same = find_array(again, 0, 0);
    assert_error(xtf_array_row(&same, 100, row, &error), &error, first);
    cr_assert_good(xtf_array_row(&same, 40000, row, &error), error);
    finish_volumes(&volumes);
}

/* Opens a copy of the file with other values in its superblocks. Asserts the error. */
static void assert_impossible(const Volumes *volumes, uint64_t own_first, uint64_t incompatible, const char *expected)
{
    g_autofree char *path = g_build_filename(volumes->folder, "changed.xtf", NULL), *bytes = NULL;
    GError *error = NULL;
    gsize length;

    cr_assert(g_file_get_contents(volumes->path, &bytes, &length, NULL));
    for (unsigned slot = 0; slot < XTF_SUPERBLOCK_SLOTS; slot++) {
        XtfDiskSuperblock *superblock = (void *)(bytes + slot * XTF_SUPERBLOCK_STRIDE);
        xtf_write64(&superblock->own_first, own_first);
        xtf_write64(&superblock->incompatible, incompatible);
        xtf_write32(&superblock->checksum, xtf_checksum(superblock, offsetof(XtfDiskSuperblock, checksum)));
    }
    cr_assert(g_file_set_contents(path, bytes, (gssize)length, NULL));
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, &error);
    assert_error(trace, &error, expected);
}

/* FORMAT R80, C11 */
Test(volume_names, first_pages_that_cannot_be)
{
    const uint64_t all = XTF_FEATURE_FILES | XTF_FEATURE_VOLUMES;
    Volumes volumes;
    XtfTraceInfo info;

    begin_volumes(&volumes, &quick);
    append_to(&volumes, 0, 3000);
    g_autoptr(XtfTrace) first = NULL;
    commit_volume(&volumes);
    first = open_trace(volumes.path, 0);
    xtf_trace_get_info(first, &info);
    next_volume(&volumes);
    end_volumes(&volumes);
    const uint64_t own_first = info.pages;
    for (uint64_t wrong = 1; wrong < 3 * own_first; wrong += 3)
        if (wrong != own_first)
            assert_impossible(&volumes, wrong, all | 1, "");
    assert_impossible(&volumes, own_first, XTF_FEATURE_FILES | 1, "");
    assert_impossible(&volumes, UINT64_MAX, all | 1, "first page has the number");
    assert_impossible(&volumes, UINT64_MAX / 4096, all | 1, "first page has the number");
    assert_whole(&volumes, 2);
    finish_volumes(&volumes);
}
