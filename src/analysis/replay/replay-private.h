/*
 * Types and functions that the files of a replay share.
 *
 *     replay-fields.c       offsets of the fields of rows
 *     replay-calls.c        the calls around rows
 *     callpath-log.c        call paths
 *     replay-rows.c         rows of a process, in the order of its clock
 *     spool.c, log.c        logs of rows in a temporary file
 *     row-coding.h          rows as records of a log
 *     replay-prepare.c      from the trace to logs: a pass that also counts rows by group
 *     envelope-counts.h     rows by envelope, in that pass
 *     replay-gaps.c         time outside of MPI
 *     replay-known.c        properties of processes and locations, time by call path
 *     flight.c              groups, and messages in flight, by number
 *     replay-queues.c       queues of processes
 *     replay-page-out.c         tables that the kernel may page out
 *     replay-certain.c      certain groups
 *     replay-kept.c         numbers of messages where the first volumes were removed
 *     replay-lossy.c        certain messages of groups with lost records
 *     replay-probes.c       messages that are doubtful because others were probed
 *     runs.c                sets of numbers
 *     replay-collectives.c  collective operations that have not ended
 *     replay-messages.c     turns of processes; sends and receives
 *     replay-ranks.c        a replay by the ranks of a job
 *     replay-shares.c       a run: its shares, one for each thread or rank
 *     replay.c              creating a replay
 */
#pragma once

#include "libxtf/base/splitmix.h"
#include "src/analysis/replay/logs/flight.h"
#include "src/analysis/replay/logs/runs.h"
#include "src/analysis/replay/lossy/pairing.h"
#include "src/analysis/replay/mail/mail.h"
#include "src/analysis/replay/replay.h"
#include "src/analysis/replay/row-code.h"

/* A collective operation that not all members have ended. */
typedef struct {
    XtfReplayCollective public;
    uint64_t key; /* in its table */
    uint32_t operation;
    uint32_t begun;
    uint32_t own_left; /* members of this process's shares that have not ended */
    uint32_t prefix;   /* all members of lower ranks have begun */
    bool complete;     /* in a rank of a job that is not its home: all members have begun */
    bool uncertain;    /* the members disagree, or a deadlock was broken here: no member waits */
    GArray *waiting;   /* uint32_t: ranks whose processes wait in it; NULL: none waited yet */
} XtfOperation;

/* Operations that have not ended, with keys of one hash. The members of an operation may be of different shares.
 *
 * In a job, each rank that has members has a copy of the operation. One of these ranks is the home of the operation,
 * which gets the begins and ends of all members. When all have begun, it sends the other ranks the latest begins. It
 * passes on single begins only if an end may need them before. */
typedef struct {
    GMutex lock;
    GHashTable *operations; /* guint64: comm << 32 | k -> XtfOperation */
} XtfOpenOperations;

enum { XTF_OPEN_TABLES = 64 };

typedef struct {
    XtfReplayBound init, finalize;
    uint64_t outside, begin, end, calls;
    const XtfClockMap *clock;
    XtfLog times;
    uint64_t first_gap, n_gaps; /* range of the location's gaps in the replay's `gaps` */
    bool was_in_mpi;
} XtfReplayLocation;

/* The properties of a process that outlive its runs. */
typedef struct {
    XtfReplayProcess public;
    uint32_t first_location; /* index into the replay's `locations` */
} XtfKnownProcess;

typedef struct {
    XtfKnownProcess *known;
    const uint64_t *locations; /* of `known` */
    bool has_one_location;     /* at most one location has rows in the log */
    uint64_t envelopes;        /* index of its first one in the replay's `envelopes` */
    uint32_t n_envelopes;
    XtfLog log;

    /* State of a run. */
    XtfLogReader reader;
    XtfRowState state;
    XtfReplayRow row; /* the next row, if `any_row` */
    bool any_row;
    XtfFlights posted;    /* receives that are posted, without the last one, by location and row: value, group, k */
    uint64_t last_posted; /* the key of the last posted receive; UINT64_MAX: none */
    uint32_t last_group, last_k;
    uint64_t last_value;
    XtfFlights requests;    /* values of sends that are not complete, by request */
    uint64_t in_flight;     /* sends that are not received yet */
    uint32_t share;         /* number of the share that replays the process */
    uint64_t waits_for;     /* key of the message for whose send the process waits; UINT64_MAX: none */
    XtfOperation *waits_in; /* operation in which the process waits; NULL: none */
    bool done, queued;
    bool put_off; /* it waits since too many operations are open */
} XtfProcess;

