/* Properties and remarks on the process and on missing records; the end of a part that ends early. */
#include <sys/resource.h>

#include "src/model/process-properties.h"
#include "src/record/collect/costs.h"
#include "src/record/collect/session.h"
#include "src/record/mpi/regions.h"

/* Rough cost of recording one event, without waits, for record.overhead_ns. */
enum { NS_PER_EVENT = 10 };

/* Sets the collector's own CPU time and memory so far. */
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

/* Sets what records cost the process, for xtf copy --compensate. Measured after the process has ended, which the loop
 * then does not disturb. */
static void set_probes(XtfCollectSession *session)
{
    g_autofree char *costs = session->clock.multiplier > 0 ? xtf_collect_measure_costs(&session->clock) : NULL;

    if (costs)
        xtf_collect_set_property(&session->collector, XTF_RECORD_PROBES, costs);
}

/* Counts dropped records from the producers' counters. They include holes whose end the process did not record. */
static void count_dropped(XtfCollectSession *session)
{
    uint64_t dropped = 0;

    for (uint32_t i = 0; i < session->n_rings; i++)
        dropped += atomic_load(&session->memory.rings[i].dropped);
    session->collector.counts.dropped = MAX(session->collector.counts.dropped, dropped);
}

/* Names the program's features of which nothing was recorded: OpenMP runtime, teams, locks, functions. */
static void set_missing(XtfCollectSession *session)
{
    XtfCollector *collector = &session->collector;
    const _Atomic uint32_t *made = session->memory.process->made;
    const char *locks = g_getenv("XTF_RECORD_LOCKS");
    bool has_locks = locks && !g_str_equal(locks, "0");
    unsigned missing = session->openmp ? xtf_missing_parse(session->openmp) : 0;

    if (atomic_load(&made[XTF_WIRE_MADE_BY_OPENMP]) > 0)
        missing |= XTF_MISSING_BIT(XTF_MISSING_TEAMS);
    if (atomic_load(&made[XTF_WIRE_MADE_BY_PROGRAM]) > 0 && !has_locks)
        missing |= XTF_MISSING_BIT(XTF_MISSING_LOCKS);
    if (collector->counts.functions == 0 && !atomic_load(&session->memory.process->left_out))
        missing |= XTF_MISSING_BIT(XTF_MISSING_FUNCTIONS);
    g_autofree char *words = xtf_missing_words_of(missing);
    if (words)
        xtf_collect_set_property(collector, XTF_RECORD_MISSING, words);
}

void xtf_collect_set_level(XtfCollectSession *session)
{
    const XtfWireProcess *process = session->memory.process;
    uint32_t level = atomic_load(&process->level); /* an XtfThreadLevel */
    g_autofree char *text = xtf_thread_level_text((XtfThreadLevel)level, atomic_load(&process->main_thread));

    xtf_collect_set_property(&session->collector, XTF_RECORD_THREAD_LEVEL, text ? text : "");
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
    xtf_collect_set_number(collector, XTF_RECORD_DROPPED, counts->dropped);
    xtf_collect_set_number(collector, "record.waits", counts->waits);
    xtf_collect_set_number(collector, "record.waited_ns", counts->waited_ns);
    xtf_collect_set_number(collector, "record.overhead_ns",
                           NS_PER_EVENT * events + counts->waited_ns + counts->reading_ns);
    if (counts->reading_ns > 0)
        xtf_collect_set_number(collector, "record.clock_readings_ns", counts->reading_ns);
    xtf_collect_set_number(collector, XTF_RECORD_WITHOUT_RING, without_ring);
    xtf_collect_set_number(collector, "record.nested", nested);
    xtf_collect_set_number(collector, XTF_RECORD_LOST, counts->lost);
    xtf_collect_set_property(collector, XTF_RECORD_END, end);
    set_missing(session);
    if (atomic_load(&session->memory.process->left_out))
        xtf_collect_set_property(collector, XTF_RECORD_LEFT_OUT, "1");
    if (session->failure) {
        g_autofree char *reason = g_strdup_printf("%s: %s", session->failed_at, session->failure->message);
        xtf_collect_set_property(collector, XTF_RECORD_ENDED_EARLY, reason);
    }
    set_probes(session);
    set_own_costs(collector);
}

/* Sets how often each MPI function was called that is counted but not recorded. */
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

/* Adds a remark if the window of --start off or --from never began. */
static void add_window_remark(XtfCollectSession *session)
{
    if (!atomic_load(&session->memory.process->window_waits))
        return;
    xtf_collect_remark(
        &session->collector,
        g_getenv("XTF_RECORD_FROM")
            ? "recording never began: after the time of --from, the program called no blocking "
              "collective operation of all processes, or had ended"
            : "recording never began: with --start off, MPI_Pcontrol(1) or XTF_RECORDING_ON() begins it");
}

/* Adds remarks for users on what is missing. */
static void add_remarks(XtfCollectSession *session)
{
    XtfCollector *collector = &session->collector;
    const XtfWireProcess *process = session->memory.process;
    const XtfCollectCounts *counts = &collector->counts;
    uint64_t unknown = 0, without_ring = atomic_load(&process->without_ring);

    set_unrecorded(session);
    count_dropped(session);
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
    if (session->failure)
        xtf_collect_remark(collector,
                           "process %" PRIu32 " ends early: %" PRIu64 " records are lost, since nothing could be "
                           "written any more from %s on: %s",
                           collector->rank, counts->lost, session->failed_at, session->failure->message);
}

void xtf_collect_add_summary(XtfCollectSession *session, const char *end)
{
    add_remarks(session);
    add_window_remark(session);
    set_counts(session, end);
}

/* Writes the final properties and remarks, with new tables, to the reopened part. */
static bool write_early_end(XtfCollectSession *session, const char *end, GError **error)
{
    XtfCollector *collector = &session->collector;
    XtfCollectTables tables;

    xtf_collect_tables_finish(&collector->tables);
    xtf_collect_tables_init(&tables, session->part.writer);
    collector->tables = tables;
    xtf_collect_add_program(collector, &session->program); /* the table of properties is rewritten */
    xtf_collect_add_summary(session, end);
    for (guint i = 0; i < collector->remarks->len; i++) {
        XtfRemarkRow row = {.kind = XTF_REMARK_WARNING,
                            .text = xtf_collect_string(&collector->tables, collector->remarks->pdata[i])};
        xtf_collect_add_row(&collector->tables, XTF_MODEL_REMARKS, &row);
    }
    return xtf_collect_tables_write(&collector->tables, error) && xtf_collect_part_close(&session->part, error);
}

void xtf_collect_close_early(XtfCollectSession *session, const char *end)
{
    g_autoptr(GError) error = NULL;

    if (session->collector.counts.lost > 0)
        g_warning("%" PRIu64 " records are lost, since nothing could be written any more from %s on",
                  session->collector.counts.lost, session->failed_at);
    if (!session->part.path)
        return;
    if (!xtf_collect_part_reopen(&session->part, &error) || !write_early_end(session, end, &error))
        g_warning("this loss could not be written into the part: %s", error->message);
    xtf_collect_part_abort(&session->part);
}
