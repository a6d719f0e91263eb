#include "src/analysis/kinds/kinds-private.h"

/* ---- All locations. */

static void add_to_process(XtfKinds *kinds, uint64_t proc, XtfKindLocation *location)
{
    XtfKindProcess *process = &kinds->processes[kinds->n_processes - 1];

    if (kinds->n_processes == 0 || process->proc != proc) {
        process = &kinds->processes[kinds->n_processes++];
        *process = (XtfKindProcess){.proc = proc, .first_location = kinds->n_locations, .first = UINT64_MAX};
    }
    process->n_locations++;
    process->first = MIN(process->first, location->rows.first);
    process->last = MAX(process->last, location->rows.last);
    location->process = kinds->n_processes - 1;
}

static void close_locations(XtfKinds *kinds)
{
    for (uint32_t i = 0; i < kinds->n_locations; i++)
        xtf_kind_rows_finish(&kinds->locations[i].rows);
    kinds->n_locations = kinds->n_processes = 0;
}

static bool open_all(XtfKinds *kinds, const XtfLocations *locations, bool *any_thread, GError **error)
{
    *any_thread = false;
    for (uint32_t i = 0; i < locations->n; i++) {
        XtfKindLocation *location = &kinds->locations[kinds->n_locations];
        bool any;
        *location = (XtfKindLocation){.index = i};
        location->rows.window = kinds->window;
        if (!xtf_kind_rows_init(&location->rows, kinds->fields, kinds->context->trace, &locations->all[i],
                                kinds->n_locations, &any, error))
            return false;
        if (!any)
            continue;
        location->rows.regions = kinds->regions;
        location->rows.n_regions = kinds->n_regions;
        add_to_process(kinds, locations->all[i].proc, location);
        *any_thread |= location->rows.any_thread;
        kinds->n_locations++;
    }
    return true;
}

/* Opens all locations that have rows which may cause waits. Skips locations that only have records of their beginning
 * and end, unless the trace creates or joins threads. */
static bool open_locations(XtfKinds *kinds, const XtfLocations *locations, GError **error)
{
    bool any_thread;

    kinds->locations = g_new0(XtfKindLocation, locations->n + 1);
    kinds->processes = g_new0(XtfKindProcess, locations->n + 1);
    kinds->heap = g_new0(uint32_t, locations->n + 1);
    if (!open_all(kinds, locations, &any_thread, error))
        return false;
    if (!any_thread)
        return true;
    close_locations(kinds);
    xtf_kind_fields_take_threads(kinds->fields);
    return open_all(kinds, locations, &any_thread, error);
}

/* ---- The walk in the order of the clock: a heap. */

static bool comes_before(const XtfKinds *kinds, uint32_t a, uint32_t b)
{
    uint64_t x = kinds->locations[a].rows.row.time, y = kinds->locations[b].rows.row.time;
    return x != y ? x < y : a < b;
}

static void sink_location(XtfKinds *kinds, uint32_t at)
{
    uint32_t *heap = kinds->heap, moved = heap[at];

    for (uint32_t child; (child = 2 * at + 1) < kinds->n_heap; at = child) {
        if (child + 1 < kinds->n_heap && comes_before(kinds, heap[child + 1], heap[child]))
            child++;
        if (!comes_before(kinds, heap[child], moved))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static bool fill_heap(XtfKinds *kinds, GError **error)
{
    for (uint32_t i = 0; i < kinds->n_locations; i++) {
        bool found;
        if (!xtf_kind_rows_next(&kinds->locations[i].rows, kinds->fields, &found, error))
            return false;
        if (found)
            kinds->heap[kinds->n_heap++] = i;
    }
    for (uint32_t i = kinds->n_heap / 2; i-- > 0;)
        sink_location(kinds, i);
    return true;
}

static void handle_row(XtfKinds *kinds, XtfKindLocation *location)
{
    const XtfKindRow *row = &location->rows.row;

#define ROW(name, Type) xtf_kind_##name##_row(kinds, location, row);
    XTF_KIND_FINDERS(ROW)
    if (row->row_event == XTF_KIND_ROW_LEAVE && row->call)
        xtf_kinds_leave(kinds, row->call);
}

static bool walk_rows(XtfKinds *kinds, XtfSteps *steps, GError **error)
{
    enum { ROWS_PER_CHECK = 1024 };

    if (!fill_heap(kinds, error))
        return false;
    for (uint64_t n = 1; kinds->n_heap > 0 && !kinds->failed; n++) {
        XtfKindLocation *location = &kinds->locations[kinds->heap[0]];
        bool found;
        if (n % ROWS_PER_CHECK == 0 && !xtf_steps_advance(steps, ROWS_PER_CHECK, error))
            return false;
        handle_row(kinds, location);
        if (!xtf_kind_rows_next(&location->rows, kinds->fields, &found, error))
            return false;
        if (!found)
            kinds->heap[0] = kinds->heap[--kinds->n_heap];
        if (kinds->n_heap > 0)
            sink_location(kinds, 0);
    }
#define FINISH(name, Type) xtf_kind_##name##_finish(kinds);
    XTF_KIND_FINDERS(FINISH)
    return true;
}

static void free_kinds(XtfKinds *kinds)
{
    close_locations(kinds);
#define FREE(name, Type) xtf_kind_##name##_free(kinds->name);
    XTF_KIND_FINDERS(FREE)
    g_free(kinds->locations);
    g_free(kinds->processes);
    g_free(kinds->heap);
    g_free(kinds->regions);
    xtf_kind_fields_free(kinds->fields);
    g_clear_error(&kinds->failed);
}

bool xtf_kinds_find(XtfTraceContext *context, XtfRunWindow window, XtfSteps *steps, const XtfKindConsumer *consumer,
                    GError **error)
{
    XtfKinds kinds = {.context = context, .window = window, .consumer = consumer};
    const XtfLocations *locations = xtf_trace_context_locations(context, error);
    bool good = locations && (kinds.ranks = xtf_trace_context_sorted_ranks(context, error)) &&
                xtf_kind_regions(context, &kinds.regions, &kinds.n_regions, error);

    if (good) {
        kinds.fields = xtf_kind_fields_new(context->trace);
        good = open_locations(&kinds, locations, error);
    }
    if (good) {
#define NEW(name, Type) kinds.name = xtf_kind_##name##_new(&kinds);
        XTF_KIND_FINDERS(NEW)
        good = walk_rows(&kinds, steps, error);
    }
    if (good && kinds.failed) {
        g_propagate_error(error, g_steal_pointer(&kinds.failed));
        good = false;
    }
    free_kinds(&kinds);
    return good;
}
