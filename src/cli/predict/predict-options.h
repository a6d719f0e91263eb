/*
 * The options of xtf predict, as a machine and factors.
 */
#pragma once

#include "src/analysis/predict/predict.h"
#include "src/cli/predict/predict-places.h"

/* The options as they were typed; NULL: not given. */
typedef struct {
    char *latency, *bandwidth, *overhead, *eager, *local_latency, *local_bandwidth, *contention, *collectives, *map,
        *network;
    char **cpu, **regions; /* NULL-terminated */
} XtfPredictTexts;

void xtf_predict_texts_finish(XtfPredictTexts *texts);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfPredictTexts, xtf_predict_texts_finish)

/* Factors of computing, in parts of 2^-20. */
enum { XTF_FACTOR_ONE = 1 << 20 };

/* Finds the factors of regions by "NAME=FACTOR". *factors, by region, is NULL if the texts are; the caller frees it.
 * XTF_ERROR_INVALID if a text cannot be read, or no region has the name. */
bool xtf_predict_region_factors(XtfTrace *trace, char **texts, uint32_t **factors, GError **error);
/* Finds the factors of processes by "FACTOR" or "PROCESSES=FACTOR". *factors, by number of the process in the
 * prediction, is NULL if the texts are; the caller frees it. */
bool xtf_predict_process_factors(const XtfPredict *predict, char **texts, uint64_t **factors, GError **error);
/* The places of processes and the network that the options name; a machine borrows them. */
typedef struct {
    uint32_t *nodes;
    XtfPredictNetwork network;
} XtfPredictPlaces;

void xtf_predict_places_finish(XtfPredictPlaces *places); /* accepts zeros */
/* Changes a machine as the options say. The caller finishes the places, also after an error. */
bool xtf_predict_machine(const XtfPredict *predict, const XtfPredictTexts *texts, XtfPredictPlaces *places,
                         XtfMachine *machine, GError **error);
