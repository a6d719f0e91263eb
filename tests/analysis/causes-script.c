/*
 * Finds the causes of waits whose points a script tells, and prints them.
 *
 *   locations N CONTEXTS PROCESS...
 *   operation COST LATE LATE-SEQ MEMBERS PROCESS SYNCHRONISES ...
 *   point LOCATION SEQ KIND COST CONTEXT WAIT TOTAL COMPLETION OTHER OTHER-SEQ OPERATION     other -1: none
 *   calls                      all points are told; then for each location, from the first
 *   location
 *   charge CONTEXT TICKS
 *   here                       the location's next point
 *
 * Prints lines `wait LOCATION SEQ INDIRECT PROPAGATING PASSED CAUSE` and `delay LOCATION SEQ CONTEXT COST SHORT LONG`,
 * and a last line `counts EXPLAINED CIRCLES LOST`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/analysis/causes/causes.h"

typedef struct {
    XtfSyncPoints *points;
    XtfCallTimes *times;
    uint32_t n_locations, n_contexts;
} Script;

static void fail_on(GError *error)
{
    if (!error)
        return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

static int64_t next(void)
{
    int64_t value;

    if (scanf("%" SCNd64, &value) != 1)
        fail_on(g_error_new(XTF_ERROR, XTF_ERROR_INVALID, "a number is missing"));
    return value;
}

static void read_locations(Script *script, GError **error)
{
    script->n_locations = (uint32_t)next();
    script->n_contexts = (uint32_t)next();
    g_autofree uint32_t *processes = g_new(uint32_t, script->n_locations);
    for (uint32_t i = 0; i < script->n_locations; i++)
        processes[i] = (uint32_t)next();
    script->points = xtf_sync_points_new(script->n_locations, processes, NULL, error);
    script->times = xtf_call_times_new(NULL, error);
}

static void read_operation(Script *script, GError **error)
{
    XtfSyncOperation operation = {0};
    uint64_t number;

    operation.cost = (uint32_t)next();
    operation.late = (uint32_t)next();
    operation.late_seq = (uint64_t)next();
    operation.n_members = (uint32_t)next();
    g_autofree XtfSyncMember *members = g_new0(XtfSyncMember, operation.n_members);
    for (uint32_t i = 0; i < operation.n_members; i++) {
        members[i].process = (uint32_t)next();
        members[i].synchronises = next() != 0;
    }
    xtf_sync_points_add_operation(script->points, &operation, members, &number, error);
}

static void read_point(Script *script, GError **error)
{
    XtfSyncPoint point = {0};

    point.key.location = (uint32_t)next();
    point.key.seq = point.time = (uint64_t)next();
    point.kind = (uint8_t)next();
    point.cost = (uint8_t)next();
    point.context = (uint32_t)next();
    point.wait = (uint64_t)next();
    point.total = (uint64_t)next();
    point.completion = next();
    point.other = (uint32_t)next();
    point.other_seq = (uint64_t)next();
    point.operation = (uint64_t)next();
    point.number = point.key.seq;
    xtf_sync_points_add(script->points, &point, error);
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
        else if (!strcmp(word, "calls"))
            xtf_sync_points_sort(script->points, error);
        else if (!strcmp(word, "location"))
            xtf_call_times_begin(script->times, error);
        else if (!strcmp(word, "here"))
            xtf_call_times_point(script->times, error);
        else if (!strcmp(word, "charge")) {
            uint32_t context = (uint32_t)next();
            xtf_call_times_charge(script->times, context, (uint64_t)next());
        } else
            xtf_fail(error, XTF_ERROR_INVALID, "an unknown word: %s", word);
    }
}

static void print_waits(Script *script, GError **error)
{
    XtfSyncPoint point;

    for (uint32_t location = 0; location < script->n_locations; location++) {
        for (uint64_t i = 0; i < xtf_sync_points_n(script->points, location); i++) {
            if (!xtf_sync_points_get(script->points, location, i, &point, error))
                return;
            if (point.wait > 0)
                printf("wait %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 "\n", location, point.key.seq,
                       point.indirect, point.propagating, point.passed, (int64_t)point.cause);
        }
    }
}

static void print_delays(Script *script, XtfSortedFile *delays, GError **error)
{
    XtfDelay delay;

    for (uint32_t location = 0; location < script->n_locations; location++) {
        for (uint64_t i = 0; i < xtf_sorted_file_n(delays, location); i++) {
            if (!xtf_sorted_file_get(delays, location, i, &delay, error))
                return;
            printf("delay %u %" PRIu64 " %u %u %" PRIu64 " %" PRIu64 "\n", location, delay.key.seq, delay.context,
                   delay.cost, delay.short_term, delay.long_term);
        }
    }
}

int main(void)
{
    Script script = {0};
    GError *error = NULL;
    XtfSortedFile *delays = NULL;
    XtfCausesCounts counts;

    read_script(&script, &error);
    fail_on(error);
    const XtfCausesOptions options = {.n_contexts = script.n_contexts};
    xtf_causes_find(script.points, script.times, &options, &delays, &counts, &error);
    fail_on(error);
    print_waits(&script, &error);
    fail_on(error);
    print_delays(&script, delays, &error);
    fail_on(error);
    printf("counts %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", counts.explained, counts.circles, counts.lost);
    xtf_sorted_file_free(delays);
    xtf_call_times_free(script.times);
    xtf_sync_points_free(script.points);
    return 0;
}
