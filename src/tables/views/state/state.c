/*
 * state: the activity of each process in a window, and its place at the window's end. total: the sums over processes.
 *
 * Only traces of OpenTS have values in the columns of tasks.
 */
#include "src/model/tables.h"
#include "src/tables/views/state/state-columns.h"
#include "src/tables/views/view.h"
#include "src/trace/text/digits.h"

/* The columns that both tables have: add_state_columns() and add_cells(). */
#define FIGURE_COLUMNS                                                                                 \
    XTF_COLUMN("program", XTF_COLUMN_TIME, NULL, "time in the program, and in no region"),             \
        XTF_COLUMN("p2p", XTF_COLUMN_TIME, NULL, "time in point-to-point calls"),                      \
        XTF_COLUMN("collective", XTF_COLUMN_TIME, NULL, "time in collective operations and barriers"), \
        XTF_COLUMN("wait", XTF_COLUMN_TIME, NULL, "time in calls that wait or test"),                  \
        XTF_COLUMN("other", XTF_COLUMN_TIME, NULL, "time in other calls"),                             \
        XTF_COLUMN("calls", XTF_COLUMN_NUMBER, NULL, "calls that are entered"),                        \
        XTF_COLUMN("sent_messages", XTF_COLUMN_NUMBER, NULL, "messages sent"),                         \
        XTF_COLUMN("sent_bytes", XTF_COLUMN_NUMBER, "B", "bytes of the messages sent"),                \
        XTF_COLUMN("received_messages", XTF_COLUMN_NUMBER, NULL, "messages received"),                 \
        XTF_COLUMN("received_bytes", XTF_COLUMN_NUMBER, "B", "bytes of the messages received"),        \
        XTF_COLUMN("in_flight", XTF_COLUMN_NUMBER, NULL,                                               \
                   "messages sent and not yet received at the end of the window"),                     \
        XTF_COLUMN("total_sent_bytes", XTF_COLUMN_NUMBER, "B", "bytes sent since the trace begins"),   \
        XTF_COLUMN("tasks_S", XTF_COLUMN_NUMBER, NULL, "tasks started"),                               \
        XTF_COLUMN("tasks_P", XTF_COLUMN_NUMBER, NULL, "tasks waiting for arguments"),                 \
        XTF_COLUMN("tasks_X", XTF_COLUMN_NUMBER, NULL, "tasks exported"),                              \
        XTF_COLUMN("tasks_I", XTF_COLUMN_NUMBER, NULL, "tasks imported"),                              \
        XTF_COLUMN("tasks_A", XTF_COLUMN_NUMBER, NULL, "tasks running"),                               \
        XTF_COLUMN("tasks_W", XTF_COLUMN_NUMBER, NULL, "tasks suspended"),                             \
        XTF_COLUMN("tasks_F", XTF_COLUMN_NUMBER, NULL, "tasks ended")

static const XtfColumn state_columns[] = {
    XTF_COLUMN("proc", XTF_COLUMN_NUMBER, NULL, "process"),
    FIGURE_COLUMNS,
    XTF_COLUMN("colour", XTF_COLUMN_WORD, NULL, "green in the program, yellow in a library, red if it waits"),
    XTF_COLUMN("since", XTF_COLUMN_TIME, NULL, "when the region was entered"),
    XTF_COLUMN("region", XTF_COLUMN_TEXT, NULL, "region of the first thread at the end of the window"),
    XTF_COLUMN("site", XTF_COLUMN_TEXT, NULL, "call site of that region: calling function, file and line"),
};

static const XtfColumn total_columns[] = {
    XTF_COLUMN("procs", XTF_COLUMN_NUMBER, NULL, "number of processes"),
    FIGURE_COLUMNS,
    XTF_COLUMN("none", XTF_COLUMN_NUMBER, NULL, "processes before their first record, or after their last"),
    XTF_COLUMN("green", XTF_COLUMN_NUMBER, NULL, "processes in the program"),
    XTF_COLUMN("yellow", XTF_COLUMN_NUMBER, NULL, "processes in a library"),
    XTF_COLUMN("red", XTF_COLUMN_NUMBER, NULL, "processes that wait"),
};

enum {
    PART_LINES = 1024,
    LIGHT_WIDTH = 6,
};

/* True if the selection has the view. A type or the selection of calls would leave only some columns a meaning. */
static bool state_exists(const XtfTraceContext *context, const XtfSelection *selection)
{
    return selection->type == XTF_ANY_TYPE && !selection->calls && xtf_states_exist(context, selection);
}

/* ---- Columns of both tables. */

static void add_state_columns(XtfStates *states, XtfGrid *grid)
{
    const XtfTraceContext *context = states->views->context;
    const XtfAggregateRef *sends = &states->moved.refs[XTF_MOVED_SENDS];
    size_t tasks = xtf_count_digits(xtf_samples_most(&states->samples.states, context, 0));

    for (unsigned share = 0; share < XTF_N_SHARES; share++)
        xtf_grid_add(grid, xtf_share_names[share], xtf_state_times_width(states));
    xtf_grid_add(grid, "calls", xtf_state_calls_width(states));
    xtf_state_add_moved_columns(states, grid);
    xtf_grid_add(grid, "in_flight", xtf_aggregate_ref_rows_width(sends, context));
    xtf_grid_add(grid, "total_sent_bytes", xtf_state_sent_bytes_width(states));
    for (unsigned i = 0; i < XTF_N_TASK_STATES; i++)
        xtf_grid_add(grid, xtf_task_columns[i], tasks);
}

