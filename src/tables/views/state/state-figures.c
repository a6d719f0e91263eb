#include "src/tables/views/state/state-figures.h"

#include <stdlib.h>
#include <string.h>

#include "libxtf/vocabulary.h"
#include "src/tables/totals/pairs.h"
#include "src/tables/totals/regions/class-times.h"

enum {
    BLOCKED_PER_SECOND = 10000, /* without an analysis, a call waits if it has lasted for 1/10000 s */
};

const char *const xtf_share_names[XTF_N_SHARES] = {"program", "p2p", "collective", "wait", "other"};
const char *const xtf_light_names[XTF_N_LIGHTS] = {"-", "green", "yellow", "red"};

#define BIT XTF_CLASS_BIT

/* Classes of each share; xtf_class_times_program() has the classes of the program. */
static const XtfClassSet classes_of_share[XTF_SHARE_OTHER] = {
    [XTF_SHARE_P2P] = BIT(XTF_CLASS_P2P),
    [XTF_SHARE_COLLECTIVE] = BIT(XTF_CLASS_COLLECTIVE) | BIT(XTF_CLASS_BARRIER),
    [XTF_SHARE_WAIT] = BIT(XTF_CLASS_WAIT),
};

/* Calls that may block. */
static const XtfClassSet blocking = BIT(XTF_CLASS_P2P) | BIT(XTF_CLASS_WAIT) | BIT(XTF_CLASS_COLLECTIVE) |
                                    BIT(XTF_CLASS_BARRIER) | BIT(XTF_CLASS_RMA) | BIT(XTF_CLASS_MPI_INIT) |
                                    BIT(XTF_CLASS_OMP_SYNC) | BIT(XTF_CLASS_THREADS) | BIT(XTF_CLASS_PGAS);

XtfShare xtf_share_of_class(XtfRegionClass class)
{
    if (xtf_class_is_program(class))
        return XTF_SHARE_PROGRAM;
    for (unsigned share = 0; share < XTF_SHARE_OTHER; share++) {
        if (classes_of_share[share] & BIT(class))
            return share;
    }
    return XTF_SHARE_OTHER;
}

bool xtf_states_exist(const XtfTraceContext *context, const XtfSelection *selection)
{
    XtfAggregateRef frames, moved[XTF_N_MOVED];
    XtfTaskSamples samples;

    if (selection->base)
        return false;
    xtf_message_totals_find(context, moved);
    return xtf_aggregate_ref_frames(&frames, context) || moved[XTF_MOVED_SENDS].schema ||
           xtf_task_samples_find(&samples, context);
}

/* ---- Data that are loaded once. */

static XtfSelection *selection_without_facets(const XtfSelection *selection)
{
    XtfSelection *plain = xtf_selection_of_any_type(selection);

    for (unsigned facet = 0; facet < XTF_N_FACETS; facet++) {
        XtfSelection *wider = xtf_selection_without(plain, facet);
        xtf_selection_unref(plain);
        plain = wider;
    }
    return plain;
}

typedef struct {
    XtfPairFinder finder;
    XtfLocationTotals totals;
    XtfLocationArrays arrays;
} Receives;

static void receives_finish(Receives *receives)
{
    xtf_pair_finder_finish(&receives->finder);
    xtf_location_totals_finish(&receives->totals);
    xtf_location_arrays_finish(&receives->arrays);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Receives, receives_finish)

/* Adds the messages that a location has received to the counts of their senders. */
static bool add_receives(XtfStates *states, Receives *receives, const XtfLocation *location, GError **error)
{
    const XtfLocations *locations = states->selected.locations;
    XtfGroupTotals *groups = receives->totals.groups;
    uint64_t peer, *found;

    xtf_group_totals_clear(groups);
    if (!xtf_location_arrays_load(&receives->arrays, states->views->context, location, error) ||
        !xtf_location_totals_add_window(&receives->totals, &receives->arrays, error))
        return false;
    for (uint32_t i = 0; i < xtf_group_totals_n(groups); i++) {
        if (!xtf_pair_finder_peer(&receives->finder, xtf_group_totals_key(groups, i), location->proc, &peer))
            continue;
        found = bsearch(&peer, locations->procs, locations->n_procs, sizeof peer, xtf_compare_numbers);
        states->received_from[found - locations->procs] += xtf_group_totals_cells(groups, i)[XTF_GROUP_ROWS];
    }
    return true;
}

