/* Totals and profiles of many slices in one pass, against frames kept in a list. */
#include "mapped-sample.h"
#include "tests/rounds.h"

#include "libxtf/slices.h"

enum { MOST_EDGES = 60 };

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Returns the number of edges: random numbers below `end`, ascending, half of them close together or equal. */
static size_t random_edges(GRand *random, uint64_t end, uint64_t edges[MOST_EDGES])
{
    size_t n = (size_t)g_rand_int_range(random, 1, MOST_EDGES + 1);

    for (size_t i = 0; i < n; i++)
        edges[i] = i > 0 && chance(random, 50) ? edges[i - 1] + (uint64_t)g_rand_int_range(random, 0, 40)
                                               : (uint64_t)(g_rand_double(random) * (double)end);
    qsort(edges, n, sizeof *edges, compare_numbers);
    return n;
}

/* Accepts the regions whose bits are set. */
static XtfMatch match_regions(const uint64_t *key, unsigned depth, const void *data)
{
    const uint64_t *regions = data;

    if (depth == 0)
        return *regions == 0 ? XTF_MATCH_NONE : XTF_MATCH_SOME;
    return key[0] < REGIONS && *regions >> key[0] & 1 ? XTF_MATCH_ALL : XTF_MATCH_NONE;
}

/* The slices that a visitor expects. */
typedef struct {
    const Calls *calls;
    const uint64_t *edges;
    uint64_t first, last; /* of profiles: times of the location's first and last records */
    uint64_t regions;     /* of totals with a filter */
    bool filtered;
    const XtfArray *array; /* of stacks */
    uint64_t visited;
} Expected;

static bool check_totals(const XtfSlice *slice, void *data, GError **error)
{
    Expected *expected = data;
    uint64_t rows = expected->calls->rows->len;
    uint64_t n1 = MIN(expected->edges[slice->number], rows), n2 = MIN(expected->edges[slice->number + 1], rows);
    NaiveCells cells;

    cr_assert_eq(slice->number, expected->visited++);
    cr_assert(slice->n1 == n1 && slice->n2 == n2);
    naive_totals(expected->calls, n1, n2, cells);
    for (unsigned region = 0; expected->filtered && region < SLOTS; region++)
        if (region >= REGIONS || !(expected->regions >> region & 1))
            memset(cells[region], 0, sizeof cells[region]);
    assert_cells(slice->totals, cells, "totals of a slice");
    return true;
}

static bool check_count(const XtfSlice *slice, void *data, GError **error)
{
    Expected *expected = data;
    uint64_t rows = expected->calls->rows->len, count = 0;

    cr_assert_eq(slice->number, expected->visited++);
    cr_assert_null(slice->totals);
    for (uint64_t n = expected->edges[slice->number]; n < MIN(expected->edges[slice->number + 1], rows); n++) {
        const CallRow *call = &g_array_index(expected->calls->rows, CallRow, n);
        count += (!expected->filtered || call->event == 0) && (expected->regions >> call->region & 1);
    }
    cr_assert_eq(slice->count, count);
    return true;
}

static bool check_profile(const XtfSlice *slice, void *data, GError **error)
{
    Expected *expected = data;
    uint64_t a = expected->edges[slice->number], b = expected->edges[slice->number + 1];
    NaiveCells cells;

    cr_assert_eq(slice->number, expected->visited++);
    naive_profile(expected->calls, a, b, expected->first, expected->last, cells);
    assert_cells(slice->totals, cells, "profile of a slice");
    return true;
}

/* Compares a stack with that of xtf_array_stack(), which has its own naive test. */
static bool check_stack(size_t i, uint64_t n, const XtfOpenFrame *frames, size_t n_frames, void *data, GError **error)
{
    Expected *expected = data;
    XtfArray local = xtf_array_local(expected->array);
    g_autofree XtfOpenFrame *own = NULL;
    uint64_t rank;
    size_t n_own;

    cr_assert_eq(i, expected->visited++);
    cr_assert_good(xtf_array_rank(expected->array, expected->edges[i], &rank, error), *error);
    cr_assert_eq(n, rank);
    cr_assert_good(xtf_array_stack(&local, 0, n, &own, &n_own, error), *error);
    cr_assert_eq(n_own, n_frames);
    for (size_t f = 0; f < n_frames; f++)
        cr_assert(own[f].key == frames[f].key && own[f].row == frames[f].row && own[f].time == frames[f].time &&
                  own[f].outermost == frames[f].outermost);
    return true;
}

