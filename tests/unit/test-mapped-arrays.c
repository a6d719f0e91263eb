/*
 * Arrays whose location has a clock map, against rows in memory that are mapped one by one. Durations are in ticks of
 * the rows as written.
 */
#include "mapped-sample.h"

#include "libxtf/tree/trace-private.h"
#include "tests/rounds.h"

enum { WINDOWS = 300 };

/* Counts the rows before global time t. Maps each row. */
static uint64_t rank_of(const GArray *rows, const NaiveMap *map, uint64_t t)
{
    uint64_t n = 0;
    while (n < rows->len && naive_global(map, local_time(rows, n)) < t)
        n++;
    return n;
}

/* Makes the row that a reader should return. */
static void map_row(const GArray *rows, const NaiveMap *map, guint n, uint8_t *row)
{
    guint size = g_array_get_element_size((GArray *)rows);
    MarkRow mark;

    memcpy(row, rows->data + (size_t)n * size, size);
    if (size == sizeof mark) {
        memcpy(&mark, row, sizeof mark);
        if (mark.until != UINT64_MAX)
            mark.until = naive_global(map, mark.until);
        memcpy(row, &mark, sizeof mark);
    }
    uint64_t t = naive_global(map, local_time(rows, n));
    memcpy(row, &t, sizeof t);
}

static void assert_row(const uint8_t *row, const GArray *rows, const NaiveMap *map, guint n)
{
    uint8_t expected[XTF_ROW_MAX];

    map_row(rows, map, n, expected);
    cr_assert_eq(memcmp(row, expected, g_array_get_element_size((GArray *)rows)), 0, "row %u", n);
}

static void check_ranks(Sample *sample, const XtfArray *array, const GArray *rows, const NaiveMap *map)
{
    GError *error = NULL;

    cr_assert_eq(array->first, naive_global(map, local_time(rows, 0)));
    cr_assert_eq(array->last, naive_global(map, local_time(rows, rows->len - 1)));
    for (unsigned i = 0; i < TEST_ROUNDS(WINDOWS); i++) {
        uint64_t a = pick_time(sample->random, rows, map, i), b = pick_time(sample->random, rows, map, i / 4), n, size;
        uint64_t before_a = rank_of(rows, map, a), before_b = rank_of(rows, map, b);
        cr_assert_good(xtf_array_rank(array, a, &n, &error), error);
        cr_assert_eq(n, before_a, "before %" G_GUINT64_FORMAT, a);
        cr_assert_good(xtf_array_size_t(array, a, b, &size, &error), error);
        cr_assert_eq(size, a < b ? before_b - before_a : 0);
    }
}

static void check_rows(Sample *sample, const XtfArray *array, const GArray *rows, const NaiveMap *map)
{
    GError *error = NULL;
    uint8_t row[XTF_ROW_MAX];

    for (unsigned i = 0; i < TEST_ROUNDS(WINDOWS); i++) {
        guint n = g_rand_int(sample->random) % rows->len;
        uint64_t t;
        cr_assert_good(xtf_array_time(array, n, &t, &error), error);
        cr_assert_eq(t, naive_global(map, local_time(rows, n)));
        cr_assert_good(xtf_array_row(array, n, row, &error), error);
        assert_row(row, rows, map, n);
    }
}

