/*
 * What the files of a replay share.
 *
 *   replay-fields.c       where the fields of rows lie
 *   replay-calls.c        the calls around rows
 *   callpath-log.c        call paths
 *   replay-rows.c         rows of a process, in the order of its clock
 *   spool.c, log.c        what is kept of them
 *   row-code.c            rows as records of a log
 *   replay-prepare.c      from the trace to logs: a pass that counts, too
 *   replay-times.c        time by call path
 *   replay-gaps.c         time outside of MPI
 *   replay-known.c        what is known of processes and locations
 *   flight.c              groups, and what is in flight
 *   replay-turns.c        whose turn it is, and the next row of a process
 *   replay-rest.c         tables that need not stay in memory
 *   replay-certain.c      which groups are certain
 *   replay-lossy.c        which messages are, of groups of which records were lost
 *   replay-probes.c       which messages are not, beside those that were probed
 *   runs.c                sets of numbers
 *   replay-postings.c     receives on their way
 *   replay-collectives.c  collective operations on their way
 *   replay.c              messages, and the whole
 */
#pragma once

#include "src/analysis/replay/logs/flight.h"
#include "src/analysis/replay/logs/runs.h"
#include "src/analysis/replay/lossy/pairing.h"
#include "src/analysis/replay/replay.h"
#include "src/analysis/replay/row-code.h"

/* An operation, until all members have ended. */
typedef struct {
    XtfReplayCollective public;
    uint32_t operation;
    uint32_t begun;
    uint32_t prefix; /* the members of ranks below this one have begun */
    bool uncertain;  /* the members do not agree, or somebody could not wait: nobody waits */
} XtfOperation;

typedef struct {
    XtfReplayBound init, finalize;
    uint64_t outside, begin, end, calls;
    const XtfClockMap *clock;
    XtfLog times;
    uint64_t first_gap, n_gaps; /* in the replay's */
    bool was_in_mpi;
} XtfReplayLocation;

/* What is known of a process, also once there are no more runs. */
typedef struct {
    XtfReplayProcess public;
    uint32_t first_location; /* in the replay's */
} XtfKnownProcess;

typedef struct {
    XtfKnownProcess *known;
    const uint64_t *locations; /* of `known` */
    bool has_one_location;     /* with rows of the log, or none */
    uint64_t envelopes;        /* the first of its own, in the replay's */
    XtfLog log;

    /* Of a run. */
    XtfLogReader reader;
    XtfRowState state;
    XtfReplayRow row; /* the next one, if `any_row` */
    bool any_row;
    XtfFlights posted;    /* receives under way, but the last, by row in a location: value, group, k */
    uint64_t last_posted; /* the key of it; UINT64_MAX: none */
    uint32_t last_group, last_k;
    uint64_t last_value;
    XtfFlights requests;    /* of sends under way, by request: values of the consumer */
    uint64_t in_flight;     /* sends whose receives did not come yet */
    uint64_t waits_for;     /* key of the message; UINT64_MAX: none */
    XtfOperation *waits_in; /* NULL: none */
    bool done, queued;
} XtfProcess;

typedef struct {
    uint32_t *members; /* processes by rank; NULL: no operation of the communicator is certain */
    uint32_t n;
    bool private; /* each process has one of its own, alone: its operations are certain, and nobody waits */
} XtfComm;

struct XtfReplay {
    XtfTrace *trace;
    XtfReplayOptions options;
    XtfTraceContext context;
    XtfReplayFields fields;
    XtfReplayCallTypes types;
    XtfKnownProcess *known; /* by process */
    XtfProcess *processes;  /* the same; NULL once there are no more runs */
    uint64_t *ids;          /* of locations, by process */
    XtfEnvelope *envelopes; /* of processes */
    uint64_t n_envelopes, room_envelopes;
    XtfPaged paged_processes, paged_locations, paged_envelopes;
    uint32_t n_turns; /* since they rested */
    uint32_t n_processes;
    XtfReplayLocation *locations; /* by process, then by number */
    XtfComm *comms;               /* by row of `communicators` */
    uint32_t n_comms;
    XtfGroups groups;
    GHashTable *doubts;   /* by group: runs of messages that are not certain, though it is; NULL: there are none */
    GHashTable *pairings; /* XtfPairing by group of which records were lost; NULL: there are none */
    XtfCallpathLog callpaths;
    XtfSpool spool; /* of logs */
    uint64_t least_gap;
    XtfReplayGap *gaps; /* by location, in `paged_gaps` */
    uint64_t n_gaps;
    XtfPaged paged_gaps;
    GMutex lock; /* while it is made: of groups, gaps and progress */
    uint64_t n_rows, n_log_rows, done;
    uint64_t unmatched_sends, unmatched_receives; /* as in the counts */

    /* Of a run. */
    const XtfReplayConsumer *consumer;
    XtfReplayCounts counts;
    XtfMessages messages; /* in flight */
    uint64_t n_operations;
    uint64_t n_open;        /* members of the operations that are on their way */
    GHashTable *operations; /* guint64: comm << 32 | k -> XtfOperation */
    GQueue ready, ahead;    /* processes that may go on; of these, those that should not */
};

