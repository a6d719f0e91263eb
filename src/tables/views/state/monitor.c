/*
 * monitor: the activity of each process at the end of the trace, or now. The table has its call and stack, for whom it
 * waits, and its times and messages in the window. `xtf watch` shows these numbers.
 */
#include <string.h>

#include "libxtf/trace.h"
#include "src/model/process-properties.h"
#include "src/model/tables.h"
#include "src/tables/views/state/last-call.h"
#include "src/tables/views/state/state-columns.h"
#include "src/tables/views/view.h"
#include "src/tables/waiting/deadlock.h"
#include "src/trace/text/digits.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("proc", XTF_COLUMN_NUMBER, NULL, "process"),
    XTF_COLUMN("activity", XTF_COLUMN_WORD, NULL,
               "waiting; communicating, in a call of a library; computing; silent, without records; or ended"),
    XTF_COLUMN("since", XTF_COLUMN_TIME, NULL, "when its call was entered"),
    XTF_COLUMN("for", XTF_COLUMN_TIME, NULL, "time since then"),
    XTF_COLUMN("computing", XTF_COLUMN_TIME, NULL, "time in the program, and in no region"),
    XTF_COLUMN("communicating", XTF_COLUMN_TIME, NULL, "time in point-to-point calls and collective operations"),
    XTF_COLUMN("waiting", XTF_COLUMN_TIME, NULL, "time in calls that wait or test"),
    XTF_COLUMN("other", XTF_COLUMN_TIME, NULL, "time in other calls"),
    XTF_COLUMN("calls", XTF_COLUMN_NUMBER, NULL, "calls that are entered"),
    XTF_COLUMN("sent_messages", XTF_COLUMN_NUMBER, NULL, "messages sent"),
    XTF_COLUMN("sent_bytes", XTF_COLUMN_NUMBER, "B", "bytes of the messages sent"),
    XTF_COLUMN("received_messages", XTF_COLUMN_NUMBER, NULL, "messages received"),
    XTF_COLUMN("received_bytes", XTF_COLUMN_NUMBER, "B", "bytes of the messages received"),
    XTF_COLUMN("slowdown%", XTF_COLUMN_REAL, "%", "estimated time for recording, 10 ns a record, of the window's time"),
    XTF_COLUMN("verdict", XTF_COLUMN_WORD, NULL, "as in `waiting`; - if it has no line there"),
    XTF_COLUMN("waits_for", XTF_COLUMN_NUMBER, NULL, "process that it waits for, as in `waiting`"),
    XTF_COLUMN("procs", XTF_COLUMN_NUMBER, NULL, "processes that it waits for"),
    XTF_COLUMN("needs", XTF_COLUMN_WORD, NULL, "all or any of these processes; unknown: the trace does not say"),
    XTF_COLUMN("tag", XTF_COLUMN_NUMBER, NULL, "tag of the message that it waits for"),
    XTF_COLUMN("last_left", XTF_COLUMN_TIME, NULL, "when its last call of MPI in the window was left"),
    XTF_COLUMN("last_region", XTF_COLUMN_TEXT, NULL, "function of that call"),
    XTF_COLUMN("last_site", XTF_COLUMN_TEXT, NULL, "call site of that call"),
    XTF_COLUMN("region", XTF_COLUMN_TEXT, NULL, "innermost region that it is in"),
    XTF_COLUMN("site", XTF_COLUMN_TEXT, NULL, "call site of that region"),
    XTF_COLUMN("stack", XTF_COLUMN_TEXT, NULL, "its open calls, the outermost first"),
};

enum {
    WORD_WIDTH = 8,      /* of verdicts */
    ACTIVITY_WIDTH = 13, /* of the widest activity */
    STACK_WIDTH_MAX = 160,
    LEVEL_WIDTH_MAX = 40, /* guess of the width of a level, for the width of the column */
    PERCENT_WIDTH = 12,
};

