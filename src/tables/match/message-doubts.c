#include "src/tables/match/message-doubts.h"

#include "libxtf/error.h"
#include "libxtf/group-filter.h"
#include "src/tables/match/message-calls.h"

/* ---- Threads. */

static bool has_several(const XtfMessageSide *side)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < side->process->n; i++)
        n += side->process->locations[i].has[side->kind];
    return n > 1;
}

static bool share_time(const XtfMessageCall *a, const XtfMessageCall *b)
{
    return a->record == b->record || (a->enter < b->leave && b->enter < a->leave);
}

/* Looks at the messages of the group right before and behind the place in another location: calls of one location
 * follow one another. */
static bool overlaps_in(XtfMatching *matching, const XtfMessageSide *side, const XtfMessagePlace *place,
                        const XtfMessageCall *own, uint32_t other, bool *overlaps, GError **error)
{
    const XtfMessageLocation *location = &side->process->locations[other];
    XtfMessageCall call;
    uint64_t n, k;

    if (!location->has[side->kind])
        return true;
    if (!xtf_message_rows_before(side, place, other, &n, error) || !xtf_message_rank_in(side, other, n, &k, error))
        return false;
    for (uint64_t at = k - MIN(k, 1); at <= k && !*overlaps; at++) {
        if (!xtf_message_select_in(side, other, at, &n, error))
            return false;
        if (n == UINT64_MAX)
            break;
        if (!xtf_message_call_of(matching, location, side->kind, n, &call, error))
            return false;
        *overlaps = share_time(own, &call);
    }
    return true;
}

bool xtf_message_overlaps(XtfMatching *matching, const XtfMessageSide *side, const XtfMessagePlace *place,
                          bool *overlaps, GError **error)
{
    XtfMessageCall own;

    *overlaps = false;
    if (!has_several(side))
        return true;
    if (!xtf_message_call_of(matching, &side->process->locations[place->location], side->kind, place->row, &own, error))
        return false;
    for (uint32_t i = 0; i < side->process->n && !*overlaps; i++)
        if (i != place->location && !overlaps_in(matching, side, place, &own, i, overlaps, error))
            return false;
    return true;
}

/* ---- Probes. */

/* Of `probes` of a location, 0 being not asked yet. */
enum { PROBES_NEVER = 1, PROBES };

static XtfMatch is_matched(const uint64_t *key, unsigned depth, const void *matching)
{
    if (depth == 0)
        return XTF_MATCH_SOME;
    return xtf_matching_use(matching, key[0]) & XTF_CALL_MATCHED ? XTF_MATCH_ALL : XTF_MATCH_NONE;
}

/* Whether some location of the process calls MPI_Mrecv or MPI_Imrecv at all: recorders define regions that are never
 * entered. */
static bool may_probe(XtfMatching *matching, const XtfMessageProcess *process, bool *may, GError **error)
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

/* From when a receive was posted, its call included, to when it was complete. */
typedef struct {
    uint64_t from, to;
    bool matched;
} Opening;

static bool find_opening(XtfMatching *matching, const XtfMessageSide *side, const XtfMessagePlace *place,
                         Opening *opening, GError **error)
{
    const XtfMessageLocation *location = &side->process->locations[place->location];
    XtfMessageCall call;
    uint8_t row[XTF_ROW_MAX];

    if (!xtf_message_call_of(matching, location, XTF_MESSAGES_POSTINGS, place->row, &call, error) ||
        !xtf_array_row(&location->arrays[XTF_MESSAGES_POSTINGS], place->row, row, error))
        return false;
    uint64_t message = xtf_field_get(matching->types.types[XTF_MESSAGES_POSTINGS].message, row);
    if (!location->has_recvs || message >= location->recvs.n_rows)
        return xtf_damaged(error, "row %" PRIu64 " of postings is of a receive that is not there", place->row);
    opening->matched = call.use & XTF_CALL_MATCHED;
    opening->from = opening->matched ? 0 : call.enter; /* when it was probed is not known */
    return xtf_array_time(&location->recvs, message, &opening->to, error);
}

bool xtf_message_is_probed(XtfMatching *matching, const XtfMessageSide *postings, const XtfMessagePlace *place,
                           uint64_t k, bool *probed, GError **error)
{
    Opening own, other;
    bool may;

    *probed = false;
    if (!xtf_matching_load_uses(matching, error) || !may_probe(matching, postings->process, &may, error))
        return false;
    if (!may)
        return true;
    if (!find_opening(matching, postings, place, &own, error))
        return false;
    uint64_t from = k - MIN(k, (uint64_t)XTF_PROBED_RECEIVES);
    for (uint64_t at = from; at <= k + XTF_PROBED_RECEIVES && !*probed; at++) {
        XtfMessagePlace there;
        bool found;
        if (at == k)
            continue;
        if (!xtf_message_select(postings, at, &there, &found, error))
            return false;
        if (!found)
            break;
        if (!find_opening(matching, postings, &there, &other, error))
            return false;
        *probed = (own.matched || other.matched) && own.from <= other.to && other.from <= own.to;
    }
    return true;
}
