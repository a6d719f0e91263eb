/* Single frames, against a list of all frames, and against the time between each two rows. */
#include "frames-fixture.h"

#include "libxtf/frame-reader.h"
#include "libxtf/group-filter.h"

/* Returns the exclusive time of each frame: the time between two rows is charged to the last begun of the open
 * frames. */
static uint64_t *naive_exclusive(const Calls *calls, uint64_t last)
{
    uint64_t *exclusive = g_new0(uint64_t, calls->frames->len + 1), before = 0;
    g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(guint));
    guint next = 0;

    for (guint n = 0; n <= calls->rows->len; n++) {
        uint64_t time = n < calls->rows->len ? g_array_index(calls->rows, CallRow, n).time : last;
        if (open->len > 0)
            exclusive[g_array_index(open, guint, open->len - 1)] += time - before;
        while (open->len > 0 &&
               g_array_index(calls->frames, NaiveFrame, g_array_index(open, guint, open->len - 1)).end_row == n)
            g_array_set_size(open, open->len - 1);
        if (next < calls->frames->len && g_array_index(calls->frames, NaiveFrame, next).row == n) {
            g_array_append_val(open, next);
            next++;
        }
        before = time;
    }
    return exclusive;
}

static XtfFrameEnding naive_ending(const Calls *calls, const NaiveFrame *frame)
{
    if (frame->end_row == UINT32_MAX)
        return XTF_FRAME_OPEN;
    const CallRow *end = &g_array_index(calls->rows, CallRow, frame->end_row);
    return end->event && end->enter == frame->end_row - frame->row ? XTF_FRAME_LEFT : XTF_FRAME_CUT;
}

static void check_frame(XtfFrameReader *reader, const Calls *calls, guint i, const uint64_t *exclusive, uint64_t last)
{
    const NaiveFrame *expected = &g_array_index(calls->frames, NaiveFrame, i);
    GError *error = NULL;
    XtfFrameTimes frame;
    uint64_t ticks;
    bool known;

    cr_assert_good(xtf_frame_reader_find(reader, expected->row, &frame, &error), error);
    cr_assert_eq(frame.span.row, expected->row);
    cr_assert_eq(frame.span.key, expected->region);
    cr_assert_eq(frame.span.begin, expected->begin);
    cr_assert_eq(frame.span.end, MIN(expected->end, last), "row %u", expected->row);
    cr_assert_eq(frame.span.end_row, MIN(expected->end_row, calls->rows->len), "row %u", expected->row);
    cr_assert_eq(frame.ending, naive_ending(calls, expected), "row %u", expected->row);
    cr_assert_eq(frame.exclusive, exclusive[i], "row %u: %lu, should be %lu", expected->row, frame.exclusive,
                 exclusive[i]);
    if (frame.ending != XTF_FRAME_LEFT)
        return;
    cr_assert_good(xtf_frame_reader_duration(reader, expected->end_row, &known, &ticks, &error), error);
    cr_assert(known && ticks == expected->end - expected->begin, "row %u", expected->end_row);
}

static void check_durations(XtfFrameReader *reader, const Calls *calls)
{
    g_autofree bool *ends = g_new0(bool, calls->rows->len);
    GError *error = NULL;

    for (guint i = 0; i < calls->frames->len; i++) {
        const NaiveFrame *frame = &g_array_index(calls->frames, NaiveFrame, i);
        if (naive_ending(calls, frame) == XTF_FRAME_LEFT)
            ends[frame->end_row] = true;
    }
    for (guint n = 0; n < calls->rows->len; n++) {
        uint64_t ticks;
        bool known;
        cr_assert_good(xtf_frame_reader_duration(reader, n, &known, &ticks, &error), error);
        cr_assert_eq(known, ends[n], "row %u", n);
    }
}

