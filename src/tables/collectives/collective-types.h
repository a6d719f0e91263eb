/*
 * The record type of collective operations, and filters for the records of one communicator.
 */
#pragma once

#include "libxtf/group-filter.h"
#include "src/model/collective-shape.h"
#include "src/trace/context/trace-context.h"

/* Each member of a blocking operation records its begin and its end; of a non-blocking one, its request and its
 * completion. */
typedef enum {
    XTF_COLLECTIVE_BEGIN,
    XTF_COLLECTIVE_END,
    XTF_COLLECTIVE_REQUEST,
    XTF_COLLECTIVE_COMPLETE,
    XTF_COLLECTIVE_N_EVENTS,
    XTF_COLLECTIVE_OTHER = XTF_COLLECTIVE_N_EVENTS,
} XtfCollectiveEvent;

typedef struct {
    const XtfSchema *schema; /* NULL: the trace has none, or keeps no totals of them by event and communicator */
    unsigned aggregate;      /* number of the aggregate of groups with these keys: */
    unsigned event_key, comm_key;
    const XtfField *event, *operation, *comm, *root, *bytes, *received;
    const XtfField *request, *seq, *n_to_n; /* may be NULL */
} XtfCollectiveTypes;

void xtf_collective_types_find(XtfCollectiveTypes *types, const XtfTraceContext *context);

XtfCollectiveEvent xtf_collective_event(const XtfCollectiveTypes *types, const uint8_t *row);

/* Returns the shape of an operation, a value of the field `operation`. */
XtfCollectiveShape xtf_collective_shape_of(const XtfCollectiveTypes *types, uint64_t operation);

/* A filter for the records of one event in one communicator. `filter` borrows the XtfCollectiveFilter. */
typedef struct {
    const XtfCollectiveTypes *types;
    uint64_t event; /* the value of its label; UINT64_MAX: no record has it */
    uint64_t comm;
    bool any_comm;
    XtfGroupFilter filter;
} XtfCollectiveFilter;

void xtf_collective_filter_init(XtfCollectiveFilter *wanted, const XtfCollectiveTypes *types, XtfCollectiveEvent event,
                                const uint64_t *comm); /* NULL: of all communicators */
