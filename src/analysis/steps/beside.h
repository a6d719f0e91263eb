/*
 * A step of an analysis that another thread does beside the steps that follow.
 *
 * The thread is one of the pool (src/trace/select/parallel.h). If it is busy, the caller does the step when it needs
 * the result; if there is no pool, at once. So the order in which steps write rows must not depend on the thread: until
 * xtf_beside_finish() returns, no other step writes.
 */
#pragma once

#include "src/analysis/steps/steps.h"
#include "src/trace/select/parallel.h"

/* The work. It reports its progress to `steps`, and returns false if it failed or was cancelled. */
typedef bool (*XtfBesideRun)(void *data, XtfSteps *steps, GError **error);

/* State of a step. Zeros: none was started. It must not move until xtf_beside_finish() returns. */
typedef struct {
    XtfBesideRun run;
    void *data;
    XtfSteps steps;        /* of the work */
    const XtfSteps *shown; /* of the caller */
    atomic_bool is_shown;  /* the caller waits: the progress of the work is that of the analysis */
    XtfParallelWork work;
    XtfJob *job; /* NULL: not started, or finished */
} XtfBeside;

/* Starts the step. `steps` shows its progress only while xtf_beside_finish() waits; cancelling `steps` cancels it, too.
 * Fails only if there is no pool, and the step fails. */
bool xtf_beside_start(XtfBeside *beside, const XtfSteps *steps, XtfBesideRun run, void *data, GError **error);
/* Ends the step: waits for it, or does it. Returns what the work returned; true if it has ended, or was not started. */
bool xtf_beside_finish(XtfBeside *beside, GError **error);
