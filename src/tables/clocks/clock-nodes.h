/*
 * The clocks of nodes, as the recorder has read them, and the messages that contradict them before and after they were
 * corrected.
 */
#pragma once

#include "src/analysis/align/node-clocks.h"
#include "src/tables/clocks/clock-check.h"

/* The time from a reading of a node's clock to the next one, and messages of the node's processes with other nodes. */
typedef struct {
    uint64_t judged;
    uint64_t before; /* messages received before they were sent, by the clocks as recorded */
    uint64_t after;  /* the same, by the clocks of the trace */
} XtfClockSection;

typedef struct {
    XtfNodeClocks nodes;
    XtfClockSection *sections; /* of all readings, in the order of clocks and of their readings */
    uint64_t n;                /* number of readings */
} XtfClockNodes;

/* Reads the clocks of nodes; a trace without readings has none. */
bool xtf_clock_nodes_init(XtfClockNodes *clocks, XtfTrace *trace, GError **error);
/* Counts the messages of all sections. In a large trace they are a sample, as in a check of clocks. */
bool xtf_clock_nodes_count(XtfClockNodes *clocks, XtfClockCheck *check, GError **error);
/* Returns a sentence without a period on the clocks that the recorder has read, with these counts. NULL: it has read
 * none, or they cannot be read. The caller frees it. */
char *xtf_clock_nodes_sentence(XtfClockCheck *check);
void xtf_clock_nodes_finish(XtfClockNodes *clocks); /* accepts zeros */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfClockNodes, xtf_clock_nodes_finish)
