/*
 * Groups of messages: from an envelope as one end states it to the envelope of the other end.
 */
#pragma once

#include "src/tables/match/match.h"

/* The group of an envelope that process `proc` stated: as sender, or as receiver. *known is false if its communicator
 * or peer is not; then the group has what the envelope says, and no other process. */
bool xtf_message_group_find(XtfTraceContext *context, const uint64_t envelope[XTF_ENVELOPE_KEYS], uint64_t proc,
                            bool is_sender, XtfMessageGroup *group, bool *known, GError **error);