static void check_frames(const XtfArray *array, const Calls *calls, GRand *random, uint32_t max_spans)
{
    uint64_t last = array->last + 1000;
    g_autofree uint64_t *exclusive = naive_exclusive(calls, last);
    g_autoptr(XtfFrameReader) reader = xtf_frame_reader_new(array, 0, last, max_spans);
    guint n = calls->frames->len, n_checked = MIN(n, 3000);

    for (guint i = 0; i < n && i < n_checked; i++)
        check_frame(reader, calls, i, exclusive, last);
    for (guint i = n - n_checked; i < n; i++)
        check_frame(reader, calls, i, exclusive, last);
    for (guint i = 0; i < 100 && n > 0; i++)
        check_frame(reader, calls, (guint)g_rand_int_range(random, 0, (gint32)n), exclusive, last);
    check_durations(reader, calls);
}

/* Checks ranks and selections of the rows that begin frames: of one key, and of all. */
static void check_begins(const XtfArray *array, const Calls *calls)
{
    const uint64_t key = 1;
    GError *error = NULL;

    for (int with_key = 0; with_key < 2; with_key++) {
        const XtfGroupFilter filter = {.exact = with_key ? &key : NULL, .begins_only = true};
        uint64_t expected = 0, rank, row;
        for (guint i = 0; i < calls->frames->len; i++) {
            const NaiveFrame *frame = &g_array_index(calls->frames, NaiveFrame, i);
            if (with_key && frame->region != key)
                continue;
            if (expected % 37 == 0) {
                cr_assert_good(xtf_array_group_rank(array, 0, &filter, frame->row, &rank, &error), error);
                cr_assert_eq(rank, expected);
                cr_assert_good(xtf_array_group_select(array, 0, &filter, expected, &row, &error), error);
                cr_assert_eq(row, frame->row);
            }
            expected++;
        }
        cr_assert_good(xtf_array_group_rank(array, 0, &filter, array->n_rows, &rank, &error), error);
        cr_assert_eq(rank, expected);
        cr_assert_good(xtf_array_group_select(array, 0, &filter, expected, &row, &error), error);
        cr_assert_eq(row, array->n_rows);
    }
}

Test(frame_reader, frames_agree_with_a_list)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);

    for (size_t i = 0; i < 2 * G_N_ELEMENTS(call_shapes); i++) {
        g_autoptr(GRand) random = g_rand_new_with_seed((guint32)i);
        Calls *calls = random_calls(random, &call_shapes[i / 2]);
        write_small_leaves(path, i % 2, calls);
        g_autoptr(XtfTrace) trace = open_trace(path, 0);
        XtfArray array = find_array(trace, 7, 0);
        check_frames(&array, calls, random, i % 3 == 0 ? 1 : i % 3 == 1 ? 100 : 100000);
        check_begins(&array, calls);
        calls_free(calls);
    }
    remove_folder(folder);
}

/* A filtered span gives the rows that begin frames, in runs. */
Test(frame_reader, a_span_can_be_filtered_by_begins)
{
    const CallShape shape = {.name = "some", .rows = 20000, .deep = 6, .regions = 20, .orphans = 3, .jumps = 3};
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(5);
    GError *error = NULL;
    Calls *calls = random_calls(random, &shape);
    const XtfGroupFilter filter = {.begins_only = true};
    XtfSpan span;

    write_small_leaves(path, true, calls);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    XtfArray array = find_array(trace, 7, 0);
    xtf_span_init(&span, &array);
    cr_assert_good(xtf_span_filter(&span, 0, &filter, &error), error);
    cr_assert_eq(span.hi, calls->frames->len);
    g_autoptr(XtfSpans) spans = xtf_spans_new(NULL, NULL);
    cr_assert_good(xtf_spans_add(spans, &span, &error), error);
    g_autoptr(XtfRecordReader) reader = xtf_record_reader_new(spans, 5, &error);
    cr_assert_good(reader, error);
    XtfRowRun run;
    guint i = 5;
    for (;;) {
        cr_assert_good(xtf_record_reader_next(reader, 3, &run, &error), error);
        if (run.n_rows == 0)
            break;
        for (uint64_t n = 0; n < run.n_rows; n++, i++)
            cr_assert_eq(run.first + n, g_array_index(calls->frames, NaiveFrame, i).row);
    }
    cr_assert_eq(i, calls->frames->len);
    calls_free(calls);
    remove_folder(folder);
}
