/*
 * Messages and bytes that processes sent and received, and what they moved in collective operations.
 */
#pragma once

#include "src/tables/totals/location-totals.h"

enum { XTF_MOVED_SENDS, XTF_MOVED_RECVS, XTF_MOVED_COLLECTIVES, XTF_N_MOVED };

/* Bytes are added modulo 2^64. Only collective operations have `received`. */
typedef struct {
    uint64_t rows, bytes, received;
} XtfMoved;

/* The aggregates of the types, all zeros for those without. */
void xtf_message_totals_find(const XtfTraceContext *context, XtfAggregateRef refs[static XTF_N_MOVED]);
/* Whether a selection may have rows of one of them. */
bool xtf_message_totals_exist(const XtfTraceContext *context, const XtfSelection *selection);

typedef struct {
    XtfTraceContext *context; /* borrowed */
    XtfAggregateRef refs[XTF_N_MOVED];
    XtfLocationTotals totals[XTF_N_MOVED];
    XtfLocationArrays arrays;
} XtfMessageTotals;

/* Borrows the selection. */
bool xtf_message_totals_init(XtfMessageTotals *messages, XtfTraceContext *context, const XtfSelection *selection,
                             GError **error);
void xtf_message_totals_finish(XtfMessageTotals *messages); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfMessageTotals, xtf_message_totals_finish)

/* What a process, one of the selection's, moved in the selection. */
bool xtf_message_totals_of(XtfMessageTotals *messages, const XtfSelectedLocations *selected,
                           const XtfSelectedProcess *proc, XtfMoved moved[static XTF_N_MOVED], GError **error);
