/*
 * Folders of parts: anchors with more parts than can be open at once, and parts that grow.
 *
 * tests/merge compares whole traces. tests/mount tests mounts that follow.
 */
#include "fixture.h"

#include <stdatomic.h>
#include <sys/resource.h>

#include "libxtf/disk/format.h"

enum { PARTS = 300, FEW_PARTS = 3, ROWS = 1200, THREADS = 4, CACHE_BYTES = 1 << 20 };

static char *part_path(const char *folder, unsigned number)
{
    g_autofree char *name = g_strdup_printf("part-%03u.xtf", number);
    return g_build_filename(folder, name, NULL);
}

/* Creates the writer of a part, which has one location. */
static XtfWriter *begin_part(const char *folder, unsigned number)
{
    const XtfWriterOptions options = {.no_sync = true, .origin = UINT64_MAX};
    g_autofree char *path = part_path(folder, number);
    GError *error = NULL;
    XtfWriter *writer = xtf_writer_create(path, &options, &error);

    cr_assert_good(writer, error);
    cr_assert_eq(add_schema(writer, "calls"), 0);
    return writer;
}

static void end_part(XtfWriter *writer)
{
    GError *error = NULL;
    cr_assert_good(xtf_writer_close(writer, &error), error);
}

static void commit_part(XtfWriter *writer, uint64_t complete)
{
    GError *error = NULL;
    cr_assert_good((complete == 0 || xtf_writer_set_complete(writer, complete, &error)) &&
                       xtf_writer_commit(writer, &error),
                   error);
}

static XtfTrace *open_folder(const char *folder)
{
    const XtfOpenOptions options = {.cache_bytes = CACHE_BYTES};
    GError *error = NULL;
    XtfTrace *trace = xtf_folder_open(folder, &options, &error);

    cr_assert_good(trace, error);
    return trace;
}

/* Returns the next snapshot, and frees `trace`. */
static XtfTrace *refresh_trace(XtfTrace *trace)
{
    XtfTrace *later;
    GError *error = NULL;

    cr_assert_good(xtf_trace_refresh(trace, &later, &error), error);
    cr_assert_not_null(later);
    XtfTraceInfo before, after;
    xtf_trace_get_info(trace, &before);
    xtf_trace_get_info(later, &after);
    cr_assert_gt(after.commit, before.commit);
    cr_assert_arr_eq(after.file_id, before.file_id, sizeof after.file_id);
    xtf_trace_unref(trace);
    return later;
}

static void assert_nothing_new(XtfTrace *trace)
{
    XtfTrace *later;
    GError *error = NULL;

    cr_assert_good(xtf_trace_refresh(trace, &later, &error), error);
    cr_assert_null(later);
}

static void assert_no_refresh(XtfTrace *trace, const char *reason)
{
    XtfTrace *later;
    GError *error = NULL;

    cr_assert_not(xtf_trace_refresh(trace, &later, &error));
    cr_assert(strstr(error->message, reason), "%s", error->message);
    g_error_free(error);
}

/* Asserts that a location has the first `n` of these rows. */
static void assert_rows(XtfTrace *trace, uint64_t location, const GArray *rows, guint n)
{
    GError *error = NULL;
    XtfArray array = find_array(trace, location, 0);

    cr_assert_eq(array.n_rows, n);
    for (guint i = 0; i < n; i += 1 + i / 7) {
        TestRow row;
        cr_assert_good(xtf_array_row(&array, i, (uint8_t *)&row, &error), error);
        cr_assert_arr_eq(&row, &g_array_index(rows, TestRow, i), sizeof row);
    }
}

static unsigned count_descriptors(void)
{
    g_autoptr(GDir) dir = g_dir_open("/proc/self/fd", 0, NULL);
    unsigned n = 0;

    while (dir && g_dir_read_name(dir))
        n++;
    return n;
}

typedef struct {
    XtfTrace *trace;
    GArray *rows[PARTS];
    atomic_uint max_descriptors;
} ManyParts;

static gpointer read_parts(gpointer data)
{
    ManyParts *many = data;
    GRand *random = g_rand_new();

    for (unsigned i = 0; i < 2 * PARTS; i++) {
        unsigned part = (unsigned)g_rand_int_range(random, 0, PARTS);
        assert_rows(many->trace, part, many->rows[part], ROWS);
        unsigned now = count_descriptors(), max_descriptors = atomic_load(&many->max_descriptors);
        while (now > max_descriptors && !atomic_compare_exchange_weak(&many->max_descriptors, &max_descriptors, now))
            ;
    }
    g_rand_free(random);
    return NULL;
}

