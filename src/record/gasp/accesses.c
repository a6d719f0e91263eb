/*
 * Accesses to shared data. An access is recorded when it starts, or, if it has a handle, when the runtime has returned
 * the handle. A handle of a runtime is reused, so records have a number of their own.
 */
#include "src/record/gasp/context.h"

/* Where the arguments of an event are; ABSENT: it has none. */
typedef struct {
    signed char source, target, bytes, handle;
} Places;

enum { ABSENT = -1, COMPLETE_LOCALLY = 1, TESTED = 2 /* region of XTF_WIRE_RMA_COMPLETE */ };

/* Places by XtfGaspEventId, for events of accesses. */
static const Places places[XTF_GASP_N_EVENTS] = {
    [XTF_GASP_MEMGET_EVENT] = {1, ABSENT, 2, ABSENT}, [XTF_GASP_NB_MEMGET_INIT_EVENT] = {1, ABSENT, 2, 3},
    [XTF_GASP_GET_EVENT] = {2, ABSENT, 3, ABSENT},    [XTF_GASP_NB_GET_INIT_EVENT] = {2, ABSENT, 3, 4},
    [XTF_GASP_MEMPUT_EVENT] = {ABSENT, 0, 2, ABSENT}, [XTF_GASP_NB_MEMPUT_INIT_EVENT] = {ABSENT, 0, 2, 3},
    [XTF_GASP_MEMSET_EVENT] = {ABSENT, 0, 2, ABSENT}, [XTF_GASP_NB_PUT_INIT_EVENT] = {ABSENT, 1, 3, 4},
    [XTF_GASP_PUT_EVENT] = {ABSENT, 1, 3, ABSENT},    [XTF_GASP_MEMCPY_EVENT] = {1, 0, 2, ABSENT},
    [XTF_GASP_NB_MEMCPY_INIT_EVENT] = {1, 0, 2, 3},
};

static void record_access(XtfRing *ring, uint64_t time, bool is_put, XtfGaspPlace place, uint64_t bytes,
                          uint64_t matching)
{
    if (place.thread != XTF_WIRE_NONE)
        xtf_core_record(ring, time, is_put ? XTF_WIRE_RMA_PUT_AT : XTF_WIRE_RMA_GET_AT, 0, place.thread,
                        xtf_core_pair(XTF_GASP_ID, 0), bytes, matching, place.address);
    else
        xtf_core_record(ring, time, is_put ? XTF_WIRE_RMA_PUT : XTF_WIRE_RMA_GET, 0, XTF_WIRE_NONE,
                        xtf_core_pair(XTF_GASP_ID, 0), bytes, matching);
}

/* Records the accesses of a call. A copy within the thread's own memory is a read; one between two other threads is a
 * read and a write. */
static void record_accesses(XtfRing *ring, uint64_t time, XtfGaspContext *context, const XtfGaspCall *call,
                            uint64_t matching)
{
    const Places *at = &places[call->id];
    uint64_t bytes = call->arguments[at->bytes];
    XtfGaspPlace source = {0}, target = {0};

    if (at->source >= 0)
        source = xtf_gasp_locate(context, call->arguments[at->source]);
    if (at->target >= 0)
        target = xtf_gasp_locate(context, call->arguments[at->target]);
    bool copies = at->source >= 0 && at->target >= 0;
    bool writes = at->target >= 0 && (!copies || target.thread != context->thread);
    bool reads = at->source >= 0 && (!copies || !writes || source.thread != context->thread);
    if (reads)
        record_access(ring, time, false, source, bytes, matching);
    if (writes)
        record_access(ring, time, true, target, bytes, matching);
}

/* ---- Handles. Runtimes mark accesses that are complete at once by the handles 0 and -1. */

static bool is_open_handle(const void *handle)
{
    return handle && handle != (const void *)-1;
}

/* Finds the place of a handle, or a free place for it; NULL: there is none. */
static XtfGaspAccess *find_handle(XtfGaspContext *context, const void *handle, bool is_new)
{
    uintptr_t mixed = (uintptr_t)handle >> 4 ^ (uintptr_t)handle >> 14;
    XtfGaspAccess *free_place = NULL;

    for (unsigned i = 0; i < 8; i++) {
        XtfGaspAccess *place = &context->accesses[(mixed + i) % XTF_GASP_HANDLES];
        if (place->handle == handle)
            return place;
        if (!place->handle && !free_place)
            free_place = place;
    }
    return is_new ? free_place : NULL;
}

static uint64_t open_handle(XtfGaspContext *context, const void *handle)
{
    XtfGaspAccess *place = is_open_handle(handle) ? find_handle(context, handle, true) : NULL;

    if (!place)
        return UINT64_MAX;
    *place = (XtfGaspAccess){handle, ++context->n_accesses};
    return place->matching;
}

/* Records the completion of the access with a handle, or a test that found it incomplete. */
static void close_handle(XtfRing *ring, uint64_t time, XtfGaspContext *context, const XtfGaspCall *call)
{
    const void *handle = (const void *)(uintptr_t)call->arguments[0];
    XtfGaspAccess *place = is_open_handle(handle) ? find_handle(context, handle, false) : NULL;
    bool complete = call->id == XTF_GASP_NB_SYNC_EVENT || call->arguments[1] != 0;

    if (!place)
        return;
    xtf_core_record(ring, time, XTF_WIRE_RMA_COMPLETE, complete ? COMPLETE_LOCALLY : TESTED, XTF_GASP_ID,
                    place->matching);
    if (complete)
        place->handle = NULL;
}

void xtf_gasp_access_start(XtfRing *ring, uint64_t time, XtfGaspContext *context, const XtfGaspCall *call)
{
    if (context->n_threads == 0 || xtf_gasp_events[call->id].kind == XTF_GASP_SYNC)
        return;
    if (places[call->id].handle == ABSENT)
        record_accesses(ring, time, context, call, UINT64_MAX);
}

void xtf_gasp_access_end(XtfRing *ring, uint64_t time, XtfGaspContext *context, const XtfGaspCall *call)
{
    if (context->n_threads == 0)
        return;
    if (xtf_gasp_events[call->id].kind == XTF_GASP_SYNC) {
        close_handle(ring, time, context, call);
        return;
    }
    signed char handle = places[call->id].handle;
    if (handle != ABSENT)
        record_accesses(ring, time, context, call,
                        open_handle(context, (const void *)(uintptr_t)call->arguments[handle]));
}
