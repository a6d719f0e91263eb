/*
 * How many messages and collective operations contradict the clocks of a trace (clock-count.h), by times of records.
 *
 * Only what certainly belongs together counts. It is found by the index; where there is much of it, evenly chosen
 * records are looked at. Operations of more than XTF_MEMBERS_AT_ONCE members are left out, and so are non-blocking
 * ones.
 *
 * All functions may be called from any thread.
 */
#pragma once

#include "src/analysis/formulas/clock-count.h"
#include "src/tables/collectives/collective.h"
#include "src/tables/match/matching.h"
#include "src/trace/select/selection.h"

enum {
    /* What is looked at, at most; of processes with several threads that have messages, or operations, so much less. */
    XTF_CLOCK_MESSAGES_MOST = 8192,
    XTF_CLOCK_MEMBERS_MOST = 16384,
};

typedef struct {
    XtfClockCount count;
    uint64_t largest; /* ticks that an effect is before its cause, at most */
    bool sampled;     /* there are more */
} XtfClockEffects;

typedef struct {
    XtfClockEffects messages; /* received before they are sent */
    XtfClockEffects members;  /* leave an operation before another one enters it */
} XtfClockFigures;

typedef struct {
    XtfResolver *resolver;       /* borrowed */
    XtfMatching *matching;       /* borrowed */
    XtfCollectives *collectives; /* borrowed */
    GMutex lock;
    gint made; /* atomic */
    XtfClockFigures figures;
} XtfClockCheck;

void xtf_clock_check_init(XtfClockCheck *check, XtfResolver *resolver, XtfMatching *matching,
                          XtfCollectives *collectives);
void xtf_clock_check_finish(XtfClockCheck *check);

/* The figures, counted when first asked for. Borrowed from the check. NULL with an error. */
const XtfClockFigures *xtf_clock_check_figures(XtfClockCheck *check, GError **error);
typedef enum {
    XTF_CLOCKS_AGREE,
    XTF_CLOCKS_CONTRADICT,
    XTF_CLOCKS_NOT_JUDGED, /* the records could not be read */
} XtfClockVerdict;

XtfClockVerdict xtf_clock_check_verdict(XtfClockCheck *check);
/* Says with numbers that clocks contradict each other and what corrects them, or why they are not judged: a sentence
 * without a point at its end, for the caller to free. NULL: they agree. */
char *xtf_clock_check_sentence(XtfClockCheck *check);
