/*
 * State of a UPC thread, and functions of this room.
 *
 * - events.c: the events, and their numbers in the dialects
 * - context.c: starting, switching off and on, defining the threads' window
 * - notify.c: the arguments of events, and the function that records each kind
 * - accesses.c: accesses to shared data
 * - operations.c: barriers, collective operations, locks
 * - user-events.c: events of the program
 *
 * Not in the recorder: stub.c, the library that programs are linked with, and gaspu.upc, which users compile.
 *
 * All threads of a program share a window, XTF_GASP_ID, whose communicator has a member for each thread. So accesses,
 * locks and collective operations have
 * the records that windows of MPI have.
 */
#pragma once

#include "src/record/gasp/events.h"
#include "src/record/gasp/gasp-api.h"
#include "src/record/gasp/gaspu.h"
#include "src/record/regions/regions.h"

#pragma GCC visibility push(hidden)

/* The id of the window, and of its communicator and group. Ids of MPI's are small numbers of processes. */
#define XTF_GASP_ID UINT32_C(0xfffffff0)

enum {
    XTF_GASP_ARGUMENTS_MAX = 8,
    XTF_GASP_NUMBERS = 1411,  /* more than the greatest number of an event */
    XTF_GASP_FUNCTIONS = 256, /* functions of which a thread remembers the region */
    XTF_GASP_HANDLES = 1024,  /* accesses of which a thread remembers the handle */
    XTF_GASP_USER_EVENTS = 900,
};

/* A function of the program, by the address of its name. */
typedef struct {
    const char *name, *file;
    uint32_t region; /* index */
} XtfGaspFunction;

/* An access that is not complete. */
typedef struct {
    const void *handle; /* NULL: free */
    uint64_t matching;
} XtfGaspAccess;

/* An event of the program. */
typedef struct {
    uint32_t region;   /* index */
    char *description; /* a format of printf() */
} XtfGaspUserEvent;

struct _gasp_context_S {
    bool records;               /* false: nothing is recorded */
    bool on;                    /* as gasp_control() has set it */
    bool in_upcall;             /* a function of gaspu.upc runs, whose own events do not count */
    bool in_operation;          /* the begin of a collective operation was recorded, and not its end */
    uint32_t thread, n_threads; /* n_threads 0: not known */
    uint64_t n_accesses;
    unsigned short numbers[XTF_GASP_NUMBERS]; /* XtfGaspEventId by number */
    uint32_t regions[XTF_GASP_N_EVENTS];      /* index by XtfGaspEventId */
    XtfGaspDialect dialect;
    uint32_t n_user_events;
    XtfGaspUserEvent user_events[XTF_GASP_USER_EVENTS];
    XtfGaspFunction functions[XTF_GASP_FUNCTIONS];
    XtfGaspAccess accesses[XTF_GASP_HANDLES];
};

typedef struct _gasp_context_S XtfGaspContext;

/* An event that a runtime reports. Each argument is a number of 64 bits. */
typedef struct {
    XtfGaspEventId id;
    const char *file;
    int line;
    uint64_t arguments[XTF_GASP_ARGUMENTS_MAX];
} XtfGaspCall;

/* Where a pointer to shared data points. */
typedef struct {
    uint32_t thread; /* XTF_WIRE_NONE: not known */
    uint64_t address;
} XtfGaspPlace;

/* The functions of gaspu.upc; NULL: the program lacks them. */
typedef struct {
    void (*threads)(int *mythread, int *threads);
    void (*locate)(const void *pointer, int *thread, unsigned long long *address);
    int (*sync_mode)(int flags);
} XtfGaspUpcalls;

extern XtfGaspUpcalls xtf_gasp_upcalls;

/* Reads a pointer to shared data, of which `pointer` is the address. The caller is between begin and end. */
static inline XtfGaspPlace xtf_gasp_locate(XtfGaspContext *context, uint64_t pointer)
{
    XtfGaspPlace place = {XTF_WIRE_NONE, 0};
    unsigned long long address;
    int thread;

    if (!xtf_gasp_upcalls.locate || !pointer)
        return place;
    context->in_upcall = true;
    xtf_gasp_upcalls.locate((const void *)(uintptr_t)pointer, &thread, &address);
    context->in_upcall = false;
    return (XtfGaspPlace){(uint32_t)thread, address};
}

static inline void xtf_gasp_attribute(XtfRing *ring, uint64_t time, uint32_t attribute, uint64_t value)
{
    xtf_core_record(ring, time, XTF_WIRE_ATTRIBUTE, 0, attribute, value);
}

/* Records the START of an access, or of an operation; or its END. The caller is between begin and end. */
void xtf_gasp_access_start(XtfRing *ring, uint64_t time, XtfGaspContext *context, const XtfGaspCall *call);
void xtf_gasp_access_end(XtfRing *ring, uint64_t time, XtfGaspContext *context, const XtfGaspCall *call);
void xtf_gasp_operation_start(XtfRing *ring, uint64_t time, XtfGaspContext *context, const XtfGaspCall *call);
void xtf_gasp_operation_end(XtfRing *ring, uint64_t time, XtfGaspContext *context, const XtfGaspCall *call);

/* Records an event of the program, the n-th, whose arguments are as its description says. */
void xtf_gasp_user_event(XtfGaspContext *context, uint32_t n, gasp_evttype_t type, va_list arguments);

#pragma GCC visibility pop
