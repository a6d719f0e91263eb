/*
 * Memory that a traced process shares with its collector, and the records in it.
 *
 * The process makes an unlinked file in memory (memfd). It has, in this order:
 * - an XtfWireProcess, padded to XTF_WIRE_HEADER_SIZE bytes
 * - n_rings XtfWireRings
 * - XTF_WIRE_CHOICES bytes
 * - from the start of a page, the data of the rings, ring_size bytes each
 *
 * A thread of the process claims a ring and is its only producer; the collector is the only consumer of all rings. Both
 * map a ring's data twice, one behind the other, so that a record never wraps. When a thread has ended, the next thread
 * claims its ring and appends its own records. The first record of each thread in a ring is an OWNER record, which
 * names the thread of the records after it.
 *
 * A producer writes a record whole, then publishes the ring's head with a release store. So a reader that stops at the
 * head sees whole records only, even when the process has died. Positions count bytes and never wrap: position p lies
 * at p & (ring_size - 1).
 *
 * A record is 8-byte words: an XtfWireHead, and the words that its kind has (XTF_WIRE_KINDS). Times are readings of the
 * process's clock (XtfWireClockSource), not yet nanoseconds. Times may decrease within a ring. A call may be recorded
 * only after later records, and then its ENTER has the earlier time; and clocks may go back.
 *
 * This header knows libc alone: it is compiled into programs that are traced.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

enum {
    XTF_WIRE_VERSION = 9,
    XTF_WIRE_LISTS = 64,              /* rings that have a list of requests: the first ones */
    XTF_WIRE_LIST_SIZE = 128,         /* most requests of a list */
    XTF_WIRE_HEADER_SIZE = 19 * 4096, /* bytes of an XtfWireProcess, with space for members of later versions */
    XTF_WIRE_RINGS_MAX = 4096,
    XTF_WIRE_WORDS_MAX = 512, /* most words of one record */
    XTF_WIRE_CHOICES = 1 << 17,
    XTF_WIRE_FUNCTIONS = 1024, /* more than functions.tbl has functions of MPI */
    XTF_WIRE_REASON_SIZE = 512,
    XTF_WIRE_CPUS = 8192,
    XTF_WIRE_SITES = 1 << 15, /* numbers of call sites: from 1 to this one */
    XTF_WIRE_FRAMES_MAX = 8,  /* most frames of a call site */
};
#define XTF_WIRE_MAGIC  UINT64_C(0x3165726977667478) /* "xtfwire1" */
#define XTF_WIRE_NONE   UINT32_MAX                   /* no rank, peer, root, communicator ... */
#define XTF_WIRE_NULL   (UINT32_MAX - 1)             /* peer: MPI_PROC_NULL */
#define XTF_WIRE_BOTH   UINT32_MAX                   /* XtfWireRing.requests: the call also sends */
#define XTF_WIRE_ROOTED (UINT32_MAX - 1)             /* XtfWireRing.requests: a collective operation with a root */
#define XTF_WIRE_LISTED UINT64_MAX                   /* XtfWireRing.request: the ring's list has the requests */

/* The clock that the process reads: the processor's time stamp counter, or CLOCK_MONOTONIC in nanoseconds. */
typedef enum { XTF_WIRE_CLOCK_TSC, XTF_WIRE_CLOCK_MONOTONIC } XtfWireClockSource;

typedef enum {
    XTF_WIRE_STARTING,  /* before the process's rank is known */
    XTF_WIRE_RUNNING,   /* rank and world_size are set */
    XTF_WIRE_FINALIZED, /* MPI_Finalize has returned, or a session of a program without MPI_Init ends */
} XtfWirePhase;

/* The level of MPI_Init_thread that MPI has provided. */
typedef enum {
    XTF_WIRE_LEVEL_UNKNOWN, /* not known yet, or a session may have another one */
    XTF_WIRE_LEVEL_SINGLE,
    XTF_WIRE_LEVEL_FUNNELED,
    XTF_WIRE_LEVEL_SERIALIZED,
    XTF_WIRE_LEVEL_MULTIPLE,
} XtfWireLevel;

/* The creator of a thread. Threads that MPI creates for itself are not counted. */
typedef enum { XTF_WIRE_MADE_BY_PROGRAM, XTF_WIRE_MADE_BY_OPENMP, XTF_WIRE_N_MAKERS } XtfWireMaker;