static void check_slices(const XtfArray *array, const Calls *calls, GRand *random)
{
    GError *error = NULL;
    uint64_t edges[MOST_EDGES], regions = (uint64_t)g_rand_int(random) << 20 | g_rand_int(random);
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[0], 1);
    const XtfGroupFilter some = {.match = match_regions, .data = &regions};
    const XtfGroupFilter begins = {.begins_only = true},
                         some_begins = {.match = match_regions, .data = &regions, .begins_only = true};
    size_t n = random_edges(random, array->n_rows + 3, edges);
    Expected expected = {.calls = calls, .edges = edges};

    cr_assert_good(xtf_array_slice_totals(array, 0, NULL, edges, n, totals, check_totals, &expected, &error), error);
    cr_assert_eq(expected.visited, n - 1);
    expected = (Expected){.calls = calls, .edges = edges, .filtered = true, .regions = regions};
    cr_assert_good(xtf_array_slice_totals(array, 0, &some, edges, n, totals, check_totals, &expected, &error), error);
    cr_assert_eq(expected.visited, n - 1);
    expected = (Expected){.calls = calls, .edges = edges, .filtered = true, .regions = regions};
    cr_assert_good(xtf_array_slice_totals(array, 0, &some_begins, edges, n, NULL, check_count, &expected, &error),
                   error);
    expected = (Expected){.calls = calls, .edges = edges, .filtered = true, .regions = UINT64_MAX};
    cr_assert_good(xtf_array_slice_totals(array, 0, &begins, edges, n, NULL, check_count, &expected, &error), error);
    expected = (Expected){.calls = calls, .edges = edges, .regions = UINT64_MAX};
    cr_assert_good(xtf_array_slice_totals(array, 0, NULL, edges, n, NULL, check_count, &expected, &error), error);
    cr_assert_eq(expected.visited, n - 1);
}

/* Compares totals between times with totals between the first rows at these times. */
static void check_totals_by_time(const XtfArray *array, const Calls *calls, const uint64_t *times, size_t n)
{
    GError *error = NULL;
    uint64_t rows[MOST_EDGES], regions = UINT64_C(0x5a5a5a5a5a);
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[0], 1);
    const XtfGroupFilter some = {.match = match_regions, .data = &regions};
    const XtfGroupFilter begins = {.begins_only = true};
    Expected expected = {.calls = calls, .edges = rows};

    for (size_t i = 0; i < n; i++)
        for (rows[i] = 0; rows[i] < calls->rows->len; rows[i]++)
            if (g_array_index(calls->rows, CallRow, rows[i]).time >= times[i])
                break;
    cr_assert_good(xtf_array_slice_totals_by_time(array, 0, NULL, times, n, totals, check_totals, &expected, &error),
                   error);
    cr_assert_eq(expected.visited, n - 1);
    expected = (Expected){.calls = calls, .edges = rows, .filtered = true, .regions = regions};
    cr_assert_good(xtf_array_slice_totals_by_time(array, 0, &some, times, n, totals, check_totals, &expected, &error),
                   error);
    cr_assert_eq(expected.visited, n - 1);
    expected = (Expected){.calls = calls, .edges = rows, .filtered = true, .regions = UINT64_MAX};
    cr_assert_good(xtf_array_slice_totals_by_time(array, 0, &begins, times, n, NULL, check_count, &expected, &error),
                   error);
    cr_assert_eq(expected.visited, n - 1);
}

