/* Commits, and the end. */
#include "src/record/collect/session.h"
#include "src/record/mpi/regions.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#define SLACK_NS    (UINT64_C(250) * 1000 * 1000)       /* a record is published at the latest so long after its time */
#define OLD_SEND_NS (UINT64_C(10) * 1000 * 1000 * 1000) /* a send that was not completed by then is not cancelled */

/* What a call of MPI costs more for being recorded, about, beside what is waited: for the estimate that is told. */
enum { NS_PER_EVENT = 10 };

static const XtfRequest *first_request(const XtfStream *stream)
{
    const XtfRequests *requests = &stream->requests;

    return xtf_requests_empty(requests) ? NULL : &requests->ring[requests->first & (requests->room - 1)];
}

/* A send whose request was freed is never completed. It must not hold up the postings behind it. */
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

/* Calls that wait over a commit, or never end, are seen with what they have begun. */
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

/* No record that is earlier will come, unless it is published very late. */
static bool promise(XtfCollectSession *session, uint64_t reading, GError **error)
{
    XtfCollector *collector = &session->collector;
    uint64_t bound = xtf_collect_clock_ns(&session->clock, reading);

    bound -= MIN(bound, SLACK_NS);
    if (!forget_all_old_sends(session, bound, error))
        return false;
    if (bound <= collector->complete)
        return true;
    if (!xtf_writer_set_complete(session->part.writer, bound, error))
        return false;
    collector->complete = bound;
    for (uint32_t i = 0; i < session->n_rings; i++)
        if (session->rings[i] && session->rings[i]->open)
            xtf_stream_go_on(&session->rings[i]->stream, bound);
    return true;
}

static size_t open_rings(XtfCollectSession *session, XtfCollectRing **rings)
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
    size_t n = open_rings(session, rings);

    for (const XtfCollectRows *const *rows = xtf_collect_rows; *rows; rows++)
        if ((*rows)->complete)
            (*rows)->complete(collector, end);
    xtf_collect_process_update(collector, rings, n);
    return xtf_collect_tables_write(&collector->tables, error);
}

void xtf_collect_commit(XtfCollectSession *session, uint64_t reading)
{
    GError *error = NULL;

    session->committed = xtf_monotonic_ns();
    if (!session->begun || session->failure)
        return;
    if (!append_begun(session, &error) || !write_tables(session, false, &error) ||
        (reading > 0 && !promise(session, reading, &error)) || !xtf_writer_commit(session->part.writer, &error))
        xtf_collect_fail(session, error);
}

/* What the collector itself took so far. */
static void set_own_costs(XtfCollector *collector)
{
    struct rusage usage;

    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return;
    uint64_t microseconds = 1000000 * ((uint64_t)usage.ru_utime.tv_sec + (uint64_t)usage.ru_stime.tv_sec) +
                            (uint64_t)usage.ru_utime.tv_usec + (uint64_t)usage.ru_stime.tv_usec;
    xtf_collect_set_number(collector, "record.collector_ns", 1000 * microseconds);
    xtf_collect_set_number(collector, "record.collector_kib", (uint64_t)usage.ru_maxrss);
}

static void set_counts(XtfCollectSession *session, const char *end)
{
    XtfCollector *collector = &session->collector;
    const XtfWireProcess *process = session->memory.process;
    const XtfCollectCounts *counts = &collector->counts;
    uint64_t events = 0, nested = atomic_load(&process->nested), without_ring = atomic_load(&process->without_ring);

    for (uint32_t i = 0; i < session->n_rings; i++)
        events += session->rings[i] ? session->rings[i]->events : 0;
    xtf_collect_set_number(collector, "record.events", events);
    xtf_collect_set_number(collector, "record.dropped", counts->dropped);
    xtf_collect_set_number(collector, "record.waits", counts->waits);
    xtf_collect_set_number(collector, "record.waited_ns", counts->waited_ns);
    xtf_collect_set_number(collector, "record.overhead_ns", NS_PER_EVENT * events + counts->waited_ns);
    xtf_collect_set_number(collector, "record.without_ring", without_ring);
    xtf_collect_set_number(collector, "record.nested", nested);
    xtf_collect_set_number(collector, "record.lost", counts->lost);
    xtf_collect_set_property(collector, "record.end", end);
    set_own_costs(collector);
}

/* Functions of MPI whose calls were counted, not recorded: how often. */
static void set_unrecorded(XtfCollectSession *session)
{
    uint64_t all = 0;

    for (uint32_t i = 0; i < XTF_WIRE_FUNCTIONS; i++) {
        uint64_t n = atomic_load(&session->memory.process->unrecorded[i]);
        const XtfMpiRegion *function = xtf_mpi_region(i);
        if (n == 0 || !function)
            continue;
        g_autofree char *name = g_strconcat("record.unrecorded.", function->name, NULL);
        xtf_collect_set_number(&session->collector, name, n);
        all += n;
    }
    xtf_collect_set_number(&session->collector, "record.unrecorded", all);
}

