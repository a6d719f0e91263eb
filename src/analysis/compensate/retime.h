/*
 * The times of a run without its probes: local times (walk.h), with waits computed anew.
 *
 * Two runs of a replay give the times, in the recorded matching. The first one finds what messages take at least
 * (transfers.h). The second one goes from cause to effect. At the first completion of a run of completions (marks.h)
 *
 *     LT = max(LT(begin) + receive, LT(send) + transfer, ...), over all messages that the run receives
 *
 * - If the recorded call waited, the transfer of the message that arrived last is recorded: the ticks from its send to
 *   the completion. `receive` is the least that is known of such messages.
 * - If the recorded call did not wait, `receive` is the recorded section.
 * - The transfer of all other messages is the least that is known, or less if they arrived sooner.
 * - The end of a collective operation: LT = max(LT(begin), latest LT of the begins that it needs) + T. T is the
 * recorded time since both. MPI_Finalize is such an operation if no process left it before the last one entered it.
 *
 * Without costs all times are the recorded ones, except for receives that were recorded before their sends.
 */
#pragma once

#include "src/analysis/compensate/marks.h"
#include "src/analysis/compensate/transfers.h"
#include "src/analysis/replay/replay.h"

/* A send or a begin: recorded and new time. In the first run of the replay, `time` is the begin of the call of a send.
 * `local` is the end of the call if it is a blocking one, else 0. */
typedef struct {
    uint64_t done, local; /* recorded: after its probe; new */
    uint64_t time;        /* recorded */
    uint32_t process;
    uint32_t next; /* next free entry */
} XtfSent;

/* The run of completions that a location is in. */
typedef struct {
    bool open, has_message, has_operation;
    XtfMark first;
    uint64_t arrival;                /* latest recorded arrival of a message */
    uint64_t sent_done, sent_local;  /* of that message: recorded and new send */
    uint64_t least;                  /* least new time, by all other messages */
    uint64_t last_transfer, receive; /* what that message takes at least; what receiving takes */
    uint64_t operation_done, operation_local;
    /* In the first run of the replay: its last message, and whether it waited for any. */
    uint32_t sender, receiver;
    uint64_t bytes;
    bool waited;
} XtfCompletionRun;

/* MPI_Finalize of a location. */
typedef struct {
    bool entered, left;
    uint64_t enter_local, enter_done, leave_time;
    XtfMark wait; /* the end of its longest section, where it waits for the others */
} XtfFinalCall;

enum { XTF_RECEIVES_COMPARED = 8 };

/* A receive, for order.h. */
typedef struct {
    uint64_t seq, sent_time, sent_local;
    uint32_t comm, tag, process;
} XtfReceived;

typedef struct {
    /* From the walk. */
    XtfLog mark_log;
    XtfSections sections;
    XtfFinalCall final;
    /* From the replay. */
    XtfMarkReader reader;
    XtfCompletionRun run;
    uint64_t moved; /* new minus local time, from the last closed run on; modulo 2^64 */
    XtfLogWriter move_log, order_log;
    XtfLog moves, orders;
    uint64_t logged_seq, order_seq; /* of the last entries */
    XtfReceived received[XTF_RECEIVES_COMPARED];
    uint32_t n_received;
} XtfRetimedLocation;

typedef struct {
    uint64_t waits;         /* completions whose new wait differs from the recorded one */
    uint64_t backward;      /* messages that were received before they were sent */
    uint64_t polled;        /* receives that a test completed: polling counts as computing */
    uint64_t late_receives; /* blocking sends that waited for their receive */
    uint64_t late_receive_ticks;
    uint64_t order_changes;
    bool finalize; /* MPI_Finalize was an operation of all processes */
} XtfRetimeCounts;

typedef struct {
    XtfReplay *replay;             /* borrowed */
    XtfSpool *spool;               /* borrowed */
    XtfRetimedLocation *locations; /* by index; borrowed */
    uint32_t n_locations;
    uint32_t buffer;          /* bytes of a log's buffer */
    uint32_t *first_location; /* by process */
    XtfTransfers transfers;
    GArray *sent; /* XtfSent */
    uint32_t free;
    XtfRetimeCounts counts;
    GError *error;
} XtfRetime;

/* Computes the moves of all locations after the walks. */
bool xtf_retime(XtfRetime *retime, XtfReplayCounts *counts, GError **error);
void xtf_retime_finish(XtfRetime *retime);
