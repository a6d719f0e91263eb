/*
 * Pairs of sends and receives in a group with lost records, which has more sends than receives or the reverse.
 *
 * An epoch is the time between two operations in which sender and receiver met. If the counts allow it (see below), a
 * message is assumed to be received in the epoch of its send. In an epoch, every end of the smaller side has a partner.
 * The pairs keep the order of both sides, and both ends of a pair agree in bytes. A pair is known if all such pairings
 * contain it.
 *
 * A program may also send a message in one epoch and receive it in a later one. Then an epoch has more sends than
 * receives, and a later one has fewer. So no pair is known from an epoch with more sends up to the last one with fewer
 * that may have received the surplus. Nor is any pair known if the first epoch with messages has more sends, or the
 * last one more receives. A single lost record may hide the other end of such a shift. But if only these two epochs
 * differ, by equal amounts, the program receives each message one or more epochs later, and no record is lost.
 *
 * A group with equally many sends and receives may lack equally many of both. Epochs show the loss, unless both lost
 * records are of one epoch. A group of a single epoch cannot show it. If the trace lacks sends and receives, a pair of
 * such a group is known only where the messages before and after have different sizes.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* A send, or a posted receive, which is in the epoch of its completion. */
typedef struct {
    uint64_t bytes;
    uint32_t epoch;
} XtfPairingEnd;

/* Consecutive receives: from `first` up to the first of the next item. They receive consecutive sends, from `send` on.
 * UINT32_MAX: their sends are not known. */
typedef struct {
    uint32_t first, send;
} XtfPairingRun;

typedef struct {
    GArray *receives; /* XtfPairingRun, ascending */
    GArray *unpaired; /* runs (runs.h) of sends without a known receive */
    uint32_t n_pairs;
} XtfPairing;

typedef struct {
    const XtfPairingEnd *sends, *receives; /* in the order of the group */
    uint32_t n_sends, n_receives;
    uint32_t *scratch;  /* room for a number for each end of the smaller side */
    uint32_t runs_most; /* limit of runs of receives, and of runs of sends */
    bool both_lost;     /* the trace lacks both sends and receives */
} XtfPairingTask;

/* Pairs the ends of a group. NULL: no pair is known, or the pairing needs too many runs. */
XtfPairing *xtf_pairing_new(const XtfPairingTask *task);
void xtf_pairing_free(XtfPairing *pairing); /* accepts NULL */

/* Returns the send of a receive; UINT32_MAX: not known. */
uint32_t xtf_pairing_send_of(const XtfPairing *pairing, uint32_t receive);