/* What people should know. */
static void add_remarks(XtfCollectSession *session)
{
    XtfCollector *collector = &session->collector;
    const XtfWireProcess *process = session->memory.process;
    const XtfCollectCounts *counts = &collector->counts;
    uint64_t unknown = 0, without_ring = atomic_load(&process->without_ring);

    set_unrecorded(session);
    for (uint32_t i = 0; i < session->n_rings; i++)
        if (session->rings[i] && session->rings[i]->fault)
            xtf_collect_remark(collector, "process %" PRIu32 ": the records of thread %" PRIu32 " end too early: %s",
                               collector->rank, session->rings[i]->thread, session->rings[i]->fault);
    for (unsigned i = 0; i < G_N_ELEMENTS(counts->unknown_kinds); i++)
        unknown += counts->unknown_kinds[i];
    if (counts->dropped > 0)
        xtf_collect_remark(collector,
                           "process %" PRIu32 ": %" PRIu64 " records are missing, since its buffers were full: "
                           "larger ones (xtf record --buffer), or --when-full=wait, keep them",
                           collector->rank, counts->dropped);
    if (counts->waits > 0)
        xtf_collect_remark(collector,
                           "process %" PRIu32 " waited %" PRIu64 " times for room in its buffers, %.3f s in all: "
                           "BUFFER_FLUSH in measurement says when",
                           collector->rank, counts->waits, counts->waited_ns * 1e-9);
    if (without_ring > 0)
        xtf_collect_remark(
            collector, "process %" PRIu32 ": %" PRIu64 " calls of threads are not recorded: it had too many threads",
            collector->rank, without_ring);
    if (unknown > 0)
        xtf_collect_remark(collector, "process %" PRIu32 ": %" PRIu64 " records are of kinds that are not known",
                           collector->rank, unknown);
    if (counts->lost > 0)
        xtf_collect_remark(collector, "process %" PRIu32 ": %" PRIu64 " records could not be written: %s",
                           collector->rank, counts->lost, session->failure ? session->failure->message : "?");
}

/* The times of all records are before it. */
static uint64_t last_time(const XtfCollectSession *session)
{
    uint64_t last = 0;

    for (uint32_t i = 0; i < session->n_rings; i++)
        if (session->rings[i])
            last = MAX(last, session->rings[i]->stream.last);
    return last;
}

static bool end_rings(XtfCollectSession *session, int64_t exit_status, GError **error)
{
    uint64_t last = last_time(session);

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

/* After a failure: from the last commit on, with what is to be said of it. */
static bool close_failed(XtfCollectSession *session, const char *end, GError **error)
{
    XtfCollector *collector = &session->collector;
    GError *failure = NULL;

    if (session->part.path && xtf_collect_part_reopen(&session->part, &failure)) {
        XtfCollectTables tables;
        g_autoptr(GPtrArray) remarks = NULL;
        xtf_collect_tables_finish(&collector->tables);
        xtf_collect_tables_init(&tables, session->part.writer);
        collector->tables = tables;
        xtf_collect_add_program(collector, &session->program); /* the table of properties is written anew */
        add_remarks(session);
        set_counts(session, end);
        for (guint i = 0; i < collector->remarks->len; i++) {
            XtfRemarkRow row = {.kind = XTF_REMARK_WARNING,
                                .text = xtf_collect_string(&collector->tables, collector->remarks->pdata[i])};
            xtf_collect_add_row(&collector->tables, XTF_MODEL_REMARKS, &row);
        }
        if (!xtf_collect_tables_write(&collector->tables, &failure))
            xtf_collect_part_abort(&session->part);
        else
            xtf_collect_part_close(&session->part, &failure);
    }
    g_clear_error(&failure); /* the first one is told */
    g_propagate_error(error, g_error_copy(session->failure));
    return false;
}

bool xtf_collect_close(XtfCollectSession *session, const char *end, int64_t exit_status, GError **error)
{
    GError *failure = NULL;

    if (!session->failure && (!append_begun(session, &failure) || !end_rings(session, exit_status, &failure)))
        xtf_collect_fail(session, failure);
    if (session->failure)
        return close_failed(session, end, error);
    add_remarks(session);
    set_counts(session, end);
    if (write_tables(session, true, &failure) && xtf_collect_part_close(&session->part, &failure))
        return true;
    xtf_collect_fail(session, failure);
    return close_failed(session, end, error);
}
