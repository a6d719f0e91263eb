/*
 * Ranks in communicators, and the processes they are.
 */
#include "src/model/vocabulary.h"
#include "src/query/format.h"

static const uint8_t *row_of(const XtfTable *table, uint64_t number)
{
    return table && number < table->n_rows ? table->rows + number * table->schema->row_size : NULL;
}

static const XtfField *field_of(const XtfTable *table, const char *name)
{
    return table ? xtf_schema_field(table->schema, name) : NULL;
}

bool xtf_formats_load_ranks(XtfFormats *formats, GError **error)
{
    XtfTrace *trace = formats->guide->trace;
    XtfRanks *ranks = &formats->ranks;

    if (formats->ranks_loaded)
        return true;
    if (!xtf_trace_table(trace, XTF_TABLE_COMMUNICATORS, &ranks->comms, error) ||
        !xtf_trace_table(trace, XTF_TABLE_GROUPS, &ranks->groups, error) ||
        !xtf_trace_table(trace, XTF_TABLE_MEMBERS, &ranks->members, error))
        return false;
    ranks->group = field_of(ranks->comms, "group");
    ranks->remote_group = field_of(ranks->comms, "remote_group");
    ranks->first = field_of(ranks->groups, "first");
    ranks->count = field_of(ranks->groups, "count");
    ranks->proc = field_of(ranks->members, "proc");
    formats->ranks_loaded = true;
    return true;
}

bool xtf_formats_find_comm(XtfFormats *formats, const XtfSchema *schema, XtfCell *cell, GError **error)
{
    XtfTrace *trace = formats->guide->trace;

    cell->other = xtf_schema_field_by_role(schema, XTF_ROLE_COMM);
    for (uint32_t i = 0; !cell->other && i < schema->n_fields; i++) {
        const char *table = schema->fields[i].refers_to;
        const XtfSchema *target = *table ? xtf_trace_find_schema(trace, table) : NULL;
        for (uint32_t j = 0; target && target->kind == XTF_SCHEMA_TABLE && j < target->n_fields; j++) {
            if (!g_str_equal(target->fields[j].refers_to, XTF_TABLE_COMMUNICATORS))
                continue;
            cell->other = &schema->fields[i];
            cell->comm = &target->fields[j];
            return xtf_trace_table(trace, table, &cell->via, error);
        }
    }
    return true;
}

/* The rows of `members` that a group holds. */
static bool members_of(const XtfRanks *ranks, uint64_t group, uint64_t *first, uint64_t *count)
{
    const uint8_t *row = row_of(ranks->groups, group);

    if (!row || !ranks->first || !ranks->count || !ranks->members)
        return false;
    *first = xtf_field_get(ranks->first, row);
    *count = xtf_field_get(ranks->count, row);
    return *first <= ranks->members->n_rows && *count <= ranks->members->n_rows - *first;
}

static bool member_proc(const XtfRanks *ranks, uint64_t member, uint64_t *proc)
{
    const uint8_t *row = row_of(ranks->members, member);

    if (!row || !ranks->proc || xtf_field_is_none(ranks->proc, row))
        return false;
    *proc = xtf_field_get(ranks->proc, row);
    return true;
}

static bool has_member(const XtfRanks *ranks, uint64_t group, uint64_t proc)
{
    uint64_t first, count, p;

    if (!members_of(ranks, group, &first, &count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        if (member_proc(ranks, first + i, &p) && p == proc)
            return true;
    }
    return false;
}

/* The row of the communicators that a record's peer is a rank in; NULL if that is not known. */
static const uint8_t *comm_of(const XtfRanks *ranks, const XtfCell *cell, const uint8_t *row)
{
    const XtfField *field = cell->other;

    if (cell->comm) {
        if (xtf_field_is_none(cell->other, row) || !(row = row_of(cell->via, xtf_field_get(cell->other, row))))
            return NULL;
        field = cell->comm;
    }
    return xtf_field_is_none(field, row) ? NULL : row_of(ranks->comms, xtf_field_get(field, row));
}

bool xtf_ranks_map(const XtfRanks *ranks, const XtfCell *cell, const uint8_t *record, uint64_t from, uint64_t *proc)
{
    const uint8_t *row = comm_of(ranks, cell, record);
    uint64_t rank = xtf_field_get(cell->field, record), group, first, count;

    if (!row || !ranks->group)
        return false;
    if (xtf_field_is_none(ranks->group, row)) { /* of oneself */
        *proc = from;
        return rank == 0;
    }
    group = xtf_field_get(ranks->group, row);
    /* Between two groups, the peers of one's members are the other's. */
    if (ranks->remote_group && !xtf_field_is_none(ranks->remote_group, row)) {
        uint64_t remote = xtf_field_get(ranks->remote_group, row);
        if (has_member(ranks, group, from) || !has_member(ranks, remote, from))
            group = remote;
    }
    return members_of(ranks, group, &first, &count) && rank < count && member_proc(ranks, first + rank, proc);
}
