/* The open requests of a process. */
#include "src/record/collect/rows/collect.h"

static void add_old_request(XtfCollectRequests *requests, const XtfCollectRequest *request)
{
    if (!requests->old)
        requests->old = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    if (g_hash_table_size(requests->old) < XTF_COLLECT_OLD_REQUESTS_MAX)
        g_hash_table_add(requests->old, g_memdup2(request, sizeof *request));
}

void xtf_collect_request_begin(XtfCollectRequests *requests, XtfCollectRequest request)
{
    if (G_UNLIKELY(!requests->recent))
        requests->recent = g_new0(XtfCollectRequest, XTF_COLLECT_RECENT_REQUESTS);
    XtfCollectRequest *place = &requests->recent[request.id % XTF_COLLECT_RECENT_REQUESTS];

    if (request.id == 0)
        return;
    if (G_UNLIKELY(place->id != 0 && place->id != request.id))
        add_old_request(requests, place);
    *place = request;
}

void xtf_collect_request_end(XtfCollectRequests *requests, uint64_t id)
{
    XtfCollectRequest *place = requests->recent ? &requests->recent[id % XTF_COLLECT_RECENT_REQUESTS] : NULL;

    if (G_LIKELY(place && place->id == id))
        place->id = 0;
    else if (requests->old)
        g_hash_table_remove(requests->old, &id);
}

const XtfCollectRequest *xtf_collect_request_find(const XtfCollectRequests *requests, uint64_t id)
{
    const XtfCollectRequest *place = requests->recent ? &requests->recent[id % XTF_COLLECT_RECENT_REQUESTS] : NULL;

    if (place && place->id == id)
        return place;
    return requests->old ? g_hash_table_lookup(requests->old, &id) : NULL;
}

static gint compare_requests(gconstpointer a, gconstpointer b)
{
    uint64_t x = ((const XtfCollectRequest *)a)->id, y = ((const XtfCollectRequest *)b)->id;

    return x < y ? -1 : x > y;
}

GArray *xtf_collect_requests_list(const XtfCollectRequests *requests)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(XtfCollectRequest));
    GHashTableIter iter;
    gpointer request;

    for (unsigned i = 0; requests->recent && i < XTF_COLLECT_RECENT_REQUESTS; i++)
        if (requests->recent[i].id != 0)
            g_array_append_val(list, requests->recent[i]);
    if (requests->old) {
        g_hash_table_iter_init(&iter, requests->old);
        while (g_hash_table_iter_next(&iter, &request, NULL))
            g_array_append_vals(list, request, 1);
    }
    g_array_sort(list, compare_requests);
    return list;
}

void xtf_collect_requests_finish(XtfCollectRequests *requests)
{
    g_free(requests->recent);
    g_clear_pointer(&requests->old, g_hash_table_unref);
}
