/*
 * Messages between the home of a wait and the home of its culprit. The home of a location is the thread or the rank
 * that has its points.
 */
#pragma once

#include "src/analysis/causes/costs.h"
#include "src/analysis/waits/points.h"

/* The name of a wait for one location, which both sides know. */
typedef struct {
    uint32_t waiter, culprit;
    uint64_t waiter_seq;  /* record that waited */
    uint64_t culprit_seq; /* record that was waited for; in one-sided communication the instance: the record that waited
                           * may be several points */
} XtfWaitKey;

/* The message of a wait to the home of its culprit. */
typedef struct {
    XtfWaitKey key;      /* in operations only the locations are used */
    uint64_t instance;   /* of an operation; UINT64_MAX: a wait for one location */
    uint64_t number;     /* of the point at which the wait ended */
    uint64_t wait;       /* ticks; 0: no wait is left */
    XtfPointMeeting met; /* where the waiter last met the culprit */
    XtfCosts costs;      /* long-term costs that the wait passes on */
    uint8_t kind, depth; /* of the point */
    uint8_t unused[2];
    uint32_t n_work;         /* entries of `work` */
    XtfCallpathTicks work[]; /* the waiter's work since that meeting, by call path */
} XtfWait;

/* The answer of a culprit. */
typedef struct {
    uint32_t waiter, unused;
    uint64_t number;
    double indirect;
    uint64_t cause;
    XtfPointMeeting met, culprit_met;
} XtfWaitAnswer;
