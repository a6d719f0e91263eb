/*
 * The subject of a view, for error messages that say why a selection does not have the view. Only the view's exists()
 * decides which selections have it.
 */
#pragma once

#include "src/trace/select/selection.h"

/* The windows that have a view. */
typedef enum {
    XTF_ANY_WINDOW,
    XTF_WHOLE_RUN,  /* the view has no windows */
    XTF_END_OF_RUN, /* windows that end with the trace */
} XtfViewWindows;

typedef struct {
    const char *noun;         /* "calls" */
    const char *const *types; /* record types that the view shows; the last is NULL */
    unsigned facets;          /* facets that may narrow the records: bits 1 << XtfFacet */
    XtfViewWindows windows;
} XtfViewSubject;

extern const XtfViewSubject xtf_about_calls, xtf_about_all_calls, xtf_about_messages, xtf_about_sends, xtf_about_groups,
    xtf_about_bytes, xtf_about_comms, xtf_about_operations, xtf_about_values, xtf_about_growth, xtf_about_path,
    xtf_about_callpaths, xtf_about_waits, xtf_about_delays, xtf_about_states, xtf_about_waiting, xtf_about_monitor;

/* True if the selection has at least one of the subject's record types. */
bool xtf_view_is_about(const XtfTraceContext *context, const XtfViewSubject *subject, const XtfSelection *selection);