/* FORMAT W45 */
Test(anchor, reads_more_parts_than_can_be_open)
{
    GRand *random = g_rand_new_with_seed(1);
    GError *error = NULL;
    char *folder = make_folder();
    ManyParts many = {0};
    XtfMergeReport report;

    for (unsigned i = 0; i < PARTS; i++) {
        many.rows[i] = random_rows(random, ROWS, 30);
        XtfWriter *writer = begin_part(folder, i);
        append_rows(writer, i, 0, many.rows[i], 0, ROWS);
        end_part(writer);
    }
    cr_assert_good(xtf_merge_anchor(folder, &(XtfMergeOptions){.no_sync = true}, &report, &error), error);
    cr_assert_eq(report.parts, PARTS);
    cr_assert_eq(report.copied, 0);
    unsigned before = count_descriptors();
    many.trace = open_folder(folder);
    cr_assert_leq(count_descriptors(), before + 2, "parts are open before their first read");
    GThread *threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        threads[i] = g_thread_new("reader", read_parts, &many);
    for (unsigned i = 0; i < THREADS; i++)
        g_thread_join(threads[i]);
    /* Each thread may have three descriptors: of a part in use, of a part that it opens, and of /proc/self/fd. */
    cr_assert_leq(atomic_load(&many.max_descriptors), before + 2 + 256 + 3 * THREADS);
    assert_sound(many.trace);
    g_autofree char *anchor = g_build_filename(folder, XTF_ANCHOR_NAME, NULL);
    cr_assert_null(xtf_writer_open(anchor, NULL, &error), "a writer can open an anchor");
    g_clear_error(&error);
    xtf_trace_unref(many.trace);
    for (unsigned i = 0; i < PARTS; i++)
        g_array_unref(many.rows[i]);
    remove_folder(folder);
    g_rand_free(random);
}

static void assert_unfit(const char *companion, const char *anchor, int code, const char *reason)
{
    GError *error = NULL;

    cr_assert_null(xtf_trace_open_companion(companion, anchor, NULL, &error));
    cr_assert(error->code == code && strstr(error->message, reason), "%s", error->message);
    g_error_free(error);
}

/* FORMAT R90, W72 */
Test(anchor, has_a_companion)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(11);
    g_autoptr(GArray) rows = random_rows(random, ROWS, 30);
    char *folder = make_folder();
    g_autofree char *anchor = g_build_filename(folder, XTF_ANCHOR_NAME, NULL), *last = part_path(folder, FEW_PARTS - 1);
    g_autofree char *companion = g_strconcat(anchor, XTF_COMPANION_SUFFIX, NULL);
    GError *error = NULL;

    for (unsigned i = 0; i < FEW_PARTS; i++) {
        XtfWriter *part = begin_part(folder, i);
        append_rows(part, i, 0, rows, 0, ROWS);
        end_part(part);
    }
    g_autoptr(XtfTrace) joined = open_folder(folder);
    cr_assert_null(xtf_writer_create_companion(companion, joined, folder, NULL, &error), "of parts joined in memory");
    g_clear_error(&error);
    cr_assert_good(xtf_merge_anchor(folder, &(XtfMergeOptions){.no_sync = true}, NULL, &error), error);
    g_autoptr(XtfTrace) base = open_folder(folder);
    end_part(xtf_writer_create_companion(companion, base, anchor, NULL, &error));
    g_autoptr(XtfTrace) whole = xtf_trace_open_companion(companion, anchor, NULL, &error);
    for (unsigned i = 0; i < FEW_PARTS; i++)
        assert_rows(whole, i, rows, ROWS);
    assert_sound(whole);
    end_part(xtf_writer_open(last, &(XtfWriterOptions){.no_sync = true}, &error));
    assert_unfit(companion, anchor, XTF_ERROR_STALE, "part-002.xtf: it was appended to");
    g_unlink(last);
    assert_unfit(companion, anchor, XTF_ERROR_INVALID, "part-002.xtf: No such file");
    g_autoptr(XtfTrace) without = open_folder(folder);
    cr_assert_null(xtf_writer_create_companion(companion, without, anchor, NULL, &error), "a part is missing");
    g_clear_error(&error);
    remove_folder(folder);
}

