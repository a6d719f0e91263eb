/*
 * A run replayed on another network: computing takes as long as it did, and what messages and operations take, a model
 * says.
 *
 * The clock of a location goes on while no region of MPI is on top of its stack. A send takes its value along; a
 * receive is over when the model says so, of the clocks of both sides at their records, and the end of an operation by
 * the clocks of the members that it needs. All clocks begin at 0. Source of the idea: Dimemas.
 */
#pragma once

#include "src/analysis/replay/replay.h"

/* When a location may go on, in ticks of the run on the model's network. Each function gets clocks as they were at the
 * records, before any waiting there. */
typedef struct {
    void *data;
    /* A receive, at `receive`, of a message that was sent at `send`. */
    uint64_t (*receive)(void *data, uint64_t send, uint64_t receive, uint64_t bytes);
    /* The end of an operation, at a member's own `end`; `latest` is the greatest clock of the beginnings that it needs.
     */
    uint64_t (*end)(void *data, uint64_t latest, uint64_t end, const XtfReplayCollective *collective);
} XtfNetworkModel;

/* The ideal network: no latency, and bandwidth without end. */
extern const XtfNetworkModel xtf_ideal_network;

/* A location waits. */
typedef struct {
    uint64_t time, seq; /* of the record that waits */
    uint64_t waited;    /* ticks */
    uint64_t clock;     /* after it */
    uint32_t region;    /* of its call; UINT32_MAX: none */
} XtfNetworkWait;

typedef struct {
    void *data;
    /* Of a location, by its index; in the order of its records. */
    bool (*wait)(void *data, uint32_t location, const XtfNetworkWait *wait, GError **error);
} XtfNetworkConsumer;

/* A run on a network, beside whatever else the run of a replay is for. */
typedef struct XtfNetworkRun XtfNetworkRun;

/* Borrows all three, until the end; the replay is one with calls. */
XtfNetworkRun *xtf_network_run_new(XtfReplay *replay, const XtfNetworkModel *model, const XtfNetworkConsumer *consumer);
void xtf_network_run_free(XtfNetworkRun *run); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfNetworkRun, xtf_network_run_free)
/* What the replay is run with, once: it has `send`, `begin`, `receive`, `probe` and `end`. Borrowed from the run. */
const XtfReplayConsumer *xtf_network_run_consumer(const XtfNetworkRun *run);
/* After the replay's run. *end is the clock of the location that ends last; fails if a wait could not be taken. */
bool xtf_network_run_end(XtfNetworkRun *run, uint64_t *end, GError **error);
