/*
 * Receives that the program without probes may have got in another order.
 *
 * Two receives of a location may change their order if their messages have one communicator and tag, and different
 * senders. They do if the message of the first one was also sent first, but is sent later by the new times. Each
 * receive is compared with the XTF_RECEIVES_COMPARED receives before it. A trace does not say which receives were from
 * any source: others cannot have another order.
 */
#pragma once

#include "src/analysis/compensate/retime.h"

typedef struct {
    uint64_t seq;                      /* of the later receive */
    uint64_t back;                     /* records back to the earlier receive */
    uint64_t sent, earlier_sent;       /* new times of the sends */
    uint32_t process, earlier_process; /* numbers of the senders among the replay's processes */
    uint32_t comm, tag;
} XtfOrderChange;

/* Compares a receive with the receives before it, and logs changes of order. */
bool xtf_order_note(XtfRetime *retime, XtfRetimedLocation *location, const XtfReceived *received, GError **error);

typedef struct {
    XtfLogReader log;
    uint64_t seq;
} XtfOrderReader;

/* Reads the next change; *found is false at the end. */
bool xtf_order_next(XtfOrderReader *reader, XtfOrderChange *change, bool *found, GError **error);
