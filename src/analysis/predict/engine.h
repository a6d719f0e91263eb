/*
 * The engine of predictions: computes when the locations of a program do its operations on a machine.
 *
 * Time passes for a location only while it computes, and as the model says (LogGP with rendezvous):
 * - A send of b bytes keeps the sender busy for the overhead o. The message starts then if it is eager; else when both
 *   the sender has got so far and its receive is posted. After the latency its bytes flow, for b times the time per
 *   byte, or longer if they share links (flows.h).
 * - A receive ends at the arrival, or at once if that is past, and o later.
 * - A sender waits for the arrival of a message that is not eager: in a blocking send, or at its completion.
 * - Messages of a process to itself take no time.
 * - Collective operations: collective-rounds.h, or a formula (engine-operations.c).
 *
 * Locations run until they wait. Without contention that is all, since times do not depend on the order of work. With
 * contention the engine goes from one begin or end of a flow to the next. Both find the same operations in the same
 * order at each location.
 *
 * Memory: what is in flight, and a buffer for each location. A location that has sent much more than was received waits
 * for the others.
 *
 * One thread uses an engine.
 */
#pragma once

#include "src/analysis/predict/machine.h"
#include "src/analysis/predict/program.h"
#include "src/analysis/steps/steps.h"

/* The time of a location, in parts of a tick. `end` is the sum of the others. */
typedef struct {
    uint64_t end;
    uint64_t computing;
    uint64_t waiting;  /* for other locations: to send, to post, to begin an operation */
    uint64_t transfer; /* for messages under way */
    uint64_t overhead;
} XtfPredictedTimes;

typedef struct {
    XtfPredictedTimes *locations; /* owned */
    uint32_t n_locations;
    uint64_t messages, operations;
    uint64_t overtaking;    /* receives whose message another one of the location's receives may overtake */
    uint64_t forced_sends;  /* sends that would have waited for ever for their receive, and were treated as eager */
    uint64_t forced_others; /* other waits that would have lasted for ever, and ended at once */
} XtfPrediction;

void xtf_prediction_finish(XtfPrediction *prediction); /* accepts zeros */

/* Gets the times of a location, in the order of its records. */
typedef struct {
    void *data;
    /* From record `seq` on, the location's time is its time of computing, by the factor of its process, plus `shift`
     * parts. Later calls for the same record replace earlier ones. */
    bool (*shift)(void *data, uint32_t location, uint64_t seq, uint64_t shift, GError **error);
} XtfPredictionConsumer;

/* Computes the times of a program on a machine. `factors`, by process, are lengths of a tick of computing in parts of
 * 2^-20; NULL: all 1. `consumer` and `steps` may be NULL. The caller finishes the prediction. */
bool xtf_predict_run(const XtfRunProgram *program, const XtfMachine *machine, const uint64_t *factors,
                     const XtfPredictionConsumer *consumer, XtfSteps *steps, XtfPrediction *prediction, GError **error);
/* Returns a time of computing as a program has it, in parts, by a factor. */
uint64_t xtf_predict_computing(const XtfRunProgram *program, uint64_t computing, uint64_t factor);