#define NS_PER_RECORD 10.0 /* docs/RECORD.md: record.overhead_ns */
#define UNKNOWN       UINT64_MAX

typedef enum { SILENT, COMPUTING, COMMUNICATING, WAITING, ENDED } Activity;

static const char *const activity_names[] = {"silent", "computing", "communicating", "waiting", "ended"};

static bool monitor_exists(const XtfTraceContext *context, const XtfSelection *selection)
{
    return selection->endless && selection->type == XTF_ANY_TYPE && !xtf_selection_is_filtered(selection) &&
           xtf_states_exist(context, selection);
}

/* ---- Data that are loaded once. */

typedef struct {
    XtfStates states;
    XtfDeadlocks deadlocks;                     /* all zeros: the trace has no open calls */
    GHashTable *waiting;                        /* XtfWaiting by process: its first line of `waiting` */
    GHashTable *ended;                          /* processes whose end is known */
    const XtfPaddedNames *region_words, *sites; /* NULL: none; borrowed */
    XtfLocationArrays arrays;
    bool runs;          /* the writer has not closed the trace */
    uint64_t from, now; /* the window: global times; `now` is the time up to which the trace is shown */
    double seconds;     /* of the window */
} Monitor;

static void monitor_finish(Monitor *monitor)
{
    xtf_states_finish(&monitor->states);
    xtf_deadlocks_finish(&monitor->deadlocks);
    g_clear_pointer(&monitor->waiting, g_hash_table_unref);
    g_clear_pointer(&monitor->ended, g_hash_table_unref);
    xtf_location_arrays_finish(&monitor->arrays);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Monitor, monitor_finish)

static bool find_monitor_names(Monitor *monitor, XtfViews *views, GError **error)
{
    return xtf_padded_words_of_table(views->formats, XTF_TABLE_REGIONS, &monitor->region_words, error) &&
           xtf_padded_names_of_sites(views->formats, &monitor->sites, error);
}

static bool find_waiting(Monitor *monitor, XtfTraceContext *context, GError **error)
{
    const XtfSchema *pending = xtf_trace_context_schema(context, "pending", XTF_SCHEMA_RECORD);

    monitor->waiting = g_hash_table_new(g_int64_hash, g_int64_equal);
    if (!pending || xtf_trace_n_rows(context->trace, pending->id) == 0)
        return true;
    if (!xtf_deadlocks_init(&monitor->deadlocks, context, error))
        return false;
    xtf_deadlocks_sort(&monitor->deadlocks);
    for (guint i = 0; i < monitor->deadlocks.waiting->len; i++) {
        XtfWaiting *waiting = &g_array_index(monitor->deadlocks.waiting, XtfWaiting, i);
        const XtfOpenCall *call = xtf_open_call(&monitor->deadlocks.calls, waiting->call);
        uint64_t *proc = &monitor->deadlocks.calls.locations->all[call->location].proc;
        if (!g_hash_table_contains(monitor->waiting, proc))
            g_hash_table_insert(monitor->waiting, proc, waiting);
    }
    return true;
}

static bool find_ended(Monitor *monitor, XtfTraceContext *context, GError **error)
{
    g_autoptr(GArray) ends = xtf_stated_ends(context->trace, error);

    monitor->ended = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    for (guint i = 0; ends && i < ends->len; i++) {
        const XtfStatedEnd *end = &g_array_index(ends, XtfStatedEnd, i);
        uint64_t proc = end->proc;
        if (end->kind != XTF_END_UNKNOWN && end->kind != XTF_END_COLLECTOR)
            g_hash_table_add(monitor->ended, g_memdup2(&proc, sizeof proc));
    }
    return ends;
}

