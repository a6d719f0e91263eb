/*
 * What messages take at least, as far as a run shows it.
 *
 * If a receiver waited for a message, the ticks from the send to the receive's completion are what the message took. If
 * it did not wait, they say nothing; but the ticks from the begin of the call to the completion are what receiving
 * took. The least of both is kept for each sender, receiver and number of bytes, and for each power of two of bytes, of
 * one pair and of all pairs. A message that has no such values has those of the next coarser class, else 0.
 *
 * Numbers of bytes of one pair are limited to XTF_TRANSFERS_MAX in total: further ones count in their powers of two
 * only. One thread uses the values.
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
