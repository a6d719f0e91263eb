/*
 * States of a file after a power cut, when its writer syncs now and then. A page has its content of the last sync, or
 * of any later write. All such states open, and have the synced commit or a later one.
 */
#include "fixture.h"

#include <string.h>

enum { PAGE = 4096, COMMITS = 40, STATES = 12, EACH = 7 /* commits between two syncs */ };

/* Returns the content of the file. */
static GBytes *image_of(const char *path)
{
    char *data;
    gsize size;

    cr_assert(g_file_get_contents(path, &data, &size, NULL));
    return g_bytes_new_take(data, size);
}

/* Writes a state after a power cut: pages of any of the images, the first of which was synced. */
static void write_state(GRand *random, const GPtrArray *images, const char *path)
{
    gsize size = g_bytes_get_size(images->pdata[images->len - 1]);
    g_autofree char *state = g_malloc0(size);

    for (gsize at = 0; at < size; at += PAGE) {
        gsize n;
        const char *data = g_bytes_get_data(images->pdata[g_rand_int_range(random, 0, (gint32)images->len)], &n);
        if (at < n)
            memcpy(state + at, data + at, MIN(PAGE, n - at));
    }
    cr_assert(g_file_set_contents_full(path, state, (gssize)size, G_FILE_SET_CONTENTS_NONE, 0600, NULL)); /* unsynced */
}

/* True if the state opens, at the synced commit or a later one. */
static bool can_open(const char *path, uint64_t synced)
{
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, NULL);
    XtfTraceInfo info;

    if (!trace)
        return false;
    xtf_trace_get_info(trace, &info);
    return info.commit >= synced;
}

static uint64_t commit_of(const char *path)
{
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    XtfTraceInfo info;

    xtf_trace_get_info(trace, &info);
    return info.commit;
}

static void append_rows_of_round(XtfWriter *writer, uint32_t schema, unsigned round)
{
    GError *error = NULL;

    for (uint64_t location = 0; location < 5; location++) {
        XtfArrayWriter *array = xtf_writer_array(writer, location, schema, &error);
        cr_assert_good(array, error);
        for (unsigned i = 0; i < 100; i++) {
            const TestRow row = {
                .time = 100 * round + i, .seq = i, .value = (int32_t)(i * 2654435761u), .event = i & 1};
            cr_assert_good(xtf_array_writer_append(array, &row, &error), error);
        }
    }
}

/* Counts the states that do not open. With keep_synced the writer keeps the pages of the synced commit. */
static unsigned count_lost(bool keep_synced)
{
    const XtfWriterOptions options = {.late_sync = true, .keep_commits = 4, .keep_seconds = -1};
    g_autoptr(GPtrArray) images = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "t.xtf", NULL), *state = g_build_filename(folder, "s.xtf", NULL);
    GError *error = NULL;
    g_autoptr(XtfWriter) writer = xtf_writer_create(path, &options, &error);
    uint64_t synced = 0;
    unsigned lost = 0;

    cr_assert_good(writer, error);
    uint32_t schema = add_schema(writer, "calls");
    for (unsigned round = 0; round < COMMITS; round++) {
        append_rows_of_round(writer, schema, round);
        cr_assert_good(xtf_writer_commit(writer, &error), error);
        if (round % EACH == 0) {
            cr_assert_good(xtf_writer_sync(writer, &error), error);
            if (keep_synced)
                xtf_writer_keep_synced(writer);
            g_ptr_array_set_size(images, 0);
            synced = commit_of(path);
        }
        g_ptr_array_add(images, image_of(path));
        for (unsigned i = 0; i < STATES; i++) {
            write_state(random, images, state);
            lost += !can_open(state, synced);
        }
    }
    remove_folder(folder);
    return lost;
}

/* FORMAT W11, W15, R5 */
Test(power_cut, all_states_open)
{
    cr_assert_eq(count_lost(true), 0);
}

/* Without keeping synced pages some states are lost, so the test above can fail. */
Test(power_cut, states_are_lost_if_synced_pages_are_reused)
{
    cr_assert_gt(count_lost(false), 0);
}

/* A writer that resumes a file must leave the resumed commit alone until it syncs a later one. */
Test(power_cut, states_of_a_resumed_file_open)
{
    const XtfWriterOptions options = {.late_sync = true, .keep_commits = 4, .keep_seconds = -1};
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "t.xtf", NULL), *state = g_build_filename(folder, "s.xtf", NULL);
    g_autoptr(GPtrArray) images = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    GError *error = NULL;
    XtfWriter *writer = xtf_writer_create(path, &options, &error);

    cr_assert_good(writer, error);
    append_rows_of_round(writer, add_schema(writer, "calls"), 0);
    cr_assert_good(xtf_writer_close(writer, &error), error);
    g_ptr_array_add(images, image_of(path));
    writer = xtf_writer_open(path, &options, &error);
    cr_assert_good(writer, error);
    for (unsigned round = 1; round < COMMITS; round++) {
        append_rows_of_round(writer, add_schema(writer, "calls"), round);
        cr_assert_good(xtf_writer_commit(writer, &error), error);
        g_ptr_array_add(images, image_of(path));
        for (unsigned i = 0; i < STATES; i++) {
            write_state(random, images, state);
            cr_assert(can_open(state, 1), "round %u", round);
        }
    }
    cr_assert_good(xtf_writer_close(writer, &error), error);
    remove_folder(folder);
}

/* The file has reserved space after the last commit for the next one, and closing frees it. */
Test(power_cut, reserved_space_is_freed_at_closing)
{
    const XtfWriterOptions options = {.late_sync = true, .reserve = 1 << 20};
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "t.xtf", NULL);
    GError *error = NULL;
    XtfWriter *writer = xtf_writer_create(path, &options, &error);
    GStatBuf status;

    cr_assert_good(writer, error);
    append_rows_of_round(writer, add_schema(writer, "calls"), 0);
    cr_assert_good(xtf_writer_commit(writer, &error), error);
    cr_assert_eq(g_stat(path, &status), 0);
    cr_assert_geq(512 * (int64_t)status.st_blocks, 1 << 20);
    cr_assert_lt(status.st_size, 1 << 20);
    cr_assert_good(xtf_writer_close(writer, &error), error);
    cr_assert_eq(g_stat(path, &status), 0);
    cr_assert_lt(512 * (int64_t)status.st_blocks, 1 << 20);
    remove_folder(folder);
}
