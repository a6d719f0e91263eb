/* Clock maps, against a naive conversion that looks at the knots one by one. */
#include "clocks-fixture.h"

#include "libxtf/merge.h"

static void assert_sound_map(const NaiveMap *naive)
{
    XtfClockMap map = naive_map(naive);
    uint32_t knot;
    const char *fault = xtf_clock_map_fault(&map, &knot);

    cr_assert_null(fault, "knot %u: %s", knot, fault);
}

/* Checks both conversions at a local time, at its global time, and one tick before and after. */
static void check_at(const NaiveMap *naive, uint64_t local)
{
    XtfClockMap map = naive_map(naive);
    uint64_t global = naive_global(naive, local);

    cr_assert_eq(xtf_clock_map_to_global(&map, local), global, "local %" G_GUINT64_FORMAT, local);
    for (int off = -1; off <= 1; off++) {
        uint64_t t = global + (uint64_t)off;
        if ((off < 0 && global == 0) || (off > 0 && global == UINT64_MAX))
            continue;
        uint64_t least = xtf_clock_map_to_local(&map, t);
        bool none = naive_global(naive, UINT64_MAX) < t;
        cr_assert(none ? least == UINT64_MAX : naive_global(naive, least) >= t, "global %" G_GUINT64_FORMAT, t);
        cr_assert(least == 0 || naive_global(naive, least - 1) < t,
                  "global %" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT " is not the least", t, least);
    }
}

Test(clock_maps, convert_from_local_to_global_time_and_back)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(1);

    for (int i = 0; i < 400; i++) {
        uint64_t from = i % 3 ? random_u64(random, UINT64_C(1) << (1 + i % 50)) : 0;
        uint64_t to = from + 1 + random_u64(random, UINT64_C(1) << (1 + i % 40));
        NaiveMap map = random_map(random, from, to, UINT64_C(1) << 44, i % 2 ? 20 : 0);
        assert_sound_map(&map);
        for (uint32_t k = 0; k < map.n; k++)
            for (int off = -2; off <= 2; off++)
                check_at(&map, map.knots[k].local + (uint64_t)off); /* 0 - 1 wraps to the greatest time */
        for (int n = 0; n < 200; n++)
            check_at(&map, from / 2 + random_u64(random, 2 * to));
        check_at(&map, 0);
        check_at(&map, UINT64_MAX);
    }
}

Test(clock_maps, are_limited_to_0_and_the_greatest_number)
{
    const uint64_t top = UINT64_MAX;
    const NaiveMap maps[] = {
        {1, {{1000, 10, false}}},                                /* the first 990 ticks are all 0 */
        {1, {{10, 1000, false}}},                                /* the last 990 ticks are all the greatest number */
        {2, {{0, 0, true}, {1, top, false}}},                    /* a jump over the whole range */
        {2, {{0, 0, false}, {top, top, false}}},                 /* a line over the whole range */
        {2, {{0, 0, false}, {top, top - top / 1000, false}}},    /* a line of the least slope */
        {2, {{0, top / 1001, false}, {top / 2, top / 2, true}}}, /* its conversion needs 128 bits */
        {3, {{5, 5, false}, {6, 5, false}, {7, 5, true}}},       /* global time that does not advance */
    };

    for (size_t i = 0; i < G_N_ELEMENTS(maps); i++)
        for (uint64_t at = 1; at; at = at < top / 7 ? at * 7 : 0)
            for (int off = -1; off <= 1; off++) {
                check_at(&maps[i], at + (uint64_t)off);
                check_at(&maps[i], top - at - (uint64_t)off);
            }
    cr_assert_eq(xtf_clock_map_to_global(NULL, 77), 77);
    cr_assert_eq(xtf_clock_map_to_local(NULL, 77), 77);
}

typedef struct {
    const char *fault;
    NaiveMap map;
    uint32_t knot;
} Faulty;

