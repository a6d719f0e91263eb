#include "src/analysis/formulas/callpath-sums.h"

#include <string.h>

void xtf_callpath_sums_init(XtfCallpathSums *sums, uint32_t n_callpaths)
{
    *sums = (XtfCallpathSums){
        .n_callpaths = n_callpaths,
        .ticks = g_new0(int64_t, n_callpaths),
        .touched = g_new(uint32_t, n_callpaths),
        .is_touched = g_new0(bool, n_callpaths),
    };
}

void xtf_callpath_sums_reserve(XtfCallpathSums *sums, uint32_t n)
{
    uint32_t before = sums->n_callpaths, room = MAX(n, before > UINT32_MAX / 2 ? UINT32_MAX : 2 * before);

    if (n <= before)
        return;
    sums->n_callpaths = room;
    sums->ticks = g_renew(int64_t, sums->ticks, room);
    sums->touched = g_renew(uint32_t, sums->touched, room);
    sums->is_touched = g_renew(bool, sums->is_touched, room);
    memset(sums->ticks + before, 0, (room - before) * sizeof *sums->ticks);
    memset(sums->is_touched + before, 0, (room - before) * sizeof *sums->is_touched);
}

void xtf_callpath_sums_finish(XtfCallpathSums *sums)
{
    g_free(sums->ticks);
    g_free(sums->touched);
    g_free(sums->is_touched);
    *sums = (XtfCallpathSums){0};
}

void xtf_callpath_sums_clear(XtfCallpathSums *sums)
{
    for (uint32_t i = 0; i < sums->n_touched; i++) {
        sums->ticks[sums->touched[i]] = 0;
        sums->is_touched[sums->touched[i]] = false;
    }
    sums->n_touched = 0;
}

void xtf_callpath_sums_add(XtfCallpathSums *sums, uint32_t callpath, int64_t ticks)
{
    if (callpath >= sums->n_callpaths)
        return;
    if (!sums->is_touched[callpath]) {
        sums->is_touched[callpath] = true;
        sums->touched[sums->n_touched++] = callpath;
    }
    sums->ticks[callpath] =
        (int64_t)((uint64_t)sums->ticks[callpath] + (uint64_t)ticks); /* values from a malicious file may wrap */
}

bool xtf_callpath_sums_has(const XtfCallpathSums *sums, uint32_t callpath)
{
    return callpath < sums->n_callpaths && sums->is_touched[callpath];
}

void xtf_callpath_sums_not_negative(XtfCallpathSums *sums, uint32_t callpath)
{
    if (callpath < sums->n_callpaths)
        sums->ticks[callpath] = MAX(sums->ticks[callpath], 0);
}

void xtf_callpath_sums_none_negative(XtfCallpathSums *sums)
{
    for (uint32_t i = 0; i < sums->n_touched; i++)
        xtf_callpath_sums_not_negative(sums, sums->touched[i]);
}
