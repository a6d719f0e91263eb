/* Functions that the compiler instrumented (-finstrument-functions). */
#include "src/record/regions/regions.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void __cyg_profile_func_enter(void *function, void *call_site);
EXPORT void __cyg_profile_func_exit(void *function, void *call_site);

void __cyg_profile_func_enter(void *function, void *call_site)
{
    XtfRing *ring = xtf_regions_begin();

    if (!ring)
        return;
    uint32_t index = xtf_regions_of_address((uintptr_t)function);
    if (__builtin_expect(index != XTF_REGIONS_NONE, 1))
        xtf_regions_enter(ring, index);
    xtf_core_end();
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
    XtfRing *ring = xtf_regions_begin_end();

    if (!ring)
        return;
    uint32_t index = xtf_regions_of_address((uintptr_t)function);
    if (__builtin_expect(index != XTF_REGIONS_NONE, 1))
        xtf_regions_leave(ring, index);
    xtf_core_end();
}
