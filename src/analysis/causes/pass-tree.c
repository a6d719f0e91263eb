#include "src/analysis/causes/pass-tree.h"

enum {
    PLACES = 8,                /* places of the tree per part */
    RANGES_PER_RELEASE = 1024, /* ranges added between releases of the parts' pages */
};

typedef struct {
    XtfCosts scale;     /* sums of costs added to the place, per tick of wait */
    double propagating; /* greatest propagating share added to the place */
} Place;

struct XtfPassPart {
    union {
        Place places[PLACES];
        uint32_t next_free; /* number plus 1 */
    };
};

void xtf_pass_pool_finish(XtfPassPool *pool)
{
    xtf_paged_free(&pool->paged);
    *pool = (XtfPassPool){0};
}

void xtf_pass_tree_finish(XtfPassTree *pass_tree)
{
    g_free(pass_tree->parts);
    *pass_tree = (XtfPassTree){0};
}

/* Returns the number of a new part of zeros, plus 1. */
static uint32_t allot_part(XtfPassPool *pool)
{
    uint32_t number = pool->free;

    if (number > 0) {
        pool->free = pool->parts[number - 1].next_free;
        pool->parts[number - 1] = (XtfPassPart){0};
        return number;
    }
    if (pool->n == pool->room) {
        pool->room = MAX(32, pool->room + pool->room / 2);
        pool->parts = xtf_paged_grow(&pool->paged, (size_t)pool->room * sizeof *pool->parts);
    }
    return ++pool->n;
}

static void free_part(XtfPassPool *pool, uint32_t number)
{
    if (number == 0)
        return;
    pool->parts[number - 1].next_free = pool->free;
    pool->free = number;
}

/* Returns a place of the tree. Places count from 1: point + 1. */
static Place *tree_place(XtfPassPool *pool, XtfPassTree *pass_tree, uint64_t number)
{
    uint32_t *part = &pass_tree->parts[(number - 1) / PLACES];

    if (!*part)
        *part = allot_part(pool);
    return &pool->parts[*part - 1].places[(number - 1) % PLACES];
}

void xtf_pass_tree_add(XtfPassPool *pool, XtfPassTree *pass_tree, const XtfPassRange *range)
{
    bool has_costs = range->propagating > 0;

    for (uint32_t kind = 0; kind < XTF_COSTS; kind++)
        has_costs |= range->scale.of[kind] > 0;
    if (!has_costs || range->low >= range->high)
        return;
    if (!pass_tree->parts) { /* later ranges end before this one */
        pass_tree->n = (range->high + PLACES - 1) / PLACES;
        pass_tree->parts = g_new0(uint32_t, pass_tree->n);
    }
    for (uint64_t number = range->low + 1; number <= range->high; number += number & (0 - number)) {
        Place *place = tree_place(pool, pass_tree, number);
        for (uint32_t kind = 0; kind < XTF_COSTS; kind++)
            place->scale.of[kind] += range->scale.of[kind];
        place->propagating = MAX(place->propagating, range->propagating);
    }
    if (++pool->n_added >= RANGES_PER_RELEASE) {
        pool->n_added = 0;
        xtf_paged_page_out(&pool->paged);
    }
}

static void free_parts_behind(XtfPassPool *pool, XtfPassTree *pass_tree, uint64_t i)
{
    for (; pass_tree->n > i / PLACES + 1; pass_tree->n--)
        free_part(pool, pass_tree->parts[pass_tree->n - 1]);
}

void xtf_pass_tree_costs(XtfPassPool *pool, XtfPassTree *pass_tree, uint64_t i, uint64_t wait, XtfCosts *costs,
                         double *propagating)
{
    double scale[XTF_COSTS] = {0}, share = 0;

    free_parts_behind(pool, pass_tree, i);
    for (uint64_t number = i + 1; pass_tree->parts && number > 0; number &= number - 1) {
        uint32_t part = pass_tree->parts[(number - 1) / PLACES];
        if (part == 0)
            continue;
        const Place *place = &pool->parts[part - 1].places[(number - 1) % PLACES];
        for (uint32_t kind = 0; kind < XTF_COSTS; kind++)
            scale[kind] += place->scale.of[kind];
        share = MAX(share, place->propagating);
    }
    for (uint32_t kind = 0; kind < XTF_COSTS; kind++)
        costs->of[kind] = scale[kind] * (double)wait;
    *propagating = share * (double)wait;
}
