/*
 * The times of all records in a prediction, for a copy of the trace.
 *
 * All locations begin at the time of the trace's first record. A record has the clock of its location: computing,
 * waits and overheads up to it. The record of a send has the clock before
 * the send.
 */
#pragma once

#include "src/analysis/compensate/new-times.h"
#include "src/analysis/predict/predict.h"

typedef struct XtfPredictedRun XtfPredictedRun;

/* Computes the run on a machine, with the times of its records; see xtf_predict_run(). Borrows `predict`, and `factors`
 * until the run is freed. */
XtfPredictedRun *xtf_predicted_run_new(XtfPredict *predict, const XtfMachine *machine, const uint64_t *factors,
                                       XtfSteps *steps, XtfPrediction *prediction, GError **error);
void xtf_predicted_run_free(XtfPredictedRun *run); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfPredictedRun, xtf_predicted_run_free)
/* Returns the times, which borrow the run. XTF_ERROR_UNSUPPORTED when they are visited, if records of some type have no
 * numbers. */
XtfNewTimes xtf_predicted_run_times(const XtfPredictedRun *run);
