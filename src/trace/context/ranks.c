#include "src/trace/context/ranks.h"

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"

static const uint8_t *row_of(const XtfTable *table, uint64_t number)
{
    return table && number < table->n_rows ? table->rows + number * table->schema->row_size : NULL;
}

static const XtfField *field_of(const XtfTable *table, const char *name)
{
    return table ? xtf_schema_field(table->schema, name) : NULL;
}

/* ---- Members. */

/* Finds the rows of `members` of a group; false if the tables do not state them. */
static bool find_group_members(const XtfRanks *ranks, uint64_t group, uint64_t *first, uint64_t *count)
{
    const uint8_t *row = row_of(ranks->groups, group);

    if (!row || !ranks->first || !ranks->count || !ranks->members)
        return false;
    *first = xtf_field_get(ranks->first, row);
    *count = xtf_field_get(ranks->count, row);
    return *first <= ranks->members->n_rows && *count <= ranks->members->n_rows - *first;
}

bool xtf_ranks_member_proc(const XtfRanks *ranks, uint64_t member, uint64_t *proc)
{
    const uint8_t *row = row_of(ranks->members, member);

    if (!row || !ranks->proc || xtf_field_is_none(ranks->proc, row))
        return false;
    *proc = xtf_field_get(ranks->proc, row);
    return true;
}

/* ---- Processes of a group, found by binary search in the members sorted by process. An intercommunicator needs the
 * search for each row. */

static int compare_members(gconstpointer a, gconstpointer b, gpointer ranks)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint64_t p = 0, q = 0;

    xtf_ranks_member_proc(ranks, x, &p);
    xtf_ranks_member_proc(ranks, y, &q);
    return p != q ? (p < q ? -1 : 1) : x < y ? -1 : x > y;
}

static bool has_remote_groups(const XtfRanks *ranks)
{
    for (uint64_t i = 0; ranks->remote_group && i < ranks->comms->n_rows; i++) {
        if (!xtf_field_is_none(ranks->remote_group, row_of(ranks->comms, i)))
            return true;
    }
    return false;
}

void xtf_ranks_sort_members(XtfRanks *ranks)
{
    uint64_t n = ranks->members ? MIN(ranks->members->n_rows, (uint64_t)G_MAXINT) : 0;
    uint64_t proc;

    if (ranks->by_proc)
        return;

    ranks->by_proc = g_new(uint32_t, n + 1);
    for (uint64_t i = 0; i < n; i++) {
        if (xtf_ranks_member_proc(ranks, i, &proc))
            ranks->by_proc[ranks->n_by_proc++] = (uint32_t)i;
    }
    g_qsort_with_data(ranks->by_proc, (gint)ranks->n_by_proc, sizeof *ranks->by_proc, compare_members, ranks);
}

/* Finds the lowest rank of a process in a group; false if the group does not have the process. */
static bool rank_in_group(const XtfRanks *ranks, uint64_t group, uint64_t proc, uint64_t *rank)
{
    uint32_t low = 0, high = ranks->n_by_proc;
    uint64_t first, count, p = 0;

    if (!find_group_members(ranks, group, &first, &count))
        return false;
    while (low < high) { /* finds the process's first row at or after the group's first */
        uint32_t middle = low + (high - low) / 2, row = ranks->by_proc[middle];
        xtf_ranks_member_proc(ranks, row, &p);
        if (p < proc || (p == proc && row < first))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == ranks->n_by_proc || ranks->by_proc[low] - first >= count ||
        !xtf_ranks_member_proc(ranks, ranks->by_proc[low], &p) || p != proc)
        return false;
    *rank = ranks->by_proc[low] - first;
    return true;
}

static bool has_member(const XtfRanks *ranks, uint64_t group, uint64_t proc)
{
    uint64_t rank;
    return rank_in_group(ranks, group, proc, &rank);
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
    if (has_remote_groups(&loaded))
        xtf_ranks_sort_members(&loaded);
    *ranks = loaded;
    return true;
}

void xtf_ranks_finish(XtfRanks *ranks)
{
    g_clear_pointer(&ranks->by_proc, g_free);
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

/* ---- Processes. */

/* Returns the group in which a communicator with groups ranks the peers of process `from`. In an intercommunicator, the
 * peers of a member of one group are members of the other. */
static uint64_t peer_group(const XtfRanks *ranks, const uint8_t *comm, uint64_t from)
{
    uint64_t group = xtf_field_get(ranks->group, comm);

    if (!ranks->remote_group || xtf_field_is_none(ranks->remote_group, comm))
        return group;
    uint64_t remote = xtf_field_get(ranks->remote_group, comm);
    return has_member(ranks, group, from) || !has_member(ranks, remote, from) ? remote : group;
}

bool xtf_ranks_proc(const XtfRanks *ranks, uint64_t comm, uint64_t rank, uint64_t from, uint64_t *proc)
{
    const uint8_t *row = row_of(ranks->comms, comm);
    uint64_t first, count;

    if (!row || !ranks->group)
        return false;
    if (xtf_field_is_none(ranks->group, row)) { /* one-member communicator, such as MPI_COMM_SELF */
        *proc = from;
        return rank == 0;
    }
    return find_group_members(ranks, peer_group(ranks, row, from), &first, &count) && rank < count &&
           xtf_ranks_member_proc(ranks, first + rank, proc);
}

bool xtf_ranks_rank(const XtfRanks *ranks, uint64_t comm, uint64_t proc, uint64_t from, uint64_t *rank)
{
    const uint8_t *row = row_of(ranks->comms, comm);

    if (!row || !ranks->group)
        return false;
    if (xtf_field_is_none(ranks->group, row)) {
        *rank = 0;
        return proc == from;
    }
    return rank_in_group(ranks, peer_group(ranks, row, from), proc, rank);
}

/* ---- Members of a communicator. */

bool xtf_ranks_is_self(const XtfRanks *ranks, uint64_t comm)
{
    const uint8_t *row = row_of(ranks->comms, comm);
    return row && ranks->group && xtf_field_is_none(ranks->group, row);
}

bool xtf_ranks_groups(const XtfRanks *ranks, uint64_t comm, uint64_t first[2], uint64_t n[2])
{
    const uint8_t *row = row_of(ranks->comms, comm);

    first[1] = n[1] = 0;
    if (!row || !ranks->group || !find_group_members(ranks, xtf_field_get(ranks->group, row), &first[0], &n[0]))
        return false;
    return !ranks->remote_group || xtf_field_is_none(ranks->remote_group, row) ||
           find_group_members(ranks, xtf_field_get(ranks->remote_group, row), &first[1], &n[1]);
}

bool xtf_ranks_count_members(const XtfRanks *ranks, uint64_t comm, uint64_t *n)
{
    uint64_t first[2], count[2];

    *n = 1;
    if (xtf_ranks_is_self(ranks, comm))
        return true;
    if (!xtf_ranks_groups(ranks, comm, first, count))
        return false;
    *n = count[0] + count[1];
    return true;
}

bool xtf_ranks_member(const XtfRanks *ranks, uint64_t comm, uint64_t i, uint64_t from, uint64_t *proc)
{
    uint64_t first[2], count[2];

    *proc = from;
    if (xtf_ranks_is_self(ranks, comm))
        return i == 0;
    if (!xtf_ranks_groups(ranks, comm, first, count))
        return false;
    return i < count[0] ? xtf_ranks_member_proc(ranks, first[0] + i, proc)
                        : i - count[0] < count[1] && xtf_ranks_member_proc(ranks, first[1] + i - count[0], proc);
}
