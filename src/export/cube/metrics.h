/*
 * The table of metrics: Scalasca's names, so that Cube and the tools over it know them; and what is added up for each.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    XTF_CUBE_COUNT,   /* a whole number */
    XTF_CUBE_BYTES,   /* the same */
    XTF_CUBE_SECONDS, /* added up in ticks */
} XtfCubeUnit;

/* METRIC(TAG, unique name, parent's TAG or NONE, unit, name, description). Of `time` rows are sums over what is called
 * from a path; of all others they are of the path alone. A parent comes before its children, and its values have theirs
 * in it. */
/* clang-format off */
#define XTF_CUBE_METRICS(METRIC)                                                                                       \
    METRIC(TIME, "time", NONE, SECONDS, "Time", "Total time")                                                          \
    METRIC(VISITS, "visits", NONE, COUNT, "Visits", "Number of visits")                                                \
    METRIC(SYNCS_SEND, "syncs_send", NONE, COUNT, "P2P send synchronizations", "Messages of no bytes sent")            \
    METRIC(SYNCS_RECV, "syncs_recv", NONE, COUNT, "P2P receive synchronizations", "Messages of no bytes received")     \
    METRIC(SYNCS_COLL, "syncs_coll", NONE, COUNT, "Collective synchronizations", "Collective operations that neither send nor receive") \
    METRIC(COMMS_SEND, "comms_send", NONE, COUNT, "P2P send communications", "Messages sent")                          \
    METRIC(COMMS_RECV, "comms_recv", NONE, COUNT, "P2P receive communications", "Messages received")                   \
    METRIC(COMMS_CXCH, "comms_cxch", NONE, COUNT, "Collective exchange communications", "Collective operations that send and receive") \
    METRIC(COMMS_CSRC, "comms_csrc", NONE, COUNT, "Collective communications as source", "Collective operations that send alone") \
    METRIC(COMMS_CDST, "comms_cdst", NONE, COUNT, "Collective communications as destination", "Collective operations that receive alone") \
    METRIC(COMMS_PUTS, "comms_rma_puts", NONE, COUNT, "One-sided put communications", "Puts")                          \
    METRIC(COMMS_GETS, "comms_rma_gets", NONE, COUNT, "One-sided get communications", "Gets")                          \
    METRIC(COMMS_ATOMICS, "comms_rma_atomics", NONE, COUNT, "One-sided atomic communications", "Atomic operations")    \
    METRIC(BYTES_SENT, "bytes_sent", NONE, BYTES, "P2P bytes sent", "Bytes of messages sent")                          \
    METRIC(BYTES_RCVD, "bytes_rcvd", NONE, BYTES, "P2P bytes received", "Bytes of messages received")                  \
    METRIC(BYTES_COUT, "bytes_cout", NONE, BYTES, "Collective bytes outgoing", "Bytes sent by collective operations")  \
    METRIC(BYTES_CIN, "bytes_cin", NONE, BYTES, "Collective bytes incoming", "Bytes received by collective operations") \
    METRIC(BYTES_PUT, "bytes_put", NONE, BYTES, "One-sided bytes sent", "Bytes of puts")                               \
    METRIC(BYTES_GET, "bytes_get", NONE, BYTES, "One-sided bytes received", "Bytes of gets")
/* clang-format on */

enum {
    XTF_CUBE_NONE = -1,
#define XTF_CUBE_TAG(TAG, ...) XTF_CUBE_##TAG,
    XTF_CUBE_METRICS(XTF_CUBE_TAG) XTF_N_CUBE_METRICS,
#undef XTF_CUBE_TAG
};

typedef struct {
    const char *unique;
    int parent; /* XTF_CUBE_...; XTF_CUBE_NONE */
    XtfCubeUnit unit;
    const char *name, *description;
} XtfCubeMetric;

extern const XtfCubeMetric xtf_cube_metrics[XTF_N_CUBE_METRICS];

/* Whether rows are sums over the call tree, so Cube's INCLUSIVE. */
static inline bool xtf_cube_metric_is_inclusive(unsigned metric)
{
    return metric == XTF_CUBE_TIME;
}
