/* Ends of frames, and the longest frames of a range of rows, against a list of all frames. */
#include "frames-fixture.h"

#include "libxtf/longest.h"

static const NaiveFrame *naive_at(const Calls *calls, guint i)
{
    return &g_array_index(calls->frames, NaiveFrame, i);
}

static void check_ends(const XtfArray *array, const Calls *calls, GRand *random)
{
    GError *error = NULL;

    for (guint i = 0; i < 200 && calls->frames->len > 0; i++) {
        guint number = i < 20 ? i : (guint)g_rand_int(random);
        const NaiveFrame *frame = naive_at(calls, number % calls->frames->len);
        uint64_t end = 0;
        cr_assert_good(xtf_array_frame_end(array, 0, frame->row, &end, &error), error);
        cr_assert_eq(end, frame->end_row == UINT32_MAX ? array->n_rows : frame->end_row, "row %u", frame->row);
    }
}

typedef struct {
    uint64_t duration;
    const NaiveFrame *frame;
} LongFrame;

static int compare_frames(const void *a, const void *b)
{
    const LongFrame *left = a, *expected = b;

    if (left->duration != expected->duration)
        return left->duration > expected->duration ? -1 : 1;
    return left->frame->row < expected->frame->row ? -1 : 1;
}

/* Returns all frames that begin in [n1, n2), the longest first. */
static GArray *naive_longest(const Calls *calls, uint64_t n1, uint64_t n2, const uint64_t *key, uint64_t last)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(LongFrame));

    for (guint i = 0; i < calls->frames->len; i++) {
        const NaiveFrame *frame = naive_at(calls, i);
        LongFrame long_frame = {MIN(frame->end, last) - frame->begin, frame};
        if (frame->row >= n1 && frame->row < n2 && (!key || frame->region == *key))
            g_array_append_val(all, long_frame);
    }
    g_array_sort(all, compare_frames);
    return all;
}

static XtfMatch is_key(const uint64_t *key, unsigned depth, const void *data)
{
    return depth > 0 && *key == *(const uint64_t *)data ? XTF_MATCH_ALL : XTF_MATCH_NONE;
}

static void check_longest(const XtfArray *array, const Calls *calls, GRand *random)
{
    enum { MAX_FRAMES = 40 };
    GError *error = NULL;
    uint64_t last = array->last + 1000;

    for (int i = 0; i < 40; i++) {
        uint64_t n1 = i == 0 ? 0 : (uint64_t)(g_rand_double(random) * (double)array->n_rows);
        uint64_t width = chance(random, 50) ? 300 : array->n_rows;
        uint64_t n2 = i == 0 ? array->n_rows : n1 + (uint64_t)(g_rand_double(random) * (double)width);
        uint64_t region = g_rand_int(random) % REGIONS, *key = i % 3 == 2 ? &region : NULL;
        g_autoptr(GArray) expected = naive_longest(calls, n1, n2, key, last);
        const XtfGroupFilter filter = {.exact = i % 2 ? key : NULL, .match = i % 2 ? NULL : is_key, .data = key};
        XtfFrameSpan frames[MAX_FRAMES];
        size_t n = (size_t)g_rand_int_range(random, 1, MAX_FRAMES + 1), n_wanted = n;
        cr_assert_good(xtf_array_longest(array, 0, key ? &filter : NULL, n1, n2, last, frames, &n, &error), error);
        cr_assert_eq(n, MIN(n_wanted, expected->len));
        for (size_t f = 0; f < n; f++) {
            const LongFrame *long_frame = &g_array_index(expected, LongFrame, f);
            cr_assert(frames[f].row == long_frame->frame->row && frames[f].key == long_frame->frame->region &&
                          frames[f].begin == long_frame->frame->begin &&
                          frames[f].end - frames[f].begin == long_frame->duration &&
                          frames[f].end_row == MIN(long_frame->frame->end_row, array->n_rows),
                      "rows %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT ", frame %zu: row %" G_GUINT64_FORMAT
                      ", not %u",
                      n1, n2, f, frames[f].row, long_frame->frame->row);
        }
    }
}

Test(longest, ends_and_longest_frames_agree_with_a_list)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);

    for (size_t i = 0; i < 2 * G_N_ELEMENTS(call_shapes); i++) {
        g_autoptr(GRand) random = g_rand_new_with_seed((guint32)i);
        Calls *calls = random_calls(random, &call_shapes[i / 2]);
        write_small_leaves(path, i % 2, calls);
        g_autoptr(XtfTrace) trace = open_trace(path, 0);
        XtfArray array = find_array(trace, 7, 0);
        check_ends(&array, calls, random);
        check_longest(&array, calls, random);
        calls_free(calls);
    }
    remove_folder(folder);
}

/* The longest of very many calls is found by reading few leaves. */
Test(longest, the_longest_of_many_costs_few_leaves)
{
    const CallShape shape = {.name = "many", .rows = 200000, .deep = 6, .regions = 20};
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(5);
    GError *error = NULL;
    Calls *calls = random_calls(random, &shape);
    XtfCounters before, after;
    XtfFrameSpan frame;
    size_t n = 1;

    write_small_leaves(path, true, calls);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    XtfArray array = find_array(trace, 7, 0);
    xtf_trace_get_counters(trace, &before);
    cr_assert_good(xtf_array_longest(&array, 0, NULL, 1000, 190000, array.last, &frame, &n, &error), error);
    xtf_trace_get_counters(trace, &after);
    cr_assert_eq(n, 1);
    cr_assert_lt(after.cache_loads - before.cache_loads, 80, "%u loads",
                 (unsigned)(after.cache_loads - before.cache_loads));
    calls_free(calls);
    remove_folder(folder);
}

Test(longest, a_row_that_begins_no_frame_has_no_end)
{
    const CallShape shape = {.name = "few", .rows = 70, .deep = 4, .regions = 3};
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(5);
    g_autoptr(GError) error = NULL;
    Calls *calls = random_calls(random, &shape);
    uint64_t n = 0, end;

    write_small_leaves(path, false, calls);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    XtfArray array = find_array(trace, 7, 0);
    while (g_array_index(calls->rows, CallRow, n).event == 0)
        n++;
    cr_assert_not(xtf_array_frame_end(&array, 0, n, &end, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_INVALID));
    calls_free(calls);
    remove_folder(folder);
}
