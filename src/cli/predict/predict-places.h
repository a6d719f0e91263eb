/*
 * Where processes of a prediction run: a map of nodes, and a measured network.
 */
#pragma once

#include "src/analysis/predict/predict.h"

enum { XTF_PREDICT_NODES_MAX = 1 << 20 };

/* Reads a map: lines "PROCESS NODE", and comments from # on. *nodes are by number of the process in the prediction; the
 * caller frees it. Fails unless each process has one line. A node is a number below XTF_PREDICT_NODES_MAX. */
bool xtf_predict_read_map(const XtfPredict *predict, const char *path, uint32_t **nodes, GError **error);

/* Latency and time per byte of each pair of processors of a measured network. */
typedef struct {
    XtfLinkTimes *pairs; /* [from * n + to] */
    uint32_t n;
    XtfLinkTimes mean; /* of all measured pairs of different processors; pairs that were not measured have it */
} XtfPredictNetwork;

/* Reads a network (docs/NETWORK.md): the file `fit` of its tree. */
bool xtf_predict_read_network(const XtfPredict *predict, const char *path, XtfPredictNetwork *network, GError **error);
void xtf_predict_network_finish(XtfPredictNetwork *network); /* accepts zeros */
