#include "src/tables/match/unmatched.h"

#include <string.h>

#include "libxtf/error.h"
#include "libxtf/group-filter.h"

enum {
    GROUPS_MOST = 1 << 19,       /* most groups kept from one process to the next */
    HELD_MOST = 2 * GROUPS_MOST, /* most groups held within a process */
    PARTS_MOST = 1 << 10,
    PARTS_GROW = 4,
    ROWS_AT_ONCE = 1 << 20,
};

/* A pass over the totals of all processes, for one part of the groups. */
typedef struct {
    XtfMatching *matching;
    const XtfUnmatchedFilter *filter;
    const XtfRanks *ranks;
    uint32_t part, n_parts;
    GHashTable *groups; /* XtfUnmatchedGroup */
    bool too_many;
    /* The array that is being added: */
    uint64_t proc;
    bool is_sender;
} Pass;

static uint64_t mix_hash(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
    return hash ^ hash >> 29;
}

static guint group_hash(const void *item)
{
    const XtfUnmatchedGroup *group = item;
    return (guint)(mix_hash(mix_hash(mix_hash(mix_hash(1, group->comm), group->sender), group->receiver), group->tag) >>
                   20);
}

static gboolean group_equal(const void *a, const void *b)
{
    const XtfUnmatchedGroup *x = a, *y = b;
    return x->comm == y->comm && x->sender == y->sender && x->receiver == y->receiver && x->tag == y->tag;
}

/* ---- Counting. */

/* Finds the group of a key. Returns false if the filter excludes it, or its peer is unknown. */
static bool find_unmatched_group(const Pass *pass, const uint64_t *key, XtfUnmatchedGroup *group)
{
    const XtfUnmatchedFilter *filter = pass->filter;
    uint64_t peer = key[XTF_ENVELOPE_PEER];

    if (!xtf_number_set_contains(filter->comms, key[XTF_ENVELOPE_COMM]) ||
        !xtf_number_set_contains(filter->tags, key[XTF_ENVELOPE_TAG]) ||
        (pass->ranks->comms && !xtf_ranks_proc(pass->ranks, key[XTF_ENVELOPE_COMM], peer, pass->proc, &peer)))
        return false;
    *group = (XtfUnmatchedGroup){.comm = key[XTF_ENVELOPE_COMM],
                                 .sender = pass->is_sender ? pass->proc : peer,
                                 .receiver = pass->is_sender ? peer : pass->proc,
                                 .tag = key[XTF_ENVELOPE_TAG]};
    return xtf_number_set_contains(filter->senders, group->sender) &&
           xtf_number_set_contains(filter->receivers, group->receiver) &&
           group_hash(group) % pass->n_parts == pass->part;
}

static XtfMatch match_group(const uint64_t *key, unsigned depth, const void *data)
{
    XtfUnmatchedGroup group;

    if (depth < XTF_ENVELOPE_KEYS)
        return XTF_MATCH_SOME;
    return find_unmatched_group(data, key, &group) ? XTF_MATCH_ALL : XTF_MATCH_NONE;
}

static void count_group(Pass *pass, const uint64_t *key, const uint64_t *cells, bool cancelled)
{
    XtfUnmatchedGroup wanted, *group;

    find_unmatched_group(pass, key, &wanted);
    if (!(group = g_hash_table_lookup(pass->groups, &wanted))) {
        group = g_memdup2(&wanted, sizeof wanted);
        g_hash_table_add(pass->groups, group);
    }
    *(pass->is_sender ? &group->sends : &group->receives) += cancelled ? -cells[0] : cells[0];
    *(pass->is_sender ? &group->bytes_sent : &group->bytes_received) += cancelled ? -cells[1] : cells[1];
}

static bool add_array(Pass *pass, uint64_t location, XtfMessagesKind kind, GError **error)
{
    const XtfMessageType *type = &pass->matching->types.types[kind];
    const XtfGroupFilter filter = {.match = match_group, .data = pass};
    XtfArray array;
    bool found;

    if (!type->schema)
        return true;
    pass->is_sender = kind != XTF_MESSAGES_POSTINGS;
    if (!xtf_trace_find_array(pass->matching->context->trace, location, type->schema->id, &array, &found, error))
        return false;
    if (!found)
        return true;
    for (uint64_t n = 0; n < array.n_rows && !pass->too_many; n += ROWS_AT_ONCE) {
        g_autoptr(XtfGroupTotals) totals =
            xtf_group_totals_new(&type->schema->aggregates[type->envelopes], XTF_ENVELOPE_KEYS);
        if (!xtf_array_totals(&array, type->envelopes, &filter, n, n + ROWS_AT_ONCE, totals, error))
            return false;
        for (uint32_t i = 0; i < xtf_group_totals_n(totals); i++)
            count_group(pass, xtf_group_totals_key(totals, i), xtf_group_totals_cells(totals, i),
                        kind == XTF_MESSAGES_CANCELLED);
        pass->too_many |= g_hash_table_size(pass->groups) > HELD_MOST;
    }
    return true;
}

