/*
 * Counts of a check of clocks (clock-check.h): messages, and members of collective operations.
 */
#pragma once

#include "src/tables/clocks/clock-check.h"
#include "src/tables/match/message.h"

/* Takes a message whose ends match with certainty. Times are of its two records, on the clock of the trace. */
typedef void XtfClockSample(const XtfMessage *message, uint64_t sent, uint64_t received, void *data);

/* Passes messages to `sample`: all, or an evenly spaced sample of them (*sampled). */
bool xtf_clock_sample_messages(XtfClockCheck *check, XtfClockSample *sample, void *data, bool *sampled, GError **error);

bool xtf_clock_count_messages(XtfClockCheck *check, XtfClockEffects *messages, GError **error);
bool xtf_clock_count_members(XtfClockCheck *check, XtfClockEffects *members, GError **error);

/* Counts an effect; `effect` and `cause` are its time and the time of its cause. */
static inline void xtf_clock_effects_add(XtfClockEffects *effects, uint64_t effect, uint64_t cause)
{
    effects->count.judged++;
    if (effect < cause) {
        effects->count.impossible++;
        effects->largest = MAX(effects->largest, cause - effect);
    }
}
