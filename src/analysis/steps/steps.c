#include "src/analysis/steps/steps.h"

#include "libxtf/error.h"

void xtf_steps_show(uint64_t done, uint64_t total, void *data)
{
    const XtfSteps *steps = data;

    if (steps->progress)
        steps->progress(steps->name, done, total, steps->progress_data);
}

void xtf_steps_begin(XtfSteps *steps, const char *name, uint64_t total)
{
    if (!steps)
        return;
    steps->name = name;
    steps->total = total;
    atomic_store(&steps->done, 0);
    xtf_steps_show(0, total, steps);
}

bool xtf_steps_advance(XtfSteps *steps, uint64_t more, GError **error)
{
    if (!steps)
        return true;
    if (steps->cancel && atomic_load(steps->cancel))
        return xtf_fail(error, XTF_ERROR_CANCELLED, "interrupted");
    xtf_steps_show(atomic_fetch_add(&steps->done, more) + more, steps->total, steps);
    return true;
}
