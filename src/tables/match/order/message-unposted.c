#include "src/tables/match/order/message-unposted.h"

#include "libxtf/error.h"

/* Finds the rows of `recvs` that complete an unposted request, ascending. */
static bool find_receives(const XtfMessageTypes *types, const XtfMessageLocation *location, GArray *found,
                          GError **error)
{
    g_auto(XtfCursor) cursor;
    uint64_t first_kept;
    bool on;

    xtf_cursor_init(&cursor, &location->recvs);
    if (!xtf_array_first_kept(&location->recvs, &first_kept, error) ||
        !xtf_cursor_seek_n(&cursor, first_kept, &on, error))
        return false;
    for (uint64_t n = first_kept; on; n++) {
        const uint8_t *row = xtf_cursor_row(&cursor);
        const char *label = xtf_field_get(types->recvs_posted, row) > 0 ? NULL : xtf_row_label(types->recvs_event, row);
        if (label && g_str_equal(label, "MPI_IRECV"))
            g_array_append_val(found, n);
        if (!xtf_cursor_next(&cursor, 1, &on, error))
            return false;
    }
    return true;
}

static bool contains_row(const GArray *receives, uint64_t n)
{
    guint low = 0, high = receives->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(receives, uint64_t, middle) < n)
            low = middle + 1;
        else
            high = middle;
    }
    return low < receives->len && g_array_index(receives, uint64_t, low) == n;
}

static bool find_postings(const XtfMessageTypes *types, const XtfMessageLocation *location, const GArray *receives,
                          GHashTable *last, GError **error)
{
    const XtfMessageType *type = &types->types[XTF_MESSAGES_POSTINGS];
    uint64_t envelope[XTF_ENVELOPE_KEYS];
    g_auto(XtfCursor) cursor;
    uint64_t first_kept;
    bool on;

    xtf_cursor_init(&cursor, &location->arrays[XTF_MESSAGES_POSTINGS]);
    if (!xtf_array_first_kept(&location->arrays[XTF_MESSAGES_POSTINGS], &first_kept, error) ||
        !xtf_cursor_seek_n(&cursor, first_kept, &on, error))
        return false;
    for (uint64_t n = first_kept; on; n++) {
        const uint8_t *row = xtf_cursor_row(&cursor);
        if (contains_row(receives, xtf_field_get(type->message, row))) {
            xtf_message_envelope(type, row, envelope);
            g_hash_table_replace(last, g_memdup2(envelope, sizeof envelope), g_memdup2(&n, sizeof n));
        }
        if (!xtf_cursor_next(&cursor, 1, &on, error))
            return false;
    }
    return true;
}

/* Loads the last unposted receive of each group of a location. Later calls return the same table. */
static bool load_unposted(const XtfMessageTypes *types, XtfMessageLocation *location, GHashTable **unposted,
                          GError **error)
{
    *unposted = g_atomic_pointer_get(&location->unposted);
    if (*unposted)
        return true;
    g_autoptr(GHashTable) last = g_hash_table_new_full(xtf_envelope_hash, xtf_envelope_equal, g_free, g_free);
    g_autoptr(GArray) receives = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    if (location->has_recvs && location->has[XTF_MESSAGES_POSTINGS] && types->recvs_event &&
        (!find_receives(types, location, receives, error) ||
         (receives->len > 0 && !find_postings(types, location, receives, last, error))))
        return false;
    if (g_atomic_pointer_compare_and_exchange(&location->unposted, NULL, last))
        g_steal_pointer(&last);
    *unposted = g_atomic_pointer_get(&location->unposted);
    return true;
}

bool xtf_message_is_unposted(const XtfMessageSide *postings, const XtfMessagePlace *place, bool *unposted,
                             GError **error)
{
    *unposted = false;
    for (uint32_t i = 0; i < postings->process->n && !*unposted; i++) {
        GHashTable *last;
        uint64_t before = place->row;
        if (!load_unposted(postings->types, &postings->process->locations[i], &last, error))
            return false;
        const uint64_t *row = g_hash_table_size(last) > 0 ? g_hash_table_lookup(last, postings->envelope) : NULL;
        if (row && i != place->location && !xtf_message_rows_before(postings, place, i, &before, error))
            return false;
        *unposted = row && *row >= before;
    }
    return true;
}
