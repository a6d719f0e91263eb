/*
 * Barriers, collective operations, locks.
 *
 * A barrier of two calls begins in upc_notify and ends in upc_wait. So the time between them is not in the call that
 * waits.
 */
#include "src/record/gasp/context.h"

/* Indices in xtf_collective_operations. */
enum {
    BARRIER = 0,
    BCAST = 1,
    GATHER = 2,
    SCATTER = 4,
    ALLGATHER = 6,
    ALLTOALL = 8,
    ALLTOALLV = 9,
    REDUCE = 12,
    SCAN = 14,
    ALLOCATE = 19,
};

enum { IN_MEMORY = XTF_WIRE_SYNC_PROCESS | XTF_WIRE_SYNC_MEMORY };

typedef struct {
    uint32_t operation;
    uint32_t root, mode; /* root XTF_WIRE_NONE: none */
    uint64_t sent, received;
} Operation;

/* Returns the bytes of an element, by the type of a reduction: signed and unsigned integers, and floating point. */
static uint64_t size_of_type(uint64_t type)
{
    static const uint8_t sizes[] = {sizeof(char),  sizeof(char),   sizeof(short),      sizeof(short),
                                    sizeof(int),   sizeof(int),    sizeof(long),       sizeof(long),
                                    sizeof(float), sizeof(double), sizeof(long double)};

    return type < sizeof sizes ? sizes[type] : 0;
}

static uint32_t mode_of(XtfGaspContext *context, uint64_t flags)
{
    if (!xtf_gasp_upcalls.sync_mode)
        return 0;
    context->in_upcall = true;
    int bits = xtf_gasp_upcalls.sync_mode((int)flags);
    context->in_upcall = false;
    return XTF_WIRE_SYNC_MODE * (uint32_t)(bits & 63);
}

/* Describes an operation in which a root sends or receives blocks of `bytes`. The thread with data at `pointer` is the
 * root. */
static Operation rooted(XtfGaspContext *context, uint32_t operation, uint64_t pointer, uint64_t bytes, bool root_sends)
{
    uint32_t root = xtf_gasp_locate(context, pointer).thread;
    uint64_t all = bytes * context->n_threads;
    bool is_root = root == context->thread;

    return (Operation){.operation = operation,
                       .root = root,
                       .sent = root_sends ? is_root ? all : 0 : bytes,
                       .received = root_sends ? bytes
                                   : is_root  ? all
                                              : 0};
}

/* Describes a collective operation: with `to` and `from`, pointers to shared data, and the bytes of a block. In a
 * reduction each thread sends an element. */
static Operation describe_operation(XtfGaspContext *context, const XtfGaspCall *call)
{
    uint64_t to = call->arguments[0], from = call->arguments[1], bytes = call->arguments[2];
    uint64_t all = bytes * context->n_threads;
    bool permutes = call->id == XTF_GASP_ALL_PERMUTE_EVENT;
    bool reduces = call->id == XTF_GASP_ALL_REDUCE_EVENT || call->id == XTF_GASP_ALL_PREFIX_REDUCE_EVENT;
    uint64_t element = reduces ? size_of_type(call->arguments[7]) : 0;
    Operation operation = {.root = XTF_WIRE_NONE};

    switch (call->id) {
    case XTF_GASP_ALL_BROADCAST_EVENT:
        operation = rooted(context, BCAST, from, bytes, true);
        break;
    case XTF_GASP_ALL_SCATTER_EVENT:
        operation = rooted(context, SCATTER, from, bytes, true);
        break;
    case XTF_GASP_ALL_GATHER_EVENT:
        operation = rooted(context, GATHER, to, bytes, false);
        break;
    case XTF_GASP_ALL_REDUCE_EVENT:
        operation = rooted(context, REDUCE, to, element, false);
        break;
    case XTF_GASP_ALL_PREFIX_REDUCE_EVENT:
        operation = (Operation){SCAN, XTF_WIRE_NONE, 0, element, element};
        break;
    case XTF_GASP_ALL_GATHER_ALL_EVENT:
        operation = (Operation){ALLGATHER, XTF_WIRE_NONE, 0, bytes, all};
        break;
    case XTF_GASP_ALL_EXCHANGE_EVENT:
        operation = (Operation){ALLTOALL, XTF_WIRE_NONE, 0, all, all};
        break;
    default: /* ALL_PERMUTE: a block from some thread to some thread */
        operation = (Operation){ALLTOALLV, XTF_WIRE_NONE, 0, call->arguments[3], call->arguments[3]};
    }
    operation.mode = mode_of(context, call->arguments[reduces ? 6 : permutes ? 4 : 3]);
    return operation;
}

