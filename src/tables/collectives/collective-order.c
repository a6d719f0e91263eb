#include "src/tables/collectives/collective-order.h"

#include <string.h>

#include "libxtf/error.h"
#include "libxtf/vocabulary.h"
#include "src/tables/collectives/collective-requests.h"
#include "src/trace/select/kept-rows.h"

enum {
    BEGIN_NEAR = 64, /* most rows between a BEGIN and its END */
};

static bool is_blocking(const XtfCollectiveFilter *wanted)
{
    const XtfField *event = wanted->types->event;
    return wanted->event >= event->n_labels ||
           !g_str_equal(event->labels[wanted->event], XTF_EVENT_COLLECTIVE_COMPLETE);
}

static bool count_rows_before(const XtfCollectiveLocation *location, const XtfCollectiveFilter *wanted, uint64_t n,
                              uint64_t *k, GError **error)
{
    return xtf_array_group_rank(&location->array, wanted->types->aggregate, &wanted->filter, n, k, error);
}

bool xtf_collective_count(const XtfCollectiveProcess *process, const XtfCollectiveFilter *wanted, uint64_t *count,
                          GError **error)
{
    *count = 0;
    for (uint32_t i = 0; i < process->n; i++) {
        uint64_t here;
        if (!count_rows_before(&process->locations[i], wanted, process->locations[i].array.n_rows, &here, error))
            return false;
        *count += here;
    }
    return true;
}

/* ---- Several locations: order by time. */

/* Counts the operations of one location before time t. */
static bool count_before_time(const XtfCollectiveLocation *location, const XtfCollectiveFilter *wanted, uint64_t t,
                              uint64_t *k, GError **error)
{
    uint64_t n;
    return xtf_array_rank(&location->array, t, &n, error) && count_rows_before(location, wanted, n, k, error);
}

static bool count_all_before(const XtfCollectiveProcess *process, const XtfCollectiveFilter *wanted, uint64_t t,
                             uint64_t *count, GError **error)
{
    *count = 0;
    for (uint32_t i = 0; i < process->n; i++) {
        uint64_t here;
        if (!count_before_time(&process->locations[i], wanted, t, &here, error))
            return false;
        *count += here;
    }
    return true;
}

/* Counts the operations of the process's other locations that precede one of location `at` at time t. */
static bool count_other_locations(const XtfCollectiveProcess *process, const XtfCollectiveFilter *wanted, uint32_t at,
                                  uint64_t t, uint64_t *count, GError **error)
{
    *count = 0;
    for (uint32_t i = 0; i < process->n; i++) {
        uint64_t here;
        if (i == at)
            continue;
        if (!count_before_time(&process->locations[i], wanted, t + (i < at && t < UINT64_MAX), &here, error))
            return false;
        *count += here;
    }
    return true;
}

/* Finds the time of the operation with k operations before it, which exists: the greatest time with at most k before.
 * */
static bool find_time(const XtfCollectiveProcess *process, const XtfCollectiveFilter *wanted, uint64_t k, uint64_t *t,
                      GError **error)
{
    uint64_t low = UINT64_MAX, high = 0;

    for (uint32_t i = 0; i < process->n; i++) {
        low = MIN(low, process->locations[i].array.first);
        high = MAX(high, process->locations[i].array.last);
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2 + 1, count;
        if (!count_all_before(process, wanted, middle, &count, error))
            return false;
        if (count <= k)
            low = middle;
        else
            high = middle - 1;
    }
    *t = low;
    return true;
}

/* Finds the location and the row of the operation with k operations before it, which exists. */
static bool find_by_time(const XtfCollectiveProcess *process, const XtfCollectiveFilter *wanted, uint64_t k,
                         XtfCollectivePart *part, bool *found, GError **error)
{
    uint64_t t, before;

    if (!find_time(process, wanted, k, &t, error) || !count_all_before(process, wanted, t, &before, error))
        return false;
    k -= MIN(k, before);
    for (uint32_t i = 0; i < process->n; i++) {
        const XtfCollectiveLocation *location = &process->locations[i];
        uint64_t from, to;
        if (!count_before_time(location, wanted, t, &from, error) ||
            !count_before_time(location, wanted, t + (t < UINT64_MAX), &to, error))
            return false;
        if (k < to - from) {
            part->at = i;
            *found = true;
            return xtf_kept_select(&location->array, wanted->types->aggregate, &wanted->filter, from + k, &part->n,
                                   error);
        }
        k -= to - from;
    }
    return true;
}

