/*
 * The replay of a trace: all its messages and collective operations, each cause before its effects.
 *
 * A replay goes through the messages and collective operations of all processes and hands them to a consumer. The order
 * is one that the program could have run in. The events of a process keep the order of its clock, and a receive follows
 * its send. The end of a collective operation follows the begins that it needs. The replay never compares clocks of
 * different processes, so their errors do not matter. Clock alignment and the search for waits use it, as they need
 * both ends of messages.
 *
 * The replay matches messages by docs/VOCABULARY.md, section 5: the k-th send and the k-th receive of a group, in the
 * order of posting. Communicator, sender, receiver and tag make the group. The replay skips and counts:
 * - messages of a group that has more sends than receives, or the reverse: a record is missing. But lossy/pairing.h
 *   may still know pairs of such a group. In a trace with such a group, lossy/pairing.h decides on all groups;
 * - messages of a group from the first one on whose ends differ in bytes, or whose receive precedes its own send in
 *   every order;
 * - messages of a group that several locations of a process send or receive: their order is not certain;
 * - with calls only: messages that replay-probes.h lists as doubtful;
 * - messages whose other side is no process of the trace;
 * - non-blocking collective operations;
 * - collective operations of two groups, or whose members took part unequally often, or disagree in operation or root;
 * - collective operations without dependences between members (see the list of dependences below).
 *
 * The data of a collective operation say which members' begins must precede a member's end. No member waits for members
 * that send nothing, and members that receive nothing do not wait:
 * - all to all (BARRIER, with or without bytes; ALLGATHER, ALLGATHERV, ALLTOALL, ALLREDUCE, REDUCE_SCATTER,
 *   REDUCE_SCATTER_BLOCK): for all members;
 * - one to all (BCAST, SCATTER, SCATTERV): for the root;
 * - all to one (GATHER, GATHERV, REDUCE): at the root for all members;
 * - SCAN, EXSCAN: for the members of lower ranks.
 * ALLTOALLV and ALLTOALLW are all to all if each member's record has `n_to_n` set. Otherwise the trace does not say who
 * sends to whom, and the replay assumes no dependence. MPI need not synchronise the members when it creates and frees
 * communicators, files and windows: the replay assumes no dependence there either.
 *
 * All cores read the trace once, when the replay is created, and write logs to a temporary file. A row takes some 10
 * bytes, and 20 with calls. A run reads these logs in small pieces.
 *
 * Memory: a process that is far ahead waits for the others, and the replay holds the messages in flight. Together they
 * take some 50 MiB at most, unless the program has more in flight. A location takes some 100 bytes, a group 10. Other
 * tables with a row for each of them lie in temporary files, and little of these is in memory at a time.
 *
 * One thread uses a replay, except that a run may have several shares. Times are ticks: global ones, or local ones if
 * the options ask for them.
 */
#pragma once

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/handles.h"
#include "src/analysis/replay/logs/log.h"
#include "src/analysis/replay/replay-calls.h"
#include "src/model/collective-shape.h"
#include "src/trace/context/run-gaps.h"
#include "src/world/world.h"

typedef struct XtfReplay XtfReplay;
typedef struct XtfReplayShare XtfReplayShare;

/* The processes of a trace, by number. */
typedef struct {
    uint64_t proc;
    const uint64_t *locations; /* keys P, ascending */
    uint32_t n_locations;
    uint64_t first, last; /* local times over all records of all its locations; first > last: it has no records */
} XtfReplayProcess;

/* An event at one end of a message or of a collective operation. */
typedef struct {
    uint32_t process; /* number among the replay's processes */
    uint64_t location;
    uint64_t row;       /* of `sends`, `recvs`, `postings`, `requests` or `collectives` */
    uint64_t time, seq; /* of that row */
    uint64_t bytes;
    uint32_t number;  /* of the location in its process */
    uint32_t peer;    /* of a send or posting: the other process; of a collective operation: the own rank */
    uint64_t message; /* of a send, posting or operation: a key, the same at all its ends; UINT64_MAX: not known */
    bool blocks;      /* of a send: true if the send is complete with this record */
    bool sends;       /* of a collective operation: true if this member sends data... */
    bool receives;    /* ...or receives data */
    const XtfReplayCall *call; /* the call around the event, if options.calls; valid until the consumer returns */
} XtfReplayEvent;

