#include "src/analysis/align/process-clocks.h"

void xtf_process_clocks_init(XtfProcessClocks *clocks, uint32_t n)
{
    *clocks = (XtfProcessClocks){.maps = g_new0(XtfClockMap, n + 1), .n = n};
}

void xtf_process_clocks_finish(XtfProcessClocks *clocks)
{
    for (uint32_t i = 0; i < clocks->n; i++)
        g_free((XtfClockKnot *)clocks->maps[i].knots);
    g_clear_pointer(&clocks->maps, g_free);
    clocks->n = 0;
}

void xtf_process_clocks_set(XtfProcessClocks *clocks, uint32_t process, GArray *knots)
{
    XtfClockMap *map = &clocks->maps[process];

    g_free((XtfClockKnot *)map->knots);
    map->n_knots = knots->len;
    map->knots = (const XtfClockKnot *)(void *)g_array_free(knots, FALSE);
}
