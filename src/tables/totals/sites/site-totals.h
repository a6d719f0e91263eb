/*
 * Totals by call site over all locations of a selection: calls, time, bytes, and waits.
 *
 * The index has the calls and their times. Bytes and waits take one pass over the records of the window: other records
 * than calls have no site of their own.
 */
#pragma once

#include "src/trace/select/selection.h"

typedef struct {
    uint64_t calls, longest;            /* ticks of the longest call that ends in the selection */
    uint64_t sent, received;            /* bytes, also of collective operations, modulo 2^64 */
    unsigned __int128 time;             /* ticks in calls from the site */
    unsigned __int128 suffered, caused; /* ticks of waits that end in the window */
} XtfSiteTotal;

typedef struct {
    const XtfSites *sites;   /* borrowed from the context */
    XtfSiteTotal *all;       /* by row of definitions/sites */
    unsigned __int128 whole; /* ticks that are 100%: the sum of the locations' parts of the window */
} XtfSiteTotals;

/* Sets of totals beside calls and their times. */
enum { XTF_SITE_BYTES = 1, XTF_SITE_WAITS = 2 };

/* True if the trace has totals by call site, and the selection may have calls. */
bool xtf_site_totals_exist(const XtfTraceContext *context, const XtfSelection *selection);

/* Loads the totals of a selection for which they exist: calls, times, and the totals of a set. */
bool xtf_site_totals_load(XtfSiteTotals *totals, XtfTraceContext *context, const XtfSelection *selection, unsigned set,
                          GError **error);
void xtf_site_totals_finish(XtfSiteTotals *totals); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfSiteTotals, xtf_site_totals_finish)

/* Adds the waits that processes of the selection suffered, and the waits that they caused, to `all`. Part of
 * xtf_site_totals_load(). */
bool xtf_site_waits_add(XtfSiteTotals *totals, XtfTraceContext *context, const XtfSelection *selection, GError **error);
