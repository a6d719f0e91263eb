/* Commits, and closing the part. */
#include <inttypes.h>
#include <string.h>

#include "src/record/collect/session.h"

#define SLACK_NS     (UINT64_C(250) * 1000 * 1000)  /* the longest time from a record's time to its publication */
#define OPEN_CALL_NS (UINT64_C(1000) * 1000 * 1000) /* a call gets rows of `pending` after that time */
#define OLD_SEND_NS                                                                                  \
    (UINT64_C(10) * 1000 * 1000 * 1000) /* a send still incomplete after that time was not cancelled \
                                         */

static const XtfRequest *first_request(const XtfStream *stream)
{
    const XtfRequests *requests = &stream->requests;

    return xtf_requests_empty(requests) ? NULL : &requests->ring[requests->first & (requests->capacity - 1)];
}

/* Treats old incomplete sends as sent. A send whose request was freed never completes, and would hold up the postings
 * behind it. */
static bool forget_old_sends(XtfCollectRing *ring, uint64_t now)
{
    const XtfRequest *request;

    while ((request = first_request(&ring->stream)) && request->state == XTF_REQUEST_SENDING &&
           request->row.time + OLD_SEND_NS < now) {
        xtf_requests_sent(&ring->stream.requests, request->id);
        if (!xtf_stream_write_postings(&ring->stream, false))
            return false;
    }
    return true;
}

static bool forget_all_old_sends(XtfCollectSession *session, uint64_t now, GError **error)
{
    for (uint32_t i = 0; i < session->n_rings; i++) {
        XtfCollectRing *ring = session->rings[i];
        if (!ring || !ring->open || forget_old_sends(ring, now))
            continue;
        g_propagate_error(error, g_steal_pointer(&ring->stream.error));
        return false;
    }
    return true;
}

/* Appends what unfinished calls have begun, so that a commit shows calls that wait, or never return. */
static bool append_begun(XtfCollectSession *session, GError **error)
{
    for (uint32_t i = 0; i < session->n_rings; i++) {
        XtfCollectRing *ring = session->rings[i];
        if (!ring || xtf_collect_append_begun(ring))
            continue;
        g_propagate_error(error, g_steal_pointer(&ring->stream.error));
        return false;
    }
    return true;
}

/* Returns the time up to which records are complete if the rings were read after `reading`. Only records published very
 * late can be earlier. */
static uint64_t complete_bound(const XtfCollectSession *session, uint64_t reading)
{
    uint64_t now = reading > 0 ? xtf_collect_clock_ns(&session->clock, reading) : 0;

    return now - MIN(now, SLACK_NS);
}

/* Reports times before `bound` as complete; 0: none. */
static bool report_complete(XtfCollectSession *session, uint64_t bound, GError **error)
{
    XtfCollector *collector = &session->collector;

    if (!forget_all_old_sends(session, bound, error))
        return false;
    if (bound <= collector->complete)
        return true;
    if (!xtf_writer_set_complete(session->part.writer, bound, error))
        return false;
    collector->complete = bound;
    for (uint32_t i = 0; i < session->n_rings; i++)
        if (session->rings[i] && session->rings[i]->open)
            xtf_stream_set_time(&session->rings[i]->stream, bound);
    return true;
}

static size_t list_rings(XtfCollectSession *session, XtfCollectRing **rings)
{
    size_t n = 0;

    for (uint32_t i = 0; i < session->n_rings; i++)
        if (session->rings[i])
            rings[n++] = session->rings[i];
    return n;
}

static bool write_tables(XtfCollectSession *session, bool end, GError **error)
{
    XtfCollector *collector = &session->collector;
    g_autofree XtfCollectRing **rings = g_new(XtfCollectRing *, session->n_rings + 1);
    size_t n = list_rings(session, rings);

    for (const XtfCollectRows *const *rows = xtf_collect_rows; *rows; rows++)
        if ((*rows)->complete)
            (*rows)->complete(collector, end);
    xtf_collect_process_update(collector, rings, n);
    xtf_collect_set_level(session);
    return xtf_collect_tables_write(&collector->tables, error);
}

