/* Totals of frames, stacks and profiles, against frames kept in a list. */
#include "frames-fixture.h"
#include "tests/rounds.h"

/* The shape of a file. Wide rows make many leaves of few rows. */
typedef struct {
    uint32_t page_size;
    bool plain;
    unsigned filler; /* additional fields of 8 bytes */
} FileShape;

static const FileShape files[] = {{4096, false, 0}, {4096, true, 0}, {4096, true, 40}, {16384, false, 0}};

static const CallShape shapes[] = {
    {.name = "a row", .rows = 1, .deep = 3, .regions = 3},
    {.name = "few", .rows = 50, .deep = 4, .regions = 3},
    {.name = "nested", .rows = 20000, .deep = 6, .regions = 20},
    {.name = "ties", .rows = 6000, .deep = 6, .regions = 20, .ties = 90},
    {.name = "recursion", .rows = 8000, .deep = 30, .regions = 2, .ties = 20},
    {.name = "never ended", .rows = 8000, .deep = 10, .regions = 20, .never_ending = 500},
    {.name = "before the trace", .rows = 8000, .deep = 2, .regions = 20, .orphans = 30},
    {.name = "mis-nested", .rows = 8000, .deep = 20, .regions = 20, .jumps = 20, .orphans = 3},
    {.name = "all wrong", .rows = 8000, .deep = 8, .regions = REGIONS, .jumps = 20, .orphans = 10, .lies = 10},
    {.name = "deep", .rows = 20000, .deep = 150, .regions = 10, .jumps = 2},
    {.name = "very deep", .rows = 20000, .deep = 3000, .regions = 10},
    {.name = "ever deeper", .rows = 6000, .deep = 100000, .regions = REGIONS},
};

static XtfSchema *call_schema(const FileShape *file)
{
    GError *error = NULL;
    g_autofree XtfFieldSpec *fields = g_new0(XtfFieldSpec, 6 + file->filler);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

    memcpy(fields, call_fields, 5 * sizeof *fields);
    for (unsigned i = 0; i < file->filler; i++) {
        g_ptr_array_add(names, g_strdup_printf("filler%u", i));
        fields[5 + i] = (XtfFieldSpec){.name = g_ptr_array_index(names, i), .type = XTF_TYPE_U64};
    }
    XtfSchema *schema = xtf_schema_new("calls", XTF_SCHEMA_RECORD, fields, &error);
    cr_assert_good(schema, error);
    cr_assert_good(xtf_schema_add_aggregate(schema, &call_aggregate, &error), error);
    return schema;
}

static void append_calls(XtfWriter *writer, const FileShape *file, const Calls *calls, guint from, guint to)
{
    GError *error = NULL;
    g_autoptr(XtfSchema) schema = call_schema(file);
    g_autofree uint8_t *row = g_malloc0(schema->row_size);
    uint32_t id;

    cr_assert_good(xtf_writer_add_schema(writer, schema, &id, &error), error);
    XtfArrayWriter *array = xtf_writer_array(writer, 7, id, &error);
    cr_assert_good(array, error);
    for (guint i = from; i < to; i++) {
        memcpy(row, &g_array_index(calls->rows, CallRow, i), sizeof(CallRow));
        cr_assert_good(xtf_array_writer_append(array, row, &error), error);
    }
}

static XtfWriter *create_writer(const char *path, const FileShape *file)
{
    GError *error = NULL;
    XtfWriterOptions options = {
        .page_size = file->page_size, .codec = file->plain ? "plain" : NULL, .no_sync = true, .origin = UINT64_MAX};
    XtfWriter *writer = xtf_writer_create(path, &options, &error);

    cr_assert_good(writer, error);
    return writer;
}

static void write_calls(const char *path, const FileShape *file, const Calls *calls)
{
    GError *error = NULL;
    XtfWriter *writer = create_writer(path, file);

    append_calls(writer, file, calls, 0, calls->rows->len);
    cr_assert_good(xtf_writer_close(writer, &error), error);
}

/* Returns two random numbers up to n, the smaller one first. Half of the pairs are close together. */
static void random_range(GRand *random, uint64_t n, uint64_t *from, uint64_t *to)
{
    uint64_t a = (uint64_t)(g_rand_double(random) * (double)(n + 2));
    uint64_t b = chance(random, 50) ? a + (uint64_t)g_rand_int_range(random, 0, 300)
                                    : (uint64_t)(g_rand_double(random) * (double)(n + 2));
    *from = MIN(a, b);
    *to = MAX(a, b);
}