static void check_cursors(Sample *sample, const XtfArray *array, const GArray *rows, const NaiveMap *map)
{
    GError *error = NULL;
    g_auto(XtfCursor) cursor;
    bool found;

    xtf_cursor_init(&cursor, array);
    for (unsigned i = 0; i < TEST_ROUNDS(WINDOWS); i++) {
        uint64_t t = pick_time(sample->random, rows, map, i), n = rank_of(rows, map, t);
        cr_assert_good(xtf_cursor_seek_t(&cursor, t, &found, &error), error);
        cr_assert_eq(found, n < rows->len);
        for (int steps = 0; found && steps < 3; steps++) {
            cr_assert_eq(cursor.n, n);
            cr_assert_eq(xtf_cursor_time(&cursor), naive_global(map, local_time(rows, (guint)n)));
            assert_row(xtf_cursor_row(&cursor), rows, map, (guint)n);
            int64_t step = g_rand_int_range(sample->random, -600, 600);
            n += (uint64_t)step;
            cr_assert_good(xtf_cursor_next(&cursor, step, &found, &error), error);
            cr_assert_eq(found, n < rows->len);
        }
    }
    /* From end to end, over every link between leaves. */
    cr_assert_good(xtf_cursor_seek_n(&cursor, 0, &found, &error), error);
    for (guint n = 0; n < rows->len; n++) {
        cr_assert(found);
        assert_row(xtf_cursor_row(&cursor), rows, map, n);
        cr_assert_good(xtf_cursor_next(&cursor, 1, &found, &error), error);
    }
    cr_assert_not(found);
}

/* Checks the array as it is in the file, with local times. */
static void check_local(const XtfArray *array, const GArray *rows)
{
    const NaiveMap none = {0};
    XtfArray local = xtf_array_local(array);
    GError *error = NULL;
    uint8_t row[XTF_ROW_MAX];
    bool found;

    cr_assert_eq(local.first, local_time(rows, 0));
    cr_assert_eq(local.last, local_time(rows, rows->len - 1));
    for (guint n = 0; n < rows->len; n += 97) {
        g_auto(XtfCursor) cursor;
        uint64_t rank;
        xtf_cursor_init(&cursor, &local);
        cr_assert_good(xtf_array_row(&local, n, row, &error), error);
        assert_row(row, rows, &none, n);
        cr_assert_good(xtf_array_rank(&local, local_time(rows, n), &rank, &error), error);
        cr_assert_eq(rank, rank_of(rows, &none, local_time(rows, n)));
        cr_assert_good(xtf_cursor_seek_n(&cursor, n, &found, &error), error);
        assert_row(xtf_cursor_row(&cursor), rows, &none, n);
    }
}

/* Checks profiles: a window of global time is a window of local time. */
static void check_profiles(Sample *sample, const XtfArray *array, const Location *location)
{
    const GArray *rows = location->calls->rows;
    uint64_t first = array->local_first - 700, last = array->local_last + 900;
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[0], 1);
    GError *error = NULL;

    for (unsigned i = 0; i < TEST_ROUNDS(WINDOWS / 3); i++) {
        uint64_t a = i ? pick_time(sample->random, rows, &location->map, i) : 0;
        uint64_t b = i ? pick_time(sample->random, rows, &location->map, i / 4) : UINT64_MAX;
        NaiveCells cells;
        g_autofree char *label = g_strdup_printf("times %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT, a, b);
        if (a > b)
            continue;
        xtf_group_totals_clear(totals);
        cr_assert_good(xtf_array_profile(array, 0, a, b, first, last, totals, &error), error);
        naive_profile(location->calls, naive_local(&location->map, a), naive_local(&location->map, b), first, last,
                      cells);
        assert_cells(totals, cells, label);
    }
}

static void check_stacks(Sample *sample, const XtfArray *array, const Location *location)
{
    XtfArray local = xtf_array_local(array);
    GError *error = NULL;

    for (int i = 0; i < 20; i++) {
        guint n = g_rand_int(sample->random) % (ROWS + 1);
        g_autofree XtfOpenFrame *frames = NULL, *own = NULL;
        size_t n_frames, n_own;
        cr_assert_good(xtf_array_stack(array, 0, n, &frames, &n_frames, &error), error);
        cr_assert_good(xtf_array_stack(&local, 0, n, &own, &n_own, &error), error);
        cr_assert_eq(n_frames, n_own);
        for (size_t f = 0; f < n_frames; f++) {
            uint64_t begin = local_time(location->calls->rows, (guint)own[f].row);
            cr_assert_eq(own[f].time, begin);
            cr_assert_eq(frames[f].time, naive_global(&location->map, begin));
            cr_assert(frames[f].row == own[f].row && frames[f].key == own[f].key);
        }
    }
}

