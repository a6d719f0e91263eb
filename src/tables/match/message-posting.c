#include "src/tables/match/message-posting.h"

#include "libxtf/error.h"

/* The key of the posting to find. */
typedef struct {
    const XtfMessageType *type;
    uint64_t seq, message;
} Posting;

/* Finds the first row from *n on whose seq is not less than the posting's. Searches from row `near` in steps that
 * double, then by bisection. */
static bool find_seq_near(const XtfArray *array, const Posting *posting, uint64_t near, uint64_t *n, GError **error)
{
    uint64_t low = *n, high = array->n_rows, at = CLAMP(near, low, array->n_rows - 1), step = 1;
    uint8_t row[XTF_ROW_MAX];

    while (low < high) {
        if (!xtf_array_row(array, at, row, error))
            return false;
        if (xtf_field_get(posting->type->seq, row) < posting->seq)
            low = at + 1;
        else
            high = at;
        bool bounded = low > *n && high < array->n_rows;
        if (bounded)
            at = low + (high - low) / 2;
        else
            at = low > *n ? MIN(low + step, array->n_rows - 1) : high - MIN(step, high - low);
        step *= 2;
    }
    *n = low;
    return true;
}

bool xtf_message_posting_find(const XtfMatching *matching, const XtfMessageLocation *location, uint64_t m, uint64_t *n,
                              bool *found, XtfPairDoubt *reason, GError **error)
{
    const XtfMessageTypes *types = &matching->types;
    const XtfArray *postings = &location->arrays[XTF_MESSAGES_POSTINGS];
    uint64_t first_kept;
    uint8_t row[XTF_ROW_MAX];

    *found = false;
    *reason = XTF_DOUBT_OPEN;
    if (!location->has_recvs || m >= location->recvs.n_rows)
        return xtf_damaged(error, "location %" PRIu64 " has no receives, or fewer than a message names", location->id);
    if (!location->has[XTF_MESSAGES_POSTINGS])
        return true;
    if (!xtf_array_row(&location->recvs, m, row, error))
        return false;
    uint64_t seq = xtf_field_get(types->recvs_seq, row), posted = xtf_field_get(types->recvs_posted, row);
    Posting posting = {&types->types[XTF_MESSAGES_POSTINGS], seq - MIN(seq, posted), m};
    if (!xtf_array_first_kept(postings, &first_kept, error))
        return false;
    *n = first_kept;
    if (!find_seq_near(postings, &posting, m, n, error))
        return false;
    if (*n == postings->n_rows)
        return true;
    if (first_kept > 0 && *n == first_kept)
        *reason = XTF_DOUBT_REMOVED;
    for (; *n < postings->n_rows; ++*n) {
        if (!xtf_array_row(postings, *n, row, error))
            return false;
        *found = xtf_field_get(posting.type->message, row) == m;
        if (*found)
            return true;
        if (xtf_field_get(posting.type->seq, row) != posting.seq)
            break;
    }
    return *reason == XTF_DOUBT_REMOVED ||
           xtf_damaged(error, "row %" PRIu64 " of recvs of location %" PRIu64 " has no posting", m, location->id);
}
