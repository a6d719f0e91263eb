#include "src/tables/collectives/collective-requests.h"

typedef struct {
    const XtfCollectiveTypes *types;
    const XtfArray *array;
    XtfCursor cursor;
    uint64_t from, to; /* rows read: [from, to) */
    int64_t open;      /* requests less completions before the current row */
    bool near;         /* true while fewer than XTF_COLLECTIVES_NEAR rows were read */
} Around;

static void around_finish(Around *around)
{
    xtf_cursor_finish(&around->cursor);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Around, around_finish)

/* Returns by how much a row changes the number of open requests. */
static int opened_by(const Around *around, const uint8_t *row)
{
    XtfCollectiveEvent event = xtf_collective_event(around->types, row);
    return event == XTF_COLLECTIVE_REQUEST ? 1 : event == XTF_COLLECTIVE_COMPLETE ? -1 : 0;
}

static bool count_open(const Around *around, uint64_t n, int64_t *open, GError **error)
{
    XtfCollectiveFilter requests, completions;
    uint64_t requested, completed;

    xtf_collective_filter_init(&requests, around->types, XTF_COLLECTIVE_REQUEST, NULL);
    xtf_collective_filter_init(&completions, around->types, XTF_COLLECTIVE_COMPLETE, NULL);
    if (!xtf_array_group_rank(around->array, around->types->aggregate, &requests.filter, n, &requested, error) ||
        !xtf_array_group_rank(around->array, around->types->aggregate, &completions.filter, n, &completed, error))
        return false;
    *open = (int64_t)(requested - completed);
    return true;
}

/* Moves back from row n to a row before which no request is open, or to the first row. Not further back than the kept
 * time: then requests are not near. */
static bool find_start(Around *around, uint64_t n, GError **error)
{
    uint64_t first_kept;
    bool found;

    around->from = n;
    if (!xtf_array_first_kept(around->array, &first_kept, error) || !count_open(around, n, &around->open, error) ||
        !xtf_cursor_seek_n(&around->cursor, n, &found, error))
        return false;
    while (around->open != 0 && around->from > 0) {
        if (n - around->from >= XTF_COLLECTIVES_NEAR || around->from <= first_kept) {
            around->near = false;
            return true;
        }
        if (!xtf_cursor_next(&around->cursor, -1, &found, error))
            return false;
        around->from--;
        around->open -= opened_by(around, xtf_cursor_row(&around->cursor));
    }
    return true;
}

static XtfCollectiveRequest take_completed(const Around *around, const uint8_t *row, GHashTable *by_id)
{
    const XtfCollectiveTypes *types = around->types;
    uint64_t id = xtf_field_get(types->request, row);
    const XtfCollectiveRequest *posted = g_hash_table_lookup(by_id, &id);
    XtfCollectiveRequest request = {.request = UINT64_MAX};

    if (posted)
        request = *posted;
    request.complete = around->cursor.n;
    request.complete_time = xtf_cursor_time(&around->cursor);
    request.comm = xtf_field_get(types->comm, row);
    g_hash_table_remove(by_id, &id);
    return request;
}

static void add_request(const Around *around, const uint8_t *row, GHashTable *by_id)
{
    uint64_t *id = g_new(uint64_t, 1);
    XtfCollectiveRequest *request = g_new0(XtfCollectiveRequest, 1);

    *id = xtf_field_get(around->types->request, row);
    request->request = around->cursor.n;
    request->request_time = xtf_cursor_time(&around->cursor);
    g_hash_table_replace(by_id, id, request);
}

/* Reads from `from` to row n, and on until no request is open. Adds each completion with its request to `requests`. */
static bool match_requests(Around *around, uint64_t n, GArray *requests, bool *sure, GError **error)
{
    g_autoptr(GHashTable) by_id = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    bool found;

    if (!xtf_cursor_seek_n(&around->cursor, around->from, &found, error))
        return false;
    for (around->to = around->from; found && (around->to <= n || around->open != 0); around->to++) {
        const uint8_t *row = xtf_cursor_row(&around->cursor);
        int opened = opened_by(around, row);
        if (around->to > n && around->to - n > XTF_COLLECTIVES_NEAR) {
            around->near = false;
            break;
        }
        around->open += opened;
        if (opened > 0)
            add_request(around, row, by_id);
        if (opened < 0) {
            XtfCollectiveRequest request = take_completed(around, row, by_id);
            *sure = *sure && request.request != UINT64_MAX;
            g_array_append_val(requests, request);
        }
        if (!xtf_cursor_next(&around->cursor, 1, &found, error))
            return false;
    }
    return true;
}

static int compare_requests(const void *a, const void *b)
{
    const XtfCollectiveRequest *x = a, *y = b;
    if (x->request != y->request)
        return x->request < y->request ? -1 : 1;
    return x->complete < y->complete ? -1 : x->complete > y->complete;
}

bool xtf_collective_requests_around(const XtfCollectiveTypes *types, const XtfArray *array, uint64_t n, uint64_t *from,
                                    GArray **requests, bool *sure, GError **error)
{
    g_auto(Around) around = {.types = types, .array = array, .near = true};
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(XtfCollectiveRequest));

    xtf_cursor_init(&around.cursor, array);
    *sure = types->request != NULL;
    if (*sure && (!find_start(&around, n, error) || !match_requests(&around, n, found, sure, error)))
        return false;
    *sure = *sure && around.near;
    g_array_sort(found, compare_requests);
    *from = around.from;
    *requests = g_steal_pointer(&found);
    return true;
}
