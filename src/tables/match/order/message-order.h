/*
 * The order of a process's messages: which place a send or a posting has among those of its group, and which row has a
 * place. Of one location that is a rank and a select in an array's totals; of several the ranks add up, and a select
 * narrows the places that each location may have until one is left.
 *
 * Cancelled sends have no place.
 */
#pragma once

#include "src/tables/match/order/message-process.h"

/* One side of a group: what a process sent, or what it posted receives for. */
typedef struct {
    const XtfMessageTypes *types;     /* borrowed */
    const XtfMessageProcess *process; /* borrowed */
    XtfMessagesKind kind;             /* SENDS or POSTINGS */
    uint64_t envelope[XTF_ENVELOPE_KEYS];
} XtfMessageSide;

/* A row of the side's array of a location. */
typedef struct {
    uint32_t location; /* in process->locations */
    uint64_t row;
} XtfMessagePlace;

/* The number of the group's messages before a row, which need not be of the group. */
bool xtf_message_rank(const XtfMessageSide *side, const XtfMessagePlace *place, uint64_t *k, GError **error);
/* The place of message k; *found is false if there are no more than k. */
bool xtf_message_select(const XtfMessageSide *side, uint64_t k, XtfMessagePlace *place, bool *found, GError **error);
/* How many the group has in the whole trace. */
bool xtf_message_count(const XtfMessageSide *side, uint64_t *n, GError **error);
/* The same, if k of them are before a place: what is known of these need not be counted again. */
bool xtf_message_count_on(const XtfMessageSide *side, const XtfMessagePlace *place, uint64_t k, uint64_t *n,
                          GError **error);
/* The number in one location of the group's messages before row n of it. */
bool xtf_message_rank_in(const XtfMessageSide *side, uint32_t location, uint64_t n, uint64_t *k, GError **error);
/* The row of a location that has k of them before it in the location; UINT64_MAX if there is none. */
bool xtf_message_select_in(const XtfMessageSide *side, uint32_t location, uint64_t k, uint64_t *n, GError **error);
/* The rows of a location before a place of another one. */
bool xtf_message_rows_before(const XtfMessageSide *side, const XtfMessagePlace *place, uint32_t location, uint64_t *n,
                             GError **error);

/* Whether row n of a location's sends was cancelled. */
bool xtf_message_is_cancelled(const XtfMessageTypes *types, const XtfMessageLocation *location, uint64_t n,
                              bool *cancelled, GError **error);
