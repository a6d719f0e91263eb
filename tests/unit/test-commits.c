/* Many commits: the size of the file, the commits that stay readable, and the losses through damage. */
#include "fixture.h"

#include <string.h>

#include "libxtf/base/checksum.h"
#include "libxtf/disk/format.h"

enum { PAGE = 4096, LOCATIONS = 20 };

/* Returns a row that depends only on its number. */
static TestRow row_of(uint64_t n)
{
    return (TestRow){.time = 7 * n, .seq = n, .value = (int32_t)(n * 2654435761u), .event = n % 2};
}

static void append_numbered(XtfWriter *writer, uint32_t schema, uint64_t location, unsigned count)
{
    GError *error = NULL;
    XtfArrayWriter *array = xtf_writer_array(writer, location, schema, &error);

    cr_assert_good(array, error);
    for (unsigned i = 0; i < count; i++) {
        TestRow row = row_of(xtf_array_writer_n_rows(array));
        cr_assert_good(xtf_array_writer_append(array, &row, &error), error);
    }
}

static void assert_numbered(XtfTrace *trace, uint64_t n_rows)
{
    GError *error = NULL;

    for (uint64_t location = 0; location < LOCATIONS; location++) {
        XtfArray array = find_array(trace, location, 0);
        cr_assert_eq(array.n_rows, n_rows);
        for (uint64_t n = 0; n < n_rows; n += 1 + n_rows / 50) {
            TestRow row, expected = row_of(n);
            cr_assert_good(xtf_array_row(&array, n, (uint8_t *)&row, &error), error);
            cr_assert_eq(memcmp(&row, &expected, sizeof row), 0);
        }
    }
}

static XtfWriter *create_writer(const char *path, uint32_t keep_commits)
{
    GError *error = NULL;
    const XtfWriterOptions options = {.no_sync = true, .keep_commits = keep_commits, .keep_seconds = -1};
    XtfWriter *writer = xtf_writer_create(path, &options, &error);

    cr_assert_good(writer, error);
    return writer;
}

static uint64_t file_size(const char *path)
{
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    XtfTraceInfo info;

    xtf_trace_get_info(trace, &info);
    return info.file_size;
}

/* Writes rounds of rows, with a commit after each or only at the end. Returns the size of the file. */
static uint64_t write_rounds(const char *path, unsigned rounds, unsigned rows, bool each)
{
    GError *error = NULL;
    XtfWriter *writer = create_writer(path, 4);
    uint32_t schema = add_schema(writer, "calls");

    for (unsigned round = 0; round < rounds; round++) {
        for (uint64_t location = 0; location < LOCATIONS; location++)
            append_numbered(writer, schema, location, rows);
        if (each)
            cr_assert_good(xtf_writer_commit(writer, &error), error);
    }
    cr_assert_good(xtf_writer_close(writer, &error), error);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    assert_sound(trace);
    assert_numbered(trace, (uint64_t)rounds * rows);
    return file_size(path);
}

Test(commits, their_space_is_reused)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    uint64_t once = write_rounds(path, 400, 100, false), often = write_rounds(path, 400, 100, true);

    cr_assert_leq(2 * often, 3 * once, "%" G_GUINT64_FORMAT " bytes, not %" G_GUINT64_FORMAT, often, once);
    remove_folder(folder);
}

/* FORMAT W32 */
Test(commits, a_row_a_commit_takes_no_space)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    GError *error = NULL;
    XtfWriter *writer = create_writer(path, 2);
    uint32_t schema = add_schema(writer, "calls");

    for (int i = 0; i < 2000; i++) {
        append_numbered(writer, schema, 0, 1);
        cr_assert_good(xtf_writer_commit(writer, &error), error);
    }
    cr_assert_good(xtf_writer_close(writer, &error), error);
    cr_assert_leq(file_size(path), 200000);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    cr_assert_eq(assert_sound(trace).unreachable_pages, 0);
    remove_folder(folder);
}

