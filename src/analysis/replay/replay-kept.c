/*
 * Numbers of messages and operations in a trace whose first volumes were removed. Totals count the rows before the kept
 * time, too. So each side of a group begins with the number that its first kept row has in the whole run, less the
 * lower of both. Numbers that only one side has are doubtful: the other end, or another member, is before the kept
 * time.
 */
#include "libxtf/aggregates.h"
#include "libxtf/group-filter.h"
#include "libxtf/trace.h"
#include "src/analysis/replay/replay-private.h"

enum { KEYS_MOST = 3 };

/* Values that keys of an aggregate must have. */
typedef struct {
    unsigned n, keys[KEYS_MOST]; /* indexes of the keys, ascending */
    uint32_t values[KEYS_MOST];
} Wanted;

static XtfMatch match_wanted(const uint64_t *key, unsigned depth, const void *data)
{
    const Wanted *wanted = data;
    unsigned n = 0;

    while (n < wanted->n && wanted->keys[n] < depth) {
        if (MIN(key[wanted->keys[n]], UINT32_MAX) != wanted->values[n])
            return XTF_MATCH_NONE;
        n++;
    }
    return n == wanted->n ? XTF_MATCH_ALL : XTF_MATCH_SOME;
}

/* Finds the keys of an aggregate for n fields. False if a field is no key. */
static bool find_keys(const XtfSchema *schema, const XtfAggregate *aggregate, const XtfField *const *fields,
                      const uint32_t *values, unsigned n, Wanted *wanted)
{
    wanted->n = 0;
    for (unsigned k = 0; k < aggregate->n_keys; k++)
        for (unsigned i = 0; i < n; i++)
            if (fields[i] == &schema->fields[aggregate->keys[k]]) {
                wanted->keys[wanted->n] = k;
                wanted->values[wanted->n++] = values[i];
            }
    return wanted->n == n;
}

/* Adds the rows before row n whose fields have these values. *known is false if no totals count them. */
static bool add_count(const XtfArray *array, const XtfField *const *fields, const uint32_t *values, unsigned n_fields,
                      uint64_t n, uint64_t *count, bool *known, GError **error)
{
    const XtfSchema *schema = array->schema;
    Wanted wanted;
    const XtfGroupFilter filter = {.match = match_wanted, .data = &wanted};
    uint64_t rank;

    for (unsigned i = 0; i < schema->n_aggregates; i++) {
        if (schema->aggregates[i].kind != XTF_AGGREGATE_GROUPS ||
            !find_keys(schema, &schema->aggregates[i], fields, values, n_fields, &wanted))
            continue;
        if (!xtf_array_group_rank(array, i, &filter, n, &rank, error))
            return false;
        *count += rank;
        return true;
    }
    *known = false;
    return true;
}

/* Adds the sends, or the postings, of an envelope before the kept time in an array. */
static bool add_removed_messages(const XtfReplay *replay, const XtfArray *array, const XtfArray *cancelled,
                                 const XtfEnvelope *envelope, XtfRemovedRows *removed, GError **error)
{
    const XtfReplayFields *fields = &replay->fields;
    bool sends = envelope->kind == XTF_ROW_SEND;
    const XtfField *const keys[] = {sends ? fields->send.comm : fields->posting.comm,
                                    sends ? fields->send.peer : fields->posting.peer,
                                    sends ? fields->send.tag : fields->posting.tag};
    const XtfField *const cancelled_keys[] = {fields->cancel.comm, fields->cancel.peer, fields->cancel.tag};
    const uint32_t values[] = {envelope->comm, envelope->peer, envelope->tag};
    uint64_t first, n_cancelled = 0;

    if (!xtf_array_first_kept(array, &first, error) ||
        !add_count(array, keys, values, KEYS_MOST, first, &removed->rows, &removed->known, error))
        return false;
    if (!cancelled)
        return true;
    if (!xtf_array_first_kept(cancelled, &first, error) ||
        !add_count(cancelled, cancelled_keys, values, KEYS_MOST, first, &n_cancelled, &removed->known, error))
        return false;
    removed->rows -= MIN(removed->rows, n_cancelled);
    return true;
}

/* Adds all ends of operations on the envelope's communicator in an array. */
static bool add_all_operations(const XtfReplay *replay, const XtfArray *array, const XtfEnvelope *envelope,
                               XtfRemovedRows *removed, GError **error)
{
    const XtfField *const keys[] = {replay->fields.event, replay->fields.comm};
    const uint32_t values[] = {replay->fields.end, envelope->comm};

    return add_count(array, keys, values, 2, array->n_rows, &removed->rows, &removed->known, error);
}

/* Counts the rows of an envelope before the kept time: sends, postings, or ends of operations, of which n_kept are in
 * the log. */
