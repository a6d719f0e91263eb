/*
 * A trace replayed: who sent what to whom, all of it, in an order in which every cause comes before its effects.
 *
 * A replay goes through the messages and collective operations of all processes and hands them to a consumer. The order
 * is one that the program could have run in: the events of a process in the order of its clock, a receive behind its
 * send, the end of a collective operation behind the beginnings that it needed. Clocks of different processes are never
 * compared, so it does not matter how wrong they are. Whatever needs both ends of messages begins here: aligning
 * clocks, finding waits.
 *
 * Messages are matched by docs/VOCABULARY.md, section 5: the k-th send of a group (communicator, sender, receiver, tag)
 * and the k-th receive of it, in the order of posting. Left out, and counted:
 * - messages of a group whose two ends differ in number, as something was not recorded, but those of which
 *   lossy/pairing.h says the other end; in a trace with such a group, this holds for all groups;
 * - messages of a group from the first on whose ends differ in bytes, or whose receive would have to be before its own
 *   send in every order;
 * - messages of a group that several locations of a process send or receive: their order is not certain;
 * - with calls only: messages of which replay-probes.h says that they are in doubt;
 * - messages whose other side is no process of the trace;
 * - non-blocking collective operations; those of communicators between two groups, or of members that did not all take
 *   part equally often, agree in the operation and its root; and operations of which nothing follows (see needs below).
 *
 * A collective operation ends at a member not before others began it, as its data say. Members that send nothing are
 * not waited for, and members that receive nothing wait for nobody:
 * - all to all (BARRIER, whatever its bytes; ALLGATHER, ALLGATHERV, ALLTOALL, ALLREDUCE, REDUCE_SCATTER,
 *   REDUCE_SCATTER_BLOCK): for all members;
 * - one to all (BCAST, SCATTER, SCATTERV): for the root;
 * - all to one (GATHER, GATHERV, REDUCE): at the root for all members;
 * - SCAN, EXSCAN: for the members of lower ranks.
 * ALLTOALLV and ALLTOALLW are all to all if each member's record says so (`n_to_n`); else it is not known who sends to
 * whom, and nothing follows of them. Making and freeing communicators, files and windows need not synchronise: nothing
 * follows of that either.
 *
 * What a replay needs of the trace is read once, when it is made, by all cores, and kept in a temporary file: some 10
 * bytes a row, and 20 with calls. A run reads that, in small pieces.
 *
 * Memory: a process that is far ahead waits for the others, and what is in flight is held; all that together takes some
 * 50 MiB at most unless a program has more in flight. A location takes some 100 bytes, a group 10; what else is known
 * of many of them lies in temporary files, of which little is in memory at a time.
 *
 * A replay belongs to one thread. Times are ticks: global ones, or local ones if so asked.
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

typedef struct XtfReplay XtfReplay;

/* The processes of a trace, by number. */
typedef struct {
    uint64_t proc;
    const uint64_t *locations; /* keys P, ascending */
    uint32_t n_locations;
    uint64_t first,
        last; /* times of all rows of records of all its locations, local ones; first > last: there are none */
} XtfReplayProcess;

/* What happens at one end of a message or of a collective operation. */
typedef struct {
    uint32_t process; /* number among the replay's processes */
    uint64_t location;
    uint64_t row;       /* of `sends`, `recvs`, `postings`, `requests` or `collectives` */
    uint64_t time, seq; /* of that row */
    uint64_t bytes;
    uint32_t number;           /* of the location in its process */
    bool blocks;               /* a send: it is complete with this record */
    const XtfReplayCall *call; /* around it, if calls are asked for; gone when the consumer returns */
} XtfReplayEvent;

/* A message, whose send was handed out before. */
typedef struct {
    XtfReplayEvent send;
    uint64_t value;  /* what the consumer said of the send */
    uint64_t posted; /* and of the posting; 0 if it is not asked of them */
    uint64_t bytes;
    uint32_t comm, tag;
} XtfReplayMessage;

