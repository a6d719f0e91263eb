/*
 * Random clock maps, and a naive conversion by the definition: it looks at the knots one by one. Nothing here uses the
 * library.
 */
#pragma once

#include "fixture.h"

#include "libxtf/clock-map.h"

enum { NAIVE_KNOTS_MAX = 40 };

typedef struct {
    uint32_t n;
    XtfClockKnot knots[NAIVE_KNOTS_MAX];
} NaiveMap;

static inline XtfClockMap naive_map(const NaiveMap *map)
{
    return (XtfClockMap){.n_knots = map->n, .knots = map->knots};
}

/* Returns the global time by the formula of docs/FORMAT.md. */
static inline uint64_t naive_global(const NaiveMap *map, uint64_t local)
{
    const XtfClockKnot *first = &map->knots[0], *last = &map->knots[map->n - 1];
    __int128 t = 0;

    if (map->n == 0)
        return local;
    if (local < first->local) {
        t = (__int128)first->global - (first->local - local);
    } else if (local >= last->local) {
        t = (__int128)last->global + (local - last->local);
    } else {
        uint32_t i = 0;
        while (map->knots[i + 1].local <= local)
            i++;
        const XtfClockKnot *a = &map->knots[i], *b = a + 1;
        t = a->global +
            (__int128)((unsigned __int128)(local - a->local) * (b->global - a->global) / (b->local - a->local));
    }
    return (uint64_t)CLAMP(t, 0, (__int128)UINT64_MAX);
}

static inline uint64_t random_u64(GRand *random, uint64_t below)
{
    return ((uint64_t)g_rand_int(random) << 32 | g_rand_int(random)) % below;
}

/* Returns a map whose knots are in about [from, to) of local time, up to `off` ticks of global time away. `jumps` of
 * 100 pieces are jumps. */
static inline NaiveMap random_map(GRand *random, uint64_t from, uint64_t to, uint64_t off, int jumps)
{
    NaiveMap map = {.n = (uint32_t)g_rand_int_range(random, 1, NAIVE_KNOTS_MAX)};
    uint64_t step = MAX((to - from) / map.n, 1);
    uint64_t local = from / 2 + random_u64(random, from + 1), global = local + random_u64(random, off);

    for (uint32_t i = 0; i < map.n; i++) {
        uint64_t run = g_rand_int_range(random, 0, 4) ? 1 + random_u64(random, 2 * step) : 1 + random_u64(random, 3);
        uint64_t drift = run / XTF_CLOCK_DRIFT + 1;
        bool jump = g_rand_int_range(random, 0, 100) < jumps;
        map.knots[i] = (XtfClockKnot){.local = local, .global = global, .jumps = jump};
        local += run;
        /* As slow as allowed, as fast as allowed, or between. */
        switch (g_rand_int_range(random, 0, 3)) {
        case 0:
            global += run - MIN(drift, run);
            break;
        case 1:
            global += run + (jump ? 0 : drift);
            break;
        default:
            global += run - MIN(drift, run) + random_u64(random, 2 * MIN(drift, run) + 1);
        }
        if (jump)
            global += drift + random_u64(random, off / 4 + 1);
    }
    return map;
}
