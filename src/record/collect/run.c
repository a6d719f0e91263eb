/* The loop of a collector. */
#include "src/record/collect/run.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "src/model/process-properties.h"
#include "src/record/collect/deliver.h"
#include "src/record/collect/session.h"

enum {
    NAP_MIN_US = 1000,
    NAP_MAX_US = 100 * 1000,
    WITHOUT_MPI_NS = 1000 * 1000 * 1000, /* a process without MPI in memory after that time has no rank */
    COMMIT_NS = 1000 * 1000 * 1000,
    EARLY_COMMIT_NS = 100 * 1000 * 1000,
    WATCHED_COMMIT_NS = 250 * 1000 * 1000,
    READY = 1,
    FAILED = 2,
};

static volatile sig_atomic_t stop_requested;

static void on_signal(int signal_number)
{
    stop_requested = 1;
}

static void catch_signals(void)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    const struct sigaction action = {.sa_handler = on_signal}; /* no SA_RESTART: a signal ends the nap */

    for (unsigned i = 0; i < G_N_ELEMENTS(signals); i++)
        sigaction(signals[i], &action, NULL);
}

static void futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static void nap(_Atomic uint32_t *word, uint32_t seen, uint64_t microseconds)
{
    const struct timespec time = {.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000};

    syscall(SYS_futex, word, FUTEX_WAIT, seen, &time, NULL, 0);
}

static void say_ready(XtfCollectSession *session)
{
    XtfWireProcess *process = session->memory.process;
    uint32_t ready = session->failure ? FAILED : READY;

    if (atomic_exchange(&process->collector_ready, ready) != ready)
        futex_wake(&process->collector_ready);
}

/* True if the process has a ring but no MPI library after WITHOUT_MPI_NS: any free number will do. */
static bool takes_any_number(XtfCollectSession *session)
{
    if (session->begun || session->has_mpi || xtf_monotonic_ns() - session->started < WITHOUT_MPI_NS)
        return false;
    session->started = xtf_monotonic_ns(); /* looks again once a second */
    session->has_mpi = xtf_collect_has_mpi(session->watch.pid);
    return !session->has_mpi && atomic_load(&session->memory.process->claimed) > 0;
}

/* True if the collector should read the rings now. With --when-full=flush, only if a producer waits. */
static bool is_time(const XtfCollectSession *session)
{
    const XtfWireProcess *process = session->memory.process;
    uint32_t n = MIN(atomic_load(&process->claimed), session->memory.n_rings);

    if (process->when_full != XTF_WIRE_FLUSH)
        return true;
    for (uint32_t i = 0; i < n; i++)
        if (atomic_load(&session->memory.rings[i].waiting))
            return true;
    return false;
}

/* True if a monitor shows the run: it has set the folder's time of access to the future. */
static bool is_watched(const XtfCollectSession *session)
{
    struct stat status;

    return session->folder >= 0 && fstat(session->folder, &status) == 0 && status.st_atim.tv_sec > time(NULL);
}

/* True if the last commit is a second old, or less while the run is watched. The first records are committed sooner, so
 * that a killed collector does not lose everything. A sync holds back a commit for it would need another sync; when
 * watched, only if the sync before did not cover the last commit. */
static bool is_time_to_commit(const XtfCollectSession *session)
{
    bool first = session->kept == 0 && xtf_collect_decoded(session) > 0;
    uint64_t age = xtf_monotonic_ns() - session->committed;

    if (first)
        return age >= EARLY_COMMIT_NS;
    if (age >= WATCHED_COMMIT_NS && is_watched(session))
        return !xtf_collect_part_defers_commits(&session->part);
    return age >= COMMIT_NS && !xtf_collect_part_is_syncing(&session->part);
}

