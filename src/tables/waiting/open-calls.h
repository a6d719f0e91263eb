/*
 * Calls of MPI that are open at the end of a trace, and the operations that they wait for.
 *
 * They come from records of the type `pending`. The recorder writes one for a call that has not returned for a while,
 * and for a call in which its process ended. A record counts if no record of calls follows it in its location. Traces
 * of other recorders have none.
 */
#pragma once

#include "src/tables/waiting/thread-states.h"
#include "src/trace/context/trace-context.h"

typedef enum {
    XTF_AWAITED_RECEIVE, /* a message from `peer` */
    XTF_AWAITED_SEND,    /* a message to `peer`, which that one must receive */
    XTF_AWAITED_EITHER,  /* one of these, of a request; the trace does not say which */
    XTF_AWAITED_POSTED,  /* a posted receive for which the call does not wait, but to which a process may send */
    XTF_AWAITED_OTHER,   /* a non-blocking collective operation, or a request without a record */
} XtfAwaitedKind;

/* One operation that a call waits for. */
typedef struct {
    XtfAwaitedKind kind;
    uint64_t peer, tag, comm; /* peer: a rank in `comm`; UINT64_MAX: any, or unknown */
    uint64_t proc;            /* process of the peer; UINT64_MAX: any, or unknown */
} XtfAwaited;

typedef enum {
    XTF_OPEN_ALL,        /* waits for all of its awaited operations */
    XTF_OPEN_ANY,        /* waits for one of them at least, or for some of them */
    XTF_OPEN_COLLECTIVE, /* a blocking collective operation */
    XTF_OPEN_FINALIZE,
    XTF_OPEN_ABORT,
    XTF_OPEN_OTHER, /* the trace does not say what the call waits for */
} XtfOpenKind;

typedef struct {
    uint32_t location; /* index in XtfLocations */
    XtfOpenKind kind;
    int function;        /* of a collective operation: index in xtf_collective_functions */
    bool may_test;       /* MPI_Test* or a probe that returns at once */
    bool lists_requests; /* MPI_Waitall and its kin: its operations are the open requests of its process. False: they
                            are the requests for which the call waits */
    uint64_t since;      /* global time of its ENTER */
    uint64_t region;     /* row of definitions/regions; UINT64_MAX: unknown */
    uint64_t site;       /* row of definitions/sites; UINT64_MAX: none */
    uint64_t comm;       /* UINT64_MAX: none */
    uint64_t root;       /* process of a collective operation's root; UINT64_MAX: unknown, or none */
    uint32_t first, n;   /* its operations in `awaited` */
    uint32_t n_posted;   /* receives among its requests, as far as the trace lists them */
} XtfOpenCall;

typedef struct {
    const XtfLocations *locations; /* borrowed */
    bool is_recorded;              /* the trace has the type `pending` */
    GArray *calls;                 /* XtfOpenCall, in the order of locations */
    GArray *awaited;               /* XtfAwaited */
    GHashTable *levels;            /* XtfStatedLevel by process, as thread-states.h leaves them */
    uint8_t *states;               /* XtfThreadState, by index of the location */
    uint32_t *call_of;             /* by index of the location: index in `calls`, if it waits */
} XtfOpenCalls;

/* Reads the open calls of all locations. Calls that have been open for less than `least` ticks at the end of a growing
 * trace do not count. */
bool xtf_open_calls_init(XtfOpenCalls *calls, XtfTraceContext *context, uint64_t least, GError **error);
void xtf_open_calls_finish(XtfOpenCalls *calls); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfOpenCalls, xtf_open_calls_finish)

static inline const XtfOpenCall *xtf_open_call(const XtfOpenCalls *calls, uint32_t i)
{
    return &g_array_index(calls->calls, XtfOpenCall, i);
}
static inline const XtfAwaited *xtf_open_call_awaited(const XtfOpenCalls *calls, const XtfOpenCall *call, uint32_t i)
{
    return &g_array_index(calls->awaited, XtfAwaited, call->first + i);
}
/* Returns the operation that a call waits for; NULL if these are none, or several. */
const XtfAwaited *xtf_open_call_only(const XtfOpenCalls *calls, const XtfOpenCall *call);
/* Returns the open call of a location, by its index; NULL if it has none. */
static inline const XtfOpenCall *xtf_open_call_of(const XtfOpenCalls *calls, uint32_t location)
{
    return calls->states[location] == XTF_THREAD_WAITS ? xtf_open_call(calls, calls->call_of[location]) : NULL;
}