static bool monitor_init(Monitor *monitor, XtfViews *views, const XtfSelection *selection, GError **error)
{
    XtfTraceContext *context = views->context;
    const XtfTimeScale *scale = &context->scale;
    uint64_t from, to;
    XtfTraceInfo info;

    xtf_trace_get_info(context->trace, &info);
    monitor->runs = context->growing || !info.closed;
    xtf_selection_window(selection, scale, &from, &to);
    monitor->from = from;
    monitor->now = to;
    monitor->seconds = (double)(to - from) * (double)scale->den / (double)scale->num;
    return xtf_states_init(&monitor->states, views, selection, error) && find_monitor_names(monitor, views, error) &&
           find_waiting(monitor, context, error) && find_ended(monitor, context, error);
}

/* ---- Shape. */

/* Returns the characters that the deepest stack of the trace may need, within a bound. */
static size_t stack_width(const Monitor *monitor)
{
    const XtfTraceContext *context = monitor->states.views->context;
    const XtfSchema *calls = monitor->states.times.frames.schema;
    const XtfField *depth = calls ? xtf_schema_field_by_role(calls, XTF_ROLE_DEPTH) : NULL;

    if (context->growing || !depth)
        return calls ? STACK_WIDTH_MAX : 1;
    const XtfLimits *limits = xtf_trace_limits(context->trace, calls->id, (uint32_t)(depth - calls->fields));
    uint64_t levels = limits->min <= limits->max ? limits->max : 1;
    size_t name = MIN(monitor->states.times.regions.name_width, (size_t)LEVEL_WIDTH_MAX);
    return levels > STACK_WIDTH_MAX / (name + 1) ? STACK_WIDTH_MAX : MAX(levels * (name + 1), 1);
}

static bool shape_monitor(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    g_auto(Monitor) monitor = {0};
    XtfGrid *grid = &shape->grid;

    if (!xtf_states_init(&monitor.states, views, selection, error) || !find_monitor_names(&monitor, views, error))
        return false;
    const XtfStates *states = &monitor.states;
    const XtfLocations *locations = states->selected.locations;
    size_t proc = MAX(locations->proc_width, xtf_count_digits(locations->n_procs)),
           region = monitor.region_words ? monitor.region_words->width : 1;
    shape->n_lines = states->selected.n_procs;
    shape->at_once = MAX(shape->n_lines, 1);
    xtf_grid_add(grid, "proc", proc);
    xtf_grid_add(grid, "activity", ACTIVITY_WIDTH);
    xtf_grid_add(grid, "since", views->context->scale.width);
    xtf_grid_add(grid, "for", views->context->scale.width);
    static const char *const times[] = {"computing", "communicating", "waiting", "other"};
    for (unsigned i = 0; i < G_N_ELEMENTS(times); i++)
        xtf_grid_add(grid, times[i], xtf_state_times_width(states));
    xtf_grid_add(grid, "calls", xtf_state_calls_width(states));
    xtf_state_add_moved_columns(states, grid);
    xtf_grid_add(grid, "slowdown%", PERCENT_WIDTH);
    xtf_grid_add(grid, "verdict", WORD_WIDTH);
    xtf_grid_add(grid, "waits_for", proc);
    xtf_grid_add(grid, "procs", proc);
    xtf_grid_add(grid, "needs", WORD_WIDTH);
    xtf_grid_add(grid, "tag", xtf_count_digits(UINT32_MAX));
    xtf_grid_add(grid, "last_left", views->context->scale.width);
    xtf_grid_add(grid, "last_region", region);
    if (monitor.sites)
        xtf_grid_add(grid, "last_site", monitor.sites->width);
    xtf_grid_add(grid, "region", region);
    if (monitor.sites)
        xtf_grid_add(grid, "site", monitor.sites->width);
    xtf_grid_add(grid, "stack", stack_width(&monitor));
    return true;
}

/* ---- One process. */

typedef struct {
    XtfProcessState state;
    const XtfWaiting *waiting; /* NULL: it has no line in `waiting` */
    Activity activity;
    bool in_call;
    uint64_t since, region, site;
    XtfLastCall last;
    char *stack; /* owned; NULL: no call is open */
} Process;

