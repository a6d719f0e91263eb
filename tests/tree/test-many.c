/*
 * Counts, times and totals in windows over more locations than caches hold, so that the tree sweeps through them.
 * The expected values follow from the calls that the test writes.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/rounds.h"
#include "tests/tree/traces/writing.h"

enum {
    LOCATIONS = 9001, /* for each of two threads more than the trace's cache keeps */
    CALLS = 3,
    REGIONS = 3,
    APART = 4000, /* ticks between two calls of a location */
    SPREAD = 7919,
#ifdef TEST_IS_SANITIZED
    TIMES = 1, /* queries of each window */
#else
    TIMES = 2,
#endif
};

typedef struct {
    uint64_t begin, end;
    uint32_t region;
} Call;

/* Returns call j of process i. */
static Call call_of(uint64_t i, uint64_t j)
{
    uint64_t begin = i + APART * j;

    return (Call){.begin = begin, .end = begin + 10 + i % 50, .region = (uint32_t)((i + j) % REGIONS)};
}

/* Returns the location of process i. Locations have another order than processes. */
static uint64_t id_of(uint64_t i)
{
    return i * SPREAD % LOCATIONS;
}

static void write_process(Writing *writing, uint64_t i)
{
    for (uint64_t j = 0; j < CALLS; j++) {
        Call call = call_of(i, j);
        XtfEntersLeavesRow row = {
            .time = call.begin, .seq = 2 * j, .region = call.region, .event = 0, .outermost = 1, .depth = 1};
        writing_append(writing, id_of(i), XTF_MODEL_ENTERS_LEAVES, &row);
        row.time = call.end;
        row.seq++;
        row.event = 1;
        row.enter = 1;
        writing_append(writing, id_of(i), XTF_MODEL_ENTERS_LEAVES, &row);
        XtfSendsRow send = {.time = call.end, .seq = 2 * CALLS + j, .peer = 0, .bytes = i};
        if (i % 3 == 0)
            writing_append(writing, id_of(i), XTF_MODEL_SENDS, &send);
    }
}

static void write_all(Written *written)
{
    Writing writing = {0};

    writing_begin(&writing);
    for (unsigned r = 0; r < REGIONS; r++) {
        g_autofree char *name = g_strdup_printf("region%u", r);
        writing_define(&writing, XTF_MODEL_REGIONS,
                       &(XtfRegionRow){.line = XTF_NONE32, .name = writing_string(&writing, name)});
    }
    for (uint64_t i = 0; i < LOCATIONS; i++)
        writing_define(&writing, XTF_MODEL_LOCATIONS, &(XtfLocationRow){.id = id_of(i), .proc = i});
    for (uint64_t i = 0; i < LOCATIONS; i++)
        write_process(&writing, i);
    writing_end(&writing, written);
}

static uint64_t overlap(Call call, uint64_t a, uint64_t b)
{
    uint64_t from = MAX(call.begin, a), to = MIN(call.end, b);
    return to > from ? to - from : 0;
}

static bool within(uint64_t t, uint64_t a, uint64_t b)
{
    return t >= a && t < b;
}

static void assert_count(const Written *written, const char *window, uint64_t a, uint64_t b)
{
    uint64_t count = 0, calls = 0, begun = 0;

    for (uint64_t i = 0; i < LOCATIONS; i++)
        for (uint64_t j = 0; j < CALLS; j++) {
            Call call = call_of(i, j);
            begun += within(call.begin, a, b);
            uint64_t own = (uint64_t)within(call.begin, a, b) + within(call.end, a, b);
            calls += own;
            count += own + (i % 3 == 0 && within(call.end, a, b));
        }
    const struct {
        const char *name;
        uint64_t count;
    } files[] = {
        {"count", count}, {"enters_leaves/count", calls}, {"calls/count", begun}, {"sends/count", count - calls}};
    for (size_t f = 0; f < G_N_ELEMENTS(files); f++) {
        g_autofree char *path = g_strdup_printf("%s%s", window, files[f].name);
        GString *text = written_read(written, path);
        cr_assert_eq(strtoull(text->str, NULL, 10), files[f].count, "%s: %s", path, text->str);
        g_string_free(text, TRUE);
    }
}

/* Finds the line that ends with `name` in a table and parses its first `n` numbers. */
static void find_line(const GString *text, const char *name, double *numbers, unsigned n)
{
    g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);

    for (char **line = lines; *line; line++) {
        char *at = g_strchomp(*line);
        if (!g_str_has_suffix(at, name))
            continue;
        for (unsigned i = 0; i < n; i++)
            numbers[i] = strtod(at, &at);
        return;
    }
    cr_assert_fail("%s is not in %s", name, text->str);
}