/* Each commit of a recording adds strings behind the names of its call sites. */
Test(commits, stored_strings_stay_where_they_are)
{
    enum { SITES = 500, COMMITS = 100, SHORT_COMMIT = 8 << 10 };
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    GError *error = NULL;
    XtfWriter *writer = create_writer(path, 2);
    uint32_t id;

    for (unsigned i = 0; i < SITES; i++) {
        g_autofree char *name = g_strdup_printf("function number %u (source.c:%u)", i, i);
        cr_assert_good(xtf_writer_add_string(writer, name, &id, &error), error);
    }
    cr_assert_good(xtf_writer_commit(writer, &error), error);
    uint64_t before = xtf_writer_commit_bytes(writer);
    cr_assert_gt(before, SITES * 30);
    for (unsigned i = 0; i < COMMITS; i++) {
        g_autofree char *number = g_strdup_printf("%u", i);
        cr_assert_good(xtf_writer_add_string(writer, number, &id, &error), error);
        cr_assert_good(xtf_writer_commit(writer, &error), error);
    }
    cr_assert_leq(xtf_writer_commit_bytes(writer) - before, COMMITS * SHORT_COMMIT);
    cr_assert_good(xtf_writer_close(writer, &error), error);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    const char *text;
    cr_assert_good(xtf_trace_string(trace, id, &text, &error), error);
    cr_assert_str_eq(text, "99");
    cr_assert_eq(assert_sound(trace).unreachable_pages, 0);
    remove_folder(folder);
}

Test(commits, strings_are_written_once)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    GError *error = NULL;
    XtfWriter *writer = create_writer(path, 2);
    uint64_t bytes = 0;
    uint32_t id;

    for (unsigned i = 0; i < 100000; i++) {
        g_autofree char *name = g_strdup_printf("string number %u", i);
        cr_assert_good(xtf_writer_add_string(writer, name, &id, &error), error);
        bytes += strlen(name) + 5;
        if (i % 500 == 499)
            cr_assert_good(xtf_writer_commit(writer, &error), error);
    }
    cr_assert_leq(xtf_writer_commit_bytes(writer), bytes + 200 * (64 << 10) + 200 * 4096);
    cr_assert_good(xtf_writer_close(writer, &error), error);
    cr_assert_leq(2 * file_size(path), 3 * bytes);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    const char *text;
    cr_assert_good(xtf_trace_string(trace, id, &text, &error), error);
    cr_assert_str_eq(text, "string number 99999");
    remove_folder(folder);
}

/* FORMAT W14 */
Test(commits, kept_commits_stay_readable)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    GError *error = NULL;
    XtfWriter *writer = create_writer(path, 3);
    uint32_t schema = add_schema(writer, "calls");
    XtfTrace *snapshots[100];

    for (unsigned i = 0; i < 100; i++) {
        for (uint64_t location = 0; location < LOCATIONS; location++)
            append_numbered(writer, schema, location, 60);
        cr_assert_good(xtf_writer_commit(writer, &error), error);
        snapshots[i] = open_trace(path, 0);
        for (unsigned back = 0; back < 3 && back <= i; back++)
            assert_numbered(snapshots[i - back], 60u * (i - back + 1));
        if (i >= 2)
            xtf_trace_unref(snapshots[i - 2]);
    }
    xtf_trace_unref(snapshots[98]);
    xtf_trace_unref(snapshots[99]);
    xtf_writer_abort(writer);
    remove_folder(folder);
}

/* A writer that continues a file knows its free pages, so the file does not grow from writer to writer. */
/* FORMAT W32 */
Test(commits, later_writers_reuse_space)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    const XtfWriterOptions options = {.no_sync = true, .keep_commits = 2, .keep_seconds = -1};
    GError *error = NULL;
    uint64_t size = 0;
    XtfWriter *writer = create_writer(path, 2);

    for (int i = 0; i < 60; i++) {
        uint32_t schema = add_schema(writer, "calls");
        for (uint64_t location = 0; location < LOCATIONS; location++)
            append_numbered(writer, schema, location, 1);
        cr_assert_good(xtf_writer_close(writer, &error), error);
        g_autoptr(XtfTrace) trace = open_trace(path, 0);
        cr_assert_eq(assert_sound(trace).unreachable_pages, 0);
        assert_numbered(trace, (uint64_t)i + 1);
        if (i == 9)
            size = file_size(path);
        writer = xtf_writer_open(path, &options, &error);
        cr_assert_good(writer, error);
    }
    xtf_writer_abort(writer);
    cr_assert_leq(file_size(path), 2 * size);
    remove_folder(folder);
}

