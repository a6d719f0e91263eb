/*
 * Groups whose numbers of sends and receives differ, because some records are missing.
 *
 * If d more sends than receives are missing before a place, send k there matches receive k + d. A shift d, of at most
 * XTF_SHIFT_MOST, fits at send k under two conditions. All pairs (i, i + d) with i from k - XTF_SHIFT_SIDE to k +
 * XTF_SHIFT_SIDE agree in bytes, and their receives end after their sends begin. And there is at least one such pair.
 * If exactly one shift fits, it is likely to be right.
 *
 * Pairs are compared for XTF_SHIFT_BLOCK sends at a time, and the results are cached. Finding a call takes longer than
 * all else. So calls are found only if bytes and the order of records leave the result in doubt.
 */
#pragma once

#include "src/tables/match/matching.h"
#include "src/tables/match/order/message-order.h"

enum {
    XTF_SHIFT_MOST = 16,
    XTF_SHIFT_SIDE = 64,
    XTF_SHIFT_BLOCK = 64,
};

enum {
    XTF_SHIFTS = 2 * XTF_SHIFT_MOST + 1,
    XTF_SHIFT_BLOCKS = 4, /* blocks that a group holds */
    XTF_SHIFT_SENDS = 2 * XTF_SHIFT_BLOCK,
};

/* Pairs whose calls are found, to compare their order, where the records do not show it. */
typedef enum {
    XTF_SHIFT_NO_CALLS,
    XTF_SHIFT_ONE_PAIR, /* one for each shift in doubt: the one that is most likely to disagree */
    XTF_SHIFT_ALL_PAIRS,
    XTF_SHIFT_N_EFFORTS,
} XtfShiftEffort;

/* Results for the sends of a block, bit i being the i-th. `paired` has the sends with a receive, by the shift. `differ`
 * has the sends whose pair disagrees. In `unknown` the order of the calls is not known. */
typedef struct {
    uint64_t number_and_1; /* of the block; 0: none */
    uint8_t effort;        /* XtfShiftEffort */
    uint64_t paired[XTF_SHIFTS], differ[XTF_SHIFTS], unknown[XTF_SHIFTS];
} XtfShiftMasks;

/* The shift of a send, plus XTF_SHIFT_MOST. */
typedef struct {
    uint64_t k_and_1; /* of the send; 0: none */
    unsigned shift;
    bool fits; /* false if no shift fits, or several */
} XtfShiftOfSend;

/* A group, with its latest results. Queries for sends near each other cost little. Only one thread at a time may use
 * it. */
typedef struct {
    XtfMatching *matching;                  /* borrowed */
    const XtfMessageSide *sends, *postings; /* borrowed */
    uint64_t n_sends, n_receives;
    /* Private; initially all zeros. */
    XtfShiftMasks blocks[XTF_SHIFT_BLOCKS];
    XtfShiftOfSend shifts[XTF_SHIFT_SENDS];
} XtfShiftedGroup;

void xtf_message_shifts_init(XtfKeeper *shifts);

/* Finds the receive of send k; *likely is false if it is unknown. *receive is UINT64_MAX if there is none. */
bool xtf_message_shift_send(XtfShiftedGroup *group, uint64_t k, uint64_t *receive, bool *likely, GError **error);
/* Finds the send of receive k, in the same way. */
bool xtf_message_shift_receive(XtfShiftedGroup *group, uint64_t k, uint64_t *send, bool *likely, GError **error);
