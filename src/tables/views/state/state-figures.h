/*
 * The activity of each process in a window, and its place at the window's end: the figures of `state`, `total` and
 * state.svg. They follow from calls and messages, or from the samples of a program of OpenTS.
 *
 * The figures of a process cost as much as its profile, its messages and one stack, for any length of the trace. The
 * messages in flight cost a descent for each location of the trace, once, with the figures of the first process.
 */
#pragma once

#include "src/tables/totals/message-totals.h"
#include "src/tables/totals/regions/region-times.h"
#include "src/tables/views/registry.h"
#include "src/tables/views/state/task-figures.h"
#include "src/trace/calls/open-frames.h"

/* The shares of time. Their sum is the time between a location's first and last record. */
typedef enum {
    XTF_SHARE_PROGRAM, /* includes OpenMP's work and time in no region */
    XTF_SHARE_P2P,
    XTF_SHARE_COLLECTIVE, /* in collective operations, barriers included */
    XTF_SHARE_WAIT,       /* in calls that wait, test or probe */
    XTF_SHARE_OTHER,
    XTF_N_SHARES,
} XtfShare;

extern const char *const xtf_share_names[XTF_N_SHARES];

XtfShare xtf_share_of_class(XtfRegionClass class);

/* Colours of a monitor: the activity of the first thread at the window's end. With samples alone: what takes most of
 * the window's time. */
typedef enum {
    XTF_LIGHT_NONE,   /* before its first record, after its last, or while nothing is recorded */
    XTF_LIGHT_GREEN,  /* the thread is in the program's own code */
    XTF_LIGHT_YELLOW, /* in a call of a library */
    XTF_LIGHT_RED,    /* the thread is waiting */
    XTF_N_LIGHTS,
} XtfLight;

extern const char *const xtf_light_names[XTF_N_LIGHTS]; /* "-" for XTF_LIGHT_NONE */

typedef struct {
    uint64_t proc;
    unsigned __int128 times[XTF_N_SHARES]; /* ticks of all its threads, without streams of accelerators */
    uint64_t calls;
    XtfMoved sent, received;
    uint64_t sent_so_far; /* bytes, from the beginning of the trace to the window's end */
    bool knows_in_flight;
    uint64_t in_flight; /* messages that it has sent, and that are not received by the window's end */
    XtfLight light;
    bool in_call;
    uint64_t region, since; /* in a call: key of the innermost region, and when it was entered */
    uint64_t site;          /* call site of that call; UINT64_MAX: none */
    uint64_t tasks[XTF_N_TASK_STATES];
} XtfProcessState;

typedef struct {
    XtfViews *views;               /* borrowed */
    XtfSelection *window, *so_far; /* owned; without facets; `so_far`: from the beginning of the trace */
    XtfSelectedLocations selected;
    bool has_calls; /* if false, there are no calls, and times are from samples */
    bool has_samples;
    XtfTaskSamples samples;          /* with has_samples; of a trace of OpenTS */
    XtfRegionTimes times;            /* with has_calls */
    XtfAggregateRef by_site;         /* calls by site; all zeros if the trace has no sites */
    const XtfSchema *waits;          /* of an analysis; NULL if there is none */
    const XtfRegionClasses *classes; /* borrowed */
    XtfMessageTotals moved, moved_so_far;
    bool received_counted;
    uint64_t *received_from; /* messages by index in locations->procs; NULL: messages are not matched */
    uint64_t t;              /* the window's end */
} XtfStates;

/* Prepares the figures of a selection's processes in its window. Ignores the type and the facets of the selection. */
bool xtf_states_init(XtfStates *states, XtfViews *views, const XtfSelection *selection, GError **error);
void xtf_states_finish(XtfStates *states); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfStates, xtf_states_finish)

/* Measures the figures of process i of states->selected. */
bool xtf_states_of(XtfStates *states, uint32_t i, XtfProcessState *state, GError **error);
/* Adds the figures of one process to a sum. */
void xtf_process_state_add(XtfProcessState *sum, const XtfProcessState *state);

static inline bool xtf_states_have_times(const XtfStates *states)
{
    return states->has_calls || (states->has_samples && states->samples.has_times);
}

/* True if the numbers of tasks are known. */
static inline bool xtf_states_have_tasks(const XtfStates *states)
{
    return states->has_samples && states->samples.has_tasks;
}

/* True if a trace has any of the figures, and the selection is not narrowed by num/. */
bool xtf_states_exist(const XtfTraceContext *context, const XtfSelection *selection);
