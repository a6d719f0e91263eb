/*
 * stack: the frames of each location that are open when the selection's window begins, the outermost first. For the
 * whole trace, the frames that are open when the location ends.
 */
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/tables/totals/regions/region-lines.h"
#include "src/tables/totals/selected-locations.h"
#include "src/tables/views/view.h"
#include "src/trace/calls/open-frames.h"
#include "src/trace/text/digits.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("proc", XTF_COLUMN_NUMBER, NULL, "process"),
    XTF_COLUMN("thread", XTF_COLUMN_NUMBER, NULL, "thread of the process"),
    XTF_COLUMN("level", XTF_COLUMN_NUMBER, NULL, "level of the stack, from 1"),
    XTF_COLUMN("since", XTF_COLUMN_TIME, NULL, "when the region was entered"),
    XTF_COLUMN("time", XTF_COLUMN_TIME, NULL, "time from `since` to the begin of the window, by the location's clock"),
    XTF_COLUMN("region", XTF_COLUMN_TEXT, NULL, "name of the region"),
};

enum {
    LEVELS_MAX = 64, /* lines of a location; of deeper stacks only the innermost frames are shown */
    PART_LINES = 4096,
};

/* Returns the depth of the deepest stack of the trace; 0 if it has no depths. */
static uint64_t max_depth(const XtfTraceContext *context, const XtfSchema *calls)
{
    const XtfField *depth = xtf_schema_field_by_role(calls, XTF_ROLE_DEPTH);

    if (!depth)
        return 0;
    const XtfLimits *limits = xtf_trace_limits(context->trace, calls->id, (uint32_t)(depth - calls->fields));
    return limits->min <= limits->max ? limits->max : 0;
}

static bool stack_exists(const XtfTraceContext *context, const XtfSelection *selection)
{
    XtfAggregateRef frames;

    return !selection->base && !xtf_selection_has_facets(selection) && xtf_aggregate_ref_frames(&frames, context) &&
           xtf_selection_may_have(selection, frames.schema) && xtf_schema_field_by_role(frames.schema, XTF_ROLE_DEPTH);
}

static bool shape_stack(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    const XtfTraceContext *context = views->context;
    g_auto(XtfSelectedLocations) selected = {0};
    XtfAggregateRef frames;
    XtfRegions regions;

    xtf_aggregate_ref_frames(&frames, context);
    if (!xtf_selected_locations_init(&selected, views->context, selection, error) ||
        !xtf_regions_load(&regions, views->formats, selection, &frames, error))
        return false;
    const XtfLocations *locations = selected.locations;
    uint64_t depth = max_depth(context, frames.schema), levels = MIN(depth, (uint64_t)LEVELS_MAX);
    shape->n_lines = selected.n * levels;
    shape->at_once = (PART_LINES / MAX(levels, 1) + 1) * levels;
    xtf_grid_add(&shape->grid, "proc", locations->proc_width);
    xtf_grid_add(&shape->grid, "thread", locations->thread_width);
    xtf_grid_add(&shape->grid, "level", xtf_count_digits(depth));
    xtf_grid_add(&shape->grid, "since", context->scale.width);
    /* The location's clock may have measured more ticks than the trace has. */
    size_t width = xtf_ticks_width(&context->scale, xtf_trace_context_longest(context));
    xtf_grid_add(&shape->grid, "time", MAX(context->scale.width, width));
    xtf_grid_add(&shape->grid, "region", regions.name_width);
    return true;
}

static void add_lines_of(const XtfLocation *location, const XtfOpenFrames *open, uint64_t levels,
                         const XtfRegions *regions, XtfLines *lines)
{
    size_t n_open = open->n;
    uint64_t above = n_open > levels ? n_open - levels : 0;

    for (uint64_t i = above; i < above + levels; i++) {
        const XtfOpenFrame *frame = i < n_open ? &open->frames[i] : NULL;
        xtf_lines_number(lines, location->proc);
        xtf_lines_number(lines, location->thread);
        xtf_lines_number(lines, i + 1);
        if (frame) {
            uint64_t since = xtf_clock_map_to_global(open->clock, frame->time);
            xtf_lines_ticks(lines, since - MIN(since, lines->scale->origin));
            xtf_lines_ticks(lines, open->t - MIN(open->t, frame->time));
            xtf_lines_region_name(lines, regions, xtf_region_line(regions, frame->key));
        } else {
            xtf_lines_none(lines);
            xtf_lines_none(lines);
            xtf_lines_none(lines);
        }
    }
}

/* Finds the open frames of a location: at the begin of the window, or at its end if the window is the whole trace. */
static bool find_open(XtfOpenFrames *open, const XtfLocationArrays *arrays, const XtfAggregateRef *frames,
                      const XtfSelection *selection, GError **error)
{
    if (selection->time_from == 0 && selection->endless)
        return xtf_open_frames_at_end(open, arrays, frames, error);
    return xtf_open_frames_find(open, arrays, frames, selection->time_from, error);
}

static bool fill_stack(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t n, XtfLines *lines,
                       GError **error)
{
    g_auto(XtfSelectedLocations) selected = {0};
    g_auto(XtfLocationArrays) arrays = {0};
    XtfAggregateRef frames;
    XtfRegions regions;

    xtf_aggregate_ref_frames(&frames, views->context);
    if (!xtf_selected_locations_init(&selected, views->context, selection, error) ||
        !xtf_regions_load(&regions, views->formats, selection, &frames, error))
        return false;
    uint64_t levels = MIN(max_depth(views->context, frames.schema), (uint64_t)LEVELS_MAX);
    for (uint64_t line = first; line < first + n; line += levels) {
        const XtfLocation *location = xtf_selected_location(&selected, line / levels);
        g_auto(XtfOpenFrames) open = {0};
        if (!xtf_location_arrays_load(&arrays, views->context, location, error) ||
            !find_open(&open, &arrays, &frames, selection, error))
            return false;
        add_lines_of(location, &open, levels, &regions, lines);
    }
    return true;
}

const XtfView xtf_view_stack = {.table = XTF_TABLE("stack", "regions of each location when the window begins", columns),
                                .of_instants = true,
                                .subject = &xtf_about_all_calls,
                                .exists = stack_exists,
                                .shape = shape_stack,
                                .fill = fill_stack,
                                .refused_keys = 1 << XTF_GROUP_BY_PROC};