/* The beginning of a collective operation at a member. */
typedef struct {
    uint64_t time, bytes;
    uint32_t process;
} XtfReplayBegin;

typedef struct {
    XtfReplayBegin begin;
    uint64_t value; /* what the consumer said of the beginning */
    bool begun;     /* else the two above mean nothing yet */
    bool sends, receives;
} XtfReplayMember;

typedef enum {
    XTF_REPLAY_ALL_TO_ALL,
    XTF_REPLAY_ONE_TO_ALL,
    XTF_REPLAY_ALL_TO_ONE,
    XTF_REPLAY_SCAN,
    XTF_REPLAY_NOBODY, /* the end of a member needs no other; handed out only with calls */
} XtfReplayPattern;

typedef struct {
    uint32_t comm; /* row of `communicators` */
    XtfReplayPattern pattern;
    XtfCollectiveShape shape;
    uint32_t operation; /* a label's number */
    uint64_t number;    /* another one for each operation */
    uint32_t root;      /* a rank, where there is one */
    uint32_t n_members;
    XtfReplayMember *members; /* by rank */
    uint32_t n_ended;         /* members whose ends were handed out before */
    /* Of the members that have begun and send something: the two with the greatest values; UINT32_MAX: none. */
    uint32_t latest[2];
    uint64_t scratch; /* the consumer's own; 0 at first */
} XtfReplayCollective;

/* Whether the end of rank `end` needs the beginning of rank `begin`, another one, which has begun. */
bool xtf_replay_needs(const XtfReplayCollective *collective, uint32_t end, uint32_t begin);
/* The greatest value of the beginnings that the end of a rank needs; false if it needs none. */
bool xtf_replay_latest(const XtfReplayCollective *collective, uint32_t end, uint64_t *value);

/* What is done with the events. All members down to `end` must be there; the others may be NULL. */
typedef struct {
    void *data;
    /* A message is sent, or a member begins a collective operation; the value is handed out with the other end. */
    uint64_t (*send)(void *data, const XtfReplayEvent *at);
    uint64_t (*begin)(void *data, const XtfReplayEvent *at);
    void (*receive)(void *data, const XtfReplayEvent *at, const XtfReplayMessage *message);
    void (*end)(void *data, const XtfReplayEvent *at, XtfReplayCollective *collective, uint32_t rank);
    /* A receive is posted; the value is handed out with the message. */
    uint64_t (*post)(void *data, const XtfReplayEvent *at);
    /* Before `post`, where the receive is posted in a blocking probe that took its message: of the send the consumer
     * said `value`, and `at->bytes` are its bytes. With calls only, and of processes one location of which has messages
     * and operations. May be NULL also where others are not. */
    void (*probe)(void *data, const XtfReplayEvent *at, uint64_t value);
    /* A non-blocking send is complete, of which the consumer said `value`. With calls only. */
    void (*sent)(void *data, const XtfReplayEvent *at, uint64_t value);
    /* A send, or a posting, of which the consumer said `value` turns out not to be certain: nothing follows. */
    void (*drop)(void *data, uint64_t value);
    void (*drop_posting)(void *data, uint64_t value);
} XtfReplayConsumer;

typedef struct {
    uint64_t messages;    /* that were handed out with both ends */
    uint64_t collectives; /* operations of which all members were handed out */
    uint64_t uncertain_sends, uncertain_receives, uncertain_collectives; /* ends that were left out */
    /* How many of these messages' ends their groups have more than other ends. */
    uint64_t unmatched_sends, unmatched_receives;
} XtfReplayCounts;