/* The first pages. All members that change are atomic. */
typedef struct {
    uint64_t magic;
    uint32_t version;
    uint32_t n_rings;   /* number of rings, used or free */
    uint64_t ring_size; /* bytes, a power of two, at least a page */
    int32_t pid;        /* in the process's own pid namespace */
    uint32_t when_full; /* XtfWireWhenFull */
    uint32_t clock;     /* XtfWireClockSource */

    _Atomic uint32_t phase;
    _Atomic uint32_t rank;       /* the process's number in the job; XTF_WIRE_NONE: not known (yet) */
    _Atomic uint32_t world_size; /* of MPI_COMM_WORLD; 0: no MPI, or not known yet */
    _Atomic uint32_t claimed;    /* number of rings that were ever claimed: always the first ones */
    /* A producer adds 1 to `drain` to request that the collector packs and commits all published records. The collector
     * then sets `drained` to the value of `drain` that it read. Both are futexes. */
    _Atomic uint32_t drain, drained;
    _Atomic uint32_t wake;         /* futex: the collector waits on it between two rounds, a full ring wakes it */
    _Atomic uint64_t nested;       /* calls left out because they came from inside another: of signal handlers, and of
                                      recorded functions */
    _Atomic uint64_t without_ring; /* events of threads for which there was no ring */
    _Atomic uint32_t collector_ready; /* 1: the collector reads; 2: it cannot, see its log. A futex */
    _Atomic uint32_t exited;          /* 1: the process called exit(), or main returned, with exit_status */
    _Atomic int32_t exit_status;
    uint32_t has_mpi; /* 1: the process had a library of MPI when it was activated */
    /* Calls of the function of MPI that has this number that were not recorded, on purpose: there are too many. */
    _Atomic uint64_t unrecorded[XTF_WIRE_FUNCTIONS];
    char reason[XTF_WIRE_REASON_SIZE];        /* why the collector cannot: text, there before collector_ready is 2 */
    _Atomic uint32_t made[XTF_WIRE_N_MAKERS]; /* threads that were created, by XtfWireMaker */
    _Atomic uint32_t window_waits;            /* 1: recording has not begun, for --start off or --from */
    _Atomic uint32_t left_out;                /* 1: --ranks does not name the process */
    _Atomic uint32_t level;                   /* XtfWireLevel; set before rank */
    _Atomic uint32_t main_thread;             /* number of the thread that has called MPI_Init, if the level is known */
    uint8_t cpus[XTF_WIRE_CPUS / 8]; /* bits of the CPUs on which the process may run, when the collector starts; all
                                        0: not known */
    /* By ring: ids of the requests for which the ring's call waits; 0: a request without a record. */
    _Atomic uint64_t lists[XTF_WIRE_LISTS][XTF_WIRE_LIST_SIZE];
} XtfWireProcess;

typedef enum {
    XTF_WIRE_WAIT,
    XTF_WIRE_DROP,
    XTF_WIRE_FLUSH, /* wait until the ring is empty; the collector takes nothing before */
} XtfWireWhenFull;

/* Byte i behind the rings, read and written atomically: whether calls of the process's own region
 * XTF_WIRE_REGIONS_OWN + i are recorded. The collector, which knows names, sets EXCLUDED, and leaves out earlier calls.
 * The process sets BRAKED, and records the calls that were open until they end. */
typedef enum { XTF_WIRE_CHOICE_RECORD, XTF_WIRE_CHOICE_EXCLUDED, XTF_WIRE_CHOICE_BRAKED } XtfWireChoice;

/* Returns the offset of the XtfWireChoice bytes in the memory. */
static inline uint64_t xtf_wire_choices_at(uint32_t n_rings)
{
    return XTF_WIRE_HEADER_SIZE + 192 * (uint64_t)n_rings;
}
/* Returns the offset of the data of the rings in the memory. `page`: the system's size of a page. */
static inline uint64_t xtf_wire_data_at(uint32_t n_rings, uint64_t page)
{
    return (xtf_wire_choices_at(n_rings) + XTF_WIRE_CHOICES + page - 1) / page * page;
}

/* Free: no thread had it. Closed: its thread has ended; the next thread may take it, also before it is drained. */
typedef enum { XTF_WIRE_RING_FREE, XTF_WIRE_RING_USED, XTF_WIRE_RING_CLOSED } XtfWireRingState;