static void check_all(Sample *sample)
{
    g_autoptr(XtfTrace) trace = open_trace(sample->path, 0);
    const XtfClock *clock = xtf_trace_clock(trace);
    uint64_t first = UINT64_MAX, last = 0;

    for (guint l = 0; l < sample->n; l++) {
        const Location *location = &sample->locations[l];
        XtfArray calls = find_array(trace, l, 0), marks = find_array(trace, l, 1);
        cr_assert_eq(calls.clock != NULL, location->map.n > 0);
        check_ranks(sample, &calls, location->calls->rows, &location->map);
        check_ranks(sample, &marks, location->marks, &location->map);
        check_rows(sample, &calls, location->calls->rows, &location->map);
        check_rows(sample, &marks, location->marks, &location->map);
        check_cursors(sample, &calls, location->calls->rows, &location->map);
        check_cursors(sample, &marks, location->marks, &location->map);
        check_local(&marks, location->marks);
        check_profiles(sample, &calls, location);
        check_stacks(sample, &calls, location);
        first = MIN(first, naive_global(&location->map, local_time(location->calls->rows, 0)));
        last = MAX(last, naive_global(&location->map, local_time(location->calls->rows, ROWS - 1)));
    }
    cr_assert_eq(clock->first, first);
    cr_assert_eq(clock->last, last);
    cr_assert_eq(clock->origin, first);
    assert_sound(trace);
}

/* FORMAT R38 */
Test(mapped_arrays, agree_with_rows_mapped_one_by_one)
{
    const struct {
        uint32_t page_size;
        bool plain;
    } files[] = {{4096, false}, {4096, true}, {16384, false}};

    for (size_t f = 0; f < G_N_ELEMENTS(files); f++) {
        Sample sample = make_sample(20 + (uint32_t)f, files[f].page_size, files[f].plain, 4);
        sample_write(&sample, true);
        check_all(&sample);
        sample_free(&sample);
    }
}

/* The limits of a field include all its values, mapped. */
Test(mapped_arrays, have_limits_of_mapped_instants)
{
    Sample sample = make_sample(30, 4096, false, 3);
    uint8_t row[XTF_ROW_MAX];

    sample_write(&sample, true);
    g_autoptr(XtfTrace) trace = open_trace(sample.path, 0);
    const XtfLimits *until = xtf_trace_limits(trace, 1, 1), *took = xtf_trace_limits(trace, 1, 2);
    uint64_t most = 0;
    for (guint l = 0; l < sample.n; l++) {
        const GArray *marks = sample.locations[l].marks;
        for (guint n = 0; n < marks->len; n++) {
            MarkRow mark;
            map_row(marks, &sample.locations[l].map, n, row);
            memcpy(&mark, row, sizeof mark);
            most = MAX(most, mark.took);
            cr_assert(mark.until == UINT64_MAX || (mark.until >= until->min && mark.until <= until->max));
        }
    }
    cr_assert(until->has_none);
    cr_assert_eq(took->max, most);
    sample_free(&sample);
}

static XtfWriter *reopen_writer(const char *path)
{
    GError *error = NULL;
    XtfWriter *writer = xtf_writer_open(path, &(XtfWriterOptions){.no_sync = true}, &error);

    cr_assert_good(writer, error);
    return writer;
}

/* Counts the sealed pages, which begin with a magic number. */
static guint count_pages(const char *bytes, gsize length)
{
    guint n = 0;

    for (gsize at = 0; at + 4096 <= length; at += 4096)
        n += xtf_load32(bytes + at) == XTF_PAGE_MAGIC;
    return n;
}

