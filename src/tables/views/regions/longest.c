/*
 * longest: the longest calls that are entered in the selection, longest first; of equally long calls the earliest
 * first. Each location has its own search. The search that may have the longest call is advanced until it has found
 * one.
 */
#include "libxtf/longest.h"

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/tables/format/call-sites.h"
#include "src/tables/totals/regions/region-lines.h"
#include "src/tables/views/view.h"
#include "src/trace/calls/call-readers.h"
#include "src/trace/text/digits.h"
#include "src/trace/text/escape.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("rank", XTF_COLUMN_NUMBER, NULL, "place in the order, from 1"),
    XTF_COLUMN("start", XTF_COLUMN_TIME, NULL, "when the call is entered"),
    XTF_COLUMN("end", XTF_COLUMN_TIME, NULL, "when the call is left"),
    XTF_COLUMN("duration", XTF_COLUMN_TIME, NULL, "time in the call, by the location's own clock"),
    XTF_COLUMN("depth", XTF_COLUMN_NUMBER, NULL, "level of the call on the stack"),
    XTF_COLUMN("ending", XTF_COLUMN_TEXT, NULL, "how the call ends: left, cut or open"),
    XTF_COLUMN("proc", XTF_COLUMN_NUMBER, NULL, "process"),
    XTF_COLUMN("thread", XTF_COLUMN_NUMBER, NULL, "thread of the process"),
    XTF_COLUMN("call", XTF_COLUMN_NUMBER, NULL, "number among the calls of the thread"),
    XTF_COLUMN("row", XTF_COLUMN_NUMBER, NULL, "row of the region in definitions/regions"),
    XTF_COLUMN("region", XTF_COLUMN_TEXT, NULL, "name of the region"),
    XTF_COLUMN("site", XTF_COLUMN_TEXT, NULL, "call site"),
};

enum {
    CALLS_MOST = 100,
};

static bool longest_exists(const XtfTraceContext *context, const XtfSelection *selection)
{
    XtfAggregateRef frames;

    return !selection->by[XTF_BY_COMM] && !selection->by[XTF_BY_TAG] && !selection->by[XTF_BY_PEER] &&
           xtf_aggregate_ref_frames(&frames, context) && xtf_selection_may_have(selection, frames.schema);
}

static size_t depth_width(const XtfTraceContext *context, const XtfSchema *calls)
{
    const XtfField *depth = xtf_schema_field_by_role(calls, XTF_ROLE_DEPTH);
    const XtfLimits *limits =
        depth ? xtf_trace_limits(context->trace, calls->id, (uint32_t)(depth - calls->fields)) : NULL;

    return limits && limits->min <= limits->max ? xtf_count_digits(limits->max) : 1;
}

/* Adds the columns of names. Only the last column of a line has names with blanks. */
static void add_name_columns(const XtfRegions *regions, const XtfPaddedNames *sites, XtfGrid *grid)
{
    size_t width = regions->name_width;

    for (uint64_t i = 0; sites && i < regions->n && regions->names; i++)
        width = MAX(width, xtf_text_width(regions->names->whole[i], true, XTF_NAME_WIDTH_MAX));
    xtf_grid_add(grid, "region", width);
    if (sites)
        xtf_grid_add(grid, "site", sites->width);
}

/* Sets the shape. The number of lines depends only on the whole trace: 100, or less if it has fewer records of calls.
 */
static bool shape_longest(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    const XtfTraceContext *context = views->context;
    const XtfTimeScale *scale = &context->scale;
    const XtfLocations *locations = xtf_trace_context_locations(views->context, error);
    const XtfPaddedNames *sites;
    XtfAggregateRef frames;
    XtfRegions regions;

    xtf_aggregate_ref_frames(&frames, context);
    if (!locations || !xtf_regions_load(&regions, views->formats, selection, &frames, error) ||
        !xtf_padded_names_of_sites(views->formats, &sites, error))
        return false;
    uint64_t n_rows = xtf_trace_n_rows(context->trace, frames.schema->id);
    shape->n_lines = shape->at_once = MIN(n_rows, (uint64_t)CALLS_MOST);
    xtf_grid_add(&shape->grid, "rank", xtf_count_digits(CALLS_MOST));
    xtf_grid_add(&shape->grid, "start", scale->width);
    xtf_grid_add(&shape->grid, "end", scale->width);
    xtf_grid_add(&shape->grid, "duration",
                 MAX(scale->width, xtf_ticks_width(scale, xtf_trace_context_longest(context))));
    xtf_grid_add(&shape->grid, "depth", depth_width(context, frames.schema));
    xtf_grid_add(&shape->grid, "ending", strlen(xtf_frame_endings[0]));
    xtf_grid_add(&shape->grid, "proc", locations->proc_width);
    xtf_grid_add(&shape->grid, "thread", locations->thread_width);
    xtf_grid_add(&shape->grid, "call", xtf_count_digits(n_rows));
    xtf_grid_add(&shape->grid, "row", regions.row_width);
    add_name_columns(&regions, sites, &shape->grid);
    return true;
}