/* Counts by sender the messages that were received before the window's end. */
static bool count_receives(XtfStates *states, GError **error)
{
    XtfTraceContext *context = states->views->context;
    const XtfLocations *locations = states->selected.locations;
    const XtfAggregateRef *ref = &states->moved.refs[XTF_MOVED_RECVS];
    g_auto(Receives) receives = {0};

    states->received_counted = true;
    /* A receive names the sending process, but not the thread. */
    if (states->window->threads || !ref->schema || ref->peer == XTF_KEY_NONE ||
        !xtf_matching_check(states->views->matching, NULL))
        return true;
    g_autoptr(XtfSelection) all = xtf_selection_new(context);
    g_autoptr(XtfSelection) before = xtf_selection_in_window(all, 0, states->window->time_to);
    if (!xtf_pair_finder_init(&receives.finder, context, ref, NULL, error) ||
        !xtf_location_totals_init(&receives.totals, context, before, ref, xtf_pair_finder_depth(&receives.finder),
                                  error))
        return false;
    states->received_from = g_new0(uint64_t, locations->n_procs);
    for (uint32_t i = 0; i < locations->n; i++) {
        if (!add_receives(states, &receives, &locations->all[i], error))
            return false;
    }
    return true;
}

static bool find_waits(XtfStates *states, GError **error)
{
    XtfTraceContext *context = states->views->context;
    const XtfSchema *waits = xtf_trace_context_schema(context, XTF_DERIVED_WAITS, XTF_SCHEMA_DERIVED);
    bool outdated = false;

    if (waits && !xtf_trace_context_is_outdated(context, waits, &outdated, error))
        return false;
    states->waits = waits && !outdated && xtf_schema_field(waits, "amount") ? waits : NULL;
    return true;
}

/* Returns the window's processes and threads from the beginning of the trace to the window's end. */
static XtfSelection *selection_so_far(const XtfTraceContext *context, const XtfSelection *window)
{
    g_autoptr(XtfSelection) all = xtf_selection_new(context);
    g_autoptr(XtfSelection) procs = window->procs ? xtf_selection_in_procs(all, window->procs) : g_steal_pointer(&all);
    g_autoptr(XtfSelection) threads =
        window->threads ? xtf_selection_in_threads(procs, window->threads) : g_steal_pointer(&procs);

    return xtf_selection_in_window(threads, 0, window->time_to);
}

bool xtf_states_init(XtfStates *states, XtfViews *views, const XtfSelection *selection, GError **error)
{
    XtfAggregateRef frames;

    *states = (XtfStates){.views = views, .window = selection_without_facets(selection), .t = selection->time_to};
    states->so_far = selection_so_far(views->context, states->window);
    states->has_calls = xtf_aggregate_ref_frames(&frames, views->context);
    xtf_aggregate_ref_frames_by_site(&states->by_site, views->context);
    states->has_samples = xtf_task_samples_find(&states->samples, views->context);
    return (states->classes = xtf_trace_context_classes(views->context, error)) &&
           xtf_selected_locations_init(&states->selected, views->context, states->window, error) &&
           (!states->has_calls || xtf_region_times_init(&states->times, views->formats, states->window, error)) &&
           xtf_matching_load_uses(views->matching, error) &&
           xtf_message_totals_init(&states->moved, views->context, states->window, error) &&
           xtf_message_totals_init(&states->moved_so_far, views->context, states->so_far, error) &&
           find_waits(states, error);
}

void xtf_states_finish(XtfStates *states)
{
    g_clear_pointer(&states->window, xtf_selection_unref);
    g_clear_pointer(&states->so_far, xtf_selection_unref);
    xtf_selected_locations_finish(&states->selected);
    xtf_region_times_finish(&states->times);
    xtf_message_totals_finish(&states->moved);
    xtf_message_totals_finish(&states->moved_so_far);
    xtf_task_samples_finish(&states->samples);
    g_clear_pointer(&states->received_from, g_free);
}

/* ---- One process. */

static void set_shares(XtfProcessState *state, const XtfClassTimes *times)
{
    unsigned __int128 known = 0;

    for (unsigned share = 0; share < XTF_SHARE_OTHER; share++) {
        state->times[share] = share == XTF_SHARE_PROGRAM ? xtf_class_times_program(times)
                                                         : xtf_class_times_of(times, classes_of_share[share]);
        known += state->times[share];
    }
    state->times[XTF_SHARE_OTHER] = times->whole - MIN(known, times->whole);
}

static void count_calls(XtfProcessState *state, const XtfClassTimes *times)
{
    for (unsigned class = 0; class < XTF_N_CLASSES; class ++)
        state->calls += times->calls[class];
}

