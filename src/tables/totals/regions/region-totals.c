#include "src/tables/totals/regions/region-totals.h"

#include "src/trace/select/parallel.h"

enum {
    LOCATIONS_AT_ONCE = 256, /* that a thread takes, if there are very many... */
    LEAST_TURNS = 16,        /* ...and threads take so many turns at least */
    MANY_LOCATIONS = 4096,   /* more are swept through from the first one on */
};

/* What is asked, of all threads; and a thread's own totals. */
typedef struct {
    XtfRegionTotals *totals;
    const XtfSelectedLocations *selected;
} Question;

static void *begin(void *data)
{
    const Question *question = data;
    XtfRegionTotals *own = g_new(XtfRegionTotals, 1);

    *own = (XtfRegionTotals){.n = question->totals->n, .all = g_new0(XtfRegionTotal, question->totals->n)};
    xtf_region_times_init_more(&own->times, &question->totals->times);
    if (question->selected->n > MANY_LOCATIONS)
        xtf_location_arrays_expect_many(&own->times.arrays);
    return own;
}

static void add_location(XtfRegionTotals *totals)
{
    const XtfRegionTimes *times = &totals->times;

    for (uint32_t i = 0; i < xtf_group_totals_n(times->groups); i++) {
        uint64_t line = xtf_region_line(&times->regions, *xtf_group_totals_key(times->groups, i));
        const uint64_t *cells = xtf_group_totals_cells(times->groups, i);
        if (line >= totals->n)
            continue;
        /* What began before the trace, the LEAVEs without an ENTER counted there, began in no window. */
        totals->all[line].calls += line == totals->times.regions.n ? 0 : cells[XTF_FRAMES_BEGUN];
        totals->all[line].inclusive += cells[XTF_FRAMES_INCLUSIVE];
        totals->all[line].exclusive += cells[XTF_FRAMES_EXCLUSIVE];
    }
}

static bool add_locations(void *own, void *data, uint32_t first, uint32_t end, GError **error)
{
    const Question *question = data;
    XtfRegionTotals *totals = own;
    uint64_t ticks;

    for (uint32_t i = first; i < end; i++) {
        const XtfLocation *location = xtf_selected_location(question->selected, i);
        if (!xtf_region_times_measure(&totals->times, location, &ticks, error))
            return false;
        totals->whole += ticks;
        add_location(totals);
    }
    return true;
}

/* All are integers, so the order does not matter. */
static void join(void *own, void *data)
{
    XtfRegionTotals *from = own, *to = ((const Question *)data)->totals;

    to->whole += from->whole;
    for (uint64_t line = 0; line < to->n; line++) {
        to->all[line].calls += from->all[line].calls;
        to->all[line].inclusive += from->all[line].inclusive;
        to->all[line].exclusive += from->all[line].exclusive;
    }
    xtf_region_totals_finish(from);
    g_free(from);
}

bool xtf_region_totals_load(XtfRegionTotals *totals, XtfFormats *formats, const XtfSelection *selection, GError **error)
{
    XtfParallelWork work = {.begin = begin, .work = add_locations, .join = join};
    g_auto(XtfSelectedLocations) selected = {0};

    *totals = (XtfRegionTotals){0};
    if (!xtf_region_times_init(&totals->times, formats, selection, error) ||
        !xtf_selected_locations_init(&selected, formats->context, selection, error))
        return false;
    totals->n = xtf_regions_n_lines(&totals->times.regions);
    totals->all = g_new0(XtfRegionTotal, totals->n);
    for (uint64_t line = 0; line < totals->n; line++)
        totals->all[line].line = line;
    work.step = CLAMP(selected.n / LEAST_TURNS, 1, LOCATIONS_AT_ONCE);
    return xtf_parallel(&work, &(Question){.totals = totals, .selected = &selected}, selected.n, error);
}

void xtf_region_totals_finish(XtfRegionTotals *totals)
{
    xtf_region_times_finish(&totals->times);
    g_clear_pointer(&totals->all, g_free);
}
