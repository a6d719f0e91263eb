/*
 * The report of a prediction.
 */
#pragma once

#include "src/analysis/predict/predict.h"

typedef struct {
    const XtfPredict *predict;
    XtfTrace *trace;
    const XtfMachine *machine, *estimated;
    const XtfPrediction *prediction, *baseline;
    bool is_estimated; /* the trace has messages, which show its network */
} XtfPredictReport;

/* Prints the machine and the table on standard output, and on standard error what the model leaves out. */
bool xtf_predict_print(const XtfPredictReport *report, GError **error);
