/*
 * Messages of many sends at once, as listings need them.
 */
#pragma once

#include "src/tables/match/message-times.h"

typedef struct {
    XtfMessage message;
    XtfMessageTimes times;
} XtfMatchedSend;

/* The messages of n sends, in any order. Any thread may call this; all cores help. */
bool xtf_match_sends(XtfMatching *matching, const XtfMessageEnd *sends, uint32_t n, XtfMatchedSend *matched,
                     GError **error);