/* FORMAT R20 */
Test(commits, commits_no_longer_kept_are_stale)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    GError *error = NULL;
    XtfWriter *writer = create_writer(path, 2);
    uint32_t schema = add_schema(writer, "calls");
    bool found;

    for (int i = 0; i < 2; i++) { /* the first commit also stores strings, which stay */
        append_numbered(writer, schema, 0, 10);
        cr_assert_good(xtf_writer_commit(writer, &error), error);
    }
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    for (int i = 0; i < 10; i++) {
        append_numbered(writer, schema, 0, 1);
        cr_assert_good(xtf_writer_commit(writer, &error), error);
    }
    XtfArray array;
    TestRow row;
    cr_assert(!xtf_trace_find_array(trace, 0, schema, &array, &found, &error) ||
              !xtf_array_row(&array, 0, (uint8_t *)&row, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_STALE), "%s", error->message);
    g_clear_error(&error);
    xtf_writer_abort(writer);
    remove_folder(folder);
}

static char *read_file(const char *path, gsize *length)
{
    char *bytes;
    cr_assert(g_file_get_contents(path, &bytes, length, NULL));
    return bytes;
}

/* Checks files with a damaged catalog. A closed file has two copies of its catalog, and loses nothing; an open one
 * loses its last commit. */
static void check_damaged_catalog(bool closed)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    GError *error = NULL;
    XtfWriter *writer = create_writer(path, 4);
    uint32_t schema = add_schema(writer, "calls");

    for (int i = 0; i < 2; i++) {
        for (uint64_t location = 0; location < LOCATIONS; location++)
            append_numbered(writer, schema, location, 10);
        cr_assert_good(xtf_writer_commit(writer, &error), error);
    }
    if (closed)
        cr_assert_good(xtf_writer_close(writer, &error), error);
    for (unsigned slot = 0; slot < 2; slot++) {
        gsize length;
        g_autofree char *bytes = read_file(path, &length);
        const XtfDiskSuperblock *superblock = (const void *)(bytes + slot * XTF_SUPERBLOCK_STRIDE);
        bytes[xtf_read64(superblock->catalog.offset) + 10] ^= 1;
        bool newest = xtf_read64(superblock->commit) == 2;
        GBytes *damaged = g_bytes_new(bytes, length);
        g_autoptr(XtfTrace) trace = xtf_trace_open_source(xtf_source_new_bytes(damaged), NULL, &error);
        g_bytes_unref(damaged);
        cr_assert_good(trace, error);
        XtfTraceInfo info;
        xtf_trace_get_info(trace, &info);
        cr_assert_eq(info.damaged_commit, !closed && newest ? 2 : 0);
        assert_numbered(trace, !closed && newest ? 10 : 20);
        g_autoptr(GString) problems = g_string_new(NULL);
        XtfCheckReport report;
        cr_assert_good(xtf_trace_check(trace, count_problem, NULL, problems, &report, &error), error);
        cr_assert(report.problems > 0 || (!closed && !newest));
    }
    if (!closed)
        xtf_writer_abort(writer);
    remove_folder(folder);
}

/* FORMAT W13, R6, R18 */
Test(commits, a_lost_catalog_costs_nothing_or_one_commit)
{
    check_damaged_catalog(true);
    check_damaged_catalog(false);
}

static void assert_no_older_commit(const char *path)
{
    const XtfOpenOptions older = {.older_commit = true};
    GError *error = NULL;

    cr_assert_null(xtf_trace_open(path, &older, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_NOT_FOUND), "%s", error->message);
    g_clear_error(&error);
}

/* FORMAT R77 */
Test(commits, the_one_before_the_newest_can_be_opened)
{
    const XtfOpenOptions older = {.older_commit = true};
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    GError *error = NULL;
    XtfWriter *writer = create_writer(path, 2);
    uint32_t schema = add_schema(writer, "calls");
    XtfTrace *later;

    for (unsigned commit = 1; commit < 9; commit++) {
        for (uint64_t location = 0; location < LOCATIONS; location++)
            append_numbered(writer, schema, location, 100);
        cr_assert_good(xtf_writer_commit(writer, &error), error);
        if (commit == 1) {
            assert_no_older_commit(path);
            continue;
        }
        g_autoptr(XtfTrace) trace = xtf_trace_open(path, &older, &error), newest = open_trace(path, 0);
        XtfTraceInfo info;
        cr_assert_good(trace, error);
        xtf_trace_get_info(trace, &info);
        cr_assert_eq(info.commit, commit - 1);
        assert_sound(trace);
        assert_numbered(trace, 100 * (commit - 1));
        assert_numbered(newest, 100 * commit);
        cr_assert(!xtf_trace_refresh(trace, &later, &error));
        cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_UNSUPPORTED), "%s", error->message);
        g_clear_error(&error);
    }
    cr_assert_good(xtf_writer_close(writer, &error), error);
    assert_no_older_commit(path);
    remove_folder(folder);
}

