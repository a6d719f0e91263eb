/*
 * The messages of a group of which records were lost, so that it has more sends than receives, or fewer: which receive
 * is that of which send.
 *
 * An epoch is what lies between two operations in which sender and receiver met. A message is taken to be received in
 * the epoch in which it was sent, where the numbers allow that (see below). Of the messages of an epoch, all ends of
 * which there are fewer have another end; these pairs keep the order of both sides, and agree in bytes. A pair is known
 * if all such pairings have it.
 *
 * A program may also send a message in one epoch, and receive it in a later one. Then an epoch has more sends than
 * receives, and a later one has fewer. So no pair is known from an epoch with more sends to the last one with fewer
 * that may have received what was left over; nor if the first epoch with messages has more sends, or the last one more
 * receives, as a single lost record may hide the other end of such a shift. But if these two are all that differs, the
 * program receives each message an epoch later, or more, and nothing is lost.
 *
 * A group that has as many sends as receives may lack as many of both. Epochs would show it, unless both are of one
 * epoch. A group of a single epoch has no such witness: if the trace lacks sends and receives, a pair of it is known
 * only where the messages before and after have other sizes.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* A send, or a receive: one that is posted, and its epoch is that of its completion. */
typedef struct {
    uint64_t bytes;
    uint32_t epoch;
} XtfPairingEnd;

/* Receives from `first` on, up to the next run, are those of the sends from `send` on; UINT32_MAX: it is not known. */
typedef struct {
    uint32_t first, send;
} XtfPairingRun;

typedef struct {
    GArray *receives; /* XtfPairingRun, ascending */
    GArray *unpaired; /* runs (runs.h) of sends of which no receive is known */
    uint32_t n_pairs;
} XtfPairing;

typedef struct {
    const XtfPairingEnd *sends, *receives; /* in the order of the group */
    uint32_t n_sends, n_receives;
    uint32_t *scratch;  /* as many numbers as the side with fewer has */
    uint32_t runs_most; /* of receives, and of sends */
    bool both_lost;     /* the trace lacks sends, and receives, too */
} XtfPairingTask;

/* NULL: no pair is known, or there would be too many runs. */
XtfPairing *xtf_pairing_new(const XtfPairingTask *task);
void xtf_pairing_free(XtfPairing *pairing); /* NULL is fine */

/* The send of a receive; UINT32_MAX: it is not known. */
uint32_t xtf_pairing_send_of(const XtfPairing *pairing, uint32_t receive);
