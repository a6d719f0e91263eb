/*
 * unmatched: the groups of messages whose sends and receives differ, in the whole trace. The first line has the sums of
 * all of them, the next lines the groups that differ most.
 */
#include "src/tables/match/unmatched.h"
#include "libxtf/trace.h"

#include "libxtf/vocabulary.h"
#include "src/tables/views/view.h"
#include "src/trace/select/aggregate-ref.h"
#include "src/trace/text/digits.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("groups", XTF_COLUMN_NUMBER, NULL, "groups of communicator, sender, receiver and tag"),
    XTF_COLUMN("sends", XTF_COLUMN_NUMBER, NULL, "number of sends"),
    XTF_COLUMN("receives", XTF_COLUMN_NUMBER, NULL, "number of receives"),
    XTF_COLUMN("bytes_sent", XTF_COLUMN_NUMBER, "B", "bytes of the sends"),
    XTF_COLUMN("bytes_received", XTF_COLUMN_NUMBER, "B", "bytes of the receives"),
    XTF_COLUMN("sender", XTF_COLUMN_NUMBER, NULL, "process that sends"),
    XTF_COLUMN("receiver", XTF_COLUMN_NUMBER, NULL, "process that receives"),
    XTF_COLUMN("comm", XTF_COLUMN_NUMBER, NULL, "row of the communicator in definitions/communicators"),
    XTF_COLUMN("tag", XTF_COLUMN_NUMBER, NULL, "tag of the messages"),
    XTF_COLUMN("missing", XTF_COLUMN_TEXT, NULL, "what the group lacks"),
};

/* True if the selection has the view. The view shows whole groups, so the selection may be narrowed only by the keys of
 * groups. */
static bool unmatched_exists(const XtfTraceContext *context, const XtfSelection *selection)
{
    XtfMessageTypes types;

    xtf_message_types_find(&types, context);
    return !types.missing && xtf_selection_has_type(selection, types.types[XTF_MESSAGES_SENDS].schema) &&
           !selection->base && !selection->threads && !selection->by[XTF_BY_REGION] && selection->time_from == 0 &&
           selection->endless;
}

/* Returns the number of digits of the largest value of a field, of sends or of receives. */
static size_t unmatched_width_of(const XtfViews *views, const char *role)
{
    size_t width = 1;

    for (XtfMessagesKind kind = XTF_MESSAGES_SENDS; kind <= XTF_MESSAGES_POSTINGS; kind++) {
        const XtfSchema *schema = views->matching->types.types[kind].schema;
        const XtfField *field = xtf_schema_field_by_role(schema, role);
        const XtfLimits *limits =
            xtf_trace_limits(views->context->trace, schema->id, (uint32_t)(field - schema->fields));
        if (limits->min <= limits->max)
            width = MAX(width, xtf_count_digits(limits->max));
    }
    return width;
}

/* Returns how many digits the bytes of n messages may have. */
static size_t sum_width(const XtfViews *views, uint64_t n)
{
    uint64_t most = xtf_largest_of_digits((unsigned)unmatched_width_of(views, XTF_ROLE_BYTES)), sum;

    return xtf_count_digits(__builtin_mul_overflow(most, n, &sum) ? UINT64_MAX : sum);
}

static bool shape_unmatched(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(views->context, error);
    uint64_t sends =
        xtf_trace_n_rows(views->context->trace, views->matching->types.types[XTF_MESSAGES_SENDS].schema->id);
    uint64_t receives = xtf_trace_n_rows(views->context->trace, views->matching->types.recvs->id);

    if (!locations)
        return false;
    xtf_grid_add(&shape->grid, "groups", xtf_count_digits(sends + receives));
    xtf_grid_add(&shape->grid, "sends", xtf_count_digits(sends));
    xtf_grid_add(&shape->grid, "receives", xtf_count_digits(receives));
    xtf_grid_add(&shape->grid, "bytes_sent", sum_width(views, sends));
    xtf_grid_add(&shape->grid, "bytes_received", sum_width(views, receives));
    xtf_grid_add(&shape->grid, "sender", locations->proc_width);
    xtf_grid_add(&shape->grid, "receiver", MAX(locations->proc_width, unmatched_width_of(views, XTF_ROLE_PEER)));
    xtf_grid_add(&shape->grid, "comm", unmatched_width_of(views, XTF_ROLE_COMM));
    xtf_grid_add(&shape->grid, "tag", unmatched_width_of(views, XTF_ROLE_TAG));
    xtf_grid_add(&shape->grid, "missing", strlen("receives"));
    shape->n_lines = shape->at_once = 1 + XTF_UNMATCHED_MOST;
    return true;
}

static const char *missing_word(const XtfUnmatchedGroup *group)
{
    return group->sends > group->receives ? "receives" : group->sends < group->receives ? "sends" : "bytes";
}

static void add_counts(uint64_t n_groups, const XtfUnmatchedGroup *group, XtfLines *lines)
{
    xtf_lines_number(lines, n_groups);
    xtf_lines_number(lines, group->sends);
    xtf_lines_number(lines, group->receives);
    xtf_lines_number(lines, group->bytes_sent);
    xtf_lines_number(lines, group->bytes_received);
}

static void add_empty_cells(XtfLines *lines, unsigned from)
{
    for (unsigned i = from; i < lines->grid->n; i++)
        xtf_lines_none(lines);
}

static void add_group_line(const XtfUnmatchedGroup *group, const XtfField *comm, XtfLines *lines)
{
    add_counts(1, group, lines);
    xtf_lines_number(lines, group->sender);
    xtf_lines_number(lines, group->receiver);
    xtf_lines_number_if(lines, !xtf_key_is_none(comm, group->comm), group->comm);
    xtf_lines_number(lines, group->tag);
    xtf_lines_text(lines, missing_word(group), 0);
}

static bool fill_unmatched(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                           GError **error)
{
    const XtfSchema *sends = views->matching->types.types[XTF_MESSAGES_SENDS].schema;
    const XtfUnmatchedFilter filter = {.senders = selection->procs,
                                       .receivers = selection->by[XTF_BY_PEER],
                                       .comms = selection->by[XTF_BY_COMM],
                                       .tags = selection->by[XTF_BY_TAG]};
    g_autofree XtfUnmatched *unmatched = g_new(XtfUnmatched, 1);

    if (!xtf_unmatched_find(views->matching, &filter, unmatched, error))
        return false;
    add_counts(unmatched->n_groups, &unmatched->all, lines);
    add_empty_cells(lines, 5);
    for (uint32_t i = 0; i < XTF_UNMATCHED_MOST; i++) {
        if (i < unmatched->n)
            add_group_line(&unmatched->groups[i], xtf_schema_field_by_role(sends, XTF_ROLE_COMM), lines);
        else
            add_empty_cells(lines, 0);
    }
    return true;
}

const XtfView xtf_view_unmatched = {
    .table = XTF_TABLE("unmatched",
                       "groups of messages whose sends and receives differ: their sum, then the 100 that differ most",
                       columns),
    .subject = &xtf_about_groups,
    .exists = unmatched_exists,
    .shape = shape_unmatched,
    .fill = fill_unmatched,
    .refused_keys = UINT_MAX};