/* Sets `*waits` to true if the analysis has a wait of a location at the window's end. */
static bool find_current_wait(const XtfStates *states, const XtfLocationArrays *arrays, bool *waits, GError **error)
{
    const XtfArray *array = xtf_location_arrays_find(arrays, states->waits);
    const XtfField *amount = xtf_schema_field(states->waits, "amount");
    uint8_t row[XTF_ROW_MAX];
    uint64_t n;

    *waits = false;
    if (!array)
        return true;
    if (!xtf_array_rank(array, states->t, &n, error))
        return false;
    if (n >= array->n_rows)
        return true;
    if (!xtf_array_row(array, n, row, error))
        return false;
    uint64_t end = xtf_field_get(&states->waits->fields[0], row);
    *waits = !xtf_field_is_none(amount, row) && end - states->t < xtf_field_get(amount, row);
    return true;
}

/* True if an open call may block and has lasted so long that it counts as a wait. */
static bool counts_as_wait(const XtfStates *states, uint64_t region, uint64_t ticks)
{
    const XtfTimeScale *scale = &states->views->context->scale;
    XtfRegionClass class = xtf_region_classes_of(states->classes, region);

    return blocking & BIT(class) && !(xtf_matching_use(states->views->matching, region) & XTF_CALL_TESTS) &&
           (unsigned __int128)ticks * scale->den * BLOCKED_PER_SECOND > scale->num;
}

/* Finds the call site of the innermost call of a location at the window's end. */
static bool find_site_of_place(const XtfStates *states, const XtfLocationArrays *arrays, XtfProcessState *state,
                               GError **error)
{
    g_auto(XtfOpenFrames) open = {0};

    if (!states->by_site.schema)
        return true;
    if (!xtf_open_frames_find(&open, arrays, &states->by_site, states->t, error))
        return false;
    const XtfSites *sites = xtf_trace_context_sites(states->views->context, error);
    uint64_t site = open.n ? open.frames[open.n - 1].key : UINT64_MAX;
    if (sites && site < sites->n)
        state->site = site;
    return sites != NULL;
}

/* Finds the innermost call of a location at the window's end, and the light of its process. */
static bool find_place(const XtfStates *states, const XtfLocationArrays *arrays, XtfProcessState *state, GError **error)
{
    g_auto(XtfOpenFrames) open = {0};
    bool waits = false;
    uint64_t gaps;

    if (arrays->first > arrays->last || states->t <= arrays->first || states->t > arrays->last)
        return true;
    if (!xtf_location_gap_ticks(arrays, false, states->t - 1, states->t, &gaps, error))
        return false;
    if (gaps > 0)
        return true;
    state->light = XTF_LIGHT_GREEN;
    if (!xtf_open_frames_find(&open, arrays, &states->times.frames, states->t, error))
        return false;
    if (!open.n)
        return true;
    const XtfOpenFrame *frame = &open.frames[open.n - 1];
    state->in_call = true;
    state->region = frame->key;
    state->since = xtf_clock_map_to_global(open.clock, frame->time);
    if (!find_site_of_place(states, arrays, state, error))
        return false;
    XtfRegionClass class = xtf_region_classes_of(states->classes, frame->key);
    if (class == XTF_CLASS_UNRECORDED)
        state->light = XTF_LIGHT_NONE;
    if (class == XTF_CLASS_UNRECORDED || xtf_class_is_program(class))
        return true;
    if (states->waits && !find_current_wait(states, arrays, &waits, error))
        return false;
    if (!states->waits)
        waits = counts_as_wait(states, frame->key, open.t - MIN(open.t, frame->time));
    state->light = waits ? XTF_LIGHT_RED : XTF_LIGHT_YELLOW;
    return true;
}

static bool measure_calls(XtfStates *states, const XtfSelectedProcess *proc, XtfProcessState *state, GError **error)
{
    XtfClassTimes times = {0}, devices = {0}; /* `devices`: a stream in no region does not run the program */
    bool found = false;
    uint64_t ticks;

    for (uint32_t i = 0; i < proc->n; i++) {
        const XtfLocation *location = xtf_selected_location(&states->selected, proc->first + i);
        if (!xtf_region_times_measure(&states->times, location, &ticks, error) ||
            (!found && location->is_cpu_thread && !find_place(states, &states->times.arrays, state, error)))
            return false;
        found |= location->is_cpu_thread;
        xtf_class_times_add(location->is_cpu_thread ? &times : &devices, &states->times, states->classes, ticks);
    }
    set_shares(state, &times);
    count_calls(state, &times);
    count_calls(state, &devices);
    return true;
}

