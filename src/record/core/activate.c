#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/record/core/inner.h"
#include "src/record/job-folder.h"
#include "src/record/job.h"

/* Defaults: bytes of a ring, and seconds that the process waits for the collector. */
enum { RING_SIZE = 4 << 20, DRAIN = 10 };

void xtf_core_expect_rank(uint32_t rank)
{
    xtf_core.expected_rank = rank + 1;
}

static uint64_t number_option(const char *name, uint64_t usual)
{
    const char *text = xtf_core_option(name);
    char *end;

    if (!text)
        return usual;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (*end || errno || *text == '-') {
        xtf_core_say("XTF_RECORD_%s is no number: %s", name, text);
        return usual;
    }
    return number;
}

/* Publishes the exit status when the process ends, and warns if records are missing. A handler of on_exit(). */
static void report_end(int status, void *data)
{
    XtfWireProcess *process = xtf_core.process;
    char name[64];

    if (!xtf_core_life.owns_rings)
        return;
    atomic_store(&process->exit_status, status);
    atomic_store(&process->exited, 1);
    uint32_t rank = atomic_load(&process->rank);
    if (rank == XTF_WIRE_NONE)
        snprintf(name, sizeof name, "process %d", (int)process->pid);
    else
        snprintf(name, sizeof name, "rank %u (process %d)", (unsigned)rank, (int)process->pid);
    if (atomic_load(&xtf_core.lost) || !xtf_core_collector_lives())
        xtf_core_say("the collector of %s has ended: the rest of this process is not recorded; %s/" XTF_JOB_LOG
                     "%d" XTF_JOB_LOG_ENDING " may say why",
                     name, xtf_core_option("FOLDER"), (int)process->pid);
    else if (atomic_load(&process->collector_ready) == 2)
        xtf_core_say("%s is not recorded to its end: %.*s", name, XTF_WIRE_REASON_SIZE - 1, process->reason);
}

/* Starts the collector, which writes to `folder`. Creates the folder: it may be missing on other nodes than that of
 * `xtf record`. */
static bool start_collector(const char *folder)
{
    mkdir(folder, 0700);
    int directory = xtf_job_folder_open(folder);

    if (directory < 0) {
        xtf_core_say("%s: %s: this process is not recorded", folder, xtf_job_folder_reason(errno));
        return false;
    }
    bool started = xtf_core_start_collector(directory);
    syscall(SYS_close, directory);
    return started;
}

static bool start_recording(const char *folder)
{
    uint64_t drain = number_option("DRAIN", DRAIN);
    const char *full = xtf_core_option("WHEN_FULL");

    if (!xtf_core_make_memory(number_option("BUFFER", RING_SIZE)))
        return false;
    XtfWireProcess *process = xtf_core.process;
    process->when_full = full && !strcmp(full, "drop")    ? XTF_WIRE_DROP
                         : full && !strcmp(full, "flush") ? XTF_WIRE_FLUSH
                                                          : XTF_WIRE_WAIT;
    xtf_core.timeout_ns = (drain < 3600 ? drain : 3600) * 1000000000;
    xtf_core_choose_clock();
    xtf_core_set_site_frames(number_option("SITES", 1));
    process->has_mpi = xtf_core_has_mpi();
    xtf_core_window_set_up();
    xtf_core_window_publish();
    if (!xtf_core_awaits_rank) {
        if (xtf_core.expected_rank > 0)
            process->rank = xtf_core.expected_rank - 1;
        process->phase = XTF_WIRE_RUNNING;
    }
    xtf_core_keep_life();
    xtf_core_watch_forks();
    if (!start_collector(folder)) {
        xtf_core_unmake_memory();
        return false;
    }
    xtf_core_watch_threads();
    on_exit(report_end, NULL);
    xtf_core_process = process;
    xtf_core_choices = (_Atomic uint8_t *)process + xtf_wire_choices_at(process->n_rings);
    xtf_core_life.owns_rings = true;
    xtf_core_life.active = true;
    return true;
}

/* Copies the numbers of created threads to the shared memory. */
static void publish_thread_counts(void)
{
    for (unsigned maker = 0; maker < XTF_WIRE_N_MAKERS; maker++)
        atomic_store(&xtf_core.process->made[maker], atomic_load(&xtf_core.made[maker]));
}

void xtf_core_count_thread(XtfWireMaker maker)
{
    atomic_fetch_add(&xtf_core.made[maker], 1);
    if (xtf_core_life.owns_rings)
        publish_thread_counts();
}

static void activate_once(void)
{
    const char *folder = xtf_core_option("FOLDER");
    int saved = errno, state;

    if (!folder)
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    xtf_core_thread.busy = XTF_CORE_BUSY;
    if (start_recording(folder))
        publish_thread_counts();
    xtf_core_thread.busy = XTF_CORE_IDLE;
    pthread_setcancelstate(state, NULL);
    errno = saved;
}

bool xtf_core_activate(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    /* A signal handler that interrupts the first call must not wait for it. */
    if (xtf_core_thread.busy)
        return xtf_core_active;
    pthread_once(&once, activate_once);
    return xtf_core_active;
}

void xtf_core_set_rank(uint32_t rank, uint32_t world_size)
{
    XtfWireProcess *process = xtf_core.process;

    if (!xtf_core_life.owns_rings)
        return;
    xtf_core_window_set_rank(rank);
    atomic_store(&process->rank, rank);
    atomic_store(&process->world_size, world_size);
    atomic_store(&process->phase, XTF_WIRE_RUNNING);
}

void xtf_core_drain(void)
{
    XtfWireProcess *process = xtf_core.process;
    int saved = errno;

    if (!xtf_core_life.owns_rings || atomic_load(&xtf_core.lost))
        return;
    uint32_t asked = atomic_fetch_add(&process->drain, 1) + 1, drained;
    uint64_t until = xtf_monotonic_ns() + xtf_core.timeout_ns;
    xtf_core_wake_collector();
    while (drained = atomic_load(&process->drained), (int32_t)(drained - asked) < 0) {
        if (!xtf_core_collector_lives()) {
            xtf_core_lose_collector();
            break;
        }
        if (xtf_monotonic_ns() >= until) {
            xtf_core_say("the collector of process %d is slow: the process goes on without waiting for it any longer",
                         (int)process->pid);
            break;
        }
        xtf_core_futex_wait(&process->drained, drained, 20000000);
    }
    errno = saved;
}

void xtf_core_finish(void)
{
    if (!xtf_core_life.owns_rings)
        return;
    atomic_store(&xtf_core.process->phase, XTF_WIRE_FINALIZED);
    xtf_core_drain();
}
