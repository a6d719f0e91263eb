/*
 * communicators: a line for each communicator that the trace defines: its processes, and the number of its operations
 * in the selection.
 */
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/tables/collectives/collective-leaders.h"
#include "src/tables/views/view.h"
#include "src/trace/text/digits.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("row", XTF_COLUMN_NUMBER, NULL, "row in definitions/communicators"),
    XTF_COLUMN("parent", XTF_COLUMN_NUMBER, NULL, "row of the communicator that it was made from"),
    XTF_COLUMN("size", XTF_COLUMN_NUMBER, NULL, "members, of both groups if there are two"),
    XTF_COLUMN("operations", XTF_COLUMN_NUMBER, NULL, "collective operations in the selection"),
    XTF_COLUMN("procs", XTF_COLUMN_TEXT, NULL, "processes by rank, or - if each has its own"),
    XTF_COLUMN("remote_procs", XTF_COLUMN_TEXT, NULL, "processes of the second group"),
    XTF_COLUMN("name", XTF_COLUMN_TEXT, NULL, "name of the communicator"),
};

enum {
    LINES_AT_ONCE = 16, /* the texts of members may be long */
};

static bool communicators_exist(const XtfTraceContext *context, const XtfSelection *selection)
{
    const XtfSchema *comms = xtf_trace_find_schema(context->trace, XTF_TABLE_COMMUNICATORS);
    const XtfSchema *collectives = xtf_trace_find_schema(context->trace, XTF_RECORD_COLLECTIVES);
    bool fits = selection->type == XTF_ANY_TYPE || (collectives && xtf_selection_has_type(selection, collectives));

    return comms && comms->kind == XTF_SCHEMA_TABLE && xtf_trace_n_rows(context->trace, comms->id) > 0 && fits &&
           !selection->base;
}

static bool shape_communicators(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    const XtfMemberRanges *members = xtf_trace_context_member_ranges(views->context, error);
    const XtfCollectiveTypes *types = &views->clocks->collectives->types;
    const XtfPaddedNames *names;

    if (!members || !members->ranks->comms ||
        !xtf_padded_words_of_table(views->formats, XTF_TABLE_COMMUNICATORS, &names, error))
        return false;
    uint64_t n = members->ranks->comms->n_rows;
    size_t row = xtf_count_digits(n ? n - 1 : 0);
    uint64_t records = types->schema ? xtf_trace_n_rows(views->context->trace, types->schema->id) : 0;
    xtf_grid_add(&shape->grid, "row", row);
    xtf_grid_add(&shape->grid, "parent", row);
    xtf_grid_add(&shape->grid, "size", xtf_count_digits(members->most));
    xtf_grid_add(&shape->grid, "operations", xtf_count_digits(records));
    xtf_grid_add(&shape->grid, "procs", members->width[XTF_MEMBERS_OWN]);
    xtf_grid_add(&shape->grid, "remote_procs", members->width[XTF_MEMBERS_REMOTE]);
    xtf_grid_add(&shape->grid, "name", names ? names->width : 1);
    shape->n_lines = n;
    shape->at_once = LINES_AT_ONCE;
    return true;
}

/* Adds the row of the communicator from which a communicator was made. */
static void add_parent(const XtfTable *comms, uint64_t comm, XtfLines *lines)
{
    const XtfField *field = xtf_schema_field(comms->schema, "parent");
    const uint8_t *row = comms->rows + comm * comms->schema->row_size;
    bool known = field && !xtf_field_is_none(field, row) && xtf_field_get(field, row) < comms->n_rows;

    xtf_lines_number_if(lines, known, known ? xtf_field_get(field, row) : 0);
}

static void add_members(const XtfMemberRanges *members, uint64_t comm, XtfMemberGroup group, GString *text,
                        XtfLines *lines)
{
    size_t most = lines->rows ? XTF_MEMBER_TEXT_WHOLE : XTF_MEMBER_TEXT_MAX;

    if (xtf_member_ranges_text(members, comm, group, most, text))
        xtf_lines_text(lines, text->str, comm);
    else
        xtf_lines_none(lines);
}

static bool fill_communicators(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t n, XtfLines *lines,
                               GError **error)
{
    const XtfMemberRanges *members = xtf_trace_context_member_ranges(views->context, error);
    XtfCollectives *collectives = views->clocks->collectives;
    g_autoptr(GString) text = g_string_new(NULL);
    const XtfPaddedNames *names;
    uint64_t size, operations;

    if (!members || !xtf_padded_words_of_table(views->formats, XTF_TABLE_COMMUNICATORS, &names, error))
        return false;
    for (uint64_t comm = first; comm < first + n; comm++) {
        if (!xtf_leaders_count(collectives, selection, comm, &operations, error))
            return false;
        bool known = xtf_ranks_count_members(members->ranks, comm, &size);
        xtf_lines_number(lines, comm);
        add_parent(members->ranks->comms, comm, lines);
        xtf_lines_number_if(lines, known, size);
        xtf_lines_number_if(lines, collectives->types.schema, operations);
        add_members(members, comm, XTF_MEMBERS_OWN, text, lines);
        add_members(members, comm, XTF_MEMBERS_REMOTE, text, lines);
        xtf_lines_padded_name_if(lines, names, comm);
    }
    return true;
}

const XtfView xtf_view_communicators = {.table = XTF_TABLE("communicators", "the communicators of the trace", columns),
                                        .subject = &xtf_about_comms,
                                        .exists = communicators_exist,
                                        .shape = shape_communicators,
                                        .fill = fill_communicators,
                                        .refused_keys = UINT_MAX};