typedef struct {
    uint32_t *members; /* processes by rank; NULL: no operation of the communicator is certain */
    uint32_t n;
    uint32_t first_whole;     /* number of the first operation that no member ended before the kept time */
    bool private;             /* a one-member communicator: its operations are certain and need no waiting */
    bool disputed;            /* the members disagree on some operation... */
    GArray *disputes;         /* ...with these numbers (runs.h); NULL: none */
    uint32_t *shares;         /* in a job: the shares that have members */
    uint32_t n_shares, n_own; /* number of these shares, and of the members in this rank's share */
} XtfComm;

struct XtfReplay {
    XtfTrace *trace;
    XtfReplayOptions options;
    XtfTraceContext context;
    XtfReplayFields fields;
    XtfReplayCallTypes types;
    XtfKnownProcess *known; /* by process */
    XtfProcess *processes;  /* by process; NULL after xtf_replay_end_runs() */
    uint64_t *ids;          /* of locations, by process */
    XtfEnvelope *envelopes; /* the envelopes of all processes */
    uint64_t n_envelopes, room_envelopes;
    XtfPaged paged_processes, paged_locations, paged_envelopes;
    uint32_t n_turns; /* turns since the last xtf_replay_page_out(), outside of runs */
    uint32_t n_processes;
    XtfReplayLocation *locations; /* of all processes, ascending by process, then by number */
    XtfComm *comms;               /* by row of `communicators` */
    uint32_t n_comms;
    XtfGroups groups;
    GHashTable *doubts;   /* by group: runs of uncertain messages in a certain group; NULL: none */
    GHashTable *removed;  /* XtfRemovedEnds by group; NULL: no volume was removed */
    GHashTable *pairings; /* XtfPairing by group with lost records; NULL: none */
    XtfCallpathLog callpaths;
    XtfSpool spool; /* of logs */
    uint64_t least_gap;
    XtfReplayGap *gaps; /* by location, in `paged_gaps` */
    uint64_t n_gaps;
    XtfPaged paged_gaps;
    GMutex lock;                 /* while the replay is created: protects groups, gaps and progress */
    uint32_t *borders;           /* in a job: the first process of each rank, and behind them the number of processes */
    uint32_t first_read, n_read; /* processes whose rows this process has read */
    uint64_t n_rows, n_log_rows, done;
    uint64_t unmatched_sends, unmatched_receives; /* see XtfReplayCounts */

    /* State of a run. */
    XtfReplayShare *shares; /* of this process */
    uint32_t n_shares;
    XtfMail *mail;         /* letters between shares */
    uint64_t n_operations; /* atomic */
    uint64_t n_open;       /* atomic: members of the operations that have not ended */
    XtfOpenOperations open[XTF_OPEN_TABLES];
};

/* The part of a run that one thread does: the processes from `first` up to `end`, without it. A share has the messages
 * to its processes, and one side of each group of its processes. It wakes only its own processes, others by letters. */
struct XtfReplayShare {
    XtfReplay *replay;
    const XtfReplayConsumer *consumer;
    uint32_t number, first, end;
    uint32_t n_turns; /* turns since the last xtf_replay_page_out() */
    XtfReplayCounts counts;
    XtfMessages messages; /* in flight */
    GQueue ready, ahead;  /* runnable processes; runnable processes that are far ahead of the others */
    bool may_run_ahead;   /* all shares wait: the next process of `ahead` may run */
    bool leads;           /* all shares wait, and this one uses the data of all */
    uint64_t n_rows;
    GError *error;
};

