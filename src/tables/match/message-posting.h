/*
 * From a receive to its posting.
 */
#pragma once

#include "src/tables/match/matching.h"
#include "src/tables/match/message.h"

/* Finds the row of `postings` for row m of `recvs`. If it is not found, *reason says why. The writer adds postings in
 * the order of posting, once they are complete: the row may not be written yet. */
bool xtf_message_posting_find(const XtfMatching *matching, const XtfMessageLocation *location, uint64_t m, uint64_t *n,
                              bool *found, XtfPairDoubt *reason, GError **error);
