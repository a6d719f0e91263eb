#include "src/analysis/causes/passing.h"

#include <stdbool.h>

/* Places of the tree in a part. */
enum { PLACES = 8 };

typedef struct {
    XtfCosts scale;     /* a sum */
    double propagating; /* the greatest */
} Place;

struct XtfPassPart {
    Place places[PLACES];
};

void xtf_passing_finish(XtfPassing *passing)
{
    for (uint64_t part = 0; part < passing->n; part++)
        g_free(passing->parts[part]);
    g_free(passing->parts);
    *passing = (XtfPassing){0};
}

/* Places count from 1, as points + 1. */
static Place *place_of(XtfPassing *passing, uint64_t number)
{
    XtfPassPart **part = &passing->parts[(number - 1) / PLACES];

    if (!*part)
        *part = g_new0(XtfPassPart, 1);
    return &(*part)->places[(number - 1) % PLACES];
}

void xtf_passing_add(XtfPassing *passing, const XtfPassRange *range)
{
    bool something = range->propagating > 0;

    for (uint32_t kind = 0; kind < XTF_COSTS; kind++)
        something |= range->scale.of[kind] > 0;
    if (!something || range->low >= range->high)
        return;
    if (!passing->parts) { /* later ones do not reach further */
        passing->n = (range->high + PLACES - 1) / PLACES;
        passing->parts = g_new0(XtfPassPart *, passing->n);
    }
    for (uint64_t number = range->low + 1; number <= range->high; number += number & (0 - number)) {
        Place *place = place_of(passing, number);
        for (uint32_t kind = 0; kind < XTF_COSTS; kind++)
            place->scale.of[kind] += range->scale.of[kind];
        place->propagating = MAX(place->propagating, range->propagating);
    }
}

/* Behind point `i` all is forgotten. */
static void forget(XtfPassing *passing, uint64_t i)
{
    for (; passing->n > i / PLACES + 1; passing->n--)
        g_free(passing->parts[passing->n - 1]);
}

void xtf_passing_costs(XtfPassing *passing, uint64_t i, uint64_t wait, XtfCosts *costs, double *propagating)
{
    double scale[XTF_COSTS] = {0}, share = 0;

    forget(passing, i);
    for (uint64_t number = i + 1; passing->parts && number > 0; number &= number - 1) {
        const XtfPassPart *part = passing->parts[(number - 1) / PLACES];
        if (!part)
            continue;
        const Place *place = &part->places[(number - 1) % PLACES];
        for (uint32_t kind = 0; kind < XTF_COSTS; kind++)
            scale[kind] += place->scale.of[kind];
        share = MAX(share, place->propagating);
    }
    for (uint32_t kind = 0; kind < XTF_COSTS; kind++)
        costs->of[kind] = scale[kind] * (double)wait;
    *propagating = share * (double)wait;
}
