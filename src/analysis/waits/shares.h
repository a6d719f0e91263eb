/*
 * Rounds costs to whole ticks.
 *
 * A wait's cost is divided among the call paths that caused it. Each part is a real number, but ticks are stored. Two
 * conditions must hold. The parts of a wait are together no more than the wait. The rounding errors of many waits do
 * not add up. So the remainder of a part that was rounded down is added to the same call path's next part. Ticks of a
 * wait that are left over go to the parts with the largest remainders ("largest remainder" method). As a result, the
 * sum of a call path's parts up to any wait is off by less than two ticks.
 */
#pragma once

#include <glib.h>
#include <stdint.h>

#include "src/analysis/replay/logs/flight.h"

/* Remainders by key. Zeros at first. */
typedef struct {
    XtfFlights remainders; /* a double each */
} XtfRemainders;

typedef struct {
    uint64_t key; /* owner of the part, see xtf_share_key() */
    double exact;
    uint64_t ticks; /* output */
} XtfShare;

void xtf_remainders_finish(XtfRemainders *remainders);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfRemainders, xtf_remainders_finish)

/* Sets the ticks of all shares, together at most `whole`. Shares of 2^63 ticks or more, which no run lasts, get
 * none. */
void xtf_shares_round(XtfRemainders *remainders, XtfShare *shares, uint32_t n, uint64_t whole);
/* Returns the ticks of one part, at most `whole`. */
uint64_t xtf_share_round(XtfRemainders *remainders, uint64_t key, double exact, uint64_t whole);
/* Returns the key of a call path's part. `quantity` is below 256: XTF_SHARE_LONG + kind, ... */
uint64_t xtf_share_key(uint32_t callpath, uint32_t quantity);
