/*
 * A run replayed on another network. Computing takes as long as in the trace; a model gives the time of messages and
 * operations.
 *
 * The clock of a location advances while no region of MPI is on top of its stack. A send stores its clock. A model
 * computes the end of a receive from the clocks of both sides at their records. It computes the end of an operation
 * from the clocks of the members that it needs. All clocks begin at 0. Source of the idea: Dimemas.
 */
#pragma once

#include "src/analysis/replay/replay.h"

/* A network model: returns the clock at which a location continues, in ticks of the replayed run. The functions get the
 * clocks at the records, before any wait there. */
typedef struct {
    void *data;
    /* A receive, at `receive`, of a message that was sent at `send`. */
    uint64_t (*receive)(void *data, uint64_t send, uint64_t receive, uint64_t bytes);
    /* The end of an operation, at a member's own `end`. `latest` is the greatest clock of the begins that it needs. */
    uint64_t (*end)(void *data, uint64_t latest, uint64_t end, const XtfReplayCollective *collective);
} XtfNetworkModel;

/* The ideal network: no latency, and infinite bandwidth. */
extern const XtfNetworkModel xtf_ideal_network;

/* A wait of a location that the run on the network finds. */
typedef struct {
    uint64_t time, seq; /* of the record that waits */
    uint64_t waited;    /* ticks */
    uint64_t clock;     /* clock after the wait */
    uint32_t region;    /* region of its call; UINT32_MAX: none */
} XtfNetworkWait;

typedef struct {
    void *data;
    /* Gets the waits of a location, given by its index, in the order of its records. Called in the thread of the
     * location's share, if the run of the replay has several. */
    bool (*wait)(void *data, uint32_t location, const XtfNetworkWait *wait, GError **error);
} XtfNetworkConsumer;

/* A run on a network. The same run of the replay may also serve other consumers. */
typedef struct XtfNetworkRun XtfNetworkRun;

/* Creates a run on a network. Borrows its arguments until the run is freed; the replay must have calls. */
XtfNetworkRun *xtf_network_run_new(XtfReplay *replay, const XtfNetworkModel *model, const XtfNetworkConsumer *consumer);
void xtf_network_run_free(XtfNetworkRun *run); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfNetworkRun, xtf_network_run_free)
/* Returns the consumer for exactly one run of the replay: it has `send`, `begin`, `receive`, `probe` and `end`.
 * Borrowed from the run. */
const XtfReplayConsumer *xtf_network_run_consumer(const XtfNetworkRun *run);
/* Ends the run, after the replay's run. *end: the clock of the location that ends last. Fails if the consumer
 * failed. */
bool xtf_network_run_end(XtfNetworkRun *run, uint64_t *end, GError **error);