/* Returns the light of the longest sampled time; of equal times the first of green, yellow and red. */
static XtfLight light_of(const uint64_t *times)
{
    uint64_t busy = times[XTF_SAMPLED_TASKS], idle = times[XTF_SAMPLED_IDLE],
             library = times[XTF_SAMPLED_MPI] + times[XTF_SAMPLED_SCHED];

    if (!busy && !library && !idle)
        return XTF_LIGHT_NONE;
    return busy >= MAX(library, idle) ? XTF_LIGHT_GREEN : library >= idle ? XTF_LIGHT_YELLOW : XTF_LIGHT_RED;
}

/* Adds the figures that samples have: times only if the trace has no calls. */
static bool measure_samples(XtfStates *states, const XtfSelectedProcess *proc, XtfProcessState *state, GError **error)
{
    const XtfSelection *window = states->window;
    XtfTaskFigures figures;

    if (!xtf_task_samples_of(&states->samples, states->views->context, &states->selected, proc, window->time_from,
                             window->time_to, &figures, error))
        return false;
    if (!states->has_calls) {
        state->times[XTF_SHARE_PROGRAM] = figures.times[XTF_SAMPLED_TASKS];
        state->times[XTF_SHARE_P2P] = figures.times[XTF_SAMPLED_MPI];
        state->times[XTF_SHARE_WAIT] = figures.times[XTF_SAMPLED_IDLE];
        state->times[XTF_SHARE_OTHER] = figures.times[XTF_SAMPLED_SCHED];
        state->light = light_of(figures.times);
    }
    if (states->samples.has_messages) {
        state->sent.rows += figures.messages[XTF_SAMPLED_MESSAGES_SENT];
        state->sent.bytes += figures.messages[XTF_SAMPLED_BYTES_SENT];
        state->received.rows += figures.messages[XTF_SAMPLED_MESSAGES_RECEIVED];
        state->received.bytes += figures.messages[XTF_SAMPLED_BYTES_RECEIVED];
        state->sent_so_far += figures.sent_so_far;
    }
    memcpy(state->tasks, figures.tasks, sizeof state->tasks);
    return true;
}

bool xtf_states_of(XtfStates *states, uint32_t i, XtfProcessState *state, GError **error)
{
    const XtfSelectedProcess *proc = &states->selected.procs[i];
    const XtfLocations *locations = states->selected.locations;
    XtfMoved moved[XTF_N_MOVED], so_far[XTF_N_MOVED];

    *state = (XtfProcessState){.proc = proc->proc, .site = UINT64_MAX};
    if (!states->received_counted && !count_receives(states, error))
        return false;
    if ((states->has_calls && !measure_calls(states, proc, state, error)) ||
        !xtf_message_totals_of(&states->moved, &states->selected, proc, moved, error) ||
        !xtf_message_totals_of(&states->moved_so_far, &states->selected, proc, so_far, error))
        return false;
    state->sent = moved[XTF_MOVED_SENDS];
    state->received = moved[XTF_MOVED_RECVS];
    state->sent_so_far = so_far[XTF_MOVED_SENDS].bytes;
    if (states->received_from) {
        uint64_t *found =
            bsearch(&proc->proc, locations->procs, locations->n_procs, sizeof proc->proc, xtf_compare_numbers);
        uint64_t received = states->received_from[found - locations->procs];
        state->knows_in_flight = so_far[XTF_MOVED_SENDS].rows >= received;
        state->in_flight = state->knows_in_flight ? so_far[XTF_MOVED_SENDS].rows - received : 0;
    }
    return !states->has_samples || measure_samples(states, proc, state, error);
}

void xtf_process_state_add(XtfProcessState *sum, const XtfProcessState *state)
{
    for (unsigned share = 0; share < XTF_N_SHARES; share++)
        sum->times[share] += state->times[share];
    sum->calls += state->calls;
    sum->sent.rows += state->sent.rows;
    sum->sent.bytes += state->sent.bytes;
    sum->received.rows += state->received.rows;
    sum->received.bytes += state->received.bytes;
    sum->sent_so_far += state->sent_so_far;
    sum->in_flight += state->in_flight;
    sum->knows_in_flight &= state->knows_in_flight;
    for (unsigned i = 0; i < XTF_N_TASK_STATES; i++)
        sum->tasks[i] += state->tasks[i];
}