static void assert_profile(const Written *written, const char *window, uint64_t a, uint64_t b)
{
    g_autofree char *path = g_strdup_printf("%sprofile", window);
    GString *text = written_read(written, path);

    for (unsigned r = 0; r < REGIONS; r++) {
        uint64_t calls = 0, ticks = 0;
        g_autofree char *name = g_strdup_printf("region%u", r);
        double numbers[4]; /* row, calls, inclusive, exclusive */
        for (uint64_t i = 0; i < LOCATIONS; i++)
            for (uint64_t j = 0; j < CALLS; j++) {
                Call call = call_of(i, j);
                if (call.region != r)
                    continue;
                calls += within(call.begin, a, b);
                ticks += overlap(call, a, b);
            }
        find_line(text, name, numbers, G_N_ELEMENTS(numbers));
        cr_assert_eq((uint64_t)numbers[1], calls, "%s: %s", path, text->str);
        cr_assert_eq((uint64_t)llround(numbers[2] * 1e9), ticks, "%s: %s", path, text->str);
        cr_assert_eq((uint64_t)llround(numbers[3] * 1e9), ticks, "%s: %s", path, text->str);
    }
    g_string_free(text, TRUE);
}

static void assert_bytes(const Written *written, const char *window, uint64_t a, uint64_t b)
{
    g_autofree char *path = g_strdup_printf("%sbytes", window);
    GString *text = written_read(written, path);
    g_auto(GStrv) lines = g_strsplit(g_strchomp(text->str), "\n", -1);

    cr_assert_eq(g_strv_length(lines), 1 + LOCATIONS);
    for (uint64_t i = 0; i < LOCATIONS; i++) {
        uint64_t messages = 0, proc, sent, bytes;
        for (uint64_t j = 0; j < CALLS; j++)
            messages += i % 3 == 0 && within(call_of(i, j).end, a, b);
        cr_assert_eq(
            sscanf(lines[1 + i], "%" G_GUINT64_FORMAT "%" G_GUINT64_FORMAT "%" G_GUINT64_FORMAT, &proc, &sent, &bytes),
            3);
        cr_assert(proc == i && sent == messages && bytes == messages * i, "%s: %s", path, lines[1 + i]);
    }
    g_string_free(text, TRUE);
}

/* Compares the one line of `totals`: records, calls, messages sent and their bytes. */
static void assert_totals(const Written *written, const char *window, uint64_t a, uint64_t b)
{
    g_autofree char *path = g_strdup_printf("%stotals", window);
    GString *text = written_read(written, path);
    uint64_t right[4] = {0}, found[4] = {0};
    char *at = strchr(text->str, '\n');

    for (uint64_t i = 0; i < LOCATIONS; i++)
        for (uint64_t j = 0; j < CALLS; j++) {
            Call call = call_of(i, j);
            bool sends = i % 3 == 0 && within(call.end, a, b);
            right[0] += (uint64_t)within(call.begin, a, b) + within(call.end, a, b) + sends;
            right[1] += within(call.begin, a, b);
            right[2] += sends;
            right[3] += sends ? i : 0;
        }
    for (size_t i = 0; at && i < G_N_ELEMENTS(found); i++)
        found[i] = strtoull(at, &at, 10);
    cr_assert_arr_eq(found, right, sizeof right, "%s: %s", path, text->str);
    g_string_free(text, TRUE);
}

/* Checks the order of records. The tree keeps the spans of all locations and reads them after the query that found
 * them. */
static void assert_order(const Written *written)
{
    const char *const path = "time/4us-4050ns/records";
    GString *text = written_read(written, path);
    g_auto(GStrv) lines = g_strsplit(g_strchomp(text->str), "\n", -1);
    uint64_t n = 0, expected = 0;
    double before = 0;

    for (char **line = lines; *line; line++, n++) {
        double time = strtod(*line, NULL);
        cr_assert_geq(time, before, "%s", *line);
        before = time;
    }
    for (uint64_t i = 0; i < LOCATIONS; i++)
        for (uint64_t j = 0; j < CALLS; j++)
            expected += (uint64_t)within(call_of(i, j).begin, 4000, 4050) + within(call_of(i, j).end, 4000, 4050) +
                        (i % 3 == 0 && within(call_of(i, j).end, 4000, 4050));
    cr_assert_eq(n, expected);
    g_string_free(text, TRUE);
}

Test(many, totals_over_very_many_locations_are_those_of_their_calls_and_records_are_in_order)
{
    static const struct {
        const char *window;
        uint64_t a, b;
    } windows[] = {{"", 0, UINT64_MAX},
                   {"time/500ns-10us/", 500, 10000},
                   {"time/4us-4020ns/", 4000, 4020},
                   {"time/9us-/", 9000, UINT64_MAX}};
    g_auto(Written) written = {0};

    write_all(&written);
    assert_order(&written);
    for (size_t w = 0; w < G_N_ELEMENTS(windows); w++)
        for (int again = 0; again < TIMES; again++) {
            assert_count(&written, windows[w].window, windows[w].a, windows[w].b);
            assert_profile(&written, windows[w].window, windows[w].a, windows[w].b);
            assert_bytes(&written, windows[w].window, windows[w].a, windows[w].b);
            assert_totals(&written, windows[w].window, windows[w].a, windows[w].b);
        }
}
