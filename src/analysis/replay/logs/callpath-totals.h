/*
 * Ticks by call path, added up until they are taken out, again and again.
 */
#pragma once

#include <glib.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint64_t *ticks;   /* by call path and 1: the first is outside of all calls. All zeros but where `touched` */
    uint32_t *touched; /* call paths */
    uint32_t n_touched, room;
} XtfCallpathTotals;

/* One of zeros is empty. */
static inline void xtf_callpath_totals_finish(XtfCallpathTotals *sums)
{
    g_free(sums->ticks);
    g_free(sums->touched);
    *sums = (XtfCallpathTotals){0};
}

/* `callpath` may be UINT32_MAX: outside of all calls. */
static inline void xtf_callpath_totals_add(XtfCallpathTotals *sums, uint32_t callpath, uint64_t ticks)
{
    uint32_t i = callpath + 1;

    if (G_UNLIKELY(i >= sums->room)) {
        uint32_t room = MAX(i + i / 2, 15) + 1;
        sums->ticks = g_renew(uint64_t, sums->ticks, room);
        sums->touched = g_renew(uint32_t, sums->touched, room);
        memset(sums->ticks + sums->room, 0, (room - sums->room) * sizeof *sums->ticks);
        sums->room = room;
    }
    if (sums->ticks[i] == 0)
        sums->touched[sums->n_touched++] = callpath;
    sums->ticks[i] += ticks;
}

/* The ticks of a call path that was touched: it has none any more. */
static inline uint64_t xtf_callpath_totals_take(XtfCallpathTotals *sums, uint32_t callpath)
{
    uint64_t ticks = sums->ticks[callpath + 1];
    sums->ticks[callpath + 1] = 0;
    return ticks;
}