/* Kinds of letters. */
typedef enum {
    XTF_LETTER_SEND,     /* XtfSendLetter, and the consumer's description of the send */
    XTF_LETTER_TAKEN,    /* uint32_t: a process of whose messages one is no longer in flight */
    XTF_LETTER_WAKE,     /* uint32_t: a process */
    XTF_LETTER_BEGIN,    /* XtfBeginLetter, in a job */
    XTF_LETTER_COMPLETE, /* XtfCompleteLetter, in a job */
    XTF_LETTER_END,      /* XtfEndLetter, and the consumer's description of the end, in a job */
    XTF_LETTER_CONSUMER, /* of the sending share's consumer to that of the other one */
} XtfLetter;

typedef struct {
    uint64_t location, row, time, bytes;
    uint32_t group, k;
} XtfSendLetter;

/* An operation, as its members' rows describe it. */
typedef struct {
    uint32_t comm, k, operation, root;
    uint8_t pattern;
} XtfOperationHead;

/* The begin of a member, to the home of the operation, or from there. */
typedef struct {
    XtfOperationHead head;
    uint32_t rank;
    XtfReplayMember member;
} XtfBeginLetter;

/* All members have begun. `latest` is as in XtfReplayCollective, with these members. */
typedef struct {
    XtfOperationHead head;
    uint32_t latest[2];
    XtfReplayMember members[2];
} XtfCompleteLetter;

/* The end of a member, to the home of the operation. */
typedef struct {
    uint32_t comm, k, rank, unused;
} XtfEndLetter;

#define XTF_NO_KEY UINT64_MAX

enum { XTF_POSTED_WORDS = 3 }; /* words of XtfProcess.posted */

/* Frees what a run holds in memory. */
void xtf_replay_forget_run(XtfReplay *replay);

/* Reads the trace: writes the logs of all processes and counts the rows at each end of each group. */
bool xtf_replay_prepare(XtfReplay *replay, GError **error);

/* Marks a group as uncertain if several locations of a process use it: their order is not known. */
static inline void xtf_group_note_location(XtfGroup *group, uint32_t *known, uint32_t location)
{
    group->uncertain |= *known != UINT32_MAX && *known != location;
    *known = location;
}

/* Lets the kernel page out large tables. The second function acts in one of many calls; callers hold the lock while the
 * replay is created. The third one is for the end of each turn of a process. */
void xtf_replay_page_out(const XtfReplay *replay);
void xtf_replay_page_out_sometimes(XtfReplay *replay);
void xtf_replay_end_turn(XtfReplayShare *share);
/* Lets the kernel page out the table of locations from time to time, for callers that go over all locations. Any thread
 * may call it. */
void xtf_replay_page_out_locations(const XtfReplay *replay, const XtfReplayLocation *location);

/* Returns the ticks of the shortest gap; UINT64_MAX: the clock is too coarse for gaps. */
uint64_t xtf_replay_find_least_gap(const XtfClock *clock);
/* Adds a gap to a location's log. The second function ends the log and moves all its gaps to the replay's table. */
bool xtf_replay_gap_put(XtfLogWriter *log, const XtfReplayGap *gap, GError **error);
bool xtf_replay_gaps_keep(XtfReplay *replay, XtfReplayLocation *location, XtfLogWriter *log, GError **error);

/* Decides which groups, communicators and operations are certain, after all rows are counted. The second function reads
 * logs, as xtf_replay_pair_lossy() does. The third one: true if these two need the logs of all processes. */
void xtf_replay_find_certain(XtfReplay *replay);
bool xtf_replay_find_disputes(XtfReplay *replay, GError **error);
bool xtf_replay_needs_all_logs(const XtfReplay *replay);
/* Adds doubtful messages of a group. NULL: none. Callers hold the lock while the replay is created. */
void xtf_replay_keep_doubts(XtfReplay *replay, uint32_t group, const GArray *doubts);