/* A message. The consumer has seen its send before. */
typedef struct {
    XtfReplayEvent send;
    uint64_t value;  /* the value that the consumer returned for the send */
    uint64_t posted; /* the value of the posting; 0 if the consumer has no `post` */
    uint64_t bytes;
    uint32_t comm, tag;
} XtfReplayMessage;

/* The begin of a collective operation at a member. */
typedef struct {
    uint64_t time, bytes;
    uint32_t process;
} XtfReplayBegin;

typedef struct {
    XtfReplayBegin begin;
    uint64_t value; /* the value that the consumer returned for the begin */
    bool begun;     /* false: `begin` and `value` are not set yet */
    bool sends, receives;
} XtfReplayMember;

typedef enum {
    XTF_REPLAY_ALL_TO_ALL,
    XTF_REPLAY_ONE_TO_ALL,
    XTF_REPLAY_ALL_TO_ONE,
    XTF_REPLAY_SCAN,
    XTF_REPLAY_NOBODY, /* no member's end needs another member; handed out only with calls */
} XtfReplayPattern;

typedef struct {
    uint32_t comm; /* row of `communicators` */
    XtfReplayPattern pattern;
    XtfCollectiveShape shape;
    uint32_t operation; /* a label's number */
    uint64_t number;    /* unique for each operation */
    uint32_t root;      /* a rank, if the operation has a root */
    uint32_t n_members;
    XtfReplayMember *members; /* by rank */
    uint32_t n_ended;         /* members that have ended, without the one that is passed on */
    /* Ranks of the two greatest values among members that have begun and send data; UINT32_MAX: none. */
    uint32_t latest[2];
    uint64_t scratch; /* for use by the consumer; 0 at first */
} XtfReplayCollective;

/* True if the end of rank `end` needs the begin of rank `begin`, which is a different rank and has begun. */
bool xtf_replay_needs(const XtfReplayCollective *collective, uint32_t end, uint32_t begin);
/* Finds the greatest value of the begins that the end of a rank needs. False if it needs none. */
bool xtf_replay_latest(const XtfReplayCollective *collective, uint32_t end, uint64_t *value);

enum { XTF_REPLAY_END_BYTES = 128 };

/* Callbacks for the events. All members down to `end` are mandatory; the later ones may be NULL. */
typedef struct {
    void *data;
    /* A process sends a message, or a member begins a collective operation. The replay passes the returned value along
     * with the other end. */
    uint64_t (*send)(void *data, const XtfReplayEvent *at);
    uint64_t (*begin)(void *data, const XtfReplayEvent *at);
    void (*receive)(void *data, const XtfReplayEvent *at, const XtfReplayMessage *message);
    void (*end)(void *data, const XtfReplayEvent *at, XtfReplayCollective *collective, uint32_t rank);
    /* A process posts a receive. The replay passes the returned value along with the message. */
    uint64_t (*post)(void *data, const XtfReplayEvent *at);
    /* Called before `post` if the receive was posted in a blocking probe that took its message. `value` is that of the
     * message's send, `at->bytes` its bytes. With calls only, and only for processes in which one location has all
     * messages and operations. May be NULL even if the other callbacks are not. */
    void (*probe)(void *data, const XtfReplayEvent *at, uint64_t value);
    /* A non-blocking send completes; `value` is that of the send. With calls only. */
    void (*sent)(void *data, const XtfReplayEvent *at, uint64_t value);
    /* The send, or the posting, with this value turns out to be uncertain: no receive follows. */
    void (*drop)(void *data, uint64_t value);
    void (*drop_posting)(void *data, uint64_t value);
    /* Only for runs of several shares, and mandatory there. A consumer sees the events of its share's processes. For an
     * operation, XtfReplayCollective has the members of all shares. In a job, `end` gets only the begins that it may
     * need, and `ended` gets all. The ends of one operation are passed on one after the other.
     *
     * Passes the consumer's share, before the first event. */
    void (*join)(void *data, XtfReplayShare *share);
    /* A send whose receiver is in another share: writes its description, of `described_bytes`. The consumer of the
     * other share returns the value of the described send there: the value that `receive`, `probe` and `drop` get. */
    uint32_t described_bytes;
    void (*describe)(void *data, uint64_t value, void *described);
    uint64_t (*adopt)(void *data, const void *described);
    /* An operation, after its members' `end`: one share has all its ends, whichever shares the members are in.
     * `describe_end` writes the description of an end, of `end_bytes`, at most XTF_REPLAY_END_BYTES. `ended` gets it in
     * that share, once for each member. Both may be NULL, also with several shares. */
    uint32_t end_bytes;
    void (*describe_end)(void *data, const XtfReplayEvent *at, void *described);
    void (*ended)(void *data, XtfReplayCollective *collective, uint32_t rank, const void *described);
    /* Only in a job, where it may be NULL. Called when no event is left, in all ranks. It may write letters, and
     * returns true if it has to be called again after they were read. All ranks return the same. */
    bool (*finish)(void *data);
    /* Reads a letter that the consumer of another share wrote by xtf_replay_share_write(). */
    void (*read)(void *data, const void *letter, uint32_t n_bytes);
} XtfReplayConsumer;

