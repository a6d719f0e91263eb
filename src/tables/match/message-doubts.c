#include "src/tables/match/message-doubts.h"

#include "libxtf/error.h"
#include "libxtf/group-filter.h"
#include "src/tables/match/message-calls.h"

/* ---- Threads. */

static bool has_several_locations(const XtfMessageSide *side)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < side->process->n; i++)
        n += side->process->locations[i].has[side->kind];
    return n > 1;
}

static bool calls_overlap(const XtfMessageCall *a, const XtfMessageCall *b)
{
    return a->record == b->record || (a->enter < b->leave && b->enter < a->leave);
}

/* True if a call of another location overlaps in time. Reads only the group's messages directly before and after the
 * place, since calls of one location do not overlap. */
static bool overlaps_location(XtfMatching *matching, const XtfMessageSide *side, const XtfMessagePlace *place,
                              const XtfMessageCall *this_call, uint32_t index, bool *overlaps, GError **error)
{
    const XtfMessageLocation *location = &side->process->locations[index];
    XtfMessageCall call;
    uint64_t n, k;

    if (!location->has[side->kind])
        return true;
    if (!xtf_message_rows_before(side, place, index, &n, error) || !xtf_message_rank_in(side, index, n, &k, error))
        return false;
    for (uint64_t at = k - MIN(k, 1); at <= k && !*overlaps; at++) {
        if (!xtf_message_select_in(side, index, at, &n, error))
            return false;
        if (n == UINT64_MAX)
            continue;
        if (!xtf_message_call_of(matching, location, side->kind, n, &call, error))
            return false;
        *overlaps = calls_overlap(this_call, &call);
    }
    return true;
}

bool xtf_message_overlaps(XtfMatching *matching, const XtfMessageSide *side, const XtfMessagePlace *place,
                          bool *overlaps, GError **error)
{
    XtfMessageCall this_call;

    *overlaps = false;
    if (!has_several_locations(side))
        return true;
    if (!xtf_message_call_of(matching, &side->process->locations[place->location], side->kind, place->row, &this_call,
                             error))
        return false;
    for (uint32_t i = 0; i < side->process->n && !*overlaps; i++)
        if (i != place->location && !overlaps_location(matching, side, place, &this_call, i, overlaps, error))
            return false;
    return true;
}

/* ---- Probes. */

/* Values of `probes` of a location; 0: not determined yet. */
enum { PROBES_NEVER = 1, PROBES };

static XtfMatch is_matched(const uint64_t *key, unsigned depth, const void *matching)
{
    if (depth == 0)
        return XTF_MATCH_SOME;
    return xtf_matching_use(matching, key[0]) & XTF_CALL_MATCHED ? XTF_MATCH_ALL : XTF_MATCH_NONE;
}

/* Sets *may if a location of the process calls MPI_Mrecv or MPI_Imrecv. Definitions do not suffice: recorders also
 * define regions that are never entered. */
static bool may_receive_probed(XtfMatching *matching, const XtfMessageProcess *process, bool *may, GError **error)
{
    const XtfGroupFilter filter = {.match = is_matched, .data = matching};

    *may = false;
    for (uint32_t i = 0; i < process->n && !*may && matching->has_matched; i++) {
        XtfMessageLocation *location = &process->locations[i];
        gint probes = g_atomic_int_get(&location->probes);
        uint64_t n = 0;
        if (!probes && location->has_calls &&
            !xtf_array_group_rank(&location->calls, matching->types.frames, &filter, location->calls.n_rows, &n, error))
            return false;
        if (!probes)
            g_atomic_int_set(&location->probes, n > 0 ? PROBES : PROBES_NEVER);
        *may = n > 0 || probes == PROBES;
    }
    return true;
}

/* The interval in which a receive is open: from the begin of the call that posts it to its completion. */
typedef struct {
    uint64_t from, to;
    bool matched;
} OpenInterval;

static bool find_interval(XtfMatching *matching, const XtfMessageSide *side, const XtfMessagePlace *place,
                          OpenInterval *interval, GError **error)
{
    const XtfMessageLocation *location = &side->process->locations[place->location];
    XtfMessageCall call;
    uint8_t row[XTF_ROW_MAX];

    if (!xtf_message_call_of(matching, location, XTF_MESSAGES_POSTINGS, place->row, &call, error) ||
        !xtf_array_row(&location->arrays[XTF_MESSAGES_POSTINGS], place->row, row, error))
        return false;
    uint64_t message = xtf_field_get(matching->types.types[XTF_MESSAGES_POSTINGS].message, row);
    if (!location->has_recvs || message >= location->recvs.n_rows)
        return xtf_damaged(error, "row %" PRIu64 " of postings names a receive that does not exist", place->row);
    interval->matched = call.use & XTF_CALL_MATCHED;
    interval->from = interval->matched ? 0 : call.enter; /* the time of the probe is unknown */
    return xtf_array_time(&location->recvs, message, &interval->to, error);
}

bool xtf_message_is_probed(XtfMatching *matching, const XtfMessageSide *postings, const XtfMessagePlace *place,
                           uint64_t k, bool *probed, GError **error)
{
    OpenInterval this_interval, other_interval;
    uint64_t removed;
    bool may;

    *probed = false;
    if (!xtf_matching_load_uses(matching, error) || !may_receive_probed(matching, postings->process, &may, error))
        return false;
    if (!may)
        return true;
    if (!find_interval(matching, postings, place, &this_interval, error) ||
        !xtf_message_count_removed(postings, &removed, error))
        return false;
    uint64_t from = MAX(k - MIN(k, (uint64_t)XTF_PROBED_RECEIVES), removed);
    for (uint64_t at = from; at <= k + XTF_PROBED_RECEIVES && !*probed; at++) {
        XtfMessagePlace there;
        bool found;
        if (at == k)
            continue;
        if (!xtf_message_select(postings, at, &there, &found, error))
            return false;
        if (!found)
            break;
        if (!find_interval(matching, postings, &there, &other_interval, error))
            return false;
        *probed = (this_interval.matched || other_interval.matched) && this_interval.from <= other_interval.to &&
                  other_interval.from <= this_interval.to;
    }
    return true;
}
