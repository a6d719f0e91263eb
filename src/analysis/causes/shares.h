/*
 * Whole ticks for costs that are none.
 *
 * A wait's cost is divided among the call paths that caused it. Each part is a real number; what is stored are ticks,
 * and two things must hold: the parts of a wait are together no more than the wait, and what is lost by rounding does
 * not add up over many waits. So a part that was rounded down is owed the rest: it is added to the same call path's
 * next part. Ticks that are left of a wait go to the greatest rests ("largest remainder"). So all parts of a call path
 * up to any wait are together less than two ticks off.
 */
#pragma once

#include <glib.h>
#include <stdint.h>

#include "src/analysis/replay/logs/flight.h"

/* What is owed, by whatever a part belongs to. Zeros to begin with. */
typedef struct {
    XtfFlights rests; /* a double each */
} XtfRests;

typedef struct {
    uint64_t key; /* whom it belongs to */
    double exact;
    uint64_t ticks; /* set */
} XtfShare;

void xtf_rests_finish(XtfRests *rests);
/* Sets the ticks of all shares, no more than `whole` together. Shares that are 2^63 ticks together, which no run lasts,
 * get none. */
void xtf_shares_round(XtfRests *rests, XtfShare *shares, uint32_t n, uint64_t whole);
/* The ticks of one part, no more than `whole`. */
uint64_t xtf_share_round(XtfRests *rests, uint64_t key, double exact, uint64_t whole);
/* The key of a part of a call path; `what` is below 256. */
uint64_t xtf_share_key(uint32_t callpath, uint32_t what);
