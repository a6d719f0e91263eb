/*
 * States of threads that are in no open call. A thread may have to leave MPI alone until another one returns from its
 * call (deadlock.h).
 */
#pragma once

#include "src/model/process-properties.h"
#include "src/trace/context/trace-context.h"

/* State of a location at the end of the trace. */
typedef enum {
    XTF_THREAD_RUNS,   /* or was killed outside of MPI, or its state is unknown */
    XTF_THREAD_WAITS,  /* it has an XtfOpenCall */
    XTF_THREAD_ENDED,  /* its process has ended without a failure */
    XTF_THREAD_SILENT, /* it does not call MPI, or not before another thread of its process has returned from a call */
} XtfThreadState;

/* How a thread uses MPI, as far as the trace says. */
typedef enum {
    XTF_USE_EXCHANGED = 1,  /* it has exchanged data */
    XTF_USE_IN_CALL = 2,    /* its records end in a call */
    XTF_USE_IS_PROGRAM = 4, /* MPI has not created it: such threads have neither calls nor a begin */
} XtfThreadUse;

/* Facts about threads and processes. All members are borrowed. */
typedef struct {
    const XtfLocations *locations;
    const uint8_t *uses;  /* XtfThreadUse bits, by index of the location */
    GHashTable *ends;     /* XtfStatedEnd by process */
    GHashTable *levels;   /* XtfStatedLevel by process. A process that breaks its level gets MULTIPLE */
    bool has_init_thread; /* the program called MPI_Init_thread */
} XtfThreadStates;

/* Sets the XtfThreadState of each location that does not wait. */
void xtf_thread_states_set(const XtfThreadStates *known, uint8_t *states);
