/*
 * Finds the waits of a trace and their causes, and prints what each call path of each location has of them:
 *
 *   usage: trace-causes TRACE.xtf
 *
 * Lines `wait KIND LOCATION AMOUNT INDIRECT PROPAGATING PATH` and `delay KIND LOCATION SHORT LONG PATH`, one for each
 * wait and each delay; a path's regions are apart by tabs.
 */
#include <stdio.h>
#include <stdlib.h>

#include "libxtf/trace.h"
#include "src/analysis/causes/causes.h"
#include "src/analysis/waits/collect.h"
#include "src/analysis/waits/find.h"
#include "src/model/schemas.h"

typedef struct {
    XtfTrace *trace;
    XtfPoints *points;
    const XtfTable *regions;
    const XtfField *name;
} Printer;

static const char *kind_name(uint8_t label)
{
    return xtf_schema_field_by_role(xtf_model_schema(XTF_MODEL_WAITS), XTF_ROLE_EVENT)->labels[label];
}

static bool print_path(const Printer *printer, uint32_t context, GError **error)
{
    const char *name = "(outside)";

    if (context < xtf_points_n_contexts(printer->points)) {
        uint32_t region = xtf_points_context_region(printer->points, context);
        uint32_t parent = xtf_points_context_parent(printer->points, context);
        const uint8_t *row = printer->regions->rows + region * (uint64_t)printer->regions->schema->row_size;
        if (parent != UINT32_MAX && !print_path(printer, parent, error))
            return false;
        if (!xtf_trace_string(printer->trace, (uint32_t)xtf_field_get(printer->name, row), &name, error))
            return false;
    }
    printf("\t%s", name);
    return true;
}

static bool print_waits(const Printer *printer, uint32_t number, GError **error)
{
    const XtfPointLocation *location = xtf_points_location(printer->points, number);

    for (uint64_t i = 0; i < location->n; i++) {
        XtfPoint point;
        XtfPointResult result;
        if (!xtf_points_read(printer->points, location->first + i, 1, &point, error) ||
            !xtf_points_results(printer->points, location->first + i, 1, &result, error))
            return false;
        if (point.wait == 0)
            continue;
        printf("wait %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, kind_name(point.kind), location->id, point.wait,
               result.indirect, result.propagating);
        if (!print_path(printer, point.context, error))
            return false;
        printf("\n");
    }
    return true;
}

static bool print_delays(const Printer *printer, const XtfDelays *delays, uint32_t number, GError **error)
{
    XtfDelay delay;

    for (uint64_t i = 0; i < xtf_delays_n(delays, number); i++) {
        if (!xtf_delays_get(delays, number, i, &delay, error))
            return false;
        printf("delay %s %" PRIu64 " %" PRIu64 " %" PRIu64, kind_name(xtf_cost_label(delay.cost)),
               xtf_points_location(printer->points, number)->id, delay.short_term, delay.long_term);
        if (!print_path(printer, delay.context, error))
            return false;
        printf("\n");
    }
    return true;
}

static bool analyse(XtfTrace *trace, GError **error)
{
    const XtfReplayOptions options = {.calls = true};
    g_autoptr(XtfReplay) replay = xtf_replay_new(trace, &options, error);
    g_autoptr(XtfPoints) points = NULL;
    g_autoptr(XtfDelays) delays = NULL;
    Printer printer = {.trace = trace};
    XtfRawPoints raw;
    XtfFound found = {0};
    XtfCausesCounts counts;

    const XtfLocations *locations = replay ? xtf_trace_context_locations(xtf_replay_context(replay), error) : NULL;
    if (!locations || !xtf_raw_points_init(&raw, locations->n, error) || !xtf_find_waits(replay, &raw, &found, error))
        return false;
    points = printer.points = xtf_points_collect(replay, &raw, NULL, error);
    xtf_raw_points_finish(&raw);
    if (!points || !xtf_causes_find(trace, points, NULL, &delays, &counts, error) ||
        !xtf_trace_table(trace, "regions", &printer.regions, error))
        return false;
    printer.name = xtf_schema_field(printer.regions->schema, "name");
    for (uint32_t i = 0; i < xtf_points_n_locations(points); i++) {
        if (!print_waits(&printer, i, error) || !print_delays(&printer, delays, i, error))
            return false;
    }
    printf("counts %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", counts.explained, counts.circles, counts.lost);
    return true;
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(XtfTrace) trace = argc == 2 ? xtf_trace_open(argv[1], NULL, &error) : NULL;

    if (!trace || !analyse(trace, &error)) {
        fprintf(stderr, "%s\n", error ? error->message : "usage: trace-causes TRACE.xtf");
        return 1;
    }
    return 0;
}