static void check_profiles(const XtfArray *array, const Calls *calls, GRand *random)
{
    GError *error = NULL;
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[0], 1);
    uint64_t first = array->first - 700, last = array->last + 900, edges[MOST_EDGES];
    size_t n = random_edges(random, last - first + 400, edges);
    Expected expected = {.calls = calls, .edges = edges, .first = first, .last = last};

    for (size_t i = 0; i < n; i++) /* some edges at the times of rows */
        edges[i] = chance(random, 30) ? g_array_index(calls->rows, CallRow, g_rand_int(random) % calls->rows->len).time
                                      : edges[i] + first - 200;
    if (chance(random, 30))
        edges[0] = 0;
    if (chance(random, 30))
        edges[n - 1] = UINT64_MAX;
    qsort(edges, n, sizeof *edges, compare_numbers);
    cr_assert_good(xtf_array_slice_profiles(array, 0, edges, n, first, last, totals, check_profile, &expected, &error),
                   error);
    cr_assert_eq(expected.visited, n - 1);
    expected = (Expected){.edges = edges, .array = array};
    cr_assert_good(xtf_array_stacks(array, 0, edges, n, check_stack, &expected, &error), error);
    cr_assert_eq(expected.visited, n);
    check_totals_by_time(array, calls, edges, n);
}

Test(slices, agree_with_memory)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(31);

    for (size_t s = 0; s < G_N_ELEMENTS(call_shapes); s++) {
        Calls *calls = random_calls(random, &call_shapes[s]);
        for (int plain = 0; plain < 2; plain++) {
            write_small_leaves(path, plain, calls);
            for (size_t cache = 1; cache <= 64 << 20; cache *= 64 << 20) { /* no block, and all blocks */
                g_autoptr(XtfTrace) trace = open_trace(path, cache);
                XtfArray array = find_array(trace, 7, 0);
                for (unsigned i = 0; i < TEST_ROUNDS(8); i++) {
                    check_slices(&array, calls, random);
                    check_profiles(&array, calls, random);
                }
            }
        }
        calls_free(calls);
    }
    remove_folder(folder);
}

/* Returns a trace of many leaves on several levels, and its calls. */
static XtfTrace *large_trace(size_t cache, Calls **calls)
{
    const CallShape shape = {.name = "many", .rows = 100000, .deep = 12, .regions = 30, .orphans = 1, .jumps = 2};
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(32);

    *calls = random_calls(random, &shape);
    write_small_leaves(path, true, *calls);
    XtfTrace *trace = open_trace(path, cache);
    remove_folder(folder);
    return trace;
}

static bool count_slice(const XtfSlice *slice, void *data, GError **error)
{
    ++*(uint64_t *)data;
    return true;
}

/* A pass loads each page, batch and leaf once, and leaves neither leaves nor totals in the cache. */
Test(slices, a_pass_reads_each_page_once_and_keeps_none)
{
    enum { EDGES = 400 };
    Calls *calls;
    g_autoptr(XtfTrace) trace = large_trace(64 << 20, &calls);
    XtfArray array = find_array(trace, 7, 0);
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array.schema->aggregates[0], 1);
    uint64_t edges[EDGES], visited = 0;
    XtfCounters before, after;
    GError *error = NULL;

    cr_assert_geq(xtf_array_height(&array), 3);
    cr_assert_good(xtf_array_totals(&array, 0, NULL, 0, array.n_rows, totals, &error),
                   error); /* reads the right edge */
    for (uint64_t i = 0; i < EDGES; i++)
        edges[i] = array.first + (array.last - array.first) * i / EDGES;
    xtf_trace_get_counters(trace, &before);
    cr_assert_good(xtf_array_slice_profiles(&array, 0, edges, EDGES, array.first, array.last, totals, count_slice,
                                            &visited, &error),
                   error);
    xtf_trace_get_counters(trace, &after);
    cr_assert_eq(visited, EDGES - 1);
    uint64_t loads = after.cache_loads - before.cache_loads;
    uint64_t pages = calls->rows->len * sizeof(CallRow) / 4096 / 160 + 2; /* of 160 entries or more */
    /* A page, the totals of its batches, and at most 11 batches of 16 children. */
    cr_assert_leq(loads, EDGES + (2 + 11) * pages, "%" G_GUINT64_FORMAT " blocks were loaded", loads);
    uint64_t kept = after.cache_bytes - before.cache_bytes;
    cr_assert_leq(kept, pages * 4096 * 3 / 2, "%" G_GUINT64_FORMAT " bytes are left", kept);
    calls_free(calls);
}

