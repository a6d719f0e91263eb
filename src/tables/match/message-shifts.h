/*
 * Groups whose numbers of sends and receives differ, because some records are missing.
 *
 * If d more sends than receives are missing before a place, send k there matches receive k + d. A shift d, of at most
 * XTF_SHIFT_MOST, fits at send k under two conditions. All pairs (i, i + d) with i from k - XTF_SHIFT_SIDE to k +
 * XTF_SHIFT_SIDE agree in bytes, and their receives end after their sends begin. And there is at least one such pair.
 * If exactly one shift fits, it is likely to be right.
 *
 * Pairs are compared for XTF_SHIFT_BLOCK sends at a time, and the results are cached.
 */
#pragma once

#include "src/tables/match/matching.h"
#include "src/tables/match/order/message-order.h"

enum {
    XTF_SHIFT_MOST = 16,
    XTF_SHIFT_SIDE = 64,
    XTF_SHIFT_BLOCK = 64,
};

typedef struct {
    XtfMatching *matching;                  /* borrowed */
    const XtfMessageSide *sends, *postings; /* borrowed */
    uint64_t n_sends, n_receives;
} XtfShiftedGroup;

void xtf_message_shifts_init(XtfKeeper *shifts);

/* Finds the receive of send k; *likely is false if it is unknown. *receive is UINT64_MAX if there is none. */
bool xtf_message_shift_send(const XtfShiftedGroup *group, uint64_t k, uint64_t *receive, bool *likely, GError **error);
/* Finds the send of receive k, in the same way. */
bool xtf_message_shift_receive(const XtfShiftedGroup *group, uint64_t k, uint64_t *send, bool *likely, GError **error);
