#include "src/tables/totals/regions/region-totals.h"

#include "libxtf/trace.h"
#include "src/trace/select/parallel.h"

enum {
    LOCATIONS_AT_ONCE = 256, /* most locations per step of a thread */
    LEAST_STEPS = 16,        /* least number of steps, which shrinks the steps of few locations */
    MANY_LOCATIONS = 4096,   /* if there are more locations, threads expect a sweep from the first location on */
};

/* A request for totals of all selected locations, shared by all threads. */
typedef struct {
    XtfRegionTotals *totals;
    const XtfSelectedLocations *selected;
} Request;

static void *begin_region_totals(void *data)
{
    const Request *request = data;
    XtfRegionTotals *thread_totals = g_new(XtfRegionTotals, 1);

    *thread_totals = (XtfRegionTotals){.n = request->totals->n, .all = g_new0(XtfRegionTotal, request->totals->n)};
    xtf_region_times_init_more(&thread_totals->times, &request->totals->times);
    if (request->selected->n > MANY_LOCATIONS)
        xtf_location_arrays_expect_many(&thread_totals->times.arrays);
    return thread_totals;
}

static void add_location_times(XtfRegionTotals *totals)
{
    const XtfRegionTimes *times = &totals->times;

    for (uint32_t i = 0; i < xtf_group_totals_n(times->groups); i++) {
        uint64_t line = xtf_region_line(&times->regions, *xtf_group_totals_key(times->groups, i));
        const uint64_t *cells = xtf_group_totals_cells(times->groups, i);
        if (line >= totals->n)
            continue;
        /* Frames from before the trace, which include LEAVEs without an ENTER, began in no window. */
        totals->all[line].calls += line == totals->times.regions.n ? 0 : cells[XTF_FRAMES_BEGUN];
        totals->all[line].inclusive += cells[XTF_FRAMES_INCLUSIVE];
        totals->all[line].exclusive += cells[XTF_FRAMES_EXCLUSIVE];
    }
}

static bool add_region_locations(void *thread_totals, void *data, uint32_t first, uint32_t end, GError **error)
{
    const Request *request = data;
    XtfRegionTotals *totals = thread_totals;
    uint64_t ticks;

    for (uint32_t i = first; i < end; i++) {
        const XtfLocation *location = xtf_selected_location(request->selected, i);
        if (!xtf_region_times_measure(&totals->times, location, &ticks, error))
            return false;
        totals->whole += ticks;
        add_location_times(totals);
    }
    return true;
}

/* Adds a thread's totals. Sums of integers do not depend on the order. */
static void join_region_totals(void *thread_totals, void *data)
{
    XtfRegionTotals *from = thread_totals, *to = ((const Request *)data)->totals;

    to->whole += from->whole;
    for (uint64_t line = 0; line < to->n; line++) {
        to->all[line].calls += from->all[line].calls;
        to->all[line].inclusive += from->all[line].inclusive;
        to->all[line].exclusive += from->all[line].exclusive;
    }
    xtf_region_totals_finish(from);
    g_free(from);
}

/* Reads what the totals of all locations read. */
static void read_all_locations(void *data)
{
    const Request *request = data;
    XtfRegionTotals *unused = begin_region_totals(data);

    for (uint32_t i = 0; i < request->selected->n; i++)
        add_region_locations(unused, data, i, i + 1, NULL);
    xtf_region_totals_finish(unused);
    g_free(unused);
}

bool xtf_region_totals_load(XtfRegionTotals *totals, XtfFormats *formats, const XtfSelection *selection, GError **error)
{
    XtfParallelWork work = {.begin = begin_region_totals, .work = add_region_locations, .join = join_region_totals};
    g_auto(XtfSelectedLocations) selected = {0};

    *totals = (XtfRegionTotals){0};
    if (!xtf_region_times_init(&totals->times, formats, selection, error) ||
        !xtf_selected_locations_init(&selected, formats->context, selection, error))
        return false;
    totals->n = xtf_regions_n_lines(&totals->times.regions);
    totals->all = g_new0(XtfRegionTotal, totals->n);
    for (uint64_t line = 0; line < totals->n; line++)
        totals->all[line].line = line;
    work.step = CLAMP(selected.n / LEAST_STEPS, 1, LOCATIONS_AT_ONCE);
    Request request = {.totals = totals, .selected = &selected};
    if (selected.n <= LOCATIONS_AT_ONCE)
        xtf_trace_gather(formats->context->trace, read_all_locations, &request);
    return xtf_parallel(&work, &request, selected.n, error);
}

void xtf_region_totals_finish(XtfRegionTotals *totals)
{
    xtf_region_times_finish(&totals->times);
    g_clear_pointer(&totals->all, g_free);
}
