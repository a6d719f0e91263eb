/* Damaged clock maps in a file with correct checksums. */
#include "mapped-sample.h"

#include "libxtf/tree/trace-private.h"
#include "tests/fuzz/fuzz-structure.h"

typedef struct {
    const char *name, *message;
    uint32_t at; /* offset in the item of clock maps */
    uint32_t value;
} Damage;

/* Changes four bytes of a file, and corrects its checksums. */
static void write_damaged(const char *path, const char *bytes, gsize length, uint64_t at, uint32_t value)
{
    GError *error = NULL;
    g_autofree uint8_t *copy = g_memdup2(bytes, length);

    xtf_store32(copy + at, value);
    fuzz_correct_checksums(copy, length, NULL);
    cr_assert_good(g_file_set_contents(path, (const char *)copy, (gssize)length, &error), error);
}

static void assert_refused(const char *path, const char *name, const char *message)
{
    GError *error = NULL;
    XtfTrace *trace = xtf_trace_open(path, NULL, &error);
    XtfArray array;
    bool found;

    if (trace)
        cr_assert_not(xtf_trace_find_array(trace, 1, 0, &array, &found, &error), "%s", name);
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_DAMAGED), "%s", name);
    cr_assert(strstr(error->message, message), "%s: %s", name, error->message);
    g_error_free(error);
    xtf_trace_unref(trace);
}

Test(damaged_maps, are_refused)
{
    const NaiveMap first = {1, {{0, 1000, false}}}, second = {2, {{100, 1100, false}, {200, 1200, false}}};
    const Damage all[] = {
        {"no knots", "clock map 1", 0, 0},
        {"more knots than the item has", "clock map 1", 0, 77},
        {"the knots of the next map", "clock map 1, knot 1", 0, 2},
        {"local time goes backwards", "clock map 2, knot 1", 64, 100},
        {"global time goes backwards", "clock map 2, knot 1", 72, 1099},
        {"too fast", "clock map 2, knot 1", 72, 1203},
        {"a knot too few", "clock map 2", 32, 1},
    };
    Sample sample = make_sample(35, 4096, false, 3);
    gsize length;

    sample.locations[1].map = first;
    sample.locations[2].map = second;
    sample_write(&sample, true);
    g_autoptr(XtfTrace) trace = open_trace(sample.path, 0);
    uint64_t maps = trace->catalog.clock_maps.offset, node = trace->catalog.arrays_root.offset;
    g_autofree char *bytes = contents(sample.path, &length);
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        write_damaged(sample.path, bytes, length, maps + all[i].at, all[i].value);
        assert_refused(sample.path, all[i].name, all[i].message);
    }
    uint64_t number = node + sizeof(XtfDiskNode) + 2 * sizeof(XtfDiskArray) + offsetof(XtfDiskArray, clock_map);
    write_damaged(sample.path, bytes, length, number, 9);
    assert_refused(sample.path, "a missing map", "clock map 9");
    sample_free(&sample);
}

static void assert_problem(const char *path, const char *message)
{
    GError *error = NULL;
    g_autoptr(GString) problems = g_string_new(NULL);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    XtfCheckReport report;

    cr_assert_good(xtf_trace_check(trace, count_problem, NULL, problems, &report, &error), error);
    cr_assert(strstr(problems->str, message), "%s: %s", message, problems->str);
}

Test(damaged_maps, are_detected_by_the_checker)
{
    Sample sample = make_sample(36, 4096, false, 3);
    gsize length;

    sample_write(&sample, true);
    g_autoptr(XtfTrace) trace = open_trace(sample.path, 0);
    uint64_t node = trace->catalog.arrays_root.offset + sizeof(XtfDiskNode);
    g_autofree char *bytes = contents(sample.path, &length);
    /* One of two arrays of a location gets the map of another location. */
    uint64_t number = node + 3 * sizeof(XtfDiskArray) + offsetof(XtfDiskArray, clock_map);
    write_damaged(sample.path, bytes, length, number, 2);
    assert_problem(sample.path, "its arrays have clock maps 1 and 2");
    /* The last knot changes, and with it the time of the last record, which the catalog has. */
    uint64_t last = 0;
    for (guint l = 0; l < sample.n; l++)
        last = MAX(last, sample.locations[l].map.n ? naive_global(&sample.locations[l].map, UINT32_MAX) : 0);
    uint64_t end = trace->catalog.clock_maps.offset + trace->catalog.clock_maps.length;
    write_damaged(sample.path, bytes, length, end - sizeof(XtfDiskClockKnot) + offsetof(XtfDiskClockKnot, global),
                  xtf_load32(bytes + end - sizeof(XtfDiskClockKnot) + offsetof(XtfDiskClockKnot, global)) + 1);
    assert_problem(sample.path, "first and last times");
    sample_free(&sample);
}