/* Fails if the next groups of messages may have no numbers. */
bool xtf_replay_has_few_groups(const XtfReplay *replay, GError **error);
/* Divides processes among n shares by their weights, like xtf_replay_divide(). The caller frees the borders. */
uint32_t *xtf_replay_divide_by(const uint64_t *weights, uint32_t n_processes, uint32_t n);
/* Divides the processes among the ranks of a job by their rows: sets the replay's borders. */
bool xtf_replay_deal(XtfReplay *replay, GError **error);
/* Forgets the locations of other ranks, if it has read them: they have no records here. */
void xtf_replay_forget_others(XtfReplay *replay);
/* Allocates the envelopes of a process. Callers hold the lock while the replay is created. */
XtfEnvelope *xtf_replay_take_envelopes(XtfReplay *replay, XtfProcess *process, uint32_t n);
/* Sends the logs of each rank's processes to all other ranks. Collective: if it fails, one rank gets the error. */
bool xtf_replay_exchange_logs(XtfReplay *replay, GError **error);
/* Joins the groups of all ranks. Collective. */
bool xtf_replay_join_groups(XtfReplay *replay, GError **error);
/* Finds the shares of each communicator's members. */
void xtf_replay_find_member_shares(XtfReplay *replay);
/* Decides what the ranks do next, as all of them wait. Collective. */
XtfMailState xtf_replay_decide_in_ranks(XtfReplayShare *share);
/* Adds up the counts of all ranks. Collective. */
void xtf_replay_join_counts(const XtfReplay *replay, XtfReplayCounts *counts);
/* Adds an operation to the hash of a process's operations on a communicator. */
static inline uint32_t xtf_replay_hash_operation(uint32_t hash, const XtfReplayRow *row)
{
    uint64_t mixed = xtf_splitmix(((uint64_t)hash << 32 | row->tag) + ((uint64_t)row->peer << 8 | row->pattern));
    return (uint32_t)(mixed ^ mixed >> 32);
}

/* Returns the envelope whose rows a group counts while the trace is read. */
static inline XtfEnvelope xtf_envelope_of(const XtfGroup *counted)
{
    return (XtfEnvelope){.comm = counted->key.comm,
                         .peer = counted->key.sender,
                         .tag = counted->key.tag,
                         .kind = (uint8_t)counted->key.receiver,
                         .pattern = (uint8_t)(counted->key.receiver >> 8),
                         .sends = counted->key.receiver >> 16 & 1,
                         .receives = counted->key.receiver >> 17 & 1};
}

/* The rows of an envelope before the kept time of the trace. */
typedef struct {
    uint64_t rows;
    bool known; /* totals count them */
} XtfRemovedRows;

/* The ends of a group before the kept time. A process's operations count as receives. */
typedef struct {
    uint64_t sends, receives;
    uint32_t first_sent, first_received; /* numbers at which a run begins */
    bool unknown;
} XtfRemovedEnds;

/* Counts the rows of a process before the kept time by envelope: sends, postings and ends of operations. The caller
 * frees them. *removed is NULL if no volume was removed. */
bool xtf_replay_count_removed(const XtfReplay *replay, const XtfReplayRows *rows, const XtfGroups *envelopes,
                              XtfRemovedRows **removed, GError **error);
/* Adds the counted rows to a group. Callers hold the lock. */
void xtf_replay_keep_removed(XtfReplay *replay, uint32_t group, bool sends, const XtfRemovedRows *removed);
/* Returns the ends of a group before the kept time; NULL: none, or unknown. */
XtfRemovedEnds *xtf_replay_removed_ends(const XtfReplay *replay, uint32_t group);
/* Numbers the messages of a group as in the whole run, if all its ends are known; false if its counts differ. */
bool xtf_replay_renumber(XtfReplay *replay, uint32_t number);
/* Sets the numbers at which a run begins. */
void xtf_replay_begin_numbers(XtfReplay *replay);

/* Pairs the messages of groups with lost records where the pairs are certain. */
bool xtf_replay_pair_lossy(XtfReplay *replay, GError **error);

/* Returns the number of the message that the k-th receive of a group receives; messages have the numbers of their
 * sends. UINT32_MAX, which is always doubtful: not known. */
static inline uint32_t xtf_replay_message_of(const XtfReplay *replay, uint32_t group, uint32_t k)
{
    const XtfPairing *pairing =
        G_UNLIKELY(replay->pairings) ? g_hash_table_lookup(replay->pairings, GUINT_TO_POINTER(group)) : NULL;

    return pairing ? xtf_pairing_send_of(pairing, k) : k;
}

