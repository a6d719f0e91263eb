/*
 * waiting: the calls of MPI in which threads are at the end of the trace. For which processes do they wait, and can
 * they continue?
 */
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/model/tables.h"
#include "src/tables/format/format.h"
#include "src/tables/views/view.h"
#include "src/tables/waiting/deadlock.h"
#include "src/trace/text/digits.h"

enum { WORD_WIDTH = 8 };

static const XtfColumn columns[] = {
    XTF_COLUMN("proc", XTF_COLUMN_NUMBER, NULL, "process that waits"),
    XTF_COLUMN("thread", XTF_COLUMN_NUMBER, NULL, "thread that waits"),
    XTF_COLUMN("verdict", XTF_COLUMN_WORD, NULL,
               "deadlock, behind one, mismatch, ended: for a process that has ended, possible, or waits"),
    XTF_COLUMN("group", XTF_COLUMN_NUMBER, NULL, "number of the deadlock that it is in, or waits for"),
    XTF_COLUMN("since", XTF_COLUMN_TIME, NULL, "time at which the call was entered"),
    XTF_COLUMN("waits_for", XTF_COLUMN_NUMBER, NULL,
               "process that it waits for: the next one on the way to the deadlock, else the first one"),
    XTF_COLUMN("procs", XTF_COLUMN_NUMBER, NULL, "processes that it waits for"),
    XTF_COLUMN("needs", XTF_COLUMN_WORD, NULL, "all or any of these processes; unknown: the trace does not say"),
    XTF_COLUMN("peer", XTF_COLUMN_NUMBER, NULL, "process of the message; - of any, of several, or of none"),
    XTF_COLUMN("tag", XTF_COLUMN_NUMBER, NULL, "tag of the message; - for any, several, or none"),
    XTF_COLUMN("comm", XTF_COLUMN_NUMBER, NULL, "row of definitions/communicators"),
    XTF_COLUMN(
        "operation", XTF_COLUMN_NUMBER, NULL,
        "number of the collective operation in its communicator, from 0; - if all members call the same function"),
    XTF_COLUMN("region", XTF_COLUMN_TEXT, NULL, "function that was called"),
    XTF_COLUMN("site", XTF_COLUMN_TEXT, NULL, "call site: calling function, file and line"),
};

static bool waiting_exists(const XtfTraceContext *context, const XtfSelection *selection)
{
    const XtfSchema *pending = xtf_trace_find_schema(context->trace, "pending");

    return pending && pending->kind == XTF_SCHEMA_RECORD &&
           (xtf_trace_n_rows(context->trace, pending->id) > 0 || context->growing) && selection->type == XTF_ANY_TYPE &&
           !selection->base && !xtf_selection_is_filtered(selection) && selection->endless;
}

static bool is_wait_listed(const XtfDeadlocks *deadlocks, const XtfSelection *selection, const XtfWaiting *waiting)
{
    const XtfOpenCall *call = xtf_open_call(&deadlocks->calls, waiting->call);
    const XtfLocation *location = &deadlocks->calls.locations->all[call->location];

    return xtf_number_set_contains(selection->procs, location->proc) &&
           xtf_number_set_contains(selection->threads, location->thread);
}

/* Names of the calls; NULL where the trace has none. Borrowed. */
typedef struct {
    const XtfPaddedNames *regions, *sites;
} Names;

static bool find_names(XtfViews *views, Names *names, GError **error)
{
    return xtf_padded_names_of_table(views->formats, XTF_TABLE_REGIONS, &names->regions, error) &&
           xtf_padded_names_of_sites(views->formats, &names->sites, error);
}

static size_t rows_width(const XtfTraceContext *context, const char *table)
{
    const XtfSchema *schema = xtf_trace_find_schema(context->trace, table);

    return xtf_count_digits(schema ? xtf_trace_n_rows(context->trace, schema->id) : 0);
}

/* Returns the digits of the number of a collective operation. */
static size_t operations_width(const XtfTraceContext *context)
{
    const XtfSchema *schema = xtf_trace_find_schema(context->trace, XTF_RECORD_COLLECTIVES);

    if (context->growing)
        return xtf_count_digits(UINT32_MAX);
    return xtf_count_digits(schema ? xtf_trace_n_rows(context->trace, schema->id) : 0);
}