/* Three cache lines: the producer's, the consumer's, and the watchers'. */
typedef struct {
    _Alignas(64) _Atomic uint64_t head; /* position of the next record */
    _Atomic uint64_t dropped;           /* records that found no room */
    _Atomic uint64_t waits;             /* how often the producer waited for room */
    _Atomic uint32_t state;             /* XtfWireRingState */
    _Atomic uint32_t thread;            /* number of the present owner, as in OWNER records: for watchers */
    _Atomic int32_t tid;
    /* 1: the producer waits for room, by a futex on the lower half of the tail. The collector, having moved the tail,
     * sets 0 and wakes the producer. */
    _Atomic uint32_t waiting;
    _Alignas(64) _Atomic uint64_t tail; /* position up to which the collector has taken all records */
    /* For watchers: the region of the thread's innermost open frame, 0: none, and the clock's reading at its ENTER.
     * Plain stores, which cost nothing beside the clock. */
    _Alignas(64) _Atomic uint32_t region;
    _Atomic uint64_t since;
    /* For watchers: what the call that was entered at `called` waits for. `peer` is a rank in `comm`; XTF_WIRE_NONE:
     * any, or none. It is the call of the innermost frame if `called` is `since`. `requests`: how many requests the
     * call was given to complete, without null ones; 0: it completes none. XTF_WIRE_BOTH: it receives from `peer`, and
     * sends to `dest`, which may be XTF_WIRE_NULL. XTF_WIRE_ROOTED: `peer` is the root of its collective operation. */
    _Atomic uint32_t peer, tag, comm, requests;
    _Atomic uint64_t called;
    /* If `requests` is 1: the request's id. 0: not known. XTF_WIRE_LISTED: `requests` ids are in the ring's list, which
     * has no null or inactive requests, and none from or to MPI_PROC_NULL. */
    _Atomic uint64_t request;
    _Atomic uint32_t dest, sendtag;
} XtfWireRing;

/* The first two words of each record. */
typedef struct {
    uint64_t time;
    uint32_t kind : 8;
    uint32_t region : 24; /* of ENTER and LEAVE; else small numbers as the kind says */
    uint32_t arg;         /* argument of the record, as XTF_WIRE_KINDS says for its kind */
} XtfWireHead;

/*
 * The kinds of records: KIND(NAME, words). `words` counts the head's two; 0: the number depends on the data.
 * Each kind's comment describes arg and the words w2, w3, ... Where two numbers of 32 bits share a word, the first is
 * the lower one. "request" is an id that the process gives each request it starts, from 1, never again.
 */
/* clang-format off */
#define XTF_WIRE_KINDS(KIND)                                                                                           \
    /* 0 is no kind: memory that was never written */                                                                  \
    KIND(NOTHING, 2)                                                                                                   \
    /* The records after this one, in its ring, are of another thread. arg: the thread's number within the process,    \
     * from 0, in the order of claims, never given again. region: 1: MPI has created it for itself, else 0. w2: the    \
     * system's number of it, 0: not known */                                                                          \
    KIND(OWNER, 3)                                                                                                     \
    /* The call stack: region is a function of MPI (its line in functions.tbl) below XTF_WIRE_REGIONS_OWN. Others are  \
     * defined by XTF_DEFINE_REGION. arg of an ENTER: number of a call site (XTF_DEFINE_SITE); 0: not known */         \
    KIND(ENTER, 2) KIND(LEAVE, 2)                                                                                      \
    /* region: an XtfDefinition; arg: bytes of this piece; w2: id; w3: offset of the piece | bytes of all pieces; then  \
     * the piece. The record has 4 + (arg + 7) / 8 words, at most XTF_WIRE_WORDS_MAX. */                               \
    KIND(DEFINE, 0)                                                                                                    \
    /* arg: the mode, 1 on, 2 off. From off to on nothing is recorded, on purpose (region 0) or for want of room (1). */ \
    KIND(MEASUREMENT, 2)                                                                                               \
    /* The producer waited for room (region 0) or read clocks of other nodes (1), from the record's time on; w2: until \
     * when */                                                                                                         \
    KIND(WAITED, 3)                                                                                                    \
    /* w2: records that are missing before it, for want of room. It is between MEASUREMENT off and on, together with    \
     * the LEAVEs of frames that were open at "off" and were left before "on". After "on" there is an ENTER for each    \
     * frame that was entered in between and is still open. So the frames of a ring are balanced. */                   \
    KIND(DROPPED, 3)                                                                                                   \
    /* region: is not recorded from here on, by itself, for it was called too often; w2: by how many calls in a row */ \
    KIND(BRAKED, 3)                                                                                                    \
    XTF_WIRE_MESSAGE_KINDS(KIND) XTF_WIRE_HANDLE_KINDS(KIND) XTF_WIRE_IO_KINDS(KIND) XTF_WIRE_THREAD_KINDS(KIND)