static bool count_rows_before(const XtfReplay *replay, const XtfReplayRows *rows, const XtfEnvelope *envelope,
                              uint64_t n_kept, XtfRemovedRows *removed, GError **error)
{
    XtfReplayRowKind kind;
    const XtfArray *cancelled;

    *removed = (XtfRemovedRows){.known = true};
    for (uint32_t i = 0; i < rows->n_readers; i++) {
        const XtfArray *array = xtf_replay_rows_array(rows, i, &kind, &cancelled);
        if (kind == XTF_ROW_BEGIN && envelope->kind == XTF_ROW_END) {
            if (!add_all_operations(replay, array, envelope, removed, error))
                return false;
        } else if (kind == envelope->kind && kind != XTF_ROW_BEGIN) {
            if (!add_removed_messages(replay, array, cancelled, envelope, removed, error))
                return false;
        }
    }
    if (envelope->kind == XTF_ROW_END)
        removed->rows -= MIN(removed->rows, n_kept);
    return true;
}

/* Counts the ends of operations on a communicator in the log. Several envelopes may have such ends: marks all of them
 * as counted. */
static uint64_t count_ends(const XtfGroups *envelopes, uint32_t first, bool *counted)
{
    uint64_t n = 0;

    for (uint32_t i = first; i < envelopes->n; i++) {
        const XtfGroup *envelope = &envelopes->all[i];
        if ((uint8_t)envelope->key.receiver != XTF_ROW_END || envelope->key.comm != envelopes->all[first].key.comm)
            continue;
        n += envelope->sent;
        counted[i] = true;
    }
    return n;
}

bool xtf_replay_count_removed(const XtfReplay *replay, const XtfReplayRows *rows, const XtfGroups *envelopes,
                              XtfRemovedRows **removed, GError **error)
{
    uint32_t n = envelopes->n;

    *removed = NULL;
    if (xtf_trace_kept_from(replay->trace) == 0)
        return true;
    g_autofree bool *counted = g_new0(bool, n + 1);
    g_autofree XtfRemovedRows *counts = g_new0(XtfRemovedRows, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const XtfEnvelope envelope = xtf_envelope_of(&envelopes->all[i]);
        counts[i].known = true;
        if (counted[i])
            continue;
        uint64_t n_ends = envelope.kind == XTF_ROW_END ? count_ends(envelopes, i, counted) : 0;
        if (!count_rows_before(replay, rows, &envelope, n_ends, &counts[i], error))
            return false;
    }
    *removed = g_steal_pointer(&counts);
    return true;
}

void xtf_replay_keep_removed(XtfReplay *replay, uint32_t group, bool sends, const XtfRemovedRows *removed)
{
    if (!replay->removed)
        replay->removed = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    XtfRemovedEnds *ends = g_hash_table_lookup(replay->removed, GUINT_TO_POINTER(group));
    if (!ends) {
        ends = g_new0(XtfRemovedEnds, 1);
        g_hash_table_insert(replay->removed, GUINT_TO_POINTER(group), ends);
    }
    ends->unknown |= !removed->known;
    if (sends)
        ends->sends += removed->rows;
    else
        ends->receives += removed->rows;
}

XtfRemovedEnds *xtf_replay_removed_ends(const XtfReplay *replay, uint32_t group)
{
    XtfRemovedEnds *ends = replay->removed ? g_hash_table_lookup(replay->removed, GUINT_TO_POINTER(group)) : NULL;

    return ends && !ends->unknown ? ends : NULL;
}

bool xtf_replay_renumber(XtfReplay *replay, uint32_t number)
{
    XtfGroup *group = &replay->groups.all[number];
    XtfRemovedEnds *ends = xtf_replay_removed_ends(replay, number);

    if (!ends || ends->sends + group->sent != ends->receives + group->received)
        return false;
    uint64_t least = MIN(ends->sends, ends->receives), most = MAX(ends->sends, ends->receives) - least;
    if (most == 0)
        return true;
    ends->first_sent = (uint32_t)(ends->sends - least);
    ends->first_received = (uint32_t)(ends->receives - least);
    if (!replay->doubts)
        replay->doubts = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    /* Probes have doubts by the numbers of kept receives. */
    group->uncertain |= most > UINT32_MAX / 2 || g_hash_table_contains(replay->doubts, GUINT_TO_POINTER(number));
    if (group->uncertain)
        return true;
    GArray *doubts = xtf_runs_new();
    xtf_runs_add(doubts, 0, (uint32_t)most - 1);
    g_hash_table_insert(replay->doubts, GUINT_TO_POINTER(number), doubts);
    return true;
}

void xtf_replay_begin_numbers(XtfReplay *replay)
{
    GHashTableIter iter;
    gpointer number, value;

    if (!replay->removed)
        return;
    g_hash_table_iter_init(&iter, replay->removed);
    while (g_hash_table_iter_next(&iter, &number, &value)) {
        const XtfRemovedEnds *ends = value;
        replay->groups.all[GPOINTER_TO_UINT(number)].sent = ends->first_sent;
        replay->groups.all[GPOINTER_TO_UINT(number)].received = ends->first_received;
    }
}