/* Returns the time up to which the whole folder is complete. */
static uint64_t complete_of(const XtfTrace *trace)
{
    return xtf_trace_clock(trace)->complete;
}

/* FORMAT R61, R62 */
Test(anchor, parts_grow)
{
    GRand *random = g_rand_new_with_seed(2);
    GError *error = NULL;
    char *folder = make_folder();
    GArray *rows[2] = {random_rows(random, ROWS, 30), random_rows(random, ROWS, 30)};
    XtfTraceInfo info;

    cr_assert_null(xtf_folder_open(folder, NULL, &error));
    cr_assert_eq(error->code, XTF_ERROR_NOT_FOUND);
    g_clear_error(&error);
    XtfWriter *a = begin_part(folder, 0), *b = begin_part(folder, 1);
    cr_assert_null(xtf_folder_open(folder, NULL, &error), "a folder without a commit can be opened");
    cr_assert_eq(error->code, XTF_ERROR_NOT_FOUND);
    g_clear_error(&error);

    append_rows(a, 0, 0, rows[0], 0, 900);
    uint64_t until = g_array_index(rows[0], TestRow, 899).time;
    commit_part(a, until);
    XtfTrace *trace = open_folder(folder);
    cr_assert_eq(complete_of(trace), 0, "the folder is complete though a part has no commit");
    assert_rows(trace, 0, rows[0], 900);
    assert_nothing_new(trace);

    append_rows(b, 1, 0, rows[1], 0, 400);
    uint64_t later_until = g_array_index(rows[1], TestRow, 399).time;
    commit_part(b, later_until);
    XtfTrace *first = xtf_trace_ref(trace);
    trace = refresh_trace(trace);
    cr_assert_eq(complete_of(trace), MIN(until, later_until));
    assert_rows(trace, 0, rows[0], 900);
    assert_rows(trace, 1, rows[1], 400);
    append_rows(a, 0, 0, rows[0], 900, ROWS);
    end_part(a);
    trace = refresh_trace(trace);
    cr_assert_eq(complete_of(trace), later_until);
    assert_rows(trace, 0, rows[0], ROWS);
    assert_rows(first, 0, rows[0], 900);
    xtf_trace_get_info(trace, &info);
    cr_assert(info.joined && info.parts == 2 && !info.closed);
    append_rows(b, 1, 0, rows[1], 400, ROWS);
    end_part(b);
    trace = refresh_trace(trace);
    cr_assert_eq(complete_of(trace), UINT64_MAX);
    assert_rows(trace, 1, rows[1], ROWS);
    xtf_trace_get_info(trace, &info);
    cr_assert(info.closed);
    assert_nothing_new(trace);
    assert_sound(trace);
    xtf_trace_unref(trace);
    xtf_trace_unref(first);
    g_array_unref(rows[0]);
    g_array_unref(rows[1]);
    remove_folder(folder);
    g_rand_free(random);
}

/* Writes a part of location `number`, whose rows begin at a time. */
static void write_from(const char *folder, unsigned number, uint64_t time)
{
    XtfWriter *writer = begin_part(folder, number);
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(TestRow));

    for (unsigned i = 0; i < 10; i++)
        g_array_append_val(rows, ((TestRow){.time = time + i, .seq = i}));
    append_rows(writer, number, 0, rows, 0, rows->len);
    end_part(writer);
    g_array_unref(rows);
}

