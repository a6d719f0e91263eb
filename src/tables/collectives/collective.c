#include "src/tables/collectives/collective.h"

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/tables/collectives/collective-members.h"
#include "src/tables/collectives/collective-order.h"
#include "src/tables/format/table.h"
#include "src/trace/text/digits.h"
#include "src/trace/text/lines.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("proc", XTF_COLUMN_NUMBER, NULL, "process"),
    XTF_COLUMN("thread", XTF_COLUMN_NUMBER, NULL, "thread of the process"),
    XTF_COLUMN("begin", XTF_COLUMN_TIME, NULL, "when the member begins"),
    XTF_COLUMN("end", XTF_COLUMN_TIME, NULL, "when the member ends"),
    XTF_COLUMN("wait", XTF_COLUMN_TIME, NULL, "wait for others to begin"),
    XTF_COLUMN("completion", XTF_COLUMN_TIME, NULL, "time from the end of the first member to its own end"),
    XTF_COLUMN("sent", XTF_COLUMN_NUMBER, "B", "bytes sent"),
    XTF_COLUMN("received", XTF_COLUMN_NUMBER, "B", "bytes received"),
    XTF_COLUMN("state", XTF_COLUMN_TEXT, NULL, "certain if all members agree, and clocks do not contradict each other"),
};

const XtfTableDeclaration xtf_table_members =
    XTF_TABLE("num/K/members", "the members of a collective operation", columns);

void xtf_collectives_init(XtfCollectives *collectives, XtfTraceContext *context)
{
    *collectives = (XtfCollectives){.context = context};
    xtf_collective_types_find(&collectives->types, context);
    xtf_collective_processes_init(&collectives->processes);
    xtf_collective_comms_init(&collectives->comms);
    xtf_collective_operations_init(&collectives->operations);
}

void xtf_collectives_finish(XtfCollectives *collectives)
{
    xtf_keeper_finish(&collectives->operations);
    xtf_keeper_finish(&collectives->comms);
    xtf_keeper_finish(&collectives->processes);
}

bool xtf_collectives_identify(XtfCollectives *collectives, uint32_t location, uint64_t row, XtfCollectiveId *id,
                              bool *found, GError **error)
{
    const XtfCollectiveTypes *types = &collectives->types;
    const XtfLocations *locations = xtf_trace_context_locations(collectives->context, error);
    const XtfRanks *ranks = xtf_trace_context_ranks(collectives->context, error);
    uint8_t bytes[XTF_ROW_MAX];
    XtfArray array;

    *found = false;
    if (!locations || !ranks)
        return false;
    if (!types->schema)
        return true;
    *id = (XtfCollectiveId){.location = location, .proc = locations->all[location].proc};
    if (!xtf_trace_find_array(collectives->context->trace, locations->all[location].id, types->schema->id, &array,
                              found, error))
        return false;
    if (!*found)
        return true;
    if (!xtf_collective_completion(types, &array, row, &id->row, found, error) ||
        (*found && !xtf_array_row(&array, id->row, bytes, error)))
        return false;
    if (!*found)
        return true;
    id->event = xtf_field_get(types->event, bytes);
    id->comm = xtf_field_get(types->comm, bytes);
    *found = !xtf_field_is_none(types->comm, bytes) && xtf_ranks_count_members(ranks, id->comm, &id->n) && id->n > 0;
    return true;
}

/* ---- The table. */

static size_t field_width(const XtfCollectives *collectives, const XtfField *field)
{
    const XtfSchema *schema = collectives->types.schema;
    const XtfLimits *limits =
        xtf_trace_limits(collectives->context->trace, schema->id, (uint32_t)(field - schema->fields));
    return limits->min <= limits->max ? xtf_count_digits(limits->max) : 1;
}

