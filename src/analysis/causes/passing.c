#include "src/analysis/causes/passing.h"

#include <stdbool.h>

void xtf_passing_finish(XtfPassing *passing)
{
    g_free(passing->ranges);
    *passing = (XtfPassing){0};
}

void xtf_passing_add(XtfPassing *passing, const XtfPassRange *range)
{
    bool something = range->propagating > 0;

    for (uint32_t kind = 0; kind < XTF_COSTS; kind++)
        something |= range->scale.of[kind] > 0;
    if (!something || range->low >= range->high)
        return;
    if (passing->n == passing->room) {
        passing->room = MAX(8, 2 * passing->room);
        passing->ranges = g_renew(XtfPassRange, passing->ranges, passing->room);
    }
    passing->ranges[passing->n++] = *range;
}

void xtf_passing_costs(XtfPassing *passing, uint64_t i, uint64_t wait, XtfCosts *costs, double *propagating)
{
    double scale[XTF_COSTS] = {0}, share = 0;
    uint32_t kept = 0;

    for (uint32_t r = 0; r < passing->n; r++) {
        const XtfPassRange *range = &passing->ranges[r];
        if (i < range->low)
            continue; /* it is behind us: forgotten */
        passing->ranges[kept++] = *range;
        if (i >= range->high)
            continue;
        for (uint32_t kind = 0; kind < XTF_COSTS; kind++)
            scale[kind] += range->scale.of[kind];
        share = MAX(share, range->propagating);
    }
    passing->n = kept;
    for (uint32_t kind = 0; kind < XTF_COSTS; kind++)
        costs->of[kind] = scale[kind] * (double)wait;
    *propagating = share * (double)wait;
}