typedef struct {
    uint64_t messages;    /* messages of which the consumer saw both ends */
    uint64_t collectives; /* operations of which the consumer saw all members */
    uint64_t uncertain_sends, uncertain_receives, uncertain_collectives; /* skipped ends */
    /* The skipped ends of messages by which one side of a group exceeds the other side. */
    uint64_t unmatched_sends, unmatched_receives;
} XtfReplayCounts;

typedef struct {
    bool local;          /* true: local times; false: global times */
    XtfRunWindow window; /* only records in it; all zeros: all records. Not with `local` */
    bool calls;          /* consume calls, completions of sends, and operations in which no member waits, too */
    /* The ranks that read and replay the trace together (see below); NULL: this process does all. */
    XtfWorld *world;
    /* By region: the length of a tick of computing in its calls, in parts of 2^-20; XTF_REPLAY_NO_FACTOR: that of the
     * call around it. The time outside of MPI is then in parts of 2^-10 ticks. NULL: it is in ticks. Borrowed. */
    const uint32_t *factors;
    atomic_bool *cancel; /* set to true by any thread to stop with XTF_ERROR_CANCELLED; may be NULL */
    /* Called from time to time with the rows done and the total of one run, or of creating the replay. Creating a
     * replay uses worker threads: they call it one at a time, under a lock of the replay. The callback must be quick
     * and must not call the replay. A run calls it in its caller's thread. May be NULL. */
    void (*progress)(uint64_t done, uint64_t total, void *data);
    void *progress_data;
} XtfReplayOptions;

/* Creates a replay: reads the trace and decides which messages and operations are certain. Borrows the trace.
 * Collective in a job: if it fails, one rank gets the error. */
XtfReplay *xtf_replay_new(XtfTrace *trace, const XtfReplayOptions *options, GError **error);
void xtf_replay_free(XtfReplay *replay); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfReplay, xtf_replay_free)

uint32_t xtf_replay_n_processes(const XtfReplay *replay);
const XtfReplayProcess *xtf_replay_process(const XtfReplay *replay, uint32_t number);
/* Returns the number of a process; UINT32_MAX if the trace does not have it. */
uint32_t xtf_replay_process_number(const XtfReplay *replay, uint64_t proc);
/* Returns the index of each process's first location among the trace context's locations, and behind the last one the
 * number of locations. The caller frees the array. */
uint32_t *xtf_replay_first_locations(const XtfReplay *replay);

/* The first MPI_Init and MPI_Finalize of a location, and its total time outside of MPI. All members but `begin`, `end`
 * and `clock` need options.calls. */
typedef struct {
    XtfReplayBound init, finalize;
    uint64_t outside;
    uint64_t begin, end;      /* times of the location's first and last record; begin > end: it has no records */
    const XtfClockMap *clock; /* NULL: local times are global, or options.local is set. Borrowed */
    uint64_t calls;           /* rank of its array of calls (xtf_trace_get_arrays()); UINT64_MAX: it has none */
} XtfReplayBounds;

void xtf_replay_bounds(const XtfReplay *replay, uint32_t process, uint32_t location, XtfReplayBounds *bounds);

/* Returns the ranks that were given to xtf_replay_new(). */
XtfWorld *xtf_replay_world(const XtfReplay *replay);
/* Returns the processes of a communicator by rank, borrowed. NULL: none of its operations is certain, or it has one
 * member. */