static bool get_grid(XtfCollectives *collectives, XtfGrid *grid, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(collectives->context, error);
    size_t times = collectives->context->scale.width;

    if (!locations)
        return false;
    xtf_grid_init(grid, &xtf_table_members);
    xtf_grid_add(grid, "proc", locations->proc_width);
    xtf_grid_add(grid, "thread", locations->thread_width);
    xtf_grid_add(grid, "begin", times);
    xtf_grid_add(grid, "end", times);
    xtf_grid_add(grid, "wait", times);
    xtf_grid_add(grid, "completion", times);
    xtf_grid_add(grid, "sent", field_width(collectives, collectives->types.bytes));
    xtf_grid_add(grid, "received", field_width(collectives, collectives->types.received));
    xtf_grid_add(grid, "state", sizeof "uncertain" - 1);
    return true;
}

bool xtf_members_size(XtfCollectives *collectives, const XtfCollectiveId *id, uint64_t *size, GError **error)
{
    XtfGrid grid;
    return get_grid(collectives, &grid, error) &&
           (!__builtin_mul_overflow(id->n + 1, (uint64_t)grid.line, size) ||
            xtf_fail(error, XTF_ERROR_TOO_LARGE, "the communicator has too many members"));
}

static void add_wait_cells(const XtfCollectiveOperation *operation, const XtfCollectiveTimes *times, bool timed,
                           XtfMemberTime sender, XtfLines *lines)
{
    uint64_t wait, completion;

    if (!timed || !operation->waits || operation->shape == XTF_COLLECTIVE_SOME_TO_SOME) {
        xtf_lines_none(lines);
        xtf_lines_none(lines);
        return;
    }
    xtf_collective_waits(&operation->summary, operation->shape, times, sender, &wait, &completion);
    xtf_lines_ticks(lines, wait);
    xtf_lines_ticks(lines, completion);
}

/* An operation whose lines are shown. */
typedef struct {
    XtfCollectives *collectives;
    XtfCollectiveOperation *operation; /* the operation, taken from `collectives` */
    bool certain;
} ShownOperation;

static bool shown_init(ShownOperation *shown, XtfCollectives *collectives, const XtfCollectiveId *id,
                       bool clocks_contradict, GError **error)
{
    *shown = (ShownOperation){.collectives = collectives,
                              .operation = xtf_collective_operation_take(collectives, id, error)};
    shown->certain = shown->operation && shown->operation->certain && (id->n == 1 || !clocks_contradict);
    return shown->operation != NULL;
}

static void add_member(const ShownOperation *shown, const XtfLocations *locations, const XtfCollectiveMember *member,
                       const XtfCollectiveTimes *times, bool timed, XtfMemberTime sender, XtfLines *lines)
{
    const XtfCollectiveOperation *operation = shown->operation;

    xtf_lines_number_if(lines, member->proc != XTF_NO_PROC, member->proc);
    xtf_lines_number_if(lines, member->found, member->found ? locations->all[member->location].thread : 0);
    xtf_lines_time_if(lines, timed, member->begin);
    xtf_lines_time_if(lines, member->found, member->end);
    add_wait_cells(operation, times, timed, sender, lines);
    xtf_lines_number_if(lines, member->found && member->sent != UINT64_MAX, member->sent);
    xtf_lines_number_if(lines, member->found && member->received != UINT64_MAX, member->received);
    xtf_lines_text(lines, shown->certain ? "certain" : "uncertain", 0);
}

static bool add_member_lines(const ShownOperation *shown, uint64_t from, uint64_t to, XtfLines *lines, GError **error)
{
    XtfCollectives *collectives = shown->collectives;
    XtfCollectiveOperation *operation = shown->operation;
    const XtfLocations *locations = xtf_trace_context_locations(collectives->context, error);
    uint64_t block = from / XTF_MEMBERS_AT_ONCE, first = block * XTF_MEMBERS_AT_ONCE;
    XtfMemberTime sender = g_array_index(operation->senders, XtfMemberTime, block);

    if (!locations || !xtf_collective_operation_load(collectives, operation, block, error))
        return false;
    for (uint64_t i = first; i < to; i++) {
        const XtfCollectiveMember *member = &operation->members[i - first];
        XtfCollectiveTimes times;
        bool timed = xtf_collective_member_times(member, i, &times);
        if (timed && times.sends)
            xtf_member_time_latest(&sender, i, times.begin);
        if (i >= from)
            add_member(shown, locations, member, &times, timed, sender, lines);
    }
    return true;
}

