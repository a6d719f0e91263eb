#include "src/tables/totals/regions/region-totals.h"

#include <string.h>

#include "libxtf/trace.h"
#include "src/trace/select/parallel.h"

enum {
    LOCATIONS_AT_ONCE = 256, /* most locations per step of a thread */
    LEAST_STEPS = 16,        /* least number of steps, which shrinks the steps of few locations */
    MANY_LOCATIONS = 4096,   /* if there are more locations, threads expect a sweep from the first location on */
};

/* A request for totals of all selected locations, shared by all threads. */
typedef struct {
    XtfRegionTotals *totals; /* of each bin */
    const XtfTimeBins *bins;
    const XtfSelectedLocations *selected;
} Request;

/* The totals of one thread. */
typedef struct {
    XtfRegionTimes times;
    XtfRegionTotals *totals; /* of each bin */
} ThreadTotals;

static void *begin_region_totals(void *data)
{
    const Request *request = data;
    ThreadTotals *thread = g_new0(ThreadTotals, 1);

    xtf_region_times_init_more(&thread->times, &request->totals->times);
    thread->totals = g_new0(XtfRegionTotals, request->bins->n);
    for (uint64_t bin = 0; bin < request->bins->n; bin++) {
        uint64_t n = request->totals[bin].n;
        thread->totals[bin] = (XtfRegionTotals){.n = n, .all = g_new0(XtfRegionTotal, n)};
    }
    if (request->selected->n > MANY_LOCATIONS)
        xtf_location_arrays_expect_many(&thread->times.arrays);
    return thread;
}

static void free_thread_totals(ThreadTotals *thread, const Request *request)
{
    for (uint64_t bin = 0; bin < request->bins->n; bin++)
        xtf_region_totals_finish(&thread->totals[bin]);
    xtf_region_times_finish(&thread->times);
    g_free(thread->totals);
    g_free(thread);
}

static bool add_location_times(XtfRegionTimes *times, uint64_t bin, uint64_t ticks, void *data, GError **error)
{
    XtfRegionTotals *totals = &((XtfRegionTotals *)data)[bin];

    totals->whole += ticks;
    for (uint32_t i = 0; i < xtf_group_totals_n(times->groups); i++) {
        uint64_t line = xtf_region_line(&times->regions, *xtf_group_totals_key(times->groups, i));
        const uint64_t *cells = xtf_group_totals_cells(times->groups, i);
        if (line >= totals->n)
            continue;
        /* Frames from before the trace, which include LEAVEs without an ENTER, began in no window. */
        totals->all[line].calls += line == times->regions.n ? 0 : cells[XTF_FRAMES_BEGUN];
        totals->all[line].inclusive += cells[XTF_FRAMES_INCLUSIVE];
        totals->all[line].exclusive += cells[XTF_FRAMES_EXCLUSIVE];
    }
    return true;
}

static bool add_region_locations(void *thread_totals, void *data, uint32_t first, uint32_t end, GError **error)
{
    const Request *request = data;
    ThreadTotals *thread = thread_totals;

    for (uint32_t i = first; i < end; i++) {
        if (!xtf_region_times_visit(&thread->times, xtf_selected_location(request->selected, i), request->bins,
                                    add_location_times, thread->totals, error))
            return false;
    }
    return true;
}

/* Adds a thread's totals. Sums of integers do not depend on the order. */
static void join_region_totals(void *thread_totals, void *data)
{
    const Request *request = data;
    ThreadTotals *thread = thread_totals;

    for (uint64_t bin = 0; bin < request->bins->n; bin++) {
        const XtfRegionTotals *from = &thread->totals[bin];
        XtfRegionTotals *to = &request->totals[bin];
        to->whole += from->whole;
        for (uint64_t line = 0; line < to->n; line++) {
            to->all[line].calls += from->all[line].calls;
            to->all[line].inclusive += from->all[line].inclusive;
            to->all[line].exclusive += from->all[line].exclusive;
        }
    }
    free_thread_totals(thread, request);
}

/* Reads what the totals of all locations read. */
static void read_all_locations(void *data)
{
    const Request *request = data;
    ThreadTotals *unused = begin_region_totals(data);

    for (uint32_t i = 0; i < request->selected->n; i++)
        add_region_locations(unused, data, i, i + 1, NULL);
    free_thread_totals(unused, request);
}

/* Initializes the totals of each bin, without times. All share the regions of the first. */
static void init_bins(XtfRegionTotals *totals, uint64_t n)
{
    for (uint64_t bin = 0; bin < n; bin++) {
        if (bin > 0)
            totals[bin].times.regions = totals->times.regions;
        totals[bin].n = xtf_regions_n_lines(&totals->times.regions);
        totals[bin].all = g_new0(XtfRegionTotal, totals[bin].n);
        for (uint64_t line = 0; line < totals[bin].n; line++)
            totals[bin].all[line].line = line;
    }
}

bool xtf_region_totals_load_bins(XtfRegionTotals *totals, XtfFormats *formats, const XtfTimeBins *bins, GError **error)
{
    XtfParallelWork work = {.begin = begin_region_totals, .work = add_region_locations, .join = join_region_totals};
    g_auto(XtfSelectedLocations) selected = {0};

    memset(totals, 0, bins->n * sizeof *totals);
    if (!xtf_region_times_init(&totals->times, formats, bins->selection, error) ||
        !xtf_selected_locations_init(&selected, formats->context, bins->selection, error))
        return false;
    init_bins(totals, bins->n);
    work.step = CLAMP(selected.n / LEAST_STEPS, 1, LOCATIONS_AT_ONCE);
    Request request = {.totals = totals, .bins = bins, .selected = &selected};
    if (bins->n == 1 && selected.n <= LOCATIONS_AT_ONCE)
        xtf_trace_gather(formats->context->trace, read_all_locations, &request);
    return xtf_parallel(&work, &request, selected.n, error);
}

bool xtf_region_totals_load(XtfRegionTotals *totals, XtfFormats *formats, const XtfSelection *selection, GError **error)
{
    g_auto(XtfTimeBins) bins = {0};

    xtf_time_bins_init_one(&bins, (XtfSelection *)selection, &formats->context->scale);
    return xtf_region_totals_load_bins(totals, formats, &bins, error);
}

void xtf_region_totals_finish(XtfRegionTotals *totals)
{
    xtf_region_times_finish(&totals->times);
    g_clear_pointer(&totals->all, g_free);
}
