/*
 * What each process does in a window, and where it is at the window's end: the figures of `state`, `total` and
 * state.svg. They are made of calls and messages, or of what a program of OpenTS sampled.
 *
 * A process costs what its profile, its messages and one stack cost, whatever the length of the trace. The messages
 * that are under way cost a descent for each location of the trace, once, when the first process is asked for.
 */
#pragma once

#include "src/tables/totals/message-totals.h"
#include "src/tables/totals/regions/region-times.h"
#include "src/tables/views/registry.h"
#include "src/tables/views/state/task-figures.h"
#include "src/trace/select/open-frames.h"

/* What time goes to. Together they are the time between a location's first and last record. */
typedef enum {
    XTF_SHARE_PROGRAM, /* and OpenMP's work; time in no region is the program's, too */
    XTF_SHARE_P2P,
    XTF_SHARE_COLLECTIVE, /* and barriers */
    XTF_SHARE_WAIT,       /* waits, tests, probes */
    XTF_SHARE_OTHER,
    XTF_N_SHARES,
} XtfShare;

extern const char *const xtf_share_names[XTF_N_SHARES];

XtfShare xtf_share_of_class(XtfRegionClass class);

/* The colours of a monitor: of the first thread at the window's end. Of samples: what most of the window's time was. */
typedef enum {
    XTF_LIGHT_NONE,   /* its records have not begun, or have ended */
    XTF_LIGHT_GREEN,  /* in the program */
    XTF_LIGHT_YELLOW, /* in a call of a library */
    XTF_LIGHT_RED,    /* waiting */
    XTF_N_LIGHTS,
} XtfLight;

extern const char *const xtf_light_names[XTF_N_LIGHTS]; /* "-" of none */

typedef struct {
    uint64_t proc;
    unsigned __int128 times[XTF_N_SHARES]; /* ticks, of all its threads, but of no streams of accelerators */
    uint64_t calls;
    XtfMoved sent, received;
    uint64_t sent_so_far; /* bytes, from the beginning of the trace to the window's end */
    bool knows_in_flight;
    uint64_t in_flight; /* messages that it has sent by the window's end, and that nobody has received by then */
    XtfLight light;
    bool in_call;
    uint64_t region, since; /* in a call: the innermost region's key, and when it was entered */
    uint64_t tasks[XTF_N_TASK_STATES];
} XtfProcessState;

typedef struct {
    XtfViews *views;               /* borrowed */
    XtfSelection *window, *so_far; /* owned: without narrowing by fields; from the beginning of the trace */
    XtfSelectedLocations selected;
    bool has_calls; /* otherwise no calls, and times of samples alone */
    bool has_samples;
    XtfTaskSamples samples;          /* with has_samples: of a trace of OpenTS */
    XtfRegionTimes times;            /* with has_calls */
    const XtfSchema *waits;          /* of an analysis; NULL: there is none */
    const XtfRegionClasses *classes; /* borrowed */
    XtfMessageTotals moved, moved_so_far;
    bool received_counted;
    uint64_t *received_from; /* by index in locations->procs; NULL: messages are not matched */
    uint64_t t;              /* the window's end */
} XtfStates;

/* Of a selection's processes, in its window. Narrowing by type and by values of fields is left out. */
bool xtf_states_init(XtfStates *states, XtfViews *views, const XtfSelection *selection, GError **error);
void xtf_states_finish(XtfStates *states); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfStates, xtf_states_finish)

/* Of process i of states->selected. */
bool xtf_states_of(XtfStates *states, uint32_t i, XtfProcessState *state, GError **error);
/* Adds one process's figures to those of several. */
void xtf_process_state_add(XtfProcessState *sum, const XtfProcessState *state);

/* Whether the times are known; the numbers of tasks. */
static inline bool xtf_states_have_times(const XtfStates *states)
{
    return states->has_calls || (states->has_samples && states->samples.has_times);
}

static inline bool xtf_states_have_tasks(const XtfStates *states)
{
    return states->has_samples && states->samples.has_tasks;
}

/* Whether a trace has any of the figures, and a selection is of its records. */
bool xtf_states_exist(const XtfTraceContext *context, const XtfSelection *selection);