static void check_totals(const XtfArray *array, const Calls *calls, uint64_t rows, GRand *random, int times)
{
    GError *error = NULL;
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[0], 1);

    for (int i = 0; i < times; i++) {
        uint64_t n1 = 0, n2 = rows;
        NaiveCells cells;
        if (i > 0)
            random_range(random, rows, &n1, &n2);
        g_autofree char *label = g_strdup_printf("rows %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT, n1, n2);
        xtf_group_totals_clear(totals);
        cr_assert_good(xtf_array_totals(array, 0, NULL, n1, n2, totals, &error), error);
        naive_totals(calls, n1, MIN(n2, rows), cells);
        assert_cells(totals, cells, label);
    }
}

/* Checks stacks: `rows` rows are in the file; the naive calls have more. */
static void check_stacks(const XtfArray *array, const Calls *calls, uint64_t rows, GRand *random, int times)
{
    GError *error = NULL;

    for (int i = 0; i < times; i++) {
        uint64_t n = i == 0 ? rows : (uint64_t)(g_rand_double(random) * (double)(rows + 1));
        Calls *until = calls_new();
        for (guint row = 0; row < n; row++)
            naive_row(until, g_array_index(calls->rows, CallRow, row));
        g_autofree XtfOpenFrame *frames = NULL;
        size_t n_frames;
        cr_assert_good(xtf_array_stack(array, 0, n, &frames, &n_frames, &error), error);
        cr_assert_eq(n_frames, until->stack->len, "row %" G_GUINT64_FORMAT ": %zu frames, should be %u", n, n_frames,
                     until->stack->len);
        for (guint f = 0; f < n_frames; f++) {
            const XtfOpenFrame *found = &frames[f];
            const NaiveFrame *expected =
                &g_array_index(until->frames, NaiveFrame, g_array_index(until->stack, guint, f));
            cr_assert(found->row == expected->row && found->key == expected->region && found->time == expected->begin &&
                          found->outermost == expected->outermost,
                      "row %" G_GUINT64_FORMAT ", frame %u", n, f);
        }
        calls_free(until);
    }
}

static void check_profiles(const XtfArray *array, const Calls *calls, GRand *random, int times)
{
    GError *error = NULL;
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[0], 1);
    uint64_t first = array->first - 700, last = array->last + 900, span = last - first;

    for (int i = 0; i < times; i++) {
        uint64_t a, b;
        NaiveCells cells;
        random_range(random, span + 400, &a, &b);
        a += first - 200;
        b += first - 200;
        if (i == 0)
            a = 0, b = UINT64_MAX;
        if (i % 3 == 1) /* the time of a row */
            b = g_array_index(calls->rows, CallRow, g_rand_int(random) % calls->rows->len).time;
        if (i % 5 == 1)
            a = g_array_index(calls->rows, CallRow, g_rand_int(random) % calls->rows->len).time;
        g_autofree char *label = g_strdup_printf("times %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT, a, b);
        xtf_group_totals_clear(totals);
        cr_assert_good(xtf_array_profile(array, 0, a, b, first, last, totals, &error), error);
        naive_profile(calls, a, b, first, last, cells);
        assert_cells(totals, cells, label);
    }
}

Test(frames, totals_stacks_and_profiles_agree_with_memory)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(11);

    for (size_t s = 0; s < G_N_ELEMENTS(shapes); s++) {
        Calls *calls = random_calls(random, &shapes[s]);
        for (size_t f = 0; f < G_N_ELEMENTS(files); f++) {
            write_calls(path, &files[f], calls);
            for (size_t cache = 1; cache <= 64 << 20; cache *= 64 << 20) { /* no block, and all blocks */
                g_autoptr(XtfTrace) trace = open_trace(path, cache);
                XtfArray array = find_array(trace, 7, 0);
                check_totals(&array, calls, calls->rows->len, random, TEST_ROUNDS(25));
                check_profiles(&array, calls, random, TEST_ROUNDS(25));
                check_stacks(&array, calls, calls->rows->len, random, shapes[s].deep > 1000 ? 2 : 3);
            }
            g_autoptr(XtfTrace) trace = open_trace(path, 0);
            cr_assert_eq(assert_sound(trace).rows, calls->rows->len);
        }
        calls_free(calls);
    }
    remove_folder(folder);
}