/* True if a signal has stopped a process: its calls take long, but do not wait. */
static bool is_stopped(int32_t pid)
{
    g_autofree char *path = g_strdup_printf("/proc/%" PRId32 "/stat", pid), *stat = NULL;
    const char *end = g_file_get_contents(path, &stat, NULL, NULL) ? strrchr(stat, ')') : NULL;

    return end && end[1] == ' ' && (end[2] == 'T' || end[2] == 't');
}

/* Appends rows of `pending` for each MPI call that is open at `time`, and has been for `least` ns. */
static bool append_pending(XtfCollectSession *session, uint64_t time, uint64_t least, GError **error)
{
    bool finalized = atomic_load(&session->memory.process->phase) == XTF_WIRE_FINALIZED;

    for (uint32_t i = 0; i < session->n_rings && !finalized; i++) {
        XtfCollectRing *ring = session->rings[i];
        const _Atomic uint64_t *list = i < XTF_WIRE_LISTS ? session->memory.process->lists[i] : NULL;
        if (!ring || xtf_collect_pending(ring, &session->memory.rings[i], list, time, least))
            continue;
        g_propagate_error(error, g_steal_pointer(&ring->stream.error));
        return false;
    }
    return true;
}

/* Appends the calls that take long. Their rows are the last before `bound`, so that followers see them at once. */
static bool append_long_calls(XtfCollectSession *session, uint64_t bound, GError **error)
{
    return bound <= session->collector.complete || is_stopped(session->collector.pid) ||
           append_pending(session, bound - 1, OPEN_CALL_NS, error);
}

void xtf_collect_commit(XtfCollectSession *session, uint64_t reading)
{
    GError *error = NULL;
    uint64_t bound = complete_bound(session, reading);

    session->committed = xtf_monotonic_ns();
    if (!session->begun || session->failure)
        return;
    if (!append_begun(session, &error) || !append_long_calls(session, bound, &error) ||
        !write_tables(session, false, &error) || !report_complete(session, bound, &error) ||
        !xtf_collect_part_commit(&session->part, &error))
        xtf_collect_fail(session, error);
    else
        session->kept = xtf_collect_decoded(session);
}

/* True if the process exited or finalized MPI. False if it was killed, or its end was not seen. */
static bool has_left(const XtfCollectSession *session)
{
    const XtfWireProcess *process = session->memory.process;

    return atomic_load(&process->exited) || atomic_load(&process->phase) == XTF_WIRE_FINALIZED;
}

/* Returns the end time of the process. No record is later. */
static uint64_t last_time(const XtfCollectSession *session)
{
    uint64_t last = 0;

    for (uint32_t i = 0; i < session->n_rings; i++)
        if (session->rings[i])
            last = MAX(last, session->rings[i]->stream.last_time);
    return has_left(session) ? last : MAX(last, xtf_collect_clock_ns(&session->clock, session->ended));
}

static bool end_rings(XtfCollectSession *session, int64_t exit_status, GError **error)
{
    uint64_t last = last_time(session);

    if (!append_pending(session, last, 0, error))
        return false;
    for (uint32_t i = 0; i < session->n_rings; i++) {
        XtfCollectRing *ring = session->rings[i];
        if (!ring)
            continue;
        if ((ring->open && ring->thread == 0 && !xtf_collect_program_end(ring, last, exit_status)) ||
            !xtf_collect_ring_end(ring)) {
            g_propagate_error(error, g_steal_pointer(&ring->stream.error));
            return false;
        }
    }
    return true;
}

bool xtf_collect_close(XtfCollectSession *session, const char *end, int64_t exit_status, GError **error)
{
    GError *failure = NULL;

    if (!session->failure && (!append_begun(session, &failure) || !end_rings(session, exit_status, &failure)))
        xtf_collect_fail(session, failure);
    if (!session->failure) {
        xtf_collect_add_summary(session, end);
        if (write_tables(session, true, &failure) && xtf_collect_part_close(&session->part, &failure))
            return true;
        xtf_collect_fail(session, failure);
    }
    xtf_collect_close_early(session, end);
    g_propagate_error(error, g_error_copy(session->failure));
    return false;
}
