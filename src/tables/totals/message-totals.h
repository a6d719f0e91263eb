/*
 * Messages and bytes that processes sent and received, also in collective operations.
 */
#pragma once

#include "src/tables/totals/location-totals.h"

enum { XTF_MOVED_SENDS, XTF_MOVED_RECVS, XTF_MOVED_COLLECTIVES, XTF_N_MOVED };

/* Counts; bytes are summed modulo 2^64. Only collective operations have `received`. */
typedef struct {
    uint64_t rows, bytes, received;
} XtfMoved;

/* Finds the aggregates of the three record types; all zeros for types without one. */
void xtf_message_totals_find(const XtfTraceContext *context, XtfAggregateRef refs[static XTF_N_MOVED]);
/* True if a selection may have rows of one of these types. */
bool xtf_message_totals_exist(const XtfTraceContext *context, const XtfSelection *selection);

typedef struct {
    XtfTraceContext *context; /* borrowed */
    XtfAggregateRef refs[XTF_N_MOVED];
    XtfLocationTotals totals[XTF_N_MOVED];
    XtfLocationArrays arrays;
} XtfMessageTotals;

/* Initializes totals that borrow the selection. */
bool xtf_message_totals_init(XtfMessageTotals *messages, XtfTraceContext *context, const XtfSelection *selection,
                             GError **error);
void xtf_message_totals_finish(XtfMessageTotals *messages); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfMessageTotals, xtf_message_totals_finish)

/* Sums the messages and bytes of a process, one of the selection's, in the selection. */
bool xtf_message_totals_of(XtfMessageTotals *messages, const XtfSelectedLocations *selected,
                           const XtfSelectedProcess *proc, XtfMoved moved[static XTF_N_MOVED], GError **error);