typedef struct {
    bool local;          /* local times; else global ones */
    bool calls;          /* with the calls around, completions of sends, and operations that hold nobody up */
    atomic_bool *cancel; /* true: stop, with XTF_ERROR_CANCELLED; may be NULL */
    /* Now and then: rows gone through, and all rows of one run, or of making the replay. While the replay is made,
     * worker threads call it, one at a time, under a lock of the replay: it must be quick, and ask the replay nothing.
     * A run calls it in the thread of its caller. May be NULL. */
    void (*progress)(uint64_t done, uint64_t total, void *data);
    void *progress_data;
} XtfReplayOptions;

/* Borrows the trace. Reads it, and learns what is certain. */
XtfReplay *xtf_replay_new(XtfTrace *trace, const XtfReplayOptions *options, GError **error);
void xtf_replay_free(XtfReplay *replay); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfReplay, xtf_replay_free)

uint32_t xtf_replay_n_processes(const XtfReplay *replay);
const XtfReplayProcess *xtf_replay_process(const XtfReplay *replay, uint32_t number);

/* The first MPI_Init and the first MPI_Finalize of a process's location, and how long the location was outside of MPI
 * in all; with calls only, but for begin, end and clock. */
typedef struct {
    XtfReplayBound init, finalize;
    uint64_t outside;
    uint64_t begin, end;      /* of the location's first and last record; begin > end: it has none */
    const XtfClockMap *clock; /* NULL: local times are global, or local ones are asked for. Borrowed */
    uint64_t calls;           /* rank of its array of calls (xtf_trace_get_arrays()); UINT64_MAX: it has none */
} XtfReplayBounds;

void xtf_replay_bounds(const XtfReplay *replay, uint32_t process, uint32_t location, XtfReplayBounds *bounds);

/* Borrowed: what the replay knows of the trace and of its calls. */
XtfTraceContext *xtf_replay_context(XtfReplay *replay);
const XtfReplayCallTypes *xtf_replay_call_types(const XtfReplay *replay);

/* Hands out everything, from the beginning to the end. As often as is needed: it is the same each time. */
bool xtf_replay_run(XtfReplay *replay, const XtfReplayConsumer *consumer, XtfReplayCounts *counts, GError **error);

/* The gaps of a location, by its index, in their order: those of at least `xtf_replay_least_gap()` ticks. Borrowed. */
const XtfReplayGap *xtf_replay_gaps(const XtfReplay *replay, uint32_t location, uint64_t *n);
/* 20 us; UINT64_MAX where the clock does not tell such a time: then there are none. */
uint64_t xtf_replay_least_gap(const XtfReplay *replay);
/* The gaps of all locations need not stay in memory. */
void xtf_replay_rest_gaps(const XtfReplay *replay);
/* Whether no other location of a location's process was in MPI; the location by process and number. */
bool xtf_replay_is_alone_in_mpi(const XtfReplay *replay, uint32_t process, uint32_t location);

/* There will be no more runs: frees what they need. Whatever else a replay tells may be asked of it as before. */
void xtf_replay_end_runs(XtfReplay *replay);

/* ---- Time by call path, with calls only. */

XtfCallpathLog *xtf_replay_callpaths(XtfReplay *replay);

/* The times of one location, from its beginning to its end. Belongs to one thread at a time; many may be read at once.
 */
typedef struct {
    XtfLogReader reader;
    const uint8_t *ahead, *end; /* of the record that comes next; NULL: it is not read yet */
    uint64_t seq;
} XtfReplayTimes;

/* Of a location, by its index: the order of (process, number). */
void xtf_replay_times_init(XtfReplayTimes *times, const XtfReplay *replay, uint32_t location);
void xtf_replay_times_finish(XtfReplayTimes *times);
/* Adds what the ENTERs and LEAVEs before record `seq` say, and after the record of the last time: the same as a walk to
 * it. `seq` is that of a record that the replay hands out, or of the LEAVE of MPI_Init or MPI_Finalize; UINT64_MAX: to
 * the location's end. */
bool xtf_replay_times_until(XtfReplayTimes *times, uint64_t seq, XtfCallpathTotals *sums, GError **error);
