/*
 * Messages on their way at the end of a trace, open requests of receives, and how many collective operations each
 * process has ended.
 *
 * They come from the totals of whole arrays in the index. Messages and requests are counted for receivers of messages
 * that a thread waits for, and operations for communicators in which a process waits.
 */
#pragma once

#include "src/tables/waiting/open-calls.h"

typedef struct {
    GHashTable *messages;    /* messages on their way, by communicator, sender, receiver and tag */
    GHashTable *by_receiver; /* arrays of these messages, by process of the receiver */
    GHashTable *posted;      /* receives that were posted by requests and have not ended, by process */
    GHashTable *unrecorded;  /* calls that make a request, less the records of requests, by process */
    GHashTable *operations;  /* ended operations, by communicator and process */
} XtfExchangeCounts;

bool xtf_exchange_counts_init(XtfExchangeCounts *counts, XtfTraceContext *context, const XtfOpenCalls *calls,
                              GError **error);
void xtf_exchange_counts_finish(XtfExchangeCounts *counts); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfExchangeCounts, xtf_exchange_counts_finish)

/* True if a message is on its way that a receive of process `receiver` accepts: more were sent than received. Its peer
 * and its tag may be any. */
bool xtf_exchange_is_under_way(const XtfExchangeCounts *counts, const XtfAwaited *receive, uint64_t receiver);
/* True if process `sender` has sent messages with the envelope of a send, and all of them were received. */
bool xtf_exchange_is_received(const XtfExchangeCounts *counts, const XtfAwaited *send, uint64_t sender);
/* Returns how many requests of a process may be receives that have not ended. Cancelled ones count, too. */
uint64_t xtf_exchange_posted(const XtfExchangeCounts *counts, uint64_t proc);
/* True if the trace has a record of each request that a process has made. False for a process that makes requests that
 * are persistent, of windows or files, or from or to MPI_PROC_NULL. */
bool xtf_exchange_knows_requests(const XtfExchangeCounts *counts, uint64_t proc);
/* Returns how many blocking collective operations of a communicator a process has ended. */
uint64_t xtf_exchange_operations(const XtfExchangeCounts *counts, uint64_t comm, uint64_t proc);
