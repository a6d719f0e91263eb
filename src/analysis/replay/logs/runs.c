#include "src/analysis/replay/logs/runs.h"

static XtfRun *run_at(const GArray *runs, guint i)
{
    return &g_array_index(runs, XtfRun, i);
}

GArray *xtf_runs_new(void)
{
    return g_array_new(FALSE, FALSE, sizeof(XtfRun));
}

void xtf_runs_add(GArray *runs, uint32_t first, uint32_t last)
{
    guint end = runs->len, begin;

    while (end > 0 && run_at(runs, end - 1)->first > (uint64_t)last + 1)
        end--;
    /* Merge the new run with all runs that touch it. */
    for (begin = end; begin > 0 && (uint64_t)run_at(runs, begin - 1)->last + 1 >= first; begin--) {
        first = MIN(first, run_at(runs, begin - 1)->first);
        last = MAX(last, run_at(runs, begin - 1)->last);
    }
    const XtfRun run = {first, last};
    if (begin < end)
        g_array_remove_range(runs, begin, end - begin);
    g_array_insert_val(runs, begin, run);
}

void xtf_runs_add_all(GArray *runs, const GArray *more)
{
    for (guint i = 0; i < more->len; i++)
        xtf_runs_add(runs, run_at(more, i)->first, run_at(more, i)->last);
}

bool xtf_runs_have(const GArray *runs, uint32_t number)
{
    guint low = 0, high = runs->len;

    while (low < high) {
        guint middle = (low + high) / 2;
        if (run_at(runs, middle)->last < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < runs->len && run_at(runs, low)->first <= number;
}
