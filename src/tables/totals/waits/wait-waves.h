/*
 * Idle waves: waiting that travels from process to process (Afzal, Hager, Wellein: Propagation and decay of injected
 * one-off delays on clusters, IEEE CLUSTER 2019). A wave is a chain of waits (wave-chains.h).
 *
 * Its speed is how far it came, in ranks, by the time from the begin of its first wait to the begin of its last one. In
 * the paper's model, of processes that compute and then exchange messages with neighbours, again and again, a wave has
 * the speed
 *
 *     v = sigma d / (T_exec + T_comm) ranks/s
 *
 * with the distance d of the farthest neighbour, and the time of an undisturbed iteration below the line. sigma is 2 if
 * messages go both ways and a send waits for its receive (rendezvous), else 1. Here d is the longest step of the wave.
 * The time of an iteration is that from the begin of the receive before, of the same sender, communicator and tag, to
 * the begin of the wait, less what was waited in between: the mean of up to 16 waits of the wave. sigma is taken as 1,
 * since a trace does not say which protocol a message took.
 *
 * Processes stand in a ring: a step is as long as the shorter way round.
 */
#pragma once

#include "src/tables/totals/waits/wave-chains.h"

typedef struct {
    XtfWaitChain chain;
    uint64_t last_begin, last_end; /* of its last wait */
    uint64_t kind, region;         /* of its first wait, as the fields hold them */
    uint32_t n_procs;
    uint64_t ranks; /* how far it came */
    uint64_t longest_step;
    bool of_messages; /* all its waits are for messages */
    double iteration; /* ticks; 0: not known */
} XtfWaitWave;

/* What there is to know of a chain, whose waits are read once more. */
bool xtf_wait_wave_measure(XtfWaitWave *wave, const XtfWaitChain *chain, XtfTraceContext *context,
                           const XtfWaitFields *fields, GError **error);
/* Ranks per second; false if it cannot be said. */
bool xtf_wait_wave_speed(const XtfWaitWave *wave, const XtfTimeScale *scale, double *speed);
bool xtf_wait_wave_expected(const XtfWaitWave *wave, const XtfTimeScale *scale, double *speed);