static bool shape_waiting(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(views->context, error);
    g_auto(XtfDeadlocks) deadlocks = {0};
    Names names;

    if (!locations || !find_names(views, &names, error) || !xtf_deadlocks_init(&deadlocks, views->context, error))
        return false;
    for (guint i = 0; i < deadlocks.waiting->len; i++)
        shape->n_lines += is_wait_listed(&deadlocks, selection, &g_array_index(deadlocks.waiting, XtfWaiting, i));
    shape->at_once = MAX(shape->n_lines, 1);
    size_t proc = MAX(locations->proc_width, xtf_count_digits(locations->n_procs));
    xtf_grid_add(&shape->grid, "proc", proc);
    if (locations->n_threads > 1)
        xtf_grid_add(&shape->grid, "thread", locations->thread_width);
    xtf_grid_add(&shape->grid, "verdict", WORD_WIDTH);
    xtf_grid_add(&shape->grid, "group", proc);
    xtf_grid_add(&shape->grid, "since", views->context->scale.width);
    xtf_grid_add(&shape->grid, "waits_for", proc);
    xtf_grid_add(&shape->grid, "procs", proc);
    xtf_grid_add(&shape->grid, "needs", WORD_WIDTH);
    xtf_grid_add(&shape->grid, "peer", proc);
    xtf_grid_add(&shape->grid, "tag", xtf_count_digits(UINT32_MAX));
    xtf_grid_add(&shape->grid, "comm", rows_width(views->context, XTF_TABLE_COMMUNICATORS));
    xtf_grid_add(&shape->grid, "operation", operations_width(views->context));
    xtf_grid_add(&shape->grid, "region", names.regions ? names.regions->width : 1);
    if (names.sites)
        xtf_grid_add(&shape->grid, "site", names.sites->width);
    return true;
}

static void add_known_number(XtfLines *lines, uint64_t number)
{
    xtf_lines_number_if(lines, number != UINT64_MAX, number);
}

static void add_line(const XtfDeadlocks *deadlocks, const XtfWaiting *waiting, const Names *names, XtfLines *lines)
{
    const XtfOpenCall *call = xtf_open_call(&deadlocks->calls, waiting->call);
    const XtfLocation *location = &deadlocks->calls.locations->all[call->location];
    const XtfAwaited *one = xtf_open_call_only(&deadlocks->calls, call);

    xtf_lines_number(lines, location->proc);
    if (deadlocks->calls.locations->n_threads > 1)
        xtf_lines_number(lines, location->thread);
    xtf_lines_word(lines, xtf_verdict_names[waiting->verdict]);
    add_known_number(lines, waiting->group);
    xtf_lines_time_if(lines, true, call->since);
    add_known_number(lines, waiting->waits_for);
    xtf_lines_number(lines, waiting->n);
    xtf_lines_word(lines, xtf_waiting_needs(waiting));
    add_known_number(lines, one ? one->proc : UINT64_MAX);
    add_known_number(lines, one ? one->tag : UINT64_MAX);
    add_known_number(lines, one ? one->comm : call->comm);
    add_known_number(lines, waiting->mismatches ? waiting->operation : UINT64_MAX);
    xtf_lines_padded_name_if(lines, names->regions, call->region);
    if (names->sites)
        xtf_lines_padded_name_if(lines, names->sites, call->site);
}

static bool fill_waiting(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t n, XtfLines *lines,
                         GError **error)
{
    g_auto(XtfDeadlocks) deadlocks = {0};
    Names names;

    if (!find_names(views, &names, error) || !xtf_deadlocks_init(&deadlocks, views->context, error))
        return false;
    xtf_deadlocks_sort(&deadlocks);
    for (guint i = 0; i < deadlocks.waiting->len; i++) {
        const XtfWaiting *waiting = &g_array_index(deadlocks.waiting, XtfWaiting, i);
        if (is_wait_listed(&deadlocks, selection, waiting))
            add_line(&deadlocks, waiting, &names, lines);
    }
    return true;
}

const XtfView xtf_view_waiting = {
    .table = XTF_TABLE(
        "waiting", "calls that are open at the end of the trace, the processes that they wait for, deadlocks", columns),
    .subject = &xtf_about_waiting,
    .needs = "records of calls that wait",
    .exists = waiting_exists,
    .shape = shape_waiting,
    .fill = fill_waiting,
    .refused_keys = UINT32_MAX,
};