#define XTF_NO_KEY UINT64_MAX

/* The next row of a process; NULL at its end, and if `*good` is false. */
const XtfReplayRow *xtf_replay_peek(XtfReplay *replay, XtfProcess *process, bool *good, GError **error);

/* The number of a process; UINT32_MAX: it is not among them. */
uint32_t xtf_replay_process_number(const XtfReplay *replay, uint64_t proc);

/* Reads the trace: the logs of all processes, and how many rows each group has at each end. */
bool xtf_replay_prepare(XtfReplay *replay, GError **error);

/* Several locations of a process in one group: their order is not certain. */
static inline void xtf_group_note_location(XtfGroup *group, uint32_t *known, uint32_t location)
{
    group->uncertain |= *known != UINT32_MAX && *known != location;
    *known = location;
}

/* Large tables need not stay in memory; while it is made, under the lock. The second one after each turn of a process.
 */
void xtf_replay_rest(XtfReplay *replay);
void xtf_replay_rest_sometimes(XtfReplay *replay);
/* The table of locations, of which one was needed by somebody who goes over all of them. In any thread. */
void xtf_replay_rest_after(const XtfReplay *replay, const XtfReplayLocation *location);

/* UINT64_MAX: there are none. */
uint64_t xtf_replay_find_least_gap(const XtfClock *clock);
/* Adds a gap to a location's log, and takes all of the log, which ends, into the replay's table. */
bool xtf_replay_gap_put(XtfLogWriter *log, const XtfReplayGap *gap, GError **error);
bool xtf_replay_gaps_keep(XtfReplay *replay, XtfReplayLocation *location, XtfLogWriter *log, GError **error);

/* Finds what is certain, once all is counted. */
void xtf_replay_find_certain(XtfReplay *replay);

/* Finds what is certain of the groups of a trace of which records were lost. */
bool xtf_replay_pair_lossy(XtfReplay *replay, GError **error);

/* The number of the k-th receive of a group among its messages, which are numbered as their sends. UINT32_MAX, which is
 * in doubt: it is not known. */
static inline uint32_t xtf_replay_message_of(const XtfReplay *replay, uint32_t group, uint32_t k)
{
    const XtfPairing *pairing =
        G_UNLIKELY(replay->pairings) ? g_hash_table_lookup(replay->pairings, GUINT_TO_POINTER(group)) : NULL;

    return pairing ? xtf_pairing_send_of(pairing, k) : k;
}

/* Whether the k-th message of a group is not certain by itself. */
static inline bool xtf_replay_is_doubtful(const XtfReplay *replay, uint32_t group, uint32_t k)
{
    const GArray *doubts =
        G_UNLIKELY(replay->doubts) ? g_hash_table_lookup(replay->doubts, GUINT_TO_POINTER(group)) : NULL;

    return doubts && xtf_runs_have(doubts, k);
}

/* A receive that is posted: the k-th of a group, or of none. */
typedef struct {
    uint64_t value;
    uint32_t group, k;
    XtfFlight *flight; /* NULL: it was posted last */
} XtfPosted;

/* False: the process waits for the message in the probe that posts its receive. */
bool xtf_replay_post(XtfReplay *replay, XtfProcess *process, const XtfReplayRow *row);
/* Which receive of its group a row of `recvs` is; false if nothing is known of its posting. */
bool xtf_replay_find_posted(const XtfProcess *process, const XtfReplayRow *row, XtfPosted *found);
void xtf_replay_forget_posted(XtfProcess *process, const XtfPosted *posted);

/* A member begins, ends. False of an end: the process waits for others. */
void xtf_replay_begin(XtfReplay *replay, XtfProcess *process, const XtfReplayRow *row);
bool xtf_replay_end(XtfReplay *replay, XtfProcess *process, const XtfReplayRow *row);
/* Whether a beginning is that of a new operation, while so many are on their way that others should go on first. */
bool xtf_replay_is_ahead(XtfReplay *replay, const XtfReplayRow *row);
/* Lets those of an operation go on that wait in it without hope. */
void xtf_replay_give_up(XtfReplay *replay, XtfOperation *operation);
void xtf_operation_free(gpointer operation);

/* A process may go on; once no other can, if it is far ahead. */
void xtf_replay_wake(XtfReplay *replay, XtfProcess *process);
void xtf_replay_put_off(XtfReplay *replay, XtfProcess *process);

static inline XtfReplayEvent xtf_replay_event(const XtfReplay *replay, const XtfProcess *process,
                                              const XtfReplayRow *row)
{
    return (XtfReplayEvent){
        .process = (uint32_t)(process - replay->processes),
        .location = process->locations[row->location],
        .row = row->row,
        .time = row->time,
        .seq = row->seq,
        .bytes = row->bytes,
        .number = row->location,
        .call = replay->options.calls ? &process->state.call : NULL,
    };
}
