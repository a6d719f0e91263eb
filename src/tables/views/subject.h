/*
 * What a view is about, and why a selection does not have it: for messages. Which selections have a view is said by its
 * exists() alone.
 */
#pragma once

#include "src/trace/select/selection.h"

typedef struct {
    const char *what;         /* "calls" */
    const char *const *types; /* the record types that are shown; the last is NULL */
    unsigned facets;          /* the sets of bits 1 << XtfFacet by which they may be narrowed */
    bool of_whole_run;        /* not of windows */
} XtfViewSubject;

extern const XtfViewSubject xtf_about_calls, xtf_about_all_calls, xtf_about_messages, xtf_about_sends, xtf_about_groups,
    xtf_about_bytes, xtf_about_comms, xtf_about_operations, xtf_about_values, xtf_about_growth, xtf_about_path,
    xtf_about_callpaths, xtf_about_waits, xtf_about_delays, xtf_about_states;

/* Whether some of the types that are shown are among the selection's. */
bool xtf_view_is_about(const XtfTraceContext *context, const XtfViewSubject *subject, const XtfSelection *selection);
