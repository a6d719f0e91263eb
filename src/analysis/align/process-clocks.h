/*
 * A clock map for each process of a replay.
 */
#pragma once

#include "libxtf/clock-map.h"
#include "src/analysis/replay/replay.h"

typedef struct {
    XtfClockMap *maps; /* by process, owned; without knots: local times are global */
    uint32_t n;
} XtfProcessClocks;

void xtf_process_clocks_init(XtfProcessClocks *clocks, uint32_t n); /* no knots: local times are global */
void xtf_process_clocks_finish(XtfProcessClocks *clocks);           /* accepts zeros */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfProcessClocks, xtf_process_clocks_finish)

/* Makes the knots, a GArray of XtfClockKnot, the map of a process. Takes ownership of them. */
void xtf_process_clocks_set(XtfProcessClocks *clocks, uint32_t process, GArray *knots);

static inline uint64_t xtf_process_clocks_global(const XtfProcessClocks *clocks, uint32_t process, uint64_t local)
{
    const XtfClockMap *map = &clocks->maps[process];
    return map->n_knots ? xtf_clock_map_to_global(map, local) : local;
}
