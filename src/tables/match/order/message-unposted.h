/*
 * Receives that complete a request which their own location has not posted since the measurement began: another thread
 * posted it, or it was open already. They count as posted when they complete. Their true place is an earlier one,
 * nobody knows which, so every receive of the group that was posted before one of them completed may stand one place
 * too early.
 */
#pragma once

#include "src/tables/match/order/message-order.h"

/* Whether the receive at a place, or one behind it in its group, is such a one. */
bool xtf_message_is_unposted(const XtfMessageSide *postings, const XtfMessagePlace *place, bool *unposted,
                             GError **error);
