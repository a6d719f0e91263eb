/* The functions that the macros of xtf/user.h call. */
#include <errno.h>

#include "src/record/regions/regions.h"
#include "src/record/regions/user.h"

#define EXPORT __attribute__((visibility("default")))

/* Returns the region's index, and looks it up by its texts once; XTF_REGIONS_NONE: the table is full. */
static uint32_t index_of(XtfUserRegion *region)
{
    unsigned number = __atomic_load_n(&region->number, __ATOMIC_RELAXED);

    /* If another thread found the number, look the texts up again: the lock makes that thread's writes visible here. */
    if (__builtin_expect(number == 0 || !xtf_regions_calls || xtf_regions_calls[number - 1].left == 0, 0)) {
        uint32_t index = xtf_regions_named(region->name, region->file, region->line,
                                           region->function ? XTF_REGIONS_ROLE_FUNCTION : XTF_REGIONS_ROLE_CODE,
                                           XTF_REGIONS_PARADIGM_USER);
        number = index == XTF_REGIONS_NONE ? 0 : index + 1;
        __atomic_store_n(&region->number, number, __ATOMIC_RELAXED);
    }
    return number - 1;
}

EXPORT void xtf_user_begin(XtfUserRegion *region)
{
    XtfRing *ring = xtf_regions_begin();

    if (!ring)
        return;
    uint32_t index = index_of(region);
    if (index != XTF_REGIONS_NONE)
        xtf_regions_enter(ring, index);
    xtf_core_end();
}

EXPORT void xtf_user_end(XtfUserRegion *region)
{
    XtfRing *ring = xtf_regions_begin_end();

    if (!ring)
        return;
    uint32_t index = index_of(region);
    if (index != XTF_REGIONS_NONE)
        xtf_regions_leave(ring, index);
    xtf_core_end();
}

EXPORT void xtf_user_begin_named(const char *name)
{
    XtfUserRegion region = {.name = name, .file = ""};

    xtf_user_begin(&region);
}

EXPORT void xtf_user_end_named(const char *name)
{
    XtfUserRegion region = {.name = name, .file = ""};

    xtf_user_end(&region);
}

EXPORT void xtf_user_record(int on)
{
    int kept = errno;

    /* With --start off, this begins the recording of a process that has entered no region yet. */
    if (xtf_core_active || (on && xtf_regions_start()))
        xtf_core_set_recording(on);
    errno = kept;
}