/* ---- Searching. */

/* The search of one location, and its next call if that is found. */
typedef struct {
    const XtfSpan *span;
    XtfLongestSearch *search;
    bool found;
    XtfFrameSpan call;
    uint64_t ticks; /* duration of the call; its upper bound until the call is found */
    uint64_t start; /* begin of the call, in global time */
} Input;

typedef struct {
    const XtfSpan *span;
    XtfFrameSpan call;
} Found;

typedef struct {
    XtfTraceContext *context;
    const XtfLocations *locations;
    XtfAggregateRef frames;
    Input *inputs;
    uint32_t n_inputs, n_heap;
    uint32_t *heap; /* indices of the unfinished inputs, ordered by precedes() */
    Found found[CALLS_MOST];
    unsigned n_found;
} Search;

static void search_finish(Search *search)
{
    for (uint32_t i = 0; i < search->n_inputs; i++)
        xtf_longest_free(search->inputs[i].search);
    g_free(search->inputs);
    g_free(search->heap);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Search, search_finish)

/* True if input `a` must be handled before `b`: it has the longer call, or of equally long calls the earlier. An input
 * whose call is not found precedes: its call may be the earliest. */
static bool precedes(const Input *a, const Input *b)
{
    if (a->ticks != b->ticks)
        return a->ticks > b->ticks;
    if (a->found != b->found)
        return !a->found;
    return a->start != b->start ? a->start < b->start : a < b;
}

static void sift_down(Search *search, uint32_t at)
{
    uint32_t moving = search->heap[at];

    for (uint32_t child; (child = 2 * at + 1) < search->n_heap; at = child) {
        if (child + 1 < search->n_heap &&
            precedes(&search->inputs[search->heap[child + 1]], &search->inputs[search->heap[child]]))
            child++;
        if (!precedes(&search->inputs[search->heap[child]], &search->inputs[moving]))
            break;
        search->heap[at] = search->heap[child];
    }
    search->heap[at] = moving;
}

static bool begin_search(Search *search, const XtfSpan *span, Input *input, GError **error)
{
    const XtfArray *array = &span->array;
    uint64_t from, to, last;

    input->span = span;
    input->ticks = UINT64_MAX;
    if (!xtf_span_rows(span, &from, &to, error) ||
        !xtf_location_last(search->context, &search->locations->all[span->tag], &last, error))
        return false;
    input->search = xtf_longest_new(array, span->aggregate, &span->filter, from, to, last, error);
    return input->search;
}

/* Advances the first input: stores its call if that is found, otherwise continues its search. Then restores the heap.
 */
static bool advance_first(Search *search, GError **error)
{
    Input *input = &search->inputs[search->heap[0]];

    if (input->found) {
        search->found[search->n_found++] = (Found){input->span, input->call};
        input->found = false;
    } else if (!xtf_longest_step(input->search, &input->call, &input->found, error)) {
        return false;
    }
    if (input->found) {
        input->ticks = input->call.end - MIN(input->call.end, input->call.begin);
        input->start = xtf_clock_map_to_global(input->span->array.clock, input->call.begin);
    } else if (!xtf_longest_bound(input->search, &input->ticks)) {
        search->heap[0] = search->heap[--search->n_heap];
    }
    if (search->n_heap > 1)
        sift_down(search, 0);
    return true;
}

static bool search_spans(Search *search, const XtfSpans *spans, GError **error)
{
    search->inputs = g_new0(Input, spans->n + 1);
    search->heap = g_new(uint32_t, spans->n + 1);
    for (uint32_t i = 0; i < spans->n; i++) {
        search->heap[search->n_heap++] = search->n_inputs++;
        if (!begin_search(search, &spans->spans[i], &search->inputs[i], error))
            return false;
    }
    while (search->n_heap > 0 && search->n_found < CALLS_MOST)
        if (!advance_first(search, error))
            return false;
    return true;
}

/* ---- Lines. */

/* Values from the rows of a call. */
typedef struct {
    XtfFrameEnding ending;
    uint64_t depth;
    bool has_depth;
    uint64_t number; /* number among the calls of its location */
    uint64_t region;
    uint32_t site; /* XTF_NONE32: none */
} CallDetails;