Test(clock_maps, invalid_maps_are_detected)
{
    const Faulty all[] = {
        {"no knots", {0, {{0}}}, 0},
        {"local time stands still", {2, {{5, 5, false}, {5, 6, false}}}, 1},
        {"local time goes backwards", {3, {{0, 0, false}, {5, 5, false}, {4, 6, false}}}, 2},
        {"global time goes backwards", {2, {{5, 5, false}, {6, 4, false}}}, 1},
        {"too fast", {2, {{0, 0, false}, {1000000, 1001002, false}}}, 1},
        {"too slow", {2, {{0, 0, false}, {1000000, 998998, false}}}, 1},
        {"a jump backwards", {2, {{0, 0, true}, {1000000, 999999, false}}}, 1},
    };
    const NaiveMap sound[] = {
        {2, {{0, 0, false}, {1000000, 1001001, false}}},
        {2, {{0, 0, false}, {1000000, 998999, false}}},
        {2, {{0, 0, true}, {1000000, 1000000, false}}},
        {2, {{0, 0, true}, {1, 1000000000, true}}}, /* the flag of the last knot has no meaning */
    };

    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        XtfClockMap map = naive_map(&all[i].map);
        uint32_t knot;
        cr_assert_not_null(xtf_clock_map_fault(&map, &knot), "%s", all[i].fault);
        cr_assert_eq(knot, all[i].knot, "%s", all[i].fault);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(sound); i++)
        assert_sound_map(&sound[i]);
}

/* Writes a file with one row of a location whose map has n knots, unlike the maps of the other files. */
static void write_knots(const char *path, uint64_t location, uint32_t n)
{
    static const XtfFieldSpec fields[] = {{.name = "time", .type = XTF_TYPE_U64, .role = "time"}, {0}};
    g_autofree XtfClockKnot *knots = g_new0(XtfClockKnot, n);
    const XtfClockMap map = {.n_knots = n, .knots = knots};
    GError *error = NULL;
    uint64_t time = 1;
    uint32_t id, number;

    for (uint32_t i = 0; i < n; i++)
        knots[i] = (XtfClockKnot){.local = i, .global = i + location};
    g_autoptr(XtfSchema) schema = xtf_schema_new("events", XTF_SCHEMA_RECORD, fields, &error);
    XtfWriter *writer = xtf_writer_create(path, &(XtfWriterOptions){.no_sync = true}, &error);
    cr_assert_good(writer, error);
    cr_assert_good(xtf_writer_add_schema(writer, schema, &id, &error), error);
    XtfArrayWriter *array = xtf_writer_array(writer, location, id, &error);
    cr_assert_good(xtf_array_writer_append(array, &time, &error), error);
    cr_assert_good(xtf_writer_add_clock_map(writer, &map, &number, &error), error);
    cr_assert_good(xtf_writer_set_clock_map(writer, location, number, &error), error);
    cr_assert_good(xtf_writer_close(writer, &error), error);
}

/* FORMAT W48 */
Test(clock_maps, merged_files_have_no_more_knots_than_one_file)
{
    char *folder = make_folder();
    g_autofree char *one = g_build_filename(folder, "1.xtf", NULL), *two = g_build_filename(folder, "2.xtf", NULL);
    g_autofree char *three = g_build_filename(folder, "3.xtf", NULL);
    g_autofree char *whole = g_build_filename(folder, "whole.xtf", NULL);
    const XtfMergeOptions options = {.no_sync = true};
    GError *error = NULL;

    write_knots(one, 1, XTF_CLOCK_KNOTS_MAX - 10);
    write_knots(two, 2, 10);
    write_knots(three, 3, 11);
    cr_assert_good(xtf_merge(whole, (const char *const[]){one, two}, 2, &options, NULL, &error), error);
    cr_assert_not(xtf_merge(whole, (const char *const[]){one, three}, 2, &options, NULL, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_TOO_LARGE), "%s", error->message);
    g_clear_error(&error);
    remove_folder(folder);
}