/* Returns a trace of these calls: time, region, event, distance, outermost. The caller frees the trace. */
static XtfTrace *trace_of_calls(const CallRow *rows, guint n)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    Calls *calls = calls_new();

    g_array_append_vals(calls->rows, rows, n);
    write_calls(path, &files[0], calls);
    XtfTrace *trace = open_trace(path, 0);
    calls_free(calls);
    remove_folder(folder);
    return trace;
}

static void assert_totals(const XtfArray *array, uint64_t n1, uint64_t n2, NaiveCells cells)
{
    GError *error = NULL;
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[0], 1);

    cr_assert_good(xtf_array_totals(array, 0, NULL, n1, n2, totals, &error), error);
    assert_cells(totals, cells, "totals");
}

/* Asserts a profile with 50 and 200 as the times of the location's first and last records. */
static void assert_profile(const XtfArray *array, uint64_t a, uint64_t b, NaiveCells cells)
{
    GError *error = NULL;
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[0], 1);

    cr_assert_good(xtf_array_profile(array, 0, a, b, 50, 200, totals, &error), error);
    assert_cells(totals, cells, "profile");
}

Test(frames, totals_have_whole_durations_and_profiles_the_time_in_the_window)
{
    const CallRow rows[] = {{100, 0, 0, 0, 1}, {110, 1, 0, 1, 1}, {150, 1, 1, 1, 1}, {160, 0, 1, 3, 1}};
    g_autoptr(XtfTrace) trace = trace_of_calls(rows, G_N_ELEMENTS(rows));
    XtfArray array = find_array(trace, 7, 0);

    assert_totals(&array, 0, 4, (NaiveCells){[0] = {1, 1, 60, 20, 60}, [1] = {1, 1, 40, 40, 40}});
    assert_totals(&array, 1, 3, (NaiveCells){[0] = {0, 0, 0, 10}, [1] = {1, 1, 40, 40, 40}});
    assert_profile(&array, 120, 155, (NaiveCells){[0] = {0, 0, 35, 5}, [1] = {0, 1, 30, 30, 40}});
    assert_profile(&array, 120, 130, (NaiveCells){[0] = {0, 0, 10, 0}, [1] = {0, 0, 10, 10}});
}

Test(frames, a_frame_that_never_began_is_open_since_the_first_record)
{
    const CallRow rows[] = {{80, 1, 1, 0, 0}, {90, 0, 0, 0, 1}};
    g_autoptr(XtfTrace) trace = trace_of_calls(rows, G_N_ELEMENTS(rows));
    XtfArray array = find_array(trace, 7, 0);

    /* Totals do not know the records before the first row; a profile does. */
    assert_totals(&array, 0, 2, (NaiveCells){[0] = {1, 0, 0, 0}, [1] = {0, 1, 0, 0}, [BEFORE] = {1, 0, 0, 0}});
    assert_profile(&array, 60, 75, (NaiveCells){[BEFORE] = {0, 0, 15, 15}});
    /* Region 0 never ends: its frame is open until the last record. */
    assert_profile(&array, 0, 1000,
                   (NaiveCells){[0] = {1, 0, 110, 110}, [1] = {0, 1, 0, 0}, [BEFORE] = {1, 0, 30, 30}});
}

Test(frames, the_stack_in_a_nested_call_has_the_caller_outermost)
{
    const CallRow rows[] = {{100, 0, 0, 0, 1}, {110, 1, 0, 1, 1}, {150, 1, 1, 1, 1}, {160, 0, 1, 3, 1}};
    const size_t depths[] = {0, 1, 2, 1, 0};
    g_autoptr(XtfTrace) trace = trace_of_calls(rows, G_N_ELEMENTS(rows));
    XtfArray array = find_array(trace, 7, 0);
    GError *error = NULL;

    for (uint64_t n = 0; n <= 4; n++) {
        g_autofree XtfOpenFrame *frames = NULL;
        size_t n_frames;
        cr_assert_good(xtf_array_stack(&array, 0, n, &frames, &n_frames, &error), error);
        cr_assert_eq(n_frames, depths[n]);
        if (n_frames > 0)
            cr_assert(frames[0].key == 0 && frames[0].row == 0 && frames[0].time == 100 && frames[0].outermost);
        if (n_frames > 1)
            cr_assert(frames[1].key == 1 && frames[1].row == 1 && frames[1].time == 110 && frames[1].outermost);
    }
}