/* Commits correct the clocks, correct them again, and remove the maps. They write no page. */
Test(mapped_arrays, get_other_maps_without_writing_a_row)
{
    Sample sample = make_sample(31, 4096, false, 3);
    GError *error = NULL;
    gsize length;

    sample_write(&sample, false);
    g_autofree char *before = contents(sample.path, &length);
    guint pages = count_pages(before, length);
    for (int round = 0; round < 4; round++) {
        XtfWriter *writer = reopen_writer(sample.path);
        for (guint l = 0; l < sample.n; l++) {
            NaiveMap *map = &sample.locations[l].map;
            *map = (NaiveMap){0};
            if (round < 3 && (l + (guint)round) % 3)
                *map = random_map(sample.random, 0, 10000000, UINT64_C(1) << 40, 20);
            set_map(writer, l, map);
        }
        cr_assert_good(xtf_writer_close(writer, &error), error);
        g_autofree char *after = contents(sample.path, &length);
        cr_assert_eq(count_pages(after, length), pages);
        check_all(&sample);
        g_autoptr(XtfTrace) trace = open_trace(sample.path, 0);
        cr_assert_leq(xtf_trace_n_clock_maps(trace), 4); /* numbers are reused */
    }
    sample_free(&sample);
}

/* Snapshots of a file share a cache, but each has its own maps. */
/* FORMAT R26 */
Test(mapped_arrays, have_the_maps_of_their_snapshot)
{
    Sample sample = make_sample(37, 4096, false, 2);
    XtfTrace *traces[4];
    NaiveMap maps[G_N_ELEMENTS(traces)];
    GError *error = NULL;

    sample_write(&sample, true);
    for (guint i = 0; i < G_N_ELEMENTS(traces); i++) {
        NaiveMap *map = &sample.locations[1].map;
        if (i > 0) {
            *map = i == 3 ? maps[0] : random_map(sample.random, 0, 10000000, UINT64_C(1) << 40, 20);
            XtfWriter *writer = reopen_writer(sample.path);
            set_map(writer, 1, map);
            cr_assert_good(xtf_writer_close(writer, &error), error);
        }
        if (i == 0)
            traces[i] = open_trace(sample.path, 0);
        else
            cr_assert_good(xtf_trace_refresh(traces[i - 1], &traces[i], &error), error);
        cr_assert_not_null(traces[i]);
        maps[i] = *map;
        for (guint t = 0; t <= i; t++) {
            XtfArray marks = find_array(traces[t], 1, 1);
            check_ranks(&sample, &marks, sample.locations[1].marks, &maps[t]);
            check_cursors(&sample, &marks, sample.locations[1].marks, &maps[t]);
        }
    }
    for (guint i = 0; i < G_N_ELEMENTS(traces); i++)
        xtf_trace_unref(traces[i]);
    sample_free(&sample);
}

/* A writer that continues a file keeps its maps, and maps the rows that it appends. */
Test(mapped_arrays, keep_their_maps_when_continued)
{
    Sample sample = make_sample(32, 4096, false, 3);
    GError *error = NULL;
    const guint until[] = {1, 3000, ROWS};
    guint from = 0, marks_from = 0;

    for (size_t i = 0; i < G_N_ELEMENTS(until); i++) {
        XtfWriter *writer = i ? reopen_writer(sample.path) : sample_create(&sample);
        guint marks_to = (until[i] + 4) / 5;
        for (guint l = 0; l < sample.n; l++) {
            if (i == 0)
                set_map(writer, l, &sample.locations[l].map);
            append_rows(writer, l, 0, sample.locations[l].calls->rows, from, until[i]);
            append_rows(writer, l, 1, sample.locations[l].marks, marks_from, marks_to);
        }
        from = until[i];
        marks_from = marks_to;
        cr_assert_good(xtf_writer_close(writer, &error), error);
    }
    check_all(&sample);
    sample_free(&sample);
}