/* Messages, requests, collective operations. arg of messages: the peer's rank in the communicator. */
#define XTF_WIRE_MESSAGE_KINDS(KIND)                                                                                   \
    KIND(SEND, 4)               /* w2: comm | tag; w3: bytes. Before MPI's own function is called, as COLLECTIVE_BEGIN */ \
    KIND(ISEND, 5)              /* w2: comm | tag; w3: bytes; w4: request */                                           \
    KIND(RECV, 4)               /* w2: comm | tag; w3: bytes */                                                        \
    KIND(IRECV, 5)              /* a receive that completes now; w2: comm | tag; w3: bytes; w4: request */             \
    KIND(ISEND_COMPLETE, 3)     /* w2: request */                                                                      \
    KIND(IRECV_REQUEST, 4)      /* a receive is posted. arg: source; w2: request; w3: comm | tag; XTF_WIRE_NONE: any, or not known. region: 1 for a message that a probe has matched */ \
    KIND(REQUEST_TEST, 3)       /* w2: request; arg: tests in a row that found nothing; 1: only this one */           \
    KIND(FOUND_NOTHING, 2)      /* arg: the thread's probes that found nothing before the one whose ENTER is the latest */ \
    KIND(REQUEST_CANCELLED, 3)  /* w2: request */                                                                      \
    KIND(COLLECTIVE_BEGIN, 2)                                                                                          \
    KIND(FAILED, 2)             /* the call has failed: a SEND or COLLECTIVE_BEGIN right before this, or before a WAITED between, is not recorded */ \
    KIND(COLLECTIVE_END, 5)     /* region: index in xtf_collective_operations; arg: root; w2: comm | XtfWireExchange; w3: sent; w4: received */ \
    KIND(ICOLLECTIVE_REQUEST, 3)  /* arg: comm; w2: request */                                                                    \
    KIND(ICOLLECTIVE_COMPLETE, 6) /* as COLLECTIVE_END; w5: request */

/* Communicators and windows. arg: the communicator or the window, unless a kind says otherwise. */
#define XTF_WIRE_HANDLE_KINDS(KIND)                                                                                    \
    KIND(COMM_CREATE, 2) KIND(COMM_DESTROY, 2)                                                                         \
    KIND(RMA_WIN_CREATE, 2) KIND(RMA_WIN_DESTROY, 2)                                                                   \
    KIND(RMA_PUT, 5)            /* arg: peer; w2: window | atomic, an index in xtf_rma_atomics; w3: bytes; w4: matching */ \
    KIND(RMA_GET, 5)            /* the fields of RMA_PUT */                                                            \
    KIND(RMA_ATOMIC, 6)         /* the fields of RMA_PUT; w5: bytes received */                                        \
    KIND(RMA_COMPLETE, 3)       /* arg: window; region: 0 blocking, 1 non-blocking, 2 test, 3 remote; w2: matching */  \
    KIND(RMA_COLLECTIVE_BEGIN, 2)                                                                                      \
    KIND(RMA_COLLECTIVE_END, 5) /* region: operation; arg: root; w2: window | sync level; w3: sent; w4: received */    \
    KIND(RMA_GROUP_SYNC, 4)     /* arg: window; w2: sync level | group */                                              \
    KIND(RMA_SYNC, 3)           /* arg: peer; w2: window | sync type */                                                \
    KIND(RMA_WAIT_CHANGE, 2)                                                                                           \
    KIND(RMA_REQUEST_LOCK, 4)   /* arg: peer; w2: window | lock type; w3: lock */                                      \
    KIND(RMA_ACQUIRE_LOCK, 4) KIND(RMA_TRY_LOCK, 4) KIND(RMA_RELEASE_LOCK, 4)

/* Files. arg: the handle. */
#define XTF_WIRE_IO_KINDS(KIND)                                                                                        \
    KIND(IO_CREATE_HANDLE, 4)   /* w2: access mode | creation flags; w3: status flags */                               \
    KIND(IO_DESTROY_HANDLE, 2)                                                                                         \
    KIND(IO_DELETE_FILE, 3)     /* arg: the file (XTF_DEFINE_FILE) */                                                  \
    KIND(IO_SEEK, 5)            /* region: whence; w2: offset; w3: result; w4: 0 */                                    \
    KIND(IO_BEGIN, 5)           /* region: mode; w2: flags; w3: bytes requested; w4: matching */                       \
    KIND(IO_ISSUED, 3)          /* w2: matching */                                                                     \
    KIND(IO_TEST, 3)            /* w2: matching */                                                                     \
    KIND(IO_COMPLETE, 4)        /* w2: matching; w3: bytes */

