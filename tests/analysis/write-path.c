/*
 * write-path TRACE: adds the waits and the critical path to a trace, and nothing else of an analysis.
 */
#include <stdio.h>

#include "src/analysis/path/path.h"
#include "src/analysis/waits/collect.h"
#include "src/analysis/waits/rows.h"

static bool write_rows(const char *path, const XtfPoints *points, XtfFound *found, GError **error)
{
    XtfWriter *writer = xtf_writer_open(path, NULL, error);
    XtfPathCounts counts;

    if (!writer)
        return false;
    if (xtf_waits_write(points, writer, found, error) && xtf_critical_write(points, writer, NULL, &counts, error))
        return xtf_writer_close(writer, error);
    xtf_writer_abort(writer);
    return false;
}

static bool analyse(const char *path, GError **error)
{
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, error);
    const XtfReplayOptions options = {.calls = true};
    g_autoptr(XtfReplay) replay = trace ? xtf_replay_new(trace, &options, error) : NULL;
    const XtfLocations *locations = replay ? xtf_trace_context_locations(xtf_replay_context(replay), error) : NULL;
    g_autoptr(XtfPoints) points = NULL;
    XtfFound found = {0};
    XtfRawPoints raw;

    if (!locations || !xtf_raw_points_init(&raw, locations->n, error))
        return false;
    if (xtf_find_waits(replay, &raw, &found, error))
        points = xtf_points_collect(replay, &raw, NULL, error);
    xtf_raw_points_finish(&raw);
    return points && write_rows(path, points, &found, error);
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;

    if (argc == 2 && analyse(argv[1], &error))
        return 0;
    fprintf(stderr, "write-path: %s\n", error ? error->message : "usage: write-path TRACE");
    return 1;
}