static void add_cells(const XtfStates *states, const XtfProcessState *state, XtfLines *lines)
{
    for (unsigned share = 0; share < XTF_N_SHARES; share++) {
        if (xtf_states_have_times(states))
            xtf_lines_ticks(lines, state->times[share]);
        else
            xtf_lines_none(lines);
    }
    xtf_lines_number_if(lines, states->has_calls, state->calls);
    xtf_state_add_moved_cells(state, lines);
    xtf_lines_number_if(lines, state->knows_in_flight, state->in_flight);
    xtf_lines_number(lines, state->sent_so_far);
    for (unsigned i = 0; i < XTF_N_TASK_STATES; i++)
        xtf_lines_number_if(lines, xtf_states_have_tasks(states), state->tasks[i]);
}

/* ---- state */

/* Names of the last two columns of a trace with call sites; NULL without. Blanks of regions are escaped, as regions are
 * not in the last column. */
typedef struct {
    const XtfPaddedNames *regions, *sites;
} PlaceNames;

static bool find_names(const XtfStates *states, PlaceNames *names, GError **error)
{
    XtfFormats *formats = states->views->formats;

    *names = (PlaceNames){0};
    return !states->by_site.schema || (xtf_padded_words_of_table(formats, XTF_TABLE_REGIONS, &names->regions, error) &&
                                       xtf_padded_names_of_table(formats, XTF_TABLE_SITES, &names->sites, error));
}

static bool shape_state(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    g_auto(XtfStates) states = {0};
    PlaceNames names;

    if (!xtf_states_init(&states, views, selection, error) || !find_names(&states, &names, error))
        return false;
    shape->n_lines = states.selected.n_procs;
    shape->at_once = PART_LINES;
    xtf_grid_add(&shape->grid, "proc", states.selected.locations->proc_width);
    add_state_columns(&states, &shape->grid);
    xtf_grid_add(&shape->grid, "colour", LIGHT_WIDTH);
    xtf_grid_add(&shape->grid, "since", views->context->scale.width);
    size_t region = states.has_calls ? states.times.regions.name_width : 1;
    xtf_grid_add(&shape->grid, "region", MAX(region, names.regions ? names.regions->width : 0));
    if (names.sites)
        xtf_grid_add(&shape->grid, "site", names.sites->width);
    return true;
}

static void add_place(const XtfStates *states, const PlaceNames *names, const XtfProcessState *state, XtfLines *lines)
{
    xtf_lines_word(lines, xtf_light_names[state->light]);
    if (!state->in_call) {
        for (unsigned i = 0; i < (names->sites ? 3 : 2); i++)
            xtf_lines_none(lines);
        return;
    }
    const XtfRegions *regions = &states->times.regions;
    xtf_lines_ticks(lines, state->since - MIN(state->since, lines->scale->origin));
    if (names->regions && state->region < names->regions->n)
        xtf_lines_padded_name(lines, names->regions, state->region);
    else
        xtf_lines_region_name(lines, regions, xtf_region_line(regions, state->region));
    if (names->sites)
        xtf_lines_padded_name_if(lines, names->sites, state->site);
}

static bool fill_state(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t n, XtfLines *lines,
                       GError **error)
{
    g_auto(XtfStates) states = {0};
    PlaceNames names;
    XtfProcessState state;

    if (!xtf_states_init(&states, views, selection, error) || !find_names(&states, &names, error))
        return false;
    for (uint64_t i = first; i < first + n; i++) {
        if (!xtf_states_of(&states, (uint32_t)i, &state, error))
            return false;
        xtf_lines_number(lines, state.proc);
        add_cells(&states, &state, lines);
        add_place(&states, &names, &state, lines);
    }
    return true;
}

const XtfView xtf_view_state = {
    .table = XTF_TABLE("state", "what each process does in the window, and where it is at the end", state_columns),
    .of_frames = true,
    .subject = &xtf_about_states,
    .exists = state_exists,
    .shape = shape_state,
    .fill = fill_state,
    .refused_keys = 1 << XTF_GROUP_BY_PROC,
};

/* ---- total */

static bool shape_total(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    g_auto(XtfStates) states = {0};

    if (!xtf_states_init(&states, views, selection, error))
        return false;
    size_t procs = xtf_count_digits(states.selected.n_procs);
    shape->n_lines = shape->at_once = 1;
    xtf_grid_add(&shape->grid, "procs", procs);
    add_state_columns(&states, &shape->grid);
    for (unsigned light = 0; light < XTF_N_LIGHTS; light++)
        xtf_grid_add(&shape->grid, light ? xtf_light_names[light] : "none", procs);
    return true;
}

static bool fill_total(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t n, XtfLines *lines,
                       GError **error)
{
    g_auto(XtfStates) states = {0};
    XtfProcessState sum = {.knows_in_flight = true}, state;
    uint64_t lights[XTF_N_LIGHTS] = {0};

    if (!xtf_states_init(&states, views, selection, error))
        return false;
    for (uint32_t i = 0; i < states.selected.n_procs; i++) {
        if (!xtf_states_of(&states, i, &state, error))
            return false;
        xtf_process_state_add(&sum, &state);
        lights[state.light]++;
    }
    xtf_lines_number(lines, states.selected.n_procs);
    add_cells(&states, &sum, lines);
    for (unsigned light = 0; light < XTF_N_LIGHTS; light++)
        xtf_lines_number(lines, lights[light]);
    return true;
}

const XtfView xtf_view_total = {
    .table = XTF_TABLE("total", "one line: `state` of all processes together", total_columns),
    .of_frames = true,
    .subject = &xtf_about_states,
    .exists = state_exists,
    .shape = shape_total,
    .fill = fill_total,
};