/* Finds the completion of the k-th operation of a process. The order is by time if several locations have operations.
 * */
static bool find_completion(const XtfCollectiveProcess *process, const XtfCollectiveFilter *wanted, uint64_t k,
                            XtfCollectivePart *part, bool *found, GError **error)
{
    uint32_t n_with = 0;
    uint64_t total = 0;

    *found = false;
    for (uint32_t i = 0; i < process->n && process->n > 1; i++) {
        const XtfCollectiveLocation *location = &process->locations[i];
        uint64_t here;
        if (!count_rows_before(location, wanted, location->array.n_rows, &here, error))
            return false;
        total += here;
        if (here && ++n_with == 1)
            part->at = i;
    }
    if (process->n == 1)
        part->at = 0;
    else if (k >= total)
        return true;
    if (n_with > 1) {
        part->sure = is_blocking(wanted);
        return find_by_time(process, wanted, k, part, found, error);
    }
    const XtfArray *array = &process->locations[part->at].array;
    if (!xtf_kept_select(array, wanted->types->aggregate, &wanted->filter, k, &part->n, error))
        return false;
    *found = part->n < array->n_rows;
    return true;
}

/* ---- Begin of an operation. */

/* Finds the BEGIN of an END. Only records of requests may lie between the two. */
static bool find_begin(XtfCollectivePart *part, const XtfCollectiveTypes *types, XtfCursor *cursor, GError **error)
{
    uint64_t first_kept;
    bool found = true;

    if (!xtf_array_first_kept(&cursor->array, &first_kept, error))
        return false;
    for (unsigned i = 0; i < BEGIN_NEAR && cursor->n > first_kept; i++) {
        if (!xtf_cursor_next(cursor, -1, &found, error))
            return false;
        XtfCollectiveEvent event = xtf_collective_event(types, xtf_cursor_row(cursor));
        part->started = event == XTF_COLLECTIVE_BEGIN;
        if (part->started)
            part->begin = xtf_cursor_time(cursor);
        if (event == XTF_COLLECTIVE_BEGIN || event == XTF_COLLECTIVE_END)
            return true;
    }
    return true;
}

static bool read_record(const XtfCollectiveProcess *process, const XtfCollectiveTypes *types, bool begins,
                        XtfCollectivePart *part, GError **error)
{
    const XtfArray *array = &process->locations[part->at].array;
    g_auto(XtfCursor) cursor;
    bool found;

    xtf_cursor_init(&cursor, array);
    if (!xtf_cursor_seek_n(&cursor, part->n, &found, error))
        return false;
    if (!found)
        return xtf_damaged(error, "location %" PRIu64 ": %s lacks row %" PRIu64 ", which the index counts",
                           array->location, array->schema->name, part->n);
    memcpy(part->row, xtf_cursor_row(&cursor), array->schema->row_size);
    part->end = xtf_cursor_time(&cursor);
    return !begins || find_begin(part, types, &cursor, error);
}

/* ---- Non-blocking operations: order by requests. */

static bool number_by_request(const XtfCollectiveLocation *location, const XtfCollectiveFilter *wanted, uint64_t n,
                              uint64_t *k, GError **error)
{
    g_autoptr(GArray) requests = NULL;
    uint64_t from, before;
    bool sure;

    if (!xtf_collective_requests_around(wanted->types, &location->array, n, &from, &requests, &sure, error))
        return false;
    if (!sure)
        return count_rows_before(location, wanted, n, k, error);
    if (!count_rows_before(location, wanted, from, &before, error))
        return false;
    for (unsigned i = 0; i < requests->len; i++) {
        const XtfCollectiveRequest *request = &g_array_index(requests, XtfCollectiveRequest, i);
        if (request->complete == n)
            break;
        before += request->comm == wanted->comm;
    }
    *k = before;
    return true;
}

