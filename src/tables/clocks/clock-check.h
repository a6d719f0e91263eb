/*
 * Counts of messages and collective operations that contradict the clocks of a trace (clock-count.h).
 *
 * The counts compare the times of records. They take only messages and operations whose records match with certainty,
 * and find them by the index. In large traces, the check takes an evenly spaced sample of the records. It skips
 * non-blocking operations, and operations of more than XTF_MEMBERS_AT_ONCE members.
 *
 * All functions may be called from any thread.
 */
#pragma once

#include "src/analysis/formulas/clock-count.h"
#include "src/tables/collectives/collective.h"
#include "src/tables/match/matching.h"
#include "src/trace/select/selection.h"

enum {
    /* Most messages and members that a check reads. Where several threads of a process have such records, the limit is
     * divided by the number of these threads. */
    XTF_CLOCK_MESSAGES_MOST = 8192,
    XTF_CLOCK_MEMBERS_MOST = 16384,
};

typedef struct {
    XtfClockCount count;
    uint64_t largest; /* greatest number of ticks by which an effect precedes its cause */
    bool sampled;     /* true if `count` is of a sample only */
} XtfClockEffects;

typedef struct {
    XtfClockEffects messages; /* received before they were sent */
    XtfClockEffects members;  /* left an operation before another member entered it */
} XtfClockFigures;

typedef struct {
    XtfResolver *resolver;       /* borrowed */
    XtfMatching *matching;       /* borrowed */
    XtfCollectives *collectives; /* borrowed */
    GMutex lock;
    gint made; /* true once `figures` are counted; atomic */
    XtfClockFigures figures;
} XtfClockCheck;

void xtf_clock_check_init(XtfClockCheck *check, XtfResolver *resolver, XtfMatching *matching,
                          XtfCollectives *collectives);
void xtf_clock_check_finish(XtfClockCheck *check);

/* Returns the figures, which the first call counts. Borrowed from the check. NULL with an error. */
const XtfClockFigures *xtf_clock_check_figures(XtfClockCheck *check, GError **error);
typedef enum {
    XTF_CLOCKS_AGREE,
    XTF_CLOCKS_CONTRADICT,
    XTF_CLOCKS_NOT_JUDGED, /* the records could not be read */
} XtfClockVerdict;

XtfClockVerdict xtf_clock_check_verdict(XtfClockCheck *check);
/* Returns a sentence without a period: how often clocks contradict each other and which command corrects them, or why
 * they are not judged. The caller frees it. NULL: the clocks agree. */
char *xtf_clock_check_sentence(XtfClockCheck *check);
