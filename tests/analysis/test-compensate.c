/* Tests of compensation: errors of the replay, and the counts of the report. */
#include <criterion/criterion.h>

#include "libxtf/error.h"
#include "src/analysis/compensate/retime.h"
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