/* True if the k-th message of a group is uncertain, even though the group is certain. */
static inline bool xtf_replay_is_doubtful(const XtfReplay *replay, uint32_t group, uint32_t k)
{
    const GArray *doubts =
        G_UNLIKELY(replay->doubts) ? g_hash_table_lookup(replay->doubts, GUINT_TO_POINTER(group)) : NULL;

    return doubts && xtf_runs_have(doubts, k);
}

/* Replays rows of a process until it waits or its turn ends. `must`: no other process can run. */
bool xtf_replay_play(XtfReplayShare *share, XtfProcess *process, bool must, GError **error);
/* Reads a letter of another share; see XtfMailRead. */
void xtf_replay_read_letter(void *share, uint32_t kind, const void *bytes, uint32_t n_bytes);

/* Replays the begin, or the end, of a member. False for an end: the process waits for other members. */
void xtf_replay_begin(XtfReplayShare *share, XtfProcess *process, const XtfReplayRow *row);
bool xtf_replay_end(XtfReplayShare *share, XtfProcess *process, const XtfReplayRow *row);
/* True if a begin opens a new operation while too many are open: the other processes run first. */
bool xtf_replay_is_ahead(XtfReplay *replay, const XtfReplayRow *row);
/* True if too many operations are open. Their members take some 100 bytes each. */
enum { XTF_OPEN_MEMBERS = 1 << 18 };
static inline bool xtf_replay_too_many_open(const XtfReplay *replay)
{
    return __atomic_load_n(&replay->n_open, __ATOMIC_RELAXED) > XTF_OPEN_MEMBERS;
}
/* Breaks a deadlock: marks the operation as uncertain and wakes the members that wait in it. */
void xtf_replay_give_up(XtfReplayShare *share, XtfOperation *operation);
/* Does the same to the copy of an operation that this rank has, or will have. */
void xtf_replay_give_up_operation(XtfReplayShare *share, const XtfOperationHead *head);
/* Describes an operation. */
XtfOperationHead xtf_operation_head(const XtfOperation *operation);
/* Reads letters on a begin, on the last begin, and on an end. */
void xtf_replay_read_begin(XtfReplayShare *share, const XtfBeginLetter *letter);
void xtf_replay_read_complete(XtfReplayShare *share, const XtfCompleteLetter *letter);
void xtf_replay_read_end(XtfReplayShare *share, const XtfEndLetter *letter, const void *described);
void xtf_operation_free(gpointer operation);

/* Queues a process of the share that may run. xtf_replay_put_off() queues it to run when no other process can. */
void xtf_replay_wake(XtfReplayShare *share, XtfProcess *process);
void xtf_replay_put_off(XtfReplayShare *share, XtfProcess *process);
/* Queues a process of any share. */
void xtf_replay_wake_any(XtfReplayShare *share, XtfProcess *process);
/* Returns the next process of `ahead` that is not ahead any more; NULL: none is found quickly. */
XtfProcess *xtf_replay_caught_up(XtfReplayShare *share);

static inline bool xtf_share_owns(const XtfReplayShare *share, uint32_t process)
{
    return process >= share->first && process < share->end;
}

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
        .message = UINT64_MAX,
        .call = replay->options.calls ? &process->state.call : NULL,
    };
}

/* Returns the key of the k-th operation of a row's communicator. */
static inline uint64_t xtf_replay_operation_key(const XtfReplayRow *row, uint32_t k)
{
    return (uint64_t)row->comm << 32 | k;
}

/* Returns the event of a member's row in the k-th operation of its communicator. */
static inline XtfReplayEvent xtf_replay_member_event(const XtfReplay *replay, const XtfProcess *process,
                                                     const XtfReplayRow *row, uint32_t rank, uint32_t k)
{
    XtfReplayEvent at = xtf_replay_event(replay, process, row);

    at.peer = rank;
    at.message = xtf_replay_operation_key(row, k);
    at.sends = row->sends;
    at.receives = row->receives;
    return at;
}