const uint32_t *xtf_replay_members(const XtfReplay *replay, uint32_t comm, uint32_t *n);

/* Returns the window that was given to xtf_replay_new(). */
XtfRunWindow xtf_replay_window(const XtfReplay *replay);
/* Returns the replay's trace context, and its types of calls. Both are borrowed. */
XtfTraceContext *xtf_replay_context(XtfReplay *replay);
const XtfReplayCallTypes *xtf_replay_call_types(const XtfReplay *replay);

/* Passes all events to the consumer. A replay may run any number of times, with the same result each time. */
bool xtf_replay_run(XtfReplay *replay, const XtfReplayConsumer *consumer, XtfReplayCounts *counts, GError **error);

/* ---- Runs by several threads, or by the ranks of a job.
 *
 * In a job, each rank has one share, under its number, and reads the rows of the share's processes alone. So it knows
 * bounds, gaps and times by call path of these processes only. For a trace whose first volumes were
 * removed, each rank reads all rows. Runs are collective: if one fails, one rank gets the error. */

/* Divides the processes among shares, of equal work as far as possible: share i has the processes from borders[i] up to
 * borders[i + 1], without it. `n` is from 1 to the number of processes, or 1; in a job, the number of ranks. The caller
 * frees the borders. */
uint32_t *xtf_replay_divide(const XtfReplay *replay, uint32_t n);
/* Returns the shares of this process: the number of the first one, and how many. */
typedef struct {
    uint32_t first, n;
} XtfReplayLocal;

XtfReplayLocal xtf_replay_local(const XtfReplay *replay, uint32_t n);
/* Runs with a thread for each share of this process, and a consumer for each, by the share's number. All consumers
 * together see what the consumer of xtf_replay_run() sees, with any number of shares. The first share runs in the
 * caller's thread. *counts are the counts of all shares. */
bool xtf_replay_run_shares(XtfReplay *replay, const uint32_t *borders, uint32_t n, const XtfReplayConsumer *consumers,
                           XtfReplayCounts *counts, GError **error);
/* Returns space for a letter to the consumer of the share of a process, which is another share. To be called by the
 * share's consumer, during an event or a letter. The caller fills the space before its next call. */
void *xtf_replay_share_write(const XtfReplayShare *share, uint32_t process, uint32_t n_bytes);

/* Returns the gaps of a location, by its index, in the order of time. A gap has `xtf_replay_least_gap()` ticks or more.
 * Borrowed. */
const XtfReplayGap *xtf_replay_gaps(const XtfReplay *replay, uint32_t location, uint64_t *n);
/* Returns 20 us in ticks; UINT64_MAX if a tick of the clock is longer, so that there are no gaps. */
uint64_t xtf_replay_least_gap(const XtfReplay *replay);
/* Lets the kernel page out the gaps of all locations. */
void xtf_replay_page_out_gaps(const XtfReplay *replay);
/* True if no other location of the process was in MPI. `location` is its number in the process. */
bool xtf_replay_is_alone_in_mpi(const XtfReplay *replay, uint32_t process, uint32_t location);

/* Frees what only runs need. Other queries of the replay still work. */
void xtf_replay_end_runs(XtfReplay *replay);

/* ---- Time by call path, with calls only. */

XtfCallpathLog *xtf_replay_callpaths(XtfReplay *replay);

/* A reader of the times of one location, in order. One thread uses a reader at a time; many readers may be open at
 * once. */
typedef struct {
    XtfLogReader reader;
    const uint8_t *ahead, *end; /* the next record; NULL: not read yet */
    uint64_t seq;
} XtfReplayTimes;

/* Opens a location, given by its index in the order of (process, number). */
void xtf_replay_times_init(XtfReplayTimes *times, const XtfReplay *replay, uint32_t location);
void xtf_replay_times_finish(XtfReplayTimes *times);
/* Adds the times of the ENTERs and LEAVEs before record `seq` to `sums`, from the record of the last call on. The sums
 * are the same as after a walk to that record. `seq` is that of an event of the replay, or of the LEAVE of MPI_Init or
 * MPI_Finalize; UINT64_MAX: to the end of the location. */
bool xtf_replay_times_until(XtfReplayTimes *times, uint64_t seq, XtfCallpathTotals *sums, GError **error);
