/*
 * causes-script THREADS [BROKEN]: reads points of waits from standard input, finds their causes, and prints them. With
 * a second argument the times of points cannot be read once the backward pass has begun.
 *
 *     locations N CONTEXTS PROCESS...       processes ascend
 *     operation LATE LATE-SEQ MEMBERS LOCATION SYNCHRONISES ...
 *
 * Then the points of each location follow in their order. Work before a point precedes the point:
 *
 *     charge CONTEXT TICKS
 *     point SEQ SIDE COST CONTEXT WAIT CALL COMPLETION PARTNER PARTNER-SEQ INSTANCE     partner -1: none
 *     end
 *
 * The program prints lines `wait LOCATION SEQ INDIRECT PROPAGATING PASSED CAUSE-SEQ` and `delay LOCATION SEQ CONTEXT
 * COST SHORT LONG`. The last line is `counts EXPLAINED CIRCLES LOST`. Standard error gets `looked N`, the number of
 * points examined.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/error.h"
#include "src/analysis/causes/causes.h"
#include "src/analysis/waits/points-private.h"
#include "src/analysis/waits/shares.h"
#include "src/trace/select/parallel.h"

/* State of the script: points as the forward pass stores them. */
typedef struct {
    XtfPoints *points;
    XtfCallpathLog callpaths;
    uint32_t location; /* index of the current location */
    GArray *charges;   /* XtfCallpathTicks since the last point */
    uint64_t n_operations;
} Script;