/* Threads. */
#define XTF_WIRE_THREAD_KINDS(KIND)                                                                                    \
    KIND(THREAD_CREATE, 3)      /* w2: number of the new thread, as in its THREAD_BEGIN */                                      \
    KIND(THREAD_BEGIN, 3) KIND(THREAD_WAIT, 3) KIND(THREAD_END, 3)                                                     \
    KIND(LOCK_ACQUIRE, 3)       /* arg: lock; w2: order */                                                             \
    KIND(LOCK_RELEASE, 3)                                                                                              \
    /* An attribute of the record before it, in its ring. arg: XtfWireAttribute; w2: the value */                      \
    KIND(ATTRIBUTE, 3)                                                                                                 \
    /* As RMA_PUT and RMA_GET; w5: XTF_WIRE_ATTRIBUTE_ADDRESS */                                                       \
    KIND(RMA_PUT_AT, 6) KIND(RMA_GET_AT, 6)

/* clang-format on */

#define XTF_WIRE_KIND(NAME, words) XTF_WIRE_##NAME,
typedef enum { XTF_WIRE_KINDS(XTF_WIRE_KIND) XTF_WIRE_N_KINDS } XtfWireKind;
#undef XTF_WIRE_KIND

/* Attributes of records. An argument of an event is an integer of 64 bits, with or without a sign, or a double. */
typedef enum {
    XTF_WIRE_ATTRIBUTE_ADDRESS, /* of shared data, in the thread that has the data */
    XTF_WIRE_ATTRIBUTE_BYTES,   /* that a call allocates */
    XTF_WIRE_ATTRIBUTE_INTEGER, /* of an event of the program: its first argument, up to the fourth */
    XTF_WIRE_ATTRIBUTE_UNSIGNED = XTF_WIRE_ATTRIBUTE_INTEGER + 4,
    XTF_WIRE_ATTRIBUTE_DOUBLE = XTF_WIRE_ATTRIBUTE_UNSIGNED + 4,
    XTF_WIRE_N_ATTRIBUTES = XTF_WIRE_ATTRIBUTE_DOUBLE + 4,
} XtfWireAttribute;

/* Bits of a sync level. The first two are OTF2's. The others are the mode of a collective operation of UPC, if it is
 * known: XTF_WIRE_SYNC_MODE times the bits of gasp/gaspu.h. */
enum { XTF_WIRE_SYNC_PROCESS = 1, XTF_WIRE_SYNC_MEMORY = 2, XTF_WIRE_SYNC_MODE = 256 };

/* Numbers of regions of 24 bits: from this one on they are the process's own. The one before is the region
 * of the time in which the recorder reads clocks of other nodes. */
enum { XTF_WIRE_REGIONS_OWN = 4096, XTF_WIRE_REGION_CLOCKS = XTF_WIRE_REGIONS_OWN - 1 };

/* For ALLTOALLV and ALLTOALLW. N_TO_N: the process sends data to each other member and receives data from each. */
typedef enum { XTF_WIRE_EXCHANGE_UNKNOWN, XTF_WIRE_EXCHANGE_SPARSE, XTF_WIRE_EXCHANGE_N_TO_N } XtfWireExchange;

/*
 * Kinds of definitions in DEFINE records; other records refer to a definition by its `id`. A definition that is too
 * long for one record is written as several successive ones in one ring. In another ring it may follow its first use.
 * The data are the struct, and the texts and lists whose sizes it has, packed behind it without padding. An id may be
 * defined again: the later definition counts.
 */
