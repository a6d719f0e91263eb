/*
 * The least times that messages take, as far as a run shows them.
 *
 * If a receiver waited for a message, its transfer took the ticks from the send to the completion. If the receiver did
 * not wait, receiving took the ticks from the begin of the call to the completion. The least of both is kept for each
 * class of messages. The finest classes have one sender, receiver and number of bytes. The next ones have a power of
 * two of bytes. The coarsest ones have all senders and receivers, too. A message whose class has no value has the value
 * of the next coarser one, else 0.
 *
 * The finest classes are limited to XTF_TRANSFERS_MAX. One thread uses the values.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum { XTF_TRANSFERS_MAX = 1 << 20 };

typedef struct {
    uint64_t transfer; /* ticks from the send to the completion; UINT64_MAX: not known */
    uint64_t receive;  /* ticks that receiving takes without a wait; UINT64_MAX: not known */
} XtfTransfer;

typedef struct {
    GHashTable *pairs; /* of XtfTransfer, by sender, receiver and bytes or their power of two */
    XtfTransfer all[65];
} XtfTransfers;

void xtf_transfers_init(XtfTransfers *transfers);
void xtf_transfers_finish(XtfTransfers *transfers); /* accepts zeros */

/* Notes what a message took; UINT64_MAX: not known. */
void xtf_transfers_note(XtfTransfers *transfers, uint32_t sender, uint32_t receiver, uint64_t bytes,
                        const XtfTransfer *took);
/* Returns the least values of messages like this one; 0 where none are known. */
XtfTransfer xtf_transfers_of(const XtfTransfers *transfers, uint32_t sender, uint32_t receiver, uint64_t bytes);