static void process_finish(Process *process)
{
    g_clear_pointer(&process->stack, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Process, process_finish)

/* Joins the names of open calls: "main/solve/MPI_Recv". A long name keeps the inner calls. */
static char *join_stack(const XtfNameIndex *regions, const XtfOpenFrames *open)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (size_t i = open->n; i > 0; i--) {
        uint64_t key = open->frames[i - 1].key;
        const char *name = regions->texts && key < regions->n_rows ? regions->texts[key] : "?";
        if (text->len + strlen(name) + strlen(".../") + 1 > STACK_WIDTH_MAX && i < open->n) {
            g_string_prepend(text, ".../");
            break;
        }
        if (i < open->n)
            g_string_prepend_c(text, '/');
        g_string_prepend(text, name);
    }
    return open->n > 0 ? g_strdup(text->str) : NULL;
}

/* Finds the stack and the last call of a process's first thread. */
static bool find_calls(Monitor *monitor, Process *process, GError **error)
{
    const XtfStates *states = &monitor->states;
    XtfTraceContext *context = states->views->context;
    const XtfNameIndex *regions = xtf_trace_context_regions(context, error);
    g_auto(XtfOpenFrames) open = {0};

    if (!regions ||
        !xtf_last_call_find(&process->last, &monitor->arrays, &states->times.frames, states->classes, states->t, error))
        return false;
    if (process->waiting ? !xtf_open_frames_at_end(&open, &monitor->arrays, &states->times.frames, error)
                         : !xtf_open_frames_find(&open, &monitor->arrays, &states->times.frames, states->t, error))
        return false;
    if (process->last.found && process->last.end < monitor->from) /* before the window */
        process->last = (XtfLastCall){.region = UNKNOWN, .site = UNKNOWN};
    process->stack = join_stack(regions, &open);
    return true;
}

static Activity activity_of(const Monitor *monitor, const Process *process)
{
    static const Activity of_lights[XTF_N_LIGHTS] = {
        [XTF_LIGHT_GREEN] = COMPUTING, [XTF_LIGHT_YELLOW] = COMMUNICATING, [XTF_LIGHT_RED] = WAITING};

    if (process->waiting)
        return WAITING;
    if (process->state.light != XTF_LIGHT_NONE)
        return of_lights[process->state.light];
    return monitor->runs && !g_hash_table_contains(monitor->ended, &process->state.proc) ? SILENT : ENDED;
}

/* Sets the call that a process is in. */
static void set_place(const Monitor *monitor, Process *process)
{
    const XtfOpenCall *call =
        process->waiting ? xtf_open_call(&monitor->deadlocks.calls, process->waiting->call) : NULL;

    process->in_call = call || process->state.in_call;
    process->since = call ? call->since : process->state.since;
    process->region = call ? call->region : process->state.region;
    process->site = call ? call->site : process->state.site;
}

static bool read_process(Monitor *monitor, uint32_t i, Process *process, GError **error)
{
    XtfStates *states = &monitor->states;
    const XtfSelectedProcess *proc = &states->selected.procs[i];

    *process = (Process){.last = {.region = UNKNOWN, .site = UNKNOWN}};
    if (!xtf_states_of(states, i, &process->state, error))
        return false;
    process->waiting = g_hash_table_lookup(monitor->waiting, &process->state.proc);
    process->activity = activity_of(monitor, process);
    set_place(monitor, process);
    for (uint32_t k = 0; states->has_calls && k < proc->n; k++) {
        const XtfLocation *location = xtf_selected_location(&states->selected, proc->first + k);
        if (location->is_cpu_thread)
            return xtf_location_arrays_load(&monitor->arrays, states->views->context, location, error) &&
                   find_calls(monitor, process, error);
    }
    return true;
}

/* ---- Lines. */