typedef enum {
    XTF_DEFINE_REGION,        /* XtfDefineRegion, name, file */
    XTF_DEFINE_ADDRESS,       /* XtfDefineAddress, path of the object file: a region whose name the collector finds */
    XTF_DEFINE_COMM,          /* XtfDefineComm, name */
    XTF_DEFINE_GROUP,         /* XtfDefineGroup, its members as uint32_t: numbers of processes in the job */
    XTF_DEFINE_WINDOW,        /* XtfDefineWindow, name */
    XTF_DEFINE_FILE,          /* XtfDefineFile, name */
    XTF_DEFINE_HANDLE,        /* XtfDefineHandle: an open file */
    XTF_DEFINE_CART,          /* XtfDefineCart, of each dimension an XtfDefineDimension */
    XTF_DEFINE_THREAD,        /* id: the thread's number; its name */
    XTF_DEFINE_NOT_WRAPPED,   /* names of MPI functions that the recorder lacks, with blanks between them */
    XTF_DEFINE_CLOCK_NODE,    /* id: a number of the node that is the same for all processes that share its clock */
    XTF_DEFINE_CLOCK_READING, /* XtfDefineClockReading; id: of the reading, in all runs of the job */
    XTF_DEFINE_SITE, /* XtfDefineSite, its XtfDefineFrames, their paths: from where the program calls a function */
    XTF_N_DEFINITIONS,
} XtfDefinition;

typedef struct {
    uint32_t line;           /* 0: not known */
    uint32_t role, paradigm; /* indices in xtf_region_roles and xtf_paradigm_names */
    uint32_t name_size, file_size;
} XtfDefineRegion;

typedef struct {
    uint64_t address; /* address in the process */
    uint64_t base;    /* of the object file that it lies in: what the loader added to the file's addresses */
} XtfDefineAddress;

/* A site is a region, and the return addresses of its call and of calls around that, innermost first. Calls of region R
 * from other sites than the first XTF_WIRE_SITES have the number XTF_WIRE_SITES + R, without a definition. */
typedef struct {
    uint32_t region; /* the function that is called */
    uint32_t n;      /* frames, 1 to XTF_WIRE_FRAMES_MAX */
} XtfDefineSite;

typedef struct {
    uint64_t address;    /* return address, in the process */
    uint64_t base;       /* what the loader added to the addresses of the object file */
    uint32_t in_program; /* 1: it lies in the program itself, 0: in a library */
    uint32_t path_size;  /* of the object file's path, "" if it is unknown */
} XtfDefineFrame;

/* One end of a remote reading: a process reads the clock of a reference process. Both ends define it. The reader's time
 * is in the middle between its question and the answer, the reference's is of its answer. */
typedef struct {
    uint64_t time;       /* reading of the process's own clock */
    uint64_t round_trip; /* of the exchange, by the reader's clock; 0 at the reference */
    uint32_t partner;    /* number in the job of the process at the other end */
    uint32_t is_reference;
    uint32_t point; /* XtfWireClockPoint */
    uint32_t padding;
} XtfDefineClockReading;

typedef enum {
    XTF_WIRE_CLOCK_INIT,       /* at the end of MPI_Init */
    XTF_WIRE_CLOCK_COLLECTIVE, /* --sync-every */
    XTF_WIRE_CLOCK_PCONTROL,   /* MPI_Pcontrol(3) */
    XTF_WIRE_CLOCK_FINALIZE,   /* at the begin of MPI_Finalize */
    XTF_WIRE_N_CLOCK_POINTS,
} XtfWireClockPoint;

typedef struct {
    uint32_t group, remote_group; /* ids of groups; XTF_WIRE_NONE: none */
    uint32_t parent;              /* id of a communicator; XTF_WIRE_NONE: none */
    uint32_t flags, name_size;
} XtfDefineComm;

enum { XTF_WIRE_NAME_ONLY = 1u << 31 }; /* flag of a communicator or a window: the rest is as it was defined before */

typedef struct {
    uint32_t n;     /* 0: another process defines the members */
    uint32_t flags; /* 0, or XTF_WIRE_UPC: the group of all threads of a UPC program */
} XtfDefineGroup;

enum { XTF_WIRE_UPC = 1 };

typedef struct {
    uint32_t comm, flags, name_size;
} XtfDefineWindow;

typedef struct {
    uint32_t name_size;
} XtfDefineFile;

typedef struct {
    uint32_t file, comm, flags;
} XtfDefineHandle;

typedef struct {
    uint32_t comm, n_dimensions, rank; /* rank: of this process in the communicator */
} XtfDefineCart;

typedef struct {
    uint32_t size, periodic, coordinate; /* coordinate: of this process */
} XtfDefineDimension;

_Static_assert(XTF_WIRE_REGIONS_OWN + XTF_WIRE_CHOICES <= 1 << 24, "a record can name each region");
_Static_assert(sizeof(XtfWireProcess) <= XTF_WIRE_HEADER_SIZE, "the header fits its page");
_Static_assert(sizeof(XtfWireRing) == 192, "a ring has three cache lines");
_Static_assert(sizeof(XtfWireHead) == 16, "a head is two words");