Test(frames, four_levels)
{
    const CallShape shape = {.name = "many", .rows = 240000, .deep = 12, .regions = 30, .orphans = 1, .jumps = 2};
    const FileShape file = {4096, true, 58};
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(12);
    Calls *calls = random_calls(random, &shape);

    write_calls(path, &file, calls);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    XtfArray array = find_array(trace, 7, 0);
    cr_assert_eq(xtf_array_height(&array), 4);
    check_totals(&array, calls, calls->rows->len, random, TEST_ROUNDS(120));
    check_profiles(&array, calls, random, TEST_ROUNDS(120));
    check_stacks(&array, calls, calls->rows->len, random, 3);
    calls_free(calls);
    remove_folder(folder);
}

typedef struct {
    const XtfArray *array;
    const Calls *calls;
    uint32_t seed;
} Checker;

static gpointer check_in_thread(gpointer data)
{
    const Checker *checker = data;
    g_autoptr(GRand) random = g_rand_new_with_seed(checker->seed);

    check_totals(checker->array, checker->calls, checker->calls->rows->len, random, 40);
    check_profiles(checker->array, checker->calls, random, 40);
    return NULL;
}

/* The threads build the same tables and digests, and evict each other's. */
Test(frames, many_threads)
{
    const CallShape shape = {.name = "many", .rows = 30000, .deep = 100, .regions = 30, .jumps = 2};
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(14);
    Calls *calls = random_calls(random, &shape);
    GThread *threads[4];
    Checker checkers[4];

    write_calls(path, &files[0], calls);
    g_autoptr(XtfTrace) trace = open_trace(path, 1 << 20);
    XtfArray array = find_array(trace, 7, 0);
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++) {
        checkers[i] = (Checker){&array, calls, i};
        threads[i] = g_thread_new("checker", check_in_thread, &checkers[i]);
    }
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        g_thread_join(threads[i]);
    calls_free(calls);
    remove_folder(folder);
}

/* Each commit is a snapshot, and a writer that continues the file has the stack that the previous writer left. */
Test(frames, commits_and_resumed_writers)
{
    const CallShape shape = {.name = "many", .rows = 30000, .deep = 100, .regions = 30, .orphans = 1, .jumps = 2};
    const guint until[] = {1, 70, 5000, 5001, 17000, 30000};
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(13);
    Calls *calls = random_calls(random, &shape);
    GError *error = NULL;

    for (size_t f = 0; f < G_N_ELEMENTS(files); f++) {
        guint from = 0;
        for (size_t i = 0; i < G_N_ELEMENTS(until); i++) {
            XtfWriterOptions options = {.no_sync = true};
            XtfWriter *writer = i == 0 ? create_writer(path, &files[f]) : xtf_writer_open(path, &options, &error);
            cr_assert_good(writer, error);
            guint middle = (from + until[i]) / 2;
            append_calls(writer, &files[f], calls, from, middle);
            cr_assert_good(xtf_writer_commit(writer, &error), error);
            g_autoptr(XtfTrace) early = open_trace(path, 0);
            append_calls(writer, &files[f], calls, middle, until[i]);
            cr_assert_good(xtf_writer_close(writer, &error), error);
            g_autoptr(XtfTrace) trace = open_trace(path, 0);
            XtfArray array;
            bool found;
            cr_assert_good(xtf_trace_find_array(early, 7, 0, &array, &found, &error), error);
            if (found) {
                cr_assert_eq(array.n_rows, middle);
                check_totals(&array, calls, middle, random, 10);
                check_stacks(&array, calls, middle, random, 2);
            }
            array = find_array(trace, 7, 0);
            cr_assert_eq(array.n_rows, until[i]);
            check_totals(&array, calls, until[i], random, 10);
            check_stacks(&array, calls, until[i], random, 2);
            assert_sound(trace);
            from = until[i];
        }
    }
    calls_free(calls);
    remove_folder(folder);
}