static bool group_differs(const XtfUnmatchedGroup *group)
{
    return group->sends != group->receives || group->bytes_sent != group->bytes_received;
}

/* True if both processes of a group have been counted, and its totals agree. */
static gboolean is_settled(gpointer key, gpointer value, gpointer data)
{
    const XtfUnmatchedGroup *group = key;
    const uint64_t *proc = data;

    return group->sender <= *proc && group->receiver <= *proc && !group_differs(group);
}

static void drop_settled(Pass *pass, uint64_t proc)
{
    if (g_hash_table_size(pass->groups) < GROUPS_MOST / 2)
        return;
    g_hash_table_foreach_remove(pass->groups, is_settled, &proc);
    pass->too_many |= g_hash_table_size(pass->groups) > GROUPS_MOST;
}

static bool count_groups(Pass *pass, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(pass->matching->context, error);

    if (!locations)
        return false;
    for (uint32_t i = 0; i < locations->n && !pass->too_many; i++) {
        const XtfLocation *location = &locations->all[i];
        pass->proc = location->proc;
        if (xtf_number_set_contains(pass->filter->senders, location->proc) &&
            (!add_array(pass, location->id, XTF_MESSAGES_SENDS, error) ||
             !add_array(pass, location->id, XTF_MESSAGES_CANCELLED, error)))
            return false;
        if (xtf_number_set_contains(pass->filter->receivers, location->proc) &&
            !add_array(pass, location->id, XTF_MESSAGES_POSTINGS, error))
            return false;
        if (i + 1 == locations->n || locations->all[i + 1].proc != location->proc)
            drop_settled(pass, location->proc);
    }
    return true;
}

/* ---- Groups that differ. */

static uint64_t count_difference(const XtfUnmatchedGroup *group)
{
    return MAX(group->sends, group->receives) - MIN(group->sends, group->receives);
}

static int compare_difference(const void *a, const void *b)
{
    const XtfUnmatchedGroup *x = a, *y = b;
    const uint64_t p[] = {count_difference(y), x->sender, x->receiver, x->comm, x->tag};
    const uint64_t q[] = {count_difference(x), y->sender, y->receiver, y->comm, y->tag};

    for (unsigned i = 0; i < G_N_ELEMENTS(p); i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

/* Inserts a group into the list of the groups that differ most, unless all listed groups differ more. */
static void insert_group(XtfUnmatched *unmatched, const XtfUnmatchedGroup *group)
{
    uint32_t at = unmatched->n;

    while (at > 0 && compare_difference(group, &unmatched->groups[at - 1]) < 0)
        at--;
    if (at == XTF_UNMATCHED_MOST)
        return;
    unmatched->n = MIN(unmatched->n + 1, (uint32_t)XTF_UNMATCHED_MOST);
    memmove(&unmatched->groups[at + 1], &unmatched->groups[at], (unmatched->n - at - 1) * sizeof *group);
    unmatched->groups[at] = *group;
}

static void collect_groups(const Pass *pass, XtfUnmatched *unmatched)
{
    GHashTableIter iter;
    gpointer key;

    g_hash_table_iter_init(&iter, pass->groups);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        const XtfUnmatchedGroup *group = key;
        if (!group_differs(group))
            continue;
        unmatched->n_groups++;
        unmatched->all.sends += group->sends;
        unmatched->all.receives += group->receives;
        unmatched->all.bytes_sent += group->bytes_sent;
        unmatched->all.bytes_received += group->bytes_received;
        insert_group(unmatched, group);
    }
}

/* Counts one part of the groups. Sets too_many if they exceed the memory limit. */
static bool count_part(Pass *pass, XtfUnmatched *unmatched, GError **error)
{
    pass->groups = g_hash_table_new_full(group_hash, group_equal, g_free, NULL);
    bool good = count_groups(pass, error);
    if (good && !pass->too_many)
        collect_groups(pass, unmatched);
    g_hash_table_unref(pass->groups);
    return good;
}

bool xtf_unmatched_find(XtfMatching *matching, const XtfUnmatchedFilter *filter, XtfUnmatched *unmatched,
                        GError **error)
{
    Pass pass = {.matching = matching, .filter = filter, .n_parts = 1};

    if (!xtf_matching_check(matching, error) || !(pass.ranks = xtf_trace_context_ranks(matching->context, error)))
        return false;
    *unmatched = (XtfUnmatched){0};
    while (pass.part < pass.n_parts) {
        if (!count_part(&pass, unmatched, error))
            return false;
        pass.part++;
        if (!pass.too_many)
            continue;
        if (pass.n_parts >= PARTS_MOST)
            return xtf_fail(error, XTF_ERROR_TOO_LARGE,
                            "the trace has too many groups of messages whose sends and receives differ");
        pass =
            (Pass){.matching = matching, .filter = filter, .ranks = pass.ranks, .n_parts = pass.n_parts * PARTS_GROW};
        *unmatched = (XtfUnmatched){0};
    }
    return true;
}