static bool find_call_details(const Search *search, const Found *found, const XtfField *site, CallDetails *details,
                              GError **error)
{
    const XtfGroupFilter begins = {.begins_only = true};
    const XtfArray *array = &found->span->array;
    const XtfSchema *schema = array->schema;
    const XtfField *depth = xtf_schema_field_by_role(schema, XTF_ROLE_DEPTH);
    const uint8_t *values = search->frames.aggregate->values;
    uint8_t row[XTF_ROW_MAX];

    if (!xtf_array_group_rank(array, search->frames.number, &begins, found->call.row, &details->number, error) ||
        !xtf_array_row(array, found->call.row, row, error))
        return false;
    details->region = xtf_field_get(&schema->fields[search->frames.aggregate->keys[0]], row);
    details->has_depth = depth;
    details->depth = depth ? xtf_field_get(depth, row) : 0;
    details->site = site && !xtf_field_is_none(site, row) ? (uint32_t)xtf_field_get(site, row) : XTF_NONE32;
    details->ending = XTF_FRAME_OPEN;
    if (found->call.end_row >= array->n_rows)
        return true;
    if (!xtf_array_row(array, found->call.end_row, row, error))
        return false;
    bool leave_matches = xtf_field_get(&schema->fields[values[0]], row) != 0 &&
                         xtf_field_get(&schema->fields[values[1]], row) == found->call.end_row - found->call.row;
    details->ending = leave_matches ? XTF_FRAME_LEFT : XTF_FRAME_CUT;
    return true;
}

static void add_global_time(XtfLines *lines, const XtfClockMap *clock, uint64_t local)
{
    uint64_t t = xtf_clock_map_to_global(clock, local);
    xtf_lines_ticks(lines, t - MIN(t, lines->scale->origin));
}

/* Adds the names of the region and the site. */
static void add_names(const XtfRegions *regions, uint64_t line, const XtfPaddedNames *sites, uint32_t site,
                      XtfLines *lines)
{
    if (sites && line < regions->n && regions->names)
        xtf_lines_text(lines, regions->names->whole[line], line);
    else
        xtf_lines_region_name(lines, regions, line);
    if (sites)
        xtf_lines_site(lines, sites, site);
}

static bool add_call_line(const Search *search, const Found *found, const XtfRegions *regions,
                          const XtfPaddedNames *sites, XtfLines *lines, GError **error)
{
    const XtfLocation *location = &search->locations->all[found->span->tag];
    const XtfFrameSpan *call = &found->call;
    CallDetails details;

    if (!find_call_details(search, found, xtf_call_site_field(search->context), &details, error))
        return false;
    uint64_t line = xtf_region_line(regions, details.region);
    add_global_time(lines, found->span->array.clock, call->begin);
    add_global_time(lines, found->span->array.clock, call->end);
    xtf_lines_ticks(lines, call->end - MIN(call->end, call->begin));
    xtf_lines_number_if(lines, details.has_depth, details.depth);
    xtf_lines_text(lines, xtf_frame_endings[details.ending], 0);
    xtf_lines_number(lines, location->proc);
    xtf_lines_number(lines, location->thread);
    xtf_lines_number(lines, details.number);
    xtf_lines_number_if(lines, line < regions->n, line);
    add_names(regions, line, sites, details.site, lines);
    return true;
}

static bool fill_longest(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                         GError **error)
{
    g_autoptr(XtfSelection) calls = xtf_selection_in_calls(selection, views->context);
    g_autoptr(XtfSpans) spans = xtf_resolver_spans(views->resolver, calls, error);
    g_auto(Search) search = {.context = views->context};
    const XtfPaddedNames *sites;
    XtfRegions regions;

    search.locations = spans ? xtf_trace_context_locations(views->context, error) : NULL;
    xtf_aggregate_ref_frames(&search.frames, views->context);
    if (!search.locations || !xtf_regions_load(&regions, views->formats, selection, &search.frames, error) ||
        !xtf_padded_names_of_sites(views->formats, &sites, error) || !search_spans(&search, spans, error))
        return false;
    for (unsigned i = 0; i < count; i++) {
        xtf_lines_number(lines, i + 1);
        if (i < search.n_found) {
            if (!add_call_line(&search, &search.found[i], &regions, sites, lines, error))
                return false;
            continue;
        }
        for (unsigned column = 1; column < lines->grid->n; column++)
            xtf_lines_none(lines);
    }
    return true;
}

const XtfView xtf_view_longest = {.table = XTF_TABLE("longest", "the 100 longest calls", columns),
                                  .subject = &xtf_about_calls,
                                  .exists = longest_exists,
                                  .shape = shape_longest,
                                  .fill = fill_longest};
