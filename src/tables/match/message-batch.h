/*
 * Matching of many sends in parallel, for listings.
 */
#pragma once

#include "src/tables/match/message-times.h"

typedef struct {
    XtfMessage message;
    XtfMessageTimes times;
} XtfMatchedSend;

/* Matches n sends, in any order, on all cores. May be called from any thread. */
bool xtf_match_sends(XtfMatching *matching, const XtfMessageEnd *sends, uint32_t n, XtfMatchedSend *matched,
                     GError **error);
/* Does the same, but reads at most `reach` rows before it asks the index (order/message-walk.h). For tests. */
bool xtf_match_sends_within(XtfMatching *matching, const XtfMessageEnd *sends, uint32_t n, uint32_t reach,
                            XtfMatchedSend *matched, GError **error);
