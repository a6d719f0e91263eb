/*
 * The log of call paths: which outermost functions are left if there are too many.
 */
#include <criterion/criterion.h>

#include "src/analysis/replay/logs/callpath-log.h"

enum { ROOTS = XTF_CALLPATHS_MAX + 3 * XTF_CALLPATHS_MANY };

/* Logs outermost functions: ROOTS - 1 first, or 0 first. */
static void log_roots(XtfCallpathLog *callpaths, bool descending)
{
    XtfCallpathCache cache;

    xtf_callpath_cache_init(&cache);
    for (uint32_t i = 0; i < ROOTS; i++)
        xtf_callpath_log_enter_anew(callpaths, &cache, UINT32_MAX, descending ? ROOTS - 1 - i : i);
    xtf_callpath_cache_finish(&cache);
    xtf_callpath_log_number(callpaths);
}

Test(callpaths, keep_the_lowest_outermost_functions)
{
    for (int descending = 0; descending < 2; descending++) {
        XtfCallpathLog callpaths;

        xtf_callpath_log_init(&callpaths);
        log_roots(&callpaths, descending);
        cr_assert_eq(xtf_callpath_log_cut_roots(&callpaths), XTF_CALLPATHS_MANY);
        cr_assert_eq(callpaths.all->len, XTF_CALLPATHS_MANY);
        for (uint32_t region = 0; region < ROOTS; region += region < XTF_CALLPATHS_MANY ? 1 : 997)
            cr_assert_eq(xtf_callpath_log_find(&callpaths, UINT32_MAX, region, 0),
                         region < XTF_CALLPATHS_MANY ? region : UINT32_MAX, "region %u", region);
        xtf_callpath_log_finish(&callpaths);
    }
}
