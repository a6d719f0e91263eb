/*
 * Receives that complete a request that their own location did not post during the measurement. Another thread posted
 * it, or it was open when the measurement began. They count as posted on completion. The true place in the
 * order is earlier, but unknown. So every receive of the group posted before such a completion may be counted one place
 * too early.
 */
#pragma once

#include "src/tables/match/order/message-order.h"

/* True if the receive at a place, or a later one of its group, completes an unposted request. */
bool xtf_message_is_unposted(const XtfMessageSide *postings, const XtfMessagePlace *place, bool *unposted,
                             GError **error);