/* Corrects a part that find_completion() found by the k-th completion: the k-th request has a completion near it. */
static bool find_by_request(const XtfCollectiveLocation *location, const XtfCollectiveFilter *wanted, uint64_t k,
                            XtfCollectivePart *part, GError **error)
{
    g_autoptr(GArray) requests = NULL;
    uint64_t from, before;
    bool sure;

    if (!xtf_collective_requests_around(wanted->types, &location->array, part->n, &from, &requests, &sure, error) ||
        !count_rows_before(location, wanted, from, &before, error))
        return false;
    part->sure = part->sure && sure;
    for (unsigned i = 0; i < requests->len; i++) {
        const XtfCollectiveRequest *request = &g_array_index(requests, XtfCollectiveRequest, i);
        if (sure ? request->comm == wanted->comm && before++ == k : request->complete == part->n) {
            part->n = request->complete;
            part->started = request->request != UINT64_MAX;
            part->begin = request->request_time;
            return true;
        }
    }
    return true;
}

bool xtf_collective_number(const XtfCollectiveProcess *process, const XtfCollectiveFilter *wanted, uint32_t at,
                           uint64_t n, uint64_t *k, GError **error)
{
    const XtfCollectiveLocation *location = &process->locations[at];
    uint64_t t, preceding = 0;

    if (!(is_blocking(wanted) ? count_rows_before(location, wanted, n, k, error)
                              : number_by_request(location, wanted, n, k, error)))
        return false;
    if (process->n > 1 && (!xtf_array_time(&location->array, n, &t, error) ||
                           !count_other_locations(process, wanted, at, t, &preceding, error)))
        return false;
    *k += preceding;
    return true;
}

bool xtf_collective_find(const XtfCollectiveProcess *process, const XtfCollectiveFilter *wanted, uint64_t k,
                         XtfCollectivePart *part, bool *found, GError **error)
{
    bool blocking = is_blocking(wanted);

    *found = false;
    part->sure = true;
    part->started = false;
    if (process->n == 0)
        return true;
    if (!find_completion(process, wanted, k, part, found, error))
        return false;
    if (!*found)
        return true;
    if (!blocking && !find_by_request(&process->locations[part->at], wanted, k, part, error))
        return false;
    return read_record(process, wanted->types, blocking, part, error);
}

bool xtf_collective_completion(const XtfCollectiveTypes *types, const XtfArray *array, uint64_t n, uint64_t *completion,
                               bool *found, GError **error)
{
    uint8_t row[XTF_ROW_MAX];

    if (!xtf_array_row(array, n, row, error))
        return false;
    XtfCollectiveEvent event = xtf_collective_event(types, row);
    *completion = n;
    *found = event == XTF_COLLECTIVE_END || event == XTF_COLLECTIVE_COMPLETE;
    if (event == XTF_COLLECTIVE_BEGIN) {
        for (uint64_t i = n + 1; i < array->n_rows && i <= n + BEGIN_NEAR && !*found; i++) {
            if (!xtf_array_row(array, i, row, error))
                return false;
            event = xtf_collective_event(types, row);
            if (event == XTF_COLLECTIVE_BEGIN)
                return true;
            *found = event == XTF_COLLECTIVE_END;
            *completion = i;
        }
    } else if (event == XTF_COLLECTIVE_REQUEST) {
        g_autoptr(GArray) requests = NULL;
        uint64_t from;
        bool sure;
        if (!xtf_collective_requests_around(types, array, n, &from, &requests, &sure, error))
            return false;
        for (unsigned i = 0; i < requests->len && !*found; i++) {
            const XtfCollectiveRequest *request = &g_array_index(requests, XtfCollectiveRequest, i);
            *found = request->request == n;
            *completion = request->complete;
        }
    }
    return true;
}
