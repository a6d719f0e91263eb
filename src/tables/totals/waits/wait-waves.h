/*
 * Idle waves: waiting that travels from process to process (Afzal, Hager, Wellein: Propagation and decay of injected
 * one-off delays on clusters, IEEE CLUSTER 2019). A wave is a chain of waits (wave-chains.h).
 *
 * Its speed is its distance in ranks, divided by the time from the begin of its first wait to the begin of its last
 * one. In the paper's model, processes compute and exchange messages with neighbours in turn. A wave then has the speed
 *
 *     v = sigma d / (T_exec + T_comm) ranks/s
 *
 * with the distance d of the farthest neighbour. The denominator is the time of an undisturbed iteration. The factor
 * sigma is 2 if messages go both ways and a send waits for its receive (rendezvous), else 1. Here, d is the longest
 * step of the wave, and sigma is 1, since a trace does not record a message's protocol. The time of an iteration is the
 * mean over up to 16 waits of the wave. For each wait, it is the time since the previous receive of the same sender,
 * communicator and tag, less the waits in between.
 *
 * Processes form a ring: the length of a step is the shorter way round.
 */
#pragma once

#include "src/tables/totals/waits/wave-chains.h"

typedef struct {
    XtfWaitChain chain;
    uint64_t last_begin, last_end; /* begin and end of its last wait */
    uint64_t kind, region;         /* of its first wait, as the fields hold them */
    uint32_t n_procs;
    uint64_t ranks; /* how many ranks apart the first and last process are */
    uint64_t longest_step;
    bool of_messages; /* true if all its waits are for messages */
    double iteration; /* ticks; 0: unknown */
} XtfWaitWave;

/* Measures a chain. Reads its waits once more. */
bool xtf_wait_wave_measure(XtfWaitWave *wave, const XtfWaitChain *chain, XtfTraceContext *context,
                           const XtfWaitFields *fields, GError **error);
/* Computes the speed in ranks per second. Returns false if it is undefined. */
bool xtf_wait_wave_speed(const XtfWaitWave *wave, const XtfTimeScale *scale, double *speed);
bool xtf_wait_wave_expected(const XtfWaitWave *wave, const XtfTimeScale *scale, double *speed);
