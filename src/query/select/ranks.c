#include "src/query/select/ranks.h"

#include "libxtf/vocabulary.h"

static const uint8_t *row_of(const XtfTable *table, uint64_t number)
{
    return table && number < table->n_rows ? table->rows + number * table->schema->row_size : NULL;
}

static const XtfField *field_of(const XtfTable *table, const char *name)
{
    return table ? xtf_schema_field(table->schema, name) : NULL;
}

bool xtf_ranks_load(XtfRanks *ranks, XtfTrace *trace, GError **error)
{
    XtfRanks loaded = {0};

    if (!xtf_trace_table(trace, XTF_TABLE_COMMUNICATORS, &loaded.comms, error) ||
        !xtf_trace_table(trace, XTF_TABLE_GROUPS, &loaded.groups, error) ||
        !xtf_trace_table(trace, XTF_TABLE_MEMBERS, &loaded.members, error))
        return false;
    loaded.group = field_of(loaded.comms, "group");
    loaded.remote_group = field_of(loaded.comms, "remote_group");
    loaded.first = field_of(loaded.groups, "first");
    loaded.count = field_of(loaded.groups, "count");
    loaded.proc = field_of(loaded.members, "proc");
    *ranks = loaded;
    return true;
}

/* ---- Communicators. */

bool xtf_comm_source_find(XtfCommSource *source, XtfTrace *trace, const XtfSchema *schema, GError **error)
{
    *source = (XtfCommSource){.field = xtf_schema_field_by_role(schema, XTF_ROLE_COMM)};
    for (uint32_t i = 0; !source->field && i < schema->n_fields; i++) {
        const char *table = schema->fields[i].refers_to;
        const XtfSchema *target = *table ? xtf_trace_find_schema(trace, table) : NULL;
        for (uint32_t j = 0; target && target->kind == XTF_SCHEMA_TABLE && j < target->n_fields; j++) {
            if (!g_str_equal(target->fields[j].refers_to, XTF_TABLE_COMMUNICATORS))
                continue;
            source->field = &schema->fields[i];
            source->comm = &target->fields[j];
            return xtf_trace_table(trace, table, &source->via, error);
        }
    }
    return true;
}

bool xtf_comm_source_map(const XtfCommSource *source, uint64_t value, uint64_t *comm)
{
    const uint8_t *row;

    if (!source->comm) {
        *comm = value;
        return true;
    }
    row = row_of(source->via, value);
    if (!row || xtf_field_is_none(source->comm, row))
        return false;
    *comm = xtf_field_get(source->comm, row);
    return true;
}

/* ---- Members. */

/* The rows of `members` that are a group's. */
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

bool xtf_ranks_proc(const XtfRanks *ranks, uint64_t comm, uint64_t rank, uint64_t from, uint64_t *proc)
{
    const uint8_t *row = row_of(ranks->comms, comm);
    uint64_t group, first, count;

    if (!row || !ranks->group)
        return false;
    if (xtf_field_is_none(ranks->group, row)) { /* a communicator of oneself */
        *proc = from;
        return rank == 0;
    }
    group = xtf_field_get(ranks->group, row);
    /* Between two groups, the peers of a member of one are members of the other. */
    if (ranks->remote_group && !xtf_field_is_none(ranks->remote_group, row)) {
        uint64_t remote = xtf_field_get(ranks->remote_group, row);
        if (has_member(ranks, group, from) || !has_member(ranks, remote, from))
            group = remote;
    }
    return members_of(ranks, group, &first, &count) && rank < count && member_proc(ranks, first + rank, proc);
}
