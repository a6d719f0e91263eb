/*
 * Order of a process's messages in their group: a message's number, and the place of a number. In one location, a rank
 * and a select in an array's totals give them. In several locations, the ranks add up, and a select narrows the range
 * of each location until one place remains.
 *
 * Cancelled sends are not numbered.
 */
#pragma once

#include "src/tables/match/order/message-process.h"

/* One side of a group: the sends of a process, or the postings of its receives. */
typedef struct {
    const XtfMessageTypes *types;     /* borrowed */
    const XtfMessageProcess *process; /* borrowed */
    XtfMessagesKind kind;             /* SENDS or POSTINGS */
    uint64_t envelope[XTF_ENVELOPE_KEYS];
} XtfMessageSide;

/* A row of the side's array in a location. */
typedef struct {
    uint32_t location; /* index in process->locations */
    uint64_t row;
} XtfMessagePlace;

/* Returns the only location of the process that has messages of the side's kind; process->n if none or several have. */
uint32_t xtf_message_only_location(const XtfMessageSide *side);
/* Counts the group's messages before a row, which may be of another group. */
bool xtf_message_rank(const XtfMessageSide *side, const XtfMessagePlace *place, uint64_t *k, GError **error);
/* Finds the place of message k. *found is false if there are at most k messages, or if it is before the kept time. */
bool xtf_message_select(const XtfMessageSide *side, uint64_t k, XtfMessagePlace *place, bool *found, GError **error);
/* Counts the group's messages before the kept time of the trace: the numbers of the kept ones follow. */
bool xtf_message_count_removed(const XtfMessageSide *side, uint64_t *k, GError **error);
/* Counts the group's messages in the whole trace. */
bool xtf_message_count(const XtfMessageSide *side, uint64_t *n, GError **error);
/* Counts the group's messages in the whole trace, given that k of them precede a place. Counts only from there on, if
 * totals do not suffice. */
bool xtf_message_count_on(const XtfMessageSide *side, const XtfMessagePlace *place, uint64_t k, uint64_t *n,
                          GError **error);
/* Counts the group's messages in one location before its row n. */
bool xtf_message_rank_in(const XtfMessageSide *side, uint32_t location, uint64_t n, uint64_t *k, GError **error);
/* Finds the row of a location with k of the group's messages before it in the location. UINT64_MAX if there is none
 * from the kept time on. */
bool xtf_message_select_in(const XtfMessageSide *side, uint32_t location, uint64_t k, uint64_t *n, GError **error);
/* Counts the rows of a location that precede a place in another location. */
bool xtf_message_rows_before(const XtfMessageSide *side, const XtfMessagePlace *place, uint32_t location, uint64_t *n,
                             GError **error);

/* True if row n of a location's sends was cancelled. */
bool xtf_message_is_cancelled(const XtfMessageTypes *types, const XtfMessageLocation *location, uint64_t n,
                              bool *cancelled, GError **error);