static void assert_refused(const char *path, size_t offset, uint64_t value, size_t width, XtfErrorCode code,
                           const char *words, bool writer)
{
    g_autoptr(GError) error = NULL;
    gsize length;
    g_autofree char *bytes = read_file(path, &length), *whole = g_memdup2(bytes, length);
    uint64_t le = GUINT64_TO_LE(value);

    for (unsigned slot = 0; slot < 2; slot++) {
        XtfDiskSuperblock *superblock = (void *)(bytes + slot * XTF_SUPERBLOCK_STRIDE);
        memcpy((char *)superblock + offset, &le, width);
        xtf_write32(&superblock->checksum, xtf_checksum(superblock, offsetof(XtfDiskSuperblock, checksum)));
    }
    cr_assert(g_file_set_contents(path, bytes, (gssize)length, NULL));
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, &error);
    cr_assert_eq(trace != NULL, writer, "%s", words);
    if (writer)
        cr_assert_null(xtf_writer_open(path, NULL, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, code), "%s", error->message);
    cr_assert_not_null(strstr(error->message, words), "%s", error->message);
    cr_assert(g_file_set_contents(path, whole, (gssize)length, NULL));
}

/* FORMAT W2, R15 */
Test(commits, unknown_features_are_refused)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    GError *error = NULL;

    cr_assert_good(xtf_writer_close(create_writer(path, 4), &error), error);
    assert_refused(path, offsetof(XtfDiskSuperblock, version_major), 1, 2, XTF_ERROR_UNSUPPORTED, "import the original",
                   false);
    assert_refused(path, offsetof(XtfDiskSuperblock, version_major), 3, 2, XTF_ERROR_UNSUPPORTED, "newer program",
                   false);
    assert_refused(path, offsetof(XtfDiskSuperblock, incompatible), 1 << 20, 8, XTF_ERROR_UNSUPPORTED, "features",
                   false);
    assert_refused(path, offsetof(XtfDiskSuperblock, checksum_kind), 2, 1, XTF_ERROR_UNSUPPORTED, "checksums", false);
    assert_refused(path, offsetof(XtfDiskSuperblock, version_minor), 9, 2, XTF_ERROR_UNSUPPORTED, "2.9", true);
    assert_refused(path, offsetof(XtfDiskSuperblock, read_only), 2, 8, XTF_ERROR_UNSUPPORTED, "would lose", true);
    assert_refused(path, offsetof(XtfDiskSuperblock, compatible), 4, 8, XTF_ERROR_UNSUPPORTED, "would lose", true);
    remove_folder(folder);
}

/* FORMAT W9, W10 */
Test(commits, alternate_between_the_slots)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    GError *error = NULL;
    XtfWriter *writer = create_writer(path, 2);
    uint32_t schema = add_schema(writer, "calls");
    uint64_t last = 0;

    for (int i = 0; i < 10; i++) {
        append_numbered(writer, schema, 0, 1);
        bool closing = i == 9;
        cr_assert_good(closing ? xtf_writer_close(writer, &error) : xtf_writer_commit(writer, &error), error);
        gsize length;
        g_autofree char *bytes = read_file(path, &length);
        uint64_t commits[2];
        for (unsigned slot = 0; slot < 2; slot++) {
            const XtfDiskSuperblock *superblock = (const void *)(bytes + slot * XTF_SUPERBLOCK_STRIDE);
            commits[slot] = xtf_read64(superblock->commit);
            cr_assert(closing || commits[slot] == 0 || commits[slot] % 2 == slot);
        }
        cr_assert_gt(MAX(commits[0], commits[1]), last);
        last = MAX(commits[0], commits[1]);
        cr_assert(!closing || commits[0] == commits[1]);
    }
    remove_folder(folder);
}