/* Does one round, and a commit if one is due. Returns true if rings had records. */
static bool work_round(XtfCollectSession *session)
{
    XtfWireProcess *process = session->memory.process;
    uint32_t drain = atomic_load(&process->drain); /* before the heads are read */
    uint64_t reading = xtf_collect_clock_now(&session->clock);
    bool is_requested = drain != atomic_load(&process->drained) && !xtf_collect_part_defers_commits(&session->part);

    if (is_requested) /* a process that waits for a commit also waits for the clock */
        xtf_collect_calibrate(&session->calibration, true, &session->clock);
    xtf_collect_begin(session, takes_any_number(session));
    if (!is_requested && !is_time(session)) {
        say_ready(session);
        return false;
    }
    bool any = xtf_collect_round(session);
    if (is_requested || is_time_to_commit(session))
        xtf_collect_commit(session, reading);
    /* The process waits here with all its libraries loaded, so its maps can be read. */
    if (is_requested && !session->openmp && atomic_load(&process->phase) == XTF_WIRE_FINALIZED)
        session->openmp = xtf_collect_openmp(session->watch.pid);
    if (is_requested) {
        atomic_store(&process->drained, drain);
        futex_wake(&process->drained);
    }
    say_ready(session);
    return any;
}

/* Returns the length of the next nap, in microseconds: rings should be at most a quarter full after it. */
static uint64_t next_nap(const XtfCollectSession *session, uint64_t last)
{
    if (session->largest > session->memory.ring_size / 4)
        return MAX(last / 4, NAP_MIN_US);
    if (session->largest > session->memory.ring_size / 16)
        return MAX(last / 2, NAP_MIN_US);
    return MIN(last * 2, NAP_MAX_US);
}

static void collect_rounds(XtfCollectSession *session)
{
    XtfWireProcess *process = session->memory.process;
    uint64_t microseconds = NAP_MIN_US;

    while (!stop_requested) {
        uint32_t seen = atomic_load(&process->wake);
        bool ended = xtf_collect_has_ended(&session->watch); /* before the heads are read */
        if (ended)
            session->ended = xtf_collect_clock_now(&session->clock);
        work_round(session);
        if (ended)
            return;
        microseconds = next_nap(session, microseconds);
        nap(&process->wake, seen, microseconds);
    }
    session->ended = xtf_collect_clock_now(&session->clock);
}

/* Delivers log and part, the log first: a reader that waits for the part reads the log as soon as it sees the part. */
static bool deliver_part(XtfCollectSession *session, bool good)
{
    const char *folder = session->options->folder, *path = session->part.path, *host = g_get_host_name();
    g_autoptr(GError) error = NULL;
    bool log_delivered = xtf_collect_deliver_log(folder, path, host, good);

    if (path && !xtf_collect_deliver(folder, path, host, &error)) {
        g_warning("%s", error->message);
        xtf_collect_deliver_log(folder, path, host, false);
        good = log_delivered = false;
    }
    xtf_collect_remove_marker(session);
    if (log_delivered)
        xtf_collect_clean_folder(folder, host);
    return good;
}

/* Collects until the process ends, then closes the part. */
static bool record_process(XtfCollectSession *session, GError **error)
{
    int64_t exit_status = 0;

    say_ready(session);
    XtfCollectSentry *sentry = xtf_collect_sentry_new(&session->watch, &session->memory.process->wake);
    collect_rounds(session);
    xtf_collect_sentry_free(sentry);
    g_autofree char *end = stop_requested ? xtf_end_text(XTF_END_COLLECTOR, 0)
                                          : xtf_collect_end(&session->watch, session->memory.process, &exit_status);
    xtf_collect_begin(session, true);
    xtf_collect_round(session);
    if (xtf_collect_close(session, end, exit_status, error))
        return true;
    say_ready(session);
    return false;
}

bool xtf_collect_run(const XtfCollectOptions *options)
{
    XtfCollectSession session;
    g_autoptr(GError) error = NULL;

    catch_signals();
    bool good = xtf_collect_session_init(&session, options, &error) && record_process(&session, &error);
    if (!good)
        g_warning("%s", error->message);
    good = deliver_part(&session, good);
    xtf_collect_session_finish(&session);
    return good;
}
