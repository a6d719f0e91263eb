#include "src/analysis/steps/beside.h"

static void show_progress(const char *step, uint64_t done, uint64_t total, void *data)
{
    XtfBeside *beside = data;

    if (atomic_load(&beside->is_shown))
        beside->shown->progress(step, done, total, beside->shown->progress_data);
}

static void *pass_step(void *beside)
{
    return beside;
}

static bool run_step(void *data, void *unused, uint32_t first, uint32_t end, GError **error)
{
    XtfBeside *beside = data;

    return beside->run(beside->data, &beside->steps, error);
}

static void leave_step(void *beside, void *unused)
{
}

bool xtf_beside_start(XtfBeside *beside, const XtfSteps *steps, XtfBesideRun run, void *data, GError **error)
{
    bool is_alone = xtf_parallel_threads() == 1;

    *beside = (XtfBeside){
        .run = run,
        .data = data,
        .steps = {.cancel = steps->cancel, .progress = steps->progress ? show_progress : NULL, .progress_data = beside},
        .shown = steps,
        .is_shown = is_alone,
        .work = {.step = 1, .begin = pass_step, .work = run_step, .join = leave_step}};
    if (is_alone)
        return run(data, &beside->steps, error);
    beside->job = xtf_parallel_start(&beside->work, beside, 1);
    return true;
}

bool xtf_beside_finish(XtfBeside *beside, GError **error)
{
    if (!beside->job)
        return true;
    atomic_store(&beside->is_shown, true);
    return xtf_parallel_finish(g_steal_pointer(&beside->job), error);
}
