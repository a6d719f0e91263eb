/*
 * Figures of each process of a trace of OpenTS in a window, from its samples: times, tasks and messages.
 */
#pragma once

#include "src/tables/totals/sample-growth.h"
#include "src/tables/totals/selected-locations.h"

/* States of tasks, in the order of their columns and of XTF_TASK_STATES_EVENTS. */
enum {
    XTF_TASKS_STARTED,
    XTF_TASKS_PRENATAL, /* prenatal, active and suspended tasks: number at the window's end; others: number in the
                           window */
    XTF_TASKS_EXPORTED,
    XTF_TASKS_IMPORTED,
    XTF_TASKS_ACTIVE,
    XTF_TASKS_SUSPENDED,
    XTF_TASKS_FINISHED,
    XTF_N_TASK_STATES,
};

extern const char *const xtf_task_columns[XTF_N_TASK_STATES]; /* a letter each: "tasks_S" for started */
extern const char *const xtf_task_names[XTF_N_TASK_STATES];   /* "started" */

enum { XTF_SAMPLED_TASKS, XTF_SAMPLED_IDLE, XTF_SAMPLED_SCHED, XTF_SAMPLED_MPI, XTF_N_SAMPLED_TIMES };
enum {
    XTF_SAMPLED_BYTES_SENT,
    XTF_SAMPLED_MESSAGES_SENT,
    XTF_SAMPLED_BYTES_RECEIVED,
    XTF_SAMPLED_MESSAGES_RECEIVED,
    XTF_N_SAMPLED_MESSAGES,
};

typedef struct {
    uint64_t times[XTF_N_SAMPLED_TIMES]; /* ticks */
    uint64_t messages[XTF_N_SAMPLED_MESSAGES];
    uint64_t sent_so_far; /* bytes, from the beginning of the trace to the end of the window */
    uint64_t tasks[XTF_N_TASK_STATES];
} XtfTaskFigures;

/* The samples that a trace has. */
typedef struct {
    bool has_times, has_messages, has_tasks;
    XtfSamples times, messages, states;
    XtfLocationArrays arrays; /* of the current location */
} XtfTaskSamples;

/* True if the trace has samples. Allocates nothing. */
bool xtf_task_samples_find(XtfTaskSamples *samples, const XtfTraceContext *context);
void xtf_task_samples_finish(XtfTaskSamples *samples); /* all zeros is fine */
/* Adds up the figures of a process in [from, to). */
bool xtf_task_samples_of(XtfTaskSamples *samples, const XtfTraceContext *context, const XtfSelectedLocations *selected,
                         const XtfSelectedProcess *proc, uint64_t from, uint64_t to, XtfTaskFigures *figures,
                         GError **error);
