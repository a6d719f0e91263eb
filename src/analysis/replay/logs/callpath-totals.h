/*
 * Sums of ticks by call path, which a caller takes out from time to time.
 */
#pragma once

#include <glib.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint64_t *ticks;   /* by call path plus 1: the first is outside of all calls. Zero unless in `touched` */
    uint32_t *touched; /* call paths */
    uint32_t n_touched, room;
} XtfCallpathTotals;

/* Frees the sums. A struct of zeros is an empty one. */
static inline void xtf_callpath_totals_finish(XtfCallpathTotals *sums)
{
    g_free(sums->ticks);
    g_free(sums->touched);
    *sums = (XtfCallpathTotals){0};
}

/* Adds ticks to a call path; UINT32_MAX: outside of all calls. */
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

/* Returns the ticks of a call path in `touched`, and sets them to 0. */
static inline uint64_t xtf_callpath_totals_take(XtfCallpathTotals *sums, uint32_t callpath)
{
    uint64_t ticks = sums->ticks[callpath + 1];
    sums->ticks[callpath + 1] = 0;
    return ticks;
}