static void begin_operation(XtfRing *ring, uint64_t time, XtfGaspContext *context)
{
    context->in_operation = true;
    xtf_core_record(ring, time, XTF_WIRE_RMA_COLLECTIVE_BEGIN, 0, 0);
}

/* Records the end of an operation whose begin was recorded. */
static void end_operation(XtfRing *ring, uint64_t time, XtfGaspContext *context, Operation operation)
{
    if (context->in_operation)
        xtf_core_record(ring, time, XTF_WIRE_RMA_COLLECTIVE_END, operation.operation, operation.root,
                        xtf_core_pair(XTF_GASP_ID, IN_MEMORY | operation.mode), operation.sent, operation.received);
    context->in_operation = false;
}

static void record_lock(XtfRing *ring, uint64_t time, XtfGaspContext *context, const XtfGaspCall *call, unsigned kind)
{
    XtfGaspPlace lock = xtf_gasp_locate(context, call->arguments[0]);

    if (lock.thread != XTF_WIRE_NONE)
        xtf_core_record(ring, time, kind, 0, lock.thread, xtf_core_pair(XTF_GASP_ID, 0), lock.address);
}

void xtf_gasp_operation_start(XtfRing *ring, uint64_t time, XtfGaspContext *context, const XtfGaspCall *call)
{
    if (call->id == XTF_GASP_ALL_ALLOC_EVENT)
        xtf_gasp_attribute(ring, time, XTF_WIRE_ATTRIBUTE_BYTES, call->arguments[0] * call->arguments[1]);
    if (context->n_threads == 0)
        return;
    switch (xtf_gasp_events[call->id].kind) {
    case XTF_GASP_NOTIFY:
    case XTF_GASP_BARRIER:
    case XTF_GASP_ALLOCATE:
    case XTF_GASP_COLLECTIVE:
        begin_operation(ring, time, context);
        break;
    case XTF_GASP_LOCK:
        record_lock(ring, time, context, call, XTF_WIRE_RMA_REQUEST_LOCK);
        break;
    case XTF_GASP_UNLOCK:
        record_lock(ring, time, context, call, XTF_WIRE_RMA_RELEASE_LOCK);
        break;
    }
}

void xtf_gasp_operation_end(XtfRing *ring, uint64_t time, XtfGaspContext *context, const XtfGaspCall *call)
{
    if (context->n_threads == 0)
        return;
    switch (xtf_gasp_events[call->id].kind) {
    case XTF_GASP_WAIT:
    case XTF_GASP_BARRIER:
        end_operation(ring, time, context, (Operation){BARRIER, XTF_WIRE_NONE, 0, 0, 0});
        break;
    case XTF_GASP_ALLOCATE:
        end_operation(ring, time, context, (Operation){ALLOCATE, 0, 0, 0, 0});
        break;
    case XTF_GASP_COLLECTIVE:
        end_operation(ring, time, context, describe_operation(context, call));
        break;
    case XTF_GASP_LOCK:
        record_lock(ring, time, context, call, XTF_WIRE_RMA_ACQUIRE_LOCK);
        break;
    case XTF_GASP_ATTEMPT:
        if (call->arguments[1] != 0)
            record_lock(ring, time, context, call, XTF_WIRE_RMA_TRY_LOCK);
        break;
    }
}
