/* Tests of compensation: errors of the replay, and the counts of the report. */
#include <criterion/criterion.h>

#include "libxtf/error.h"
#include "src/analysis/compensate/compensate.h"
#include "tests/tree/traces/mpi.h"

/* Writes a message of process 0 to process 1. */
static void write_message(Written *written)
{
    Mpi mpi;

    mpi_begin(&mpi, 2, 1);
    mpi_send(&mpi, 0, 10, 2, (Envelope){.peer = 1, .bytes = 8});
    mpi_recv(&mpi, 1, 10, 8, (Envelope){.peer = 0, .bytes = 8});
    mpi_end(&mpi, written);
}

Test(compensate, fails_without_marks)
{
    XtfRetimedLocation locations[2] = {0};
    g_auto(Written) written = {0};
    XtfSpool spool = XTF_SPOOL_NONE;
    g_autoptr(GError) error = NULL;
    XtfReplayCounts counts;

    write_message(&written);
    g_autoptr(XtfReplay) replay = xtf_replay_new(written.trace, &(XtfReplayOptions){.calls = true}, &error);
    cr_assert(replay && xtf_spool_open(&spool, &error), "%s", error ? error->message : "");
    XtfRetime retime = {
        .replay = replay, .spool = &spool, .locations = locations, .n_locations = 2, .buffer = XTF_LOG_BUFFER_MIN};
    cr_assert_not(xtf_retime(&retime, &counts, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_DAMAGED), "%s", error ? error->message : "no error");
    xtf_retime_finish(&retime);
    xtf_spool_close(&spool);
}

Test(compensate, counts_a_location_once)
{
    static const char *const probes[] = {"ENTER=0", NULL};
    g_auto(Written) written = {0};
    g_autoptr(GError) error = NULL;
    Writing writing;

    writing_begin(&writing);
    for (uint32_t i = 0; i < 2; i++) {
        writing_define(&writing, XTF_MODEL_LOCATIONS, &(XtfLocationRow){.id = i, .proc = i});
        writing_append(&writing, i, XTF_MODEL_THREADS, &(XtfThreadsRow){.time = 1});
        writing_append(&writing, i, XTF_MODEL_LOCKS, &(XtfLocksRow){.time = 2, .seq = 1});
    }
    writing_append(&writing, 0, XTF_MODEL_RMA_OPERATIONS, &(XtfRmaOperationsRow){.time = 3, .seq = 2});
    writing_append(&writing, 0, XTF_MODEL_RMA_SYNCS, &(XtfRmaSyncsRow){.time = 4, .seq = 3});
    writing_end(&writing, &written);
    g_autoptr(XtfCompensation) compensation =
        xtf_compensate(written.trace, &(XtfCompensateOptions){.probes = probes}, NULL, &error);
    cr_assert(compensation, "%s", error ? error->message : "");
    cr_assert_eq(xtf_compensation_report(compensation)->thread_locations, 2);
    cr_assert_eq(xtf_compensation_report(compensation)->window_locations, 1);
}
