/*
 * The machine that a run is predicted for: its network, and which processes share a node.
 *
 * Times are in parts of a tick, XTF_PREDICT_PARTS to a tick, so that latencies below a tick count.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { XTF_PREDICT_PARTS = 1024 };

/* The times of messages between two processes. */
typedef struct {
    uint64_t latency; /* parts */
    double per_byte;  /* parts a byte; 0: infinite bandwidth */
} XtfLinkTimes;

typedef struct {
    XtfLinkTimes remote;   /* between nodes */
    XtfLinkTimes local;    /* within a node */
    uint64_t overhead;     /* parts in which the sender, or the receiver, of a message is busy */
    uint64_t eager;        /* messages of fewer bytes are eager: they do not wait for their receive. UINT64_MAX: all */
    bool contention;       /* each node has a link to the network and one from it, which messages share fairly */
    bool formula;          /* collective operations take the time of a formula, not of their messages */
    const uint32_t *nodes; /* numbers, by process; NULL: each process has a node. Borrowed */
    const XtfLinkTimes *pairs; /* [from * n_pairs + to], by node, in place of `remote`; NULL: none. Borrowed */
    uint32_t n_pairs;          /* nodes of `pairs` */
} XtfMachine;

static inline uint32_t xtf_machine_node(const XtfMachine *machine, uint32_t process)
{
    return machine->nodes ? machine->nodes[process] : process;
}

/* Returns the times of messages between two processes, which are different ones. */
static inline XtfLinkTimes xtf_machine_link(const XtfMachine *machine, uint32_t from, uint32_t to)
{
    uint32_t source = xtf_machine_node(machine, from), target = xtf_machine_node(machine, to);

    if (source == target)
        return machine->local;
    if (machine->pairs && source < machine->n_pairs && target < machine->n_pairs)
        return machine->pairs[(uint64_t)source * machine->n_pairs + target];
    return machine->remote;
}

/* Returns the parts that bytes take on a link which they do not share. */
static inline uint64_t xtf_link_parts(const XtfLinkTimes *link, uint64_t bytes)
{
    return (uint64_t)(link->per_byte * (double)bytes + 0.5);
}

/* True if no message takes any time. A collective operation then waits only for the members that it needs. */
bool xtf_machine_is_ideal(const XtfMachine *machine);
