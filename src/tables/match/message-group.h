/*
 * Groups of messages: converts the envelope that one end records to the envelope of the other end.
 */
#pragma once

#include "src/tables/match/matching.h"
#include "src/tables/match/message.h"

/* Finds the group of an envelope that process `proc` recorded, as sender or as receiver. *known is false if the
 * communicator or the peer is unknown. Then only `proc`, communicator and tag of the group are set. */
bool xtf_message_group_find(XtfTraceContext *context, const uint64_t envelope[XTF_ENVELOPE_KEYS], uint64_t proc,
                            bool is_sender, XtfMessageGroup *group, bool *known, GError **error);
