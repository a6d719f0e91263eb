/*
 * Windows of time that differ by location: an iteration of the main loop begins at another time in each process.
 *
 * Immutable once made, and reference-counted.
 */
#pragma once

#include "src/trace/context/trace-context.h"

typedef struct {
    gatomicrefcount references;
    char *name;                    /* says which windows these are: equal names are equal windows */
    const XtfLocations *locations; /* borrowed */
    struct {
        uint64_t from, to; /* [from, to); from = to: the location has no window */
    } all[];               /* by index of the location */
} XtfLocationWindows;

/* Makes windows of no length. Takes `name`; the caller fills in `all`. */
XtfLocationWindows *xtf_location_windows_new(char *name, const XtfLocations *locations);
/* Makes the windows of the times that both have; both are of the same locations. */
XtfLocationWindows *xtf_location_windows_intersect(const XtfLocationWindows *a, const XtfLocationWindows *b);
XtfLocationWindows *xtf_location_windows_ref(XtfLocationWindows *windows); /* accepts NULL */
void xtf_location_windows_unref(XtfLocationWindows *windows);              /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfLocationWindows, xtf_location_windows_unref)