static bool fail_at_third(const XtfSlice *slice, void *data, GError **error)
{
    uint64_t *visited = data;

    ++*visited;
    return slice->number < 2 || xtf_fail(error, XTF_ERROR_CANCELLED, "the third slice");
}

Test(slices, a_visitor_ends_the_pass)
{
    Calls *calls;
    g_autoptr(XtfTrace) trace = large_trace(1, &calls);
    XtfArray array = find_array(trace, 7, 0);
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array.schema->aggregates[0], 1);
    uint64_t times[] = {0, array.first + 5, array.first + 9000, array.last, UINT64_MAX}, visited = 0;
    const uint64_t rows[] = {0, 5, 70000, 80000, 99999}, descending[] = {5, 6, 4};
    GError *error = NULL;

    cr_assert_not(xtf_array_slice_profiles(&array, 0, times, 5, array.first, array.last, totals, fail_at_third,
                                           &visited, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_CANCELLED) && visited == 3);
    g_clear_error(&error);
    visited = 0;
    cr_assert_not(xtf_array_slice_totals(&array, 0, NULL, rows, 5, totals, fail_at_third, &visited, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_CANCELLED) && visited == 3);
    g_clear_error(&error);
    cr_assert_not(
        xtf_array_slice_totals_by_time(&array, 0, NULL, descending, 3, totals, fail_at_third, &visited, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_INVALID) && visited == 3);
    g_clear_error(&error);
    cr_assert_not(xtf_array_slice_totals(&array, 0, NULL, descending, 3, totals, fail_at_third, &visited, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_INVALID) && visited == 3);
    g_clear_error(&error);
    cr_assert_good(xtf_array_slice_totals(&array, 0, NULL, rows, 0, totals, fail_at_third, &visited, &error), error);
    cr_assert_good(xtf_array_slice_totals(&array, 0, NULL, rows, 1, totals, fail_at_third, &visited, &error), error);
    cr_assert_eq(visited, 3);
    calls_free(calls);
}

/* The slices of a location, whose profiles are checked. */
typedef struct {
    const Location *location;
    const uint64_t *times;
    uint64_t first, last;
} ClockSlices;

static bool check_clock_slice(const XtfSlice *slice, void *data, GError **error)
{
    const ClockSlices *slices = data;
    const NaiveMap *map = &slices->location->map;
    NaiveCells cells;

    naive_profile(slices->location->calls, naive_local(map, slices->times[slice->number]),
                  naive_local(map, slices->times[slice->number + 1]), slices->first, slices->last, cells);
    assert_cells(slice->totals, cells, "slice");
    return true;
}

static void check_clock_slices(Sample *sample, const XtfArray *array, const Location *location)
{
    enum { EDGES = 40 };
    const GArray *rows = location->calls->rows;
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[0], 1);
    uint64_t times[EDGES] = {0};
    const ClockSlices slices = {location, times, array->local_first - 700, array->local_last + 900};
    GError *error = NULL;

    for (int i = 1; i < EDGES; i++) {
        uint64_t t = pick_time(sample->random, rows, &location->map, i);
        int at = i;
        for (; at > 0 && times[at - 1] > t; at--)
            times[at] = times[at - 1];
        times[at] = t;
    }
    cr_assert_good(xtf_array_slice_profiles(array, 0, times, EDGES, slices.first, slices.last, totals,
                                            check_clock_slice, (void *)&slices, &error),
                   error);
}

/* A slice of global time is a slice of local time. */
Test(slices, of_locations_with_clock_maps)
{
    Sample sample = make_sample(38, 4096, false, 4);

    sample_write(&sample, true);
    g_autoptr(XtfTrace) trace = open_trace(sample.path, 0);
    for (guint l = 0; l < sample.n; l++) {
        XtfArray calls = find_array(trace, l, 0);
        for (unsigned i = 0; i < TEST_ROUNDS(8); i++)
            check_clock_slices(&sample, &calls, &sample.locations[l]);
    }
    sample_free(&sample);
}
