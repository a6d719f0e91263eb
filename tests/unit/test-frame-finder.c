/* Frames around times, against rows that a cursor reads. */
#include "mapped-sample.h"
#include "tests/rounds.h"

#include "libxtf/frame-finder.h"

enum { TIMES = 3000 };

/* Returns the rows of an array, with the times of its clock. */
static GArray *read_finder_rows(const XtfArray *array)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(CallRow));
    g_auto(XtfCursor) cursor;
    GError *error = NULL;
    bool found;

    xtf_cursor_init(&cursor, array);
    cr_assert_good(xtf_cursor_seek_n(&cursor, 0, &found, &error), error);
    while (found) {
        g_array_append_vals(rows, xtf_cursor_row(&cursor), 1);
        cr_assert_good(xtf_cursor_next(&cursor, 1, &found, &error), error);
    }
    return rows;
}

static const CallRow *finder_row_at(const GArray *rows, guint i)
{
    return &g_array_index(rows, CallRow, i);
}

/* Returns the row of the end of a frame around time t whose begin is the row before. 0: there is none. */
static guint naive_end_around(const GArray *rows, uint64_t t)
{
    guint low = 0, high = rows->len;

    while (low < high) {
        guint middle = (low + high) / 2;
        if (finder_row_at(rows, middle)->time < t)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_end = low > 0 && low < rows->len && finder_row_at(rows, low)->time > t && finder_row_at(rows, low)->event &&
                  !finder_row_at(rows, low - 1)->event && finder_row_at(rows, low)->enter == 1;
    return is_end ? low : 0;
}

/* Compares frames around random times. The finder misses at most frames whose rows are in two leaves. Returns how many
 * frames were found without a key. */
static unsigned check_frames_around(const XtfArray *array, bool keys, GRand *random)
{
    g_autoptr(XtfFrameFinder) finder = xtf_frame_finder_new(array, 0, keys);
    g_autoptr(GArray) rows = read_finder_rows(array);
    unsigned n_found = 0, missed = 0, keyless = 0;
    GError *error = NULL;
    uint64_t t = 0;

    for (unsigned i = 0; i < TIMES; i++) {
        XtfFrameSpan frame;
        bool found, has_key = true;
        t = i % 4 == 0 ? finder_row_at(rows, g_rand_int(random) % rows->len)->time + random_u64(random, 5) : t + i % 4;
        guint end = naive_end_around(rows, t);
        cr_assert_good(xtf_frame_finder_at(finder, t, &frame, &has_key, &found, &error), error);
        cr_assert(has_key || (found && !keys && frame.key == 0));
        if (!has_key)
            cr_assert_good(xtf_frame_finder_key(finder, frame.row, &frame.key, &error), error);
        keyless += !has_key;
        n_found += found;
        missed += !found && end > 0;
        cr_assert(!found || end > 0, "a frame around %" PRIu64, t);
        if (found)
            cr_assert(
                frame.row == end - 1 && frame.end_row == end && frame.begin == finder_row_at(rows, end - 1)->time &&
                    frame.end == finder_row_at(rows, end)->time && frame.key == finder_row_at(rows, end - 1)->region,
                "the frame around %" PRIu64 " ends with row %u, not %" PRIu64, t, end, frame.end_row);
    }
    cr_assert_leq(8 * missed, n_found + missed, "%u frames are missed, %u found", missed, n_found);
    return keyless;
}

Test(frame_finder, agrees_with_rows)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(51);
    unsigned keyless = 0;

    for (size_t s = 0; s < G_N_ELEMENTS(call_shapes); s++) {
        Calls *calls = random_calls(random, &call_shapes[s]);
        for (int plain = 0; plain < 2; plain++) {
            write_small_leaves(path, plain, calls);
            g_autoptr(XtfTrace) trace = open_trace(path, 0);
            XtfArray array = find_array(trace, 7, 0);
            check_frames_around(&array, true, random);
            keyless += check_frames_around(&array, false, random);
        }
        calls_free(calls);
    }
    cr_assert_gt(keyless, 0, "no leaf has a column of keys");
    remove_folder(folder);
}

Test(frame_finder, agrees_with_rows_of_global_and_local_times)
{
    Sample sample = make_sample(52, 4096, false, 4);

    sample_write(&sample, true);
    g_autoptr(XtfTrace) trace = open_trace(sample.path, 0);
    for (guint l = 0; l < sample.n; l++) {
        XtfArray calls = find_array(trace, l, 0), local = xtf_array_local(&calls);
        for (int keys = 0; keys < 2; keys++) {
            check_frames_around(&calls, keys, sample.random);
            check_frames_around(&local, keys, sample.random);
        }
    }
    sample_free(&sample);
}

/* No frame is around the first and the last instant of all. */
Test(frame_finder, finds_nothing_outside_of_the_rows)
{
    Sample sample = make_sample(53, 4096, false, 1);

    sample_write(&sample, true);
    g_autoptr(XtfTrace) trace = open_trace(sample.path, 0);
    XtfArray calls = find_array(trace, 0, 0);
    g_autoptr(XtfFrameFinder) finder = xtf_frame_finder_new(&calls, 0, true);
    const uint64_t times[] = {0, calls.first - 1, calls.first, calls.last, calls.last + 1, UINT64_MAX};
    for (size_t i = 0; i < G_N_ELEMENTS(times); i++) {
        GError *error = NULL;
        XtfFrameSpan frame;
        bool found = true, has_key;
        cr_assert_good(xtf_frame_finder_at(finder, times[i], &frame, &has_key, &found, &error), error);
        cr_assert_not(found);
    }
    sample_free(&sample);
}