/* FORMAT W46, R61 */
Test(anchor, parts_that_appear_late_are_replaced_or_vanish)
{
    GRand *random = g_rand_new_with_seed(3);
    char *folder = make_folder();
    GArray *rows = random_rows(random, ROWS, 0);
    XtfWriter *writer = begin_part(folder, 0);

    append_rows(writer, 0, 0, rows, 0, 500);
    uint64_t complete = g_array_index(rows, TestRow, 499).time;
    commit_part(writer, complete);
    XtfTrace *trace = open_folder(folder);
    cr_assert_eq(complete_of(trace), complete);

    write_from(folder, 1, complete - 1);
    assert_no_refresh(
        trace, "part-001.xtf: it appeared late, with records before the time up to which the trace was complete");
    write_from(folder, 1, complete);
    trace = refresh_trace(trace);
    cr_assert_eq(complete_of(trace), complete);
    XtfWriter *silent = begin_part(folder, 2);
    trace = refresh_trace(trace); /* the part exists, and may have any time: the complete time does not advance */
    append_rows(writer, 0, 0, rows, 500, ROWS);
    commit_part(writer, g_array_index(rows, TestRow, ROWS - 1).time);
    trace = refresh_trace(trace);
    cr_assert_eq(complete_of(trace), complete);
    end_part(silent);
    trace = refresh_trace(trace);
    cr_assert_eq(complete_of(trace), g_array_index(rows, TestRow, ROWS - 1).time);

    write_from(folder, 1, complete);
    assert_no_refresh(trace, "part-001.xtf: the file was replaced by another one");
    g_autofree char *path = part_path(folder, 1);
    g_unlink(path);
    assert_no_refresh(trace, "part-001.xtf: the file no longer exists");
    end_part(writer);
    xtf_trace_unref(trace);
    g_array_unref(rows);
    remove_folder(folder);
    g_rand_free(random);
}

/* Returns the byte at which the first sealed leaf of a part begins. */
static long find_leaf(FILE *file)
{
    static const char magic[] = "XTFp\1";
    char bytes[sizeof magic];

    for (long at = 8192; fseek(file, at, SEEK_SET) == 0 && fread(bytes, sizeof magic - 1, 1, file) == 1; at += 4096)
        if (memcmp(bytes, magic, sizeof magic - 1) == 0)
            return at;
    return 0;
}

/* Damage is STALE only when a newer commit exists: the writer may then have reused the page. */
/* FORMAT R29 */
Test(anchor, damage_of_the_newest_commit_is_not_stale)
{
    GRand *random = g_rand_new_with_seed(4);
    char *folder = make_folder();
    GArray *rows = random_rows(random, ROWS, 30);
    XtfWriter *writer = begin_part(folder, 0);
    g_autofree char *path = part_path(folder, 0);
    GError *error = NULL;
    TestRow row;

    append_rows(writer, 0, 0, rows, 0, 900);
    commit_part(writer, 0);
    XtfTrace *trace = open_folder(folder);
    append_rows(writer, 0, 0, rows, 900, ROWS);
    commit_part(writer, 0);
    FILE *file = fopen(path, "r+b");
    cr_assert_not_null(file);
    long leaf = find_leaf(file);
    cr_assert_gt(leaf, 0);
    cr_assert(fseek(file, leaf + 100, SEEK_SET) == 0 && fputs("damage", file) >= 0 && fclose(file) == 0);

    XtfArray array = find_array(trace, 0, 0);
    cr_assert_not(xtf_array_row(&array, 0, (uint8_t *)&row, &error));
    cr_assert(error->code == XTF_ERROR_STALE && strstr(error->message, path), "%s", error->message);
    g_clear_error(&error);
    g_autoptr(XtfTrace) later = NULL;
    cr_assert_good(xtf_trace_refresh(trace, &later, &error), error);
    array = find_array(later, 0, 0);
    cr_assert_not(xtf_array_row(&array, 0, (uint8_t *)&row, &error));
    cr_assert(error->code == XTF_ERROR_DAMAGED && strstr(error->message, path), "%s", error->message);
    g_error_free(error);
    xtf_trace_unref(trace);
    end_part(writer);
    g_array_unref(rows);
    remove_folder(folder);
    g_rand_free(random);
}

/* Writes over the catalog of a part's newest commit. */
static void damage_catalog(const char *path)
{
    XtfDiskSuperblock superblocks[XTF_SUPERBLOCK_SLOTS];
    FILE *file = fopen(path, "r+b");
    unsigned newest = 0;

    cr_assert_not_null(file);
    for (unsigned slot = 0; slot < XTF_SUPERBLOCK_SLOTS; slot++) {
        cr_assert(fseek(file, (long)slot * XTF_SUPERBLOCK_STRIDE, SEEK_SET) == 0 &&
                  fread(&superblocks[slot], sizeof superblocks[slot], 1, file) == 1);
        if (xtf_read64(superblocks[slot].commit) > xtf_read64(superblocks[newest].commit))
            newest = slot;
    }
    cr_assert(fseek(file, (long)xtf_read64(superblocks[newest].catalog.offset), SEEK_SET) == 0 &&
              fputs("damage", file) >= 0 && fclose(file) == 0);
}

