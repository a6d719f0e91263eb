/*
 * The prediction of a recorded run on another machine: docs/PREDICT.md.
 *
 * A replay of the trace makes a program (extract.h), and the engine computes its times on a machine, any number of
 * times. Computing in calls of some regions may take longer or shorter than recorded.
 *
 * A prediction in which messages take no time has the times of the ideal run (src/analysis/ideal). All locations begin
 * at 0.
 *
 * One thread uses a prediction.
 */
#pragma once

#include "src/analysis/predict/engine.h"
#include "src/analysis/predict/extract.h"

typedef struct XtfPredict XtfPredict;

/* Reads a trace. `factors`: see XtfReplayOptions; borrowed until the prediction is freed. Borrows the trace.
 * XTF_ERROR_UNSUPPORTED for joined runs, traces without their first volumes, and clocks of bytes. `steps` may be NULL,
 * here and below. */
XtfPredict *xtf_predict_new(XtfTrace *trace, const uint32_t *factors, XtfSteps *steps, GError **error);
void xtf_predict_free(XtfPredict *predict); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfPredict, xtf_predict_free)

/* Returns the replay of the trace, and the results of its run. Both are borrowed. */
XtfReplay *xtf_predict_replay(const XtfPredict *predict);
const XtfExtraction *xtf_predict_extraction(const XtfPredict *predict);
/* Returns the program, with the factors of regions. Borrowed. */
const XtfRunProgram *xtf_predict_program(const XtfPredict *predict);

/* Returns the first location of a process, both by their numbers. */
uint32_t xtf_predict_first_location(const XtfPredict *predict, uint32_t process);

/* Returns seconds in parts of a tick. */
double xtf_predict_parts(const XtfPredict *predict, double seconds);
/* Returns the network that the trace shows (estimate.h), without overhead, and with eager messages below 64 KiB. With
 * processes on one node, too. *found: the trace has messages; otherwise the network is ideal. */
XtfMachine xtf_predict_estimated(const XtfPredict *predict, bool *found);

/* Computes the run on a machine; see xtf_predict_run(). */
bool xtf_predict_compute(XtfPredict *predict, const XtfMachine *machine, const uint64_t *factors, XtfSteps *steps,
                         XtfPrediction *prediction, GError **error);
/* Computes the run as it was recorded, without factors, on a machine. */
bool xtf_predict_baseline(XtfPredict *predict, const XtfMachine *machine, XtfSteps *steps, XtfPrediction *prediction,
                          GError **error);

/* A process of a prediction: the times of its location that ends last, in ticks, rounded down. */
typedef struct {
    uint64_t proc;
    uint64_t recorded; /* time of that location from its first to its last record, without MPI_Init and MPI_Finalize */
    uint64_t predicted, computing, waiting, transfer, overhead;
} XtfPredictedProcess;

/* Finds the times of a process, by its number. */
XtfPredictedProcess xtf_predicted_process(const XtfPredict *predict, const XtfPrediction *prediction, uint32_t number);
