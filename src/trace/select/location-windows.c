#include "src/trace/select/location-windows.h"

XtfLocationWindows *xtf_location_windows_new(char *name, const XtfLocations *locations)
{
    XtfLocationWindows *windows = g_malloc0(sizeof *windows + locations->n * sizeof *windows->all);

    g_atomic_ref_count_init(&windows->references);
    windows->name = name;
    windows->locations = locations;
    return windows;
}

XtfLocationWindows *xtf_location_windows_intersect(const XtfLocationWindows *a, const XtfLocationWindows *b)
{
    XtfLocationWindows *common = xtf_location_windows_new(g_strconcat(a->name, "&", b->name, NULL), a->locations);

    for (uint32_t i = 0; i < a->locations->n; i++) {
        common->all[i].from = MAX(a->all[i].from, b->all[i].from);
        common->all[i].to = MAX(MIN(a->all[i].to, b->all[i].to), common->all[i].from);
    }
    return common;
}

XtfLocationWindows *xtf_location_windows_ref(XtfLocationWindows *windows)
{
    if (windows)
        g_atomic_ref_count_inc(&windows->references);
    return windows;
}

void xtf_location_windows_unref(XtfLocationWindows *windows)
{
    if (!windows || !g_atomic_ref_count_dec(&windows->references))
        return;
    g_free(windows->name);
    g_free(windows);
}