Test(anchor, only_parts_with_a_new_commit_are_read_again)
{
    GRand *random = g_rand_new_with_seed(5);
    char *folder = make_folder();
    GArray *rows[2] = {random_rows(random, ROWS, 30), random_rows(random, ROWS, 30)};
    XtfWriter *a = begin_part(folder, 0), *b = begin_part(folder, 1);
    g_autofree char *path = part_path(folder, 0);
    GError *error = NULL;

    append_rows(a, 0, 0, rows[0], 0, ROWS);
    commit_part(a, 0);
    append_rows(b, 1, 0, rows[1], 0, 300);
    commit_part(b, 0);
    XtfTrace *trace = open_folder(folder);
    damage_catalog(path);
    for (guint n = 400; n <= 600; n += 100) {
        append_rows(b, 1, 0, rows[1], n - 100, n);
        commit_part(b, 0);
        trace = refresh_trace(trace);
        assert_rows(trace, 0, rows[0], ROWS);
        assert_rows(trace, 1, rows[1], n);
    }
    cr_assert_null(xtf_folder_open(folder, NULL, &error), "a folder with a damaged catalog can be opened");
    cr_assert(strstr(error->message, path), "%s", error->message);
    g_clear_error(&error);
    commit_part(a, 0);
    trace = refresh_trace(trace);
    assert_rows(trace, 0, rows[0], ROWS);
    xtf_trace_unref(trace);
    end_part(a);
    end_part(b);
    g_array_unref(rows[0]);
    g_array_unref(rows[1]);
    remove_folder(folder);
    g_rand_free(random);
}

enum { SOME_PARTS = 30, GENERATIONS = 8, FEW_PARTS_DESCRIPTORS = 120, ROWS_EACH = ROWS / GENERATIONS };

/* Returns the number of bytes in the caches of all snapshots. */
static uint64_t cached_bytes(XtfTrace *const *snapshots, unsigned n)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < n; i++) {
        XtfCounters counters;
        xtf_trace_get_counters(snapshots[i], &counters);
        bytes += counters.cache_bytes;
    }
    return bytes;
}

/* All snapshots are in use at once, as by readers of a mount that follows. There are few descriptors, and one bound
 * for all caches. */
Test(anchor, generations_share_descriptors_and_cache)
{
    GRand *random = g_rand_new_with_seed(6);
    char *folder = make_folder();
    XtfTrace *snapshots[GENERATIONS];
    XtfWriter *writers[SOME_PARTS];
    GArray *rows[SOME_PARTS];

    for (unsigned i = 0; i < SOME_PARTS; i++) {
        rows[i] = random_rows(random, ROWS, 30);
        writers[i] = begin_part(folder, i);
    }
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &(struct rlimit){FEW_PARTS_DESCRIPTORS, FEW_PARTS_DESCRIPTORS}), 0);
    for (unsigned g = 0; g < GENERATIONS; g++) {
        for (unsigned i = 0; i < SOME_PARTS; i++) {
            append_rows(writers[i], i, 0, rows[i], g * ROWS_EACH, (g + 1) * ROWS_EACH);
            commit_part(writers[i], 0);
        }
        snapshots[g] = g == 0 ? open_folder(folder) : refresh_trace(xtf_trace_ref(snapshots[g - 1]));
        for (unsigned i = 0; i < SOME_PARTS * (g + 1); i++)
            assert_rows(snapshots[i % (g + 1)], i % SOME_PARTS, rows[i % SOME_PARTS], (i % (g + 1) + 1) * ROWS_EACH);
        cr_assert_leq(cached_bytes(snapshots, g + 1), CACHE_BYTES);
    }
    XtfCounters counters;
    xtf_trace_get_counters(snapshots[0], &counters);
    cr_assert_gt(counters.cache_evictions, 0, "the caches evicted nothing");
    for (unsigned g = 0; g < GENERATIONS; g++)
        xtf_trace_unref(snapshots[g]);
    for (unsigned i = 0; i < SOME_PARTS; i++) {
        end_part(writers[i]);
        g_array_unref(rows[i]);
    }
    remove_folder(folder);
    g_rand_free(random);
}