static void fail_on(GError *error)
{
    if (!error)
        return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

static int64_t read_number(void)
{
    int64_t value;

    if (scanf("%" SCNd64, &value) != 1)
        fail_on(g_error_new(XTF_ERROR, XTF_ERROR_INVALID, "the script lacks a number"));
    return value;
}

static void read_locations(Script *script, GError **error)
{
    XtfPoints *points = script->points = g_new0(XtfPoints, 1);
    XtfCallpathCache cache;

    points->n_locations = (uint32_t)read_number();
    points->locations = xtf_paged_grow(&points->paged, points->n_locations * sizeof *points->locations);
    points->points = points->times = XTF_SPOOL_NONE;
    points->callpaths = &script->callpaths;
    xtf_callpath_log_init(points->callpaths);
    xtf_callpath_cache_init(&cache);
    for (uint32_t i = 0, n = (uint32_t)read_number(); i < n; i++)
        xtf_callpath_log_enter(points->callpaths, &cache, UINT32_MAX, i, 0);
    xtf_callpath_cache_finish(&cache);
    xtf_callpath_log_number(points->callpaths);
    for (uint32_t i = 0; i < points->n_locations; i++)
        points->locations[i].id = points->locations[i].proc = (uint64_t)read_number();
    if (xtf_spool_open(&points->points, error) && xtf_spool_open(&points->times, error))
        xtf_operations_open(&points->operations, error);
}

static void read_operation(Script *script, GError **error)
{
    XtfOperation operation = {0};

    operation.culprit = (uint32_t)read_number();
    operation.culprit_seq = (uint64_t)read_number();
    uint32_t n = (uint32_t)read_number();
    g_autofree XtfOperationMember *members = g_new0(XtfOperationMember, n);
    for (uint32_t i = 0; i < n; i++) {
        members[i].location = (uint32_t)read_number();
        members[i].synchronises = read_number() != 0;
    }
    xtf_operations_put(&script->points->operations, script->n_operations++, &operation, members, n, error);
}

static void put_point(Script *script, XtfPoint *point, GError **error)
{
    XtfPoints *points = script->points;
    XtfPointLocation *location = &points->locations[script->location];
    size_t bytes = script->charges->len * sizeof(XtfCallpathTicks);

    point->n_times = script->charges->len;
    point->times = xtf_spool_allot(&points->times, bytes);
    location->first = location->n++ == 0 ? points->n : location->first;
    if (xtf_spool_put(&points->times, point->times, script->charges->data, bytes, error))
        xtf_spool_put(&points->points, points->n++ * sizeof *point, point, sizeof *point, error);
    g_array_set_size(script->charges, 0);
}

static void read_point(Script *script, GError **error)
{
    XtfPoint point = {0};

    point.seq = point.time = point.end = point.row = (uint64_t)read_number();
    point.side = (uint8_t)read_number();
    point.kind = xtf_cost_label((XtfCostKind)read_number());
    point.callpath = (uint32_t)read_number();
    point.wait = (uint64_t)read_number();
    point.leave = (uint64_t)read_number(); /* the call's length */
    point.completion = read_number();
    point.partner = (uint32_t)read_number();
    point.partner_seq = (uint64_t)read_number();
    point.instance = (uint64_t)read_number();
    put_point(script, &point, error);
}

static void read_charge(Script *script)
{
    XtfCallpathTicks ticks = {.callpath = (uint32_t)read_number()};

    ticks.ticks = (uint64_t)read_number();
    g_array_append_val(script->charges, ticks);
}

static void end_location(Script *script, GError **error)
{
    XtfPoint end = {.seq = UINT64_MAX, .side = XTF_POINT_END, .callpath = UINT32_MAX};

    g_array_set_size(script->charges, 0);
    put_point(script, &end, error);
    script->location++;
}

static void read_script(Script *script, GError **error)
{
    char word[16];

    while (!*error && scanf("%15s", word) == 1) {
        if (!strcmp(word, "locations"))
            read_locations(script, error);
        else if (!strcmp(word, "operation"))
            read_operation(script, error);
        else if (!strcmp(word, "point"))
            read_point(script, error);
        else if (!strcmp(word, "charge"))
            read_charge(script);
        else if (!strcmp(word, "end"))
            end_location(script, error);
        else
            xtf_fail(error, XTF_ERROR_INVALID, "the script has an unknown word: %s", word);
    }
}

static void print_waits(const Script *script, uint32_t number, GError **error)
{
    const XtfPointLocation *location = xtf_points_location(script->points, number);
    g_auto(XtfRemainders) remainders = {0};

    for (uint64_t i = 0; i < location->n && !*error; i++) {
        XtfPoint point;
        XtfPointResult result;
        if (!xtf_points_read(script->points, location->first + i, 1, &point, error))
            return;
        xtf_points_results(script->points, location->first + i, 1, &result);
        if (point.wait > 0) {
            uint64_t indirect =
                xtf_share_round(&remainders, xtf_share_key(point.callpath, point.kind), result.indirect, point.wait);
            printf("wait %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 "\n", number, point.seq, indirect,
                   result.propagating, result.passed, (int64_t)result.cause);
        }
    }
}

static void print_delays(XtfDelays *delays, uint32_t number, GError **error)
{
    XtfDelay delay;

    for (uint64_t i = 0; i < xtf_delays_n(delays, number); i++) {
        if (!xtf_delays_get(delays, number, i, &delay, error))
            return;
        printf("delay %u %" PRIu64 " %u %u %" PRIu64 " %" PRIu64 "\n", number, delay.seq, delay.callpath, delay.cost,
               delay.short_term, delay.long_term);
    }
}

/* Breaks the file of times when the backward pass begins. */
static void break_times(const char *step, uint64_t done, uint64_t total, void *script)
{
    int folder = open("/", O_PATH);

    (void)total;
    if (!strcmp(step, "causes") && done == 0)
        dup2(folder, ((Script *)script)->points->times.fd);
    close(folder);
}

int main(int argc, char **argv)
{
    Script script = {.charges = g_array_new(false, false, sizeof(XtfCallpathTicks))};
    GError *error = NULL;
    XtfDelays *delays = NULL;
    XtfCausesCounts counts;
    XtfSteps steps = {.progress = argc > 2 ? break_times : NULL, .progress_data = &script};

    xtf_parallel_set_threads(argc > 1 ? (unsigned)atoi(argv[1]) : 1);
    read_script(&script, &error);
    fail_on(error);
    xtf_causes_find(NULL, script.points, NULL, NULL, &steps, &delays, &counts, &error);
    fail_on(error);
    for (uint32_t i = 0; i < script.points->n_locations && !error; i++) {
        print_waits(&script, i, &error);
        print_delays(delays, i, &error);
    }
    fail_on(error);
    printf("counts %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", counts.explained, counts.circles, counts.lost);
    fprintf(stderr, "looked %" PRIu64 "\n", counts.looked);
    xtf_delays_free(delays);
    xtf_points_free(script.points);
    xtf_callpath_log_finish(&script.callpaths);
    g_array_unref(script.charges);
    return 0;
}
