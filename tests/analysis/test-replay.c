/* A replay of a trace that has calls and next to nothing else is told of, and ends when it is asked to. */
#include <criterion/criterion.h>

#include "libxtf/error.h"
#include "src/analysis/replay/replay.h"
#include "tests/tree/traces/writing.h"

enum { ROWS = 100000, LOCATION = 5 };

typedef struct {
    atomic_bool cancel;
    bool cancels; /* as soon as there is something to tell */
    uint64_t last, total;
    unsigned n_between; /* more than nothing, and less than all */
} Told;

static void note(uint64_t done, uint64_t total, void *data)
{
    Told *told = data;

    cr_assert_geq(done, told->last);
    told->n_between += done > 0 && done < total;
    told->last = done;
    told->total = total;
    if (told->cancels)
        atomic_store(&told->cancel, true);
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

static XtfReplay *replay(const Written *written, Told *told, GError **error)
{
    const XtfReplayOptions options = {.calls = true, .cancel = &told->cancel, .progress = note, .progress_data = told};

    return xtf_replay_new(written->trace, &options, error);
}

Test(replay, progress_counts_calls)
{
    g_auto(Written) written = {0};
    g_autoptr(GError) error = NULL;
    Told told = {0};

    write_calls(&written);
    g_autoptr(XtfReplay) made = replay(&written, &told, &error);
    cr_assert(made, "%s", error ? error->message : "");
    cr_assert_eq(told.total, ROWS);
    cr_assert_eq(told.last, ROWS);
    cr_assert_geq(told.n_between, 3);
}

Test(replay, calls_are_left_when_it_is_cancelled)
{
    g_auto(Written) written = {0};
    g_autoptr(GError) error = NULL;
    Told told = {.cancels = true};

    write_calls(&written);
    g_autoptr(XtfReplay) made = replay(&written, &told, &error);
    cr_assert_not(made);
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_CANCELLED), "%s", error->message);
    cr_assert_lt(told.last, ROWS / 2);
}