/* Estimates how much recording slows down a process: the cost of its records, in percent of the window. */
static double slowdown_of(const Monitor *monitor, const XtfProcessState *state)
{
    double records = 2 * (double)state->calls + (double)state->sent.rows + (double)state->received.rows;

    return monitor->seconds > 0 ? 100 * records * NS_PER_RECORD * 1e-9 / monitor->seconds : 0;
}

static void add_figures(const Monitor *monitor, const Process *process, XtfLines *lines)
{
    const XtfProcessState *state = &process->state;
    const unsigned __int128 times[] = {state->times[XTF_SHARE_PROGRAM],
                                       state->times[XTF_SHARE_P2P] + state->times[XTF_SHARE_COLLECTIVE],
                                       state->times[XTF_SHARE_WAIT], state->times[XTF_SHARE_OTHER]};

    for (unsigned i = 0; i < G_N_ELEMENTS(times); i++)
        xtf_lines_ticks_if(lines, xtf_states_have_times(&monitor->states), times[i]);
    xtf_lines_number_if(lines, monitor->states.has_calls, state->calls);
    xtf_state_add_moved_cells(state, lines);
    xtf_lines_real(lines, "%.4f", slowdown_of(monitor, state));
}

static void add_wait(const Monitor *monitor, const XtfWaiting *waiting, XtfLines *lines)
{
    enum { CELLS = 5 };

    for (unsigned i = 0; i < CELLS && !waiting; i++)
        xtf_lines_none(lines);
    if (!waiting)
        return;
    const XtfOpenCalls *calls = &monitor->deadlocks.calls;
    const XtfAwaited *one = xtf_open_call_only(calls, xtf_open_call(calls, waiting->call));
    xtf_lines_word(lines, xtf_verdict_names[waiting->verdict]);
    xtf_lines_number_if(lines, waiting->waits_for != UNKNOWN, waiting->waits_for);
    xtf_lines_number(lines, waiting->n);
    xtf_lines_word(lines, xtf_waiting_needs(waiting));
    xtf_lines_number_if(lines, one && one->tag != UNKNOWN, one ? one->tag : 0);
}

static void add_line(const Monitor *monitor, const Process *process, XtfLines *lines)
{
    const XtfPaddedNames *regions = monitor->region_words, *sites = monitor->sites;

    xtf_lines_number(lines, process->state.proc);
    xtf_lines_word(lines, activity_names[process->activity]);
    xtf_lines_time_if(lines, process->in_call, process->since);
    xtf_lines_ticks_if(lines, process->in_call, monitor->now - MIN(process->since, monitor->now));
    add_figures(monitor, process, lines);
    add_wait(monitor, process->waiting, lines);
    xtf_lines_time_if(lines, process->last.found, process->last.end);
    xtf_lines_padded_name_if(lines, regions, process->last.region);
    if (sites)
        xtf_lines_padded_name_if(lines, sites, process->last.site);
    xtf_lines_padded_name_if(lines, regions, process->in_call ? process->region : UNKNOWN);
    if (sites)
        xtf_lines_padded_name_if(lines, sites, process->in_call ? process->site : UNKNOWN);
    if (process->stack)
        xtf_lines_text(lines, process->stack, process->state.proc);
    else
        xtf_lines_none(lines);
}

static bool fill_monitor(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t n, XtfLines *lines,
                         GError **error)
{
    g_auto(Monitor) monitor = {0};

    if (!monitor_init(&monitor, views, selection, error))
        return false;
    for (uint64_t i = first; i < first + n; i++) {
        g_auto(Process) process = {0};
        if (!read_process(&monitor, (uint32_t)i, &process, error))
            return false;
        add_line(&monitor, &process, lines);
    }
    return true;
}

const XtfView xtf_view_monitor = {
    .table = XTF_TABLE("monitor", "what each process does now, or did at the end, and for whom it waits", columns),
    .subject = &xtf_about_monitor,
    .exists = monitor_exists,
    .shape = shape_monitor,
    .fill = fill_monitor,
    .refused_keys = UINT32_MAX,
};
