/* Tests that a replay of a trace with almost nothing but calls reports its progress, and ends when it is cancelled. */
#include <criterion/criterion.h>

#include "libxtf/error.h"
#include "src/analysis/replay/replay.h"
#include "tests/tree/traces/writing.h"

enum { ROWS = 100000, LOCATION = 5 };

typedef struct {
    atomic_bool cancel;
    bool cancels; /* cancel at the first report */
    uint64_t last, total;
    unsigned n_between; /* reports between the first and the last row */
} Reported;

static void note_progress(uint64_t done, uint64_t total, void *data)
{
    Reported *reported = data;

    cr_assert_geq(done, reported->last);
    reported->n_between += done > 0 && done < total;
    reported->last = done;
    reported->total = total;
    if (reported->cancels)
        atomic_store(&reported->cancel, true);
}

static void write_calls(Written *written)
{
    Writing writing;

    writing_begin(&writing);
    writing_define(&writing, XTF_MODEL_LOCATIONS, &(XtfLocationRow){.id = LOCATION});
    for (uint64_t i = 0; i < ROWS; i++)
        writing_append(&writing, LOCATION, XTF_MODEL_ENTERS_LEAVES,
                       &(XtfEntersLeavesRow){.time = i, .seq = i, .event = i % 2, .enter = i % 2, .outermost = 1});
    writing_end(&writing, written);
}

static XtfReplay *start_replay(const Written *written, Reported *reported, GError **error)
{
    const XtfReplayOptions options = {
        .calls = true, .cancel = &reported->cancel, .progress = note_progress, .progress_data = reported};

    return xtf_replay_new(written->trace, &options, error);
}

Test(replay, progress_counts_calls)
{
    g_auto(Written) written = {0};
    g_autoptr(GError) error = NULL;
    Reported reported = {0};

    write_calls(&written);
    g_autoptr(XtfReplay) made = start_replay(&written, &reported, &error);
    cr_assert(made, "%s", error ? error->message : "");
    cr_assert_eq(reported.total, ROWS);
    cr_assert_eq(reported.last, ROWS);
    cr_assert_geq(reported.n_between, 3);
}

Test(replay, cancelling_ends_reading_of_calls)
{
    g_auto(Written) written = {0};
    g_autoptr(GError) error = NULL;
    Reported reported = {.cancels = true};

    write_calls(&written);
    g_autoptr(XtfReplay) made = start_replay(&written, &reported, &error);
    cr_assert_not(made);
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_CANCELLED), "%s", error->message);
    cr_assert_lt(reported.last, ROWS / 2);
}