static bool read_lines(const ShownOperation *shown, const XtfGrid *grid, uint64_t offset, char *buffer, size_t length,
                       GError **error)
{
    uint64_t line = grid->line, end = offset + length;
    /* Members are counted from the line below the header. */
    uint64_t from = offset < line ? 0 : offset / line - 1,
             to = MIN((end + line - 1) / line - 1, shown->operation->id.n);

    while (from < to) {
        uint64_t until = MIN(to, (from / XTF_MEMBERS_AT_ONCE + 1) * XTF_MEMBERS_AT_ONCE);
        g_autoptr(GString) text = g_string_new(NULL);
        XtfLines lines;

        xtf_lines_init(&lines, grid, &shown->collectives->context->scale, text);
        if (!add_member_lines(shown, from, until, &lines, error) || !xtf_lines_finish(&lines, error))
            return false;
        xtf_copy_part(text->str, text->len, (from + 1) * line, offset, buffer, length);
        from = until;
    }
    return true;
}

bool xtf_members_read(XtfCollectives *collectives, const XtfCollectiveId *id, bool clocks_contradict, uint64_t offset,
                      char *buffer, size_t length, GError **error)
{
    XtfGrid grid;
    XtfLines lines;
    ShownOperation shown;

    if (!get_grid(collectives, &grid, error))
        return false;
    if (offset < grid.line) {
        g_autoptr(GString) header = g_string_new(NULL);
        xtf_lines_init(&lines, &grid, &collectives->context->scale, header);
        xtf_lines_header(&lines);
        xtf_copy_part(header->str, header->len, 0, offset, buffer, length);
    }
    if (offset + length <= grid.line)
        return true;
    if (!shown_init(&shown, collectives, id, clocks_contradict, error))
        return false;
    bool good = read_lines(&shown, &grid, offset, buffer, length, error);
    xtf_collective_operation_put(collectives, shown.operation);
    return good;
}

bool xtf_members_rows(XtfCollectives *collectives, const XtfCollectiveId *id, bool clocks_contradict,
                      const XtfRowSink *sink, GError **error)
{
    XtfGrid grid;
    ShownOperation shown;
    bool good = true;

    if (!get_grid(collectives, &grid, error) || !xtf_row_sink_set_columns(sink, &grid, error))
        return false;
    if (!shown_init(&shown, collectives, id, clocks_contradict, error))
        return false;
    for (uint64_t from = 0; good && from < id->n; from += XTF_MEMBERS_AT_ONCE) {
        g_auto(XtfRows) rows = {0};
        XtfLines lines;

        xtf_rows_init(&rows, grid.n);
        xtf_lines_init_rows(&lines, &grid, &collectives->context->scale, &rows);
        uint64_t to = MIN(from + XTF_MEMBERS_AT_ONCE, id->n);
        good = add_member_lines(&shown, from, to, &lines, error) &&
               sink->add_rows(sink->data, &rows, 0, xtf_rows_n(&rows), error);
    }
    xtf_collective_operation_put(collectives, shown.operation);
    return good;
}

/* ---- Links. */

bool xtf_members_link(XtfCollectives *collectives, const XtfCollectiveId *id, XtfMemberLink link, uint32_t *location,
                      uint64_t *row, bool *found, GError **error)
{
    XtfCollectiveOperation *operation = xtf_collective_operation_take(collectives, id, error);
    bool good = true;

    if (!operation)
        return false;
    const XtfMemberTime times[XTF_N_MEMBER_LINKS] = {operation->summary.first, operation->summary.last,
                                                     operation->summary.root};
    *found = times[link].known;
    if (*found) {
        uint64_t index = times[link].index, block = index / XTF_MEMBERS_AT_ONCE;
        good = xtf_collective_operation_load(collectives, operation, block, error);
        if (good) {
            const XtfCollectiveMember *member = &operation->members[index - block * XTF_MEMBERS_AT_ONCE];
            *location = member->location;
            *row = member->row;
        }
    }
    xtf_collective_operation_put(collectives, operation);
    return good;
}
