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

static Places places_of(XtfGaspEventId id)
{
    switch (id) {
    case XTF_GASP_MEMGET_EVENT:
        return (Places){1, ABSENT, 2, ABSENT};
    case XTF_GASP_NB_MEMGET_INIT_EVENT:
        return (Places){1, ABSENT, 2, 3};
    case XTF_GASP_GET_EVENT:
        return (Places){2, ABSENT, 3, ABSENT};
    case XTF_GASP_NB_GET_INIT_EVENT:
        return (Places){2, ABSENT, 3, 4};
    case XTF_GASP_MEMPUT_EVENT:
    case XTF_GASP_MEMSET_EVENT:
        return (Places){ABSENT, 0, 2, ABSENT};
    case XTF_GASP_NB_MEMPUT_INIT_EVENT:
        return (Places){ABSENT, 0, 2, 3};
    case XTF_GASP_PUT_EVENT:
        return (Places){ABSENT, 1, 3, ABSENT};
    case XTF_GASP_NB_PUT_INIT_EVENT:
        return (Places){ABSENT, 1, 3, 4};
    case XTF_GASP_NB_MEMCPY_INIT_EVENT:
        return (Places){1, 0, 2, 3};
    default: /* MEMCPY */
        return (Places){1, 0, 2, ABSENT};
    }
}

static void record_access(XtfRing *ring, uint64_t time, unsigned kind, XtfGaspPlace place, uint64_t bytes,
                          uint64_t matching)
{
    xtf_core_record(ring, time, kind, 0, place.thread, xtf_core_pair(XTF_GASP_ID, 0), bytes, matching);
    if (place.thread != XTF_WIRE_NONE)
        xtf_gasp_attribute(ring, time, XTF_WIRE_ATTRIBUTE_ADDRESS, place.address);
}

/* Records the accesses of a call. A copy within the thread's own memory is a read; one between two other threads is a
 * read and a write. */
static void record_accesses(XtfRing *ring, uint64_t time, XtfGaspContext *context, const XtfGaspCall *call,
                            Places places, uint64_t matching)
{
    uint64_t bytes = call->arguments[places.bytes];
    XtfGaspPlace source, target;

    if (places.source >= 0)
        source = xtf_gasp_locate(context, call->arguments[places.source]);
    if (places.target >= 0)
        target = xtf_gasp_locate(context, call->arguments[places.target]);
    bool copies = places.source >= 0 && places.target >= 0;
    bool writes = places.target >= 0 && (!copies || target.thread != context->thread);
    bool reads = places.source >= 0 && (!copies || !writes || source.thread != context->thread);
    if (reads)
        record_access(ring, time, XTF_WIRE_RMA_GET, source, bytes, matching);
    if (writes)
        record_access(ring, time, XTF_WIRE_RMA_PUT, target, bytes, matching);
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
    Places places = places_of(call->id);
    if (places.handle == ABSENT)
        record_accesses(ring, time, context, call, places, UINT64_MAX);
}

void xtf_gasp_access_end(XtfRing *ring, uint64_t time, XtfGaspContext *context, const XtfGaspCall *call)
{
    if (context->n_threads == 0)
        return;
    if (xtf_gasp_events[call->id].kind == XTF_GASP_SYNC) {
        close_handle(ring, time, context, call);
        return;
    }
    Places places = places_of(call->id);
    if (places.handle != ABSENT)
        record_accesses(ring, time, context, call, places,
                        open_handle(context, (const void *)(uintptr_t)call->arguments[places.handle]));
}
