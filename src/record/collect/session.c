/* Begin and end of a collector's session, and its failures. */
#include "src/record/collect/session.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/record/collect/deliver.h"
#include "src/record/job-folder.h"
#include "src/record/job.h"

/* Creates the marker that makes the merger wait for this part. The recorder's core may have created it already. Returns
 * its name; NULL on failure. */
static char *make_marker(int folder, const char *host)
{
    g_autofree char *name = g_strdup_printf("%s-%d" XTF_JOB_STARTING, host, (int)getpid());
    int fd = xtf_job_file_open(folder, name, O_WRONLY | O_CREAT);

    if (fd < 0)
        return NULL;
    close(fd);
    return g_steal_pointer(&name);
}

void xtf_collect_remove_marker(XtfCollectSession *session)
{
    if (session->marker)
        unlinkat(session->folder, session->marker, 0);
    g_clear_pointer(&session->marker, g_free);
}

/* Reserves room in the log, if it is a file, so that a message fits even when the disk is full. */
static void reserve_log(void)
{
    enum { ROOM = 4096 };
    struct stat status;

    if (fstat(STDERR_FILENO, &status) == 0 && S_ISREG(status.st_mode))
        fallocate(STDERR_FILENO, FALLOC_FL_KEEP_SIZE, 0, ROOM); /* on failure the log has no reserve */
}

bool xtf_collect_session_init(XtfCollectSession *session, const XtfCollectOptions *options, GError **error)
{
    *session = (XtfCollectSession){.options = options, .calibration = {.file = -1}};
    g_mkdir_with_parents(options->folder, 0700);
    session->folder = xtf_collect_folder_open(options->folder, error);
    if (session->folder < 0)
        return false;
    reserve_log();
    session->marker = make_marker(session->folder, g_get_host_name());
    xtf_collect_create_gathering(options->folder, g_get_host_name());
    if (!xtf_collect_memory_init(&session->memory, options->memory, error))
        return false;
    session->rings = g_new0(XtfCollectRing *, session->memory.n_rings);
    session->early = g_new0(XtfCollectEarly, session->memory.n_rings);
    const XtfWireProcess *process = session->memory.process;
    session->clock = (XtfCollectClock){.source = process->clock};
    if (!xtf_collect_calibration_init(&session->calibration, process->clock, session->folder, g_get_host_name(), error))
        return false;
    xtf_collect_calibrate(&session->calibration, false, &session->clock);
    int32_t pid = process->pid;
    session->watch = (XtfCollectWatch){
        .memory = options->memory, .process = options->process, .socket = options->socket, .pid = pid};
    /* An ended process has no maps to read. */
    session->has_mpi = process->has_mpi || xtf_collect_has_mpi(pid);
    session->openmp = xtf_collect_openmp(pid);
    xtf_collect_program_init(&session->program, process);
    session->started = xtf_monotonic_ns();
    return true;
}

static void finish_rings(XtfCollectSession *session)
{
    for (uint32_t i = 0; i < session->memory.n_rings; i++) {
        if (session->rings[i]) {
            xtf_collect_ring_finish(session->rings[i]);
            g_clear_pointer(&session->rings[i], g_free);
        }
        g_clear_pointer(&session->early[i].records, g_byte_array_unref);
    }
}

void xtf_collect_session_finish(XtfCollectSession *session)
{
    xtf_collect_remove_marker(session);
    finish_rings(session);
    if (session->begun && session->part.path)
        xtf_collector_finish(&session->collector);
    xtf_collect_part_finish(&session->part);
    xtf_collect_calibration_finish(&session->calibration);
    xtf_collect_program_finish(&session->program);
    xtf_collect_memory_finish(&session->memory);
    g_free(session->rings);
    g_free(session->early);
    g_clear_error(&session->failure);
    g_free(session->failed_at);
    if (session->folder >= 0)
        close(session->folder);
}

uint64_t xtf_collect_decoded(const XtfCollectSession *session)
{
    uint64_t events = 0;

    for (uint32_t i = 0; i < session->n_rings; i++)
        events += session->rings[i] ? session->rings[i]->events : 0;
    return events - MIN(events, session->collector.counts.framing);
}

/* Stores the failure in the process's memory: the process reports it where even the log has no room. */
static void tell_process(XtfCollectSession *session)
{
    char *reason = session->memory.process->reason;

    g_strlcpy(reason, session->failure->message, XTF_WIRE_REASON_SIZE);
}

void xtf_collect_fail(XtfCollectSession *session, GError *error)
{
    if (session->failure) {
        g_error_free(error);
    } else {
        g_autoptr(GDateTime) now = g_date_time_new_now_utc();
        uint64_t decoded = xtf_collect_decoded(session);
        session->failure = error;
        session->failed_at = g_date_time_format(now, "%F %T UTC");
        session->collector.counts.lost += decoded - MIN(decoded, session->kept);
        tell_process(session);
    }
    xtf_collect_part_abort(&session->part);
}