/* The complete time is global, the times of appended rows are local. */
/* FORMAT W26 */
Test(mapped_arrays, keep_the_complete_time)
{
    Sample sample = make_sample(33, 4096, false, 2);
    const NaiveMap later = {1, {{100, 1100, false}}}, earlier = {1, {{100, 0, false}}};
    XtfWriter *writer = sample_create(&sample);
    MarkRow mark = {.time = 499};
    GError *error = NULL;

    set_map(writer, 0, &later);
    XtfArrayWriter *array = xtf_writer_array(writer, 0, 1, &error);
    cr_assert_good(xtf_writer_set_complete(writer, 1500, &error), error);
    cr_assert_not(xtf_array_writer_append(array, &mark, &error));
    cr_assert_eq(error->code, XTF_ERROR_INVALID);
    g_clear_error(&error);
    mark.time = 500;
    cr_assert_good(xtf_array_writer_append(array, &mark, &error), error);
    set_map(writer, 1, &earlier);
    array = xtf_writer_array(writer, 1, 1, &error);
    mark.time = 1599;
    cr_assert_not(xtf_array_writer_append(array, &mark, &error));
    g_clear_error(&error);
    mark.time = 1600;
    cr_assert_good(xtf_array_writer_append(array, &mark, &error), error);
    cr_assert_good(xtf_writer_close(writer, &error), error);
    sample_free(&sample);
}

/* FORMAT W31 */
Test(mapped_arrays, share_equal_maps_and_drop_maps_that_change_nothing)
{
    Sample sample = make_sample(34, 4096, false, 3);
    const NaiveMap one = {2, {{100, 1100, true}, {200, 7000, true}}},
                   same = {2, {{100, 1100, true}, {200, 7000, false}}};
    const NaiveMap identity = {2, {{5, 5, true}, {1000, 1000, false}}}, invalid = {2, {{5, 5, false}, {5, 5, false}}};
    XtfClockMap maps[] = {naive_map(&one), naive_map(&same), naive_map(&identity), naive_map(&invalid)};
    XtfWriter *writer = sample_create(&sample);
    GError *error = NULL;
    uint32_t numbers[3];

    for (int i = 0; i < 3; i++)
        cr_assert_good(xtf_writer_add_clock_map(writer, &maps[i], &numbers[i], &error), error);
    cr_assert(numbers[0] == 1 && numbers[1] == 1 && numbers[2] == 0);
    cr_assert_not(xtf_writer_add_clock_map(writer, &maps[3], &numbers[0], &error));
    cr_assert_eq(error->code, XTF_ERROR_INVALID);
    g_clear_error(&error);
    cr_assert_not(xtf_writer_set_clock_map(writer, 0, 2, &error));
    cr_assert_eq(error->code, XTF_ERROR_INVALID);
    g_clear_error(&error);
    cr_assert_good(xtf_writer_close(writer, &error), error);
    sample_free(&sample);
}

/* FORMAT W22 */
Test(mapped_arrays, keep_their_maps_once_a_time_is_promised)
{
    Sample sample = make_sample(35, 4096, false, 2);
    const NaiveMap first = {1, {{100, 1100, false}}}, second = {1, {{100, 1200, false}}};
    const XtfClockMap map = naive_map(&second);
    XtfWriter *writer = sample_create(&sample);
    MarkRow mark = {.time = 700};
    GError *error = NULL;
    uint32_t number;

    set_map(writer, 0, &first);
    XtfArrayWriter *array = xtf_writer_array(writer, 0, 1, &error);
    cr_assert_good(array && xtf_array_writer_append(array, &mark, &error), error);
    cr_assert_good(xtf_writer_add_clock_map(writer, &map, &number, &error), error);
    cr_assert_good(xtf_writer_set_clock_map(writer, 0, number, &error), error);
    cr_assert_good(xtf_writer_set_complete(writer, 1500, &error), error);
    cr_assert_not(xtf_writer_set_clock_map(writer, 0, 0, &error));
    cr_assert_eq(error->code, XTF_ERROR_INVALID);
    g_clear_error(&error);
    cr_assert_good(xtf_writer_set_clock_map(writer, 0, number, &error), error); /* the same map again */
    cr_assert_good(xtf_writer_close(writer, &error), error);
    sample_free(&sample);
}
