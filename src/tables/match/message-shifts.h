/*
 * Groups whose sends and receives differ in number: something was not recorded. If so many messages are missing before
 * a place, the k-th send there meets receive k + d. A shift d, of at most XTF_SHIFT_MOST, fits at send k if all pairs
 * (i, i + d) with i from k - XTF_SHIFT_SIDE to k + XTF_SHIFT_SIDE agree in bytes and no receive is over before its send
 * begins, and there is such a pair. If exactly one fits, it is likely to be right.
 *
 * Which pairs agree is worked out for XTF_SHIFT_BLOCK sends at a time, and kept.
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

/* The receive of send k; *likely is false if that is not known. *receive is UINT64_MAX if it has none. */
bool xtf_message_shift_send(const XtfShiftedGroup *group, uint64_t k, uint64_t *receive, bool *likely, GError **error);
/* The send of receive k. */
bool xtf_message_shift_receive(const XtfShiftedGroup *group, uint64_t k, uint64_t *send, bool *likely, GError **error);
