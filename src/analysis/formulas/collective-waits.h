/*
 * The waits of the members of a single collective operation, as Scalasca measures them: "wait at barrier", "wait at N x
 * N", "late broadcast", "early reduce", "early scan" and the two "completions" (MpiCommunicationHandler.cpp of Scalasca
 * 2.6).
 *
 * Let B be the latest begin of all members, E the earliest end, b and e a member's own begin and end. All times are
 * ticks of the trace's clock. Differences are limited to the member's own begin and end, so a wait is never negative or
 * longer than the member's operation. Operations in which some members exchange data with some others have no waits, as
 * in Scalasca.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/model/collective-shape.h"
#include "src/model/schemas.h"

/* The times of a member, and its role. */
typedef struct {
    uint64_t index; /* among the members, in the order of their ranks */
    bool is_root;
    bool sends, receives; /* true if it sends, or receives, any bytes */
    uint64_t begin, end;
} XtfCollectiveTimes;

/* A time of a member. */
typedef struct {
    bool known;
    uint64_t index, time;
} XtfMemberTime;

/* The times of an operation as a whole. All zeros at first. */
typedef struct {
    XtfMemberTime first, last;       /* the earliest and the latest begin; of equal ones the lowest rank */
    XtfMemberTime last_sender;       /* the latest begin of the members that sent bytes */
    XtfMemberTime root;              /* the root's begin */
    XtfMemberTime first_end;         /* the earliest end */
    XtfMemberTime first_partial_end; /* the earliest end of members of a partial exchange */
} XtfCollectiveSummary;

/* Adds a member, in the order of ranks. */
void xtf_collective_summary_add(XtfCollectiveSummary *summary, const XtfCollectiveTimes *times);

/* Handles partial exchanges, in which a member ended an exchange of all with all before the last member began. Then
 * only members wait that received data and began before the last sender. The caller adds all members once more with the
 * second function, for their ends. */
bool xtf_collective_is_partial(const XtfCollectiveSummary *summary, XtfCollectiveShape shape);
void xtf_collective_summary_add_partial(XtfCollectiveSummary *summary, const XtfCollectiveTimes *times);

/* Computes how long a member waited for the other members, or for its sender, to begin. *completion: how long it stayed
 * after the first member's end. `last_sender`, for scans: the latest begin among the members up to this one that sent
 * bytes. */
void xtf_collective_waits(const XtfCollectiveSummary *summary, XtfCollectiveShape shape,
                          const XtfCollectiveTimes *times, XtfMemberTime last_sender, uint64_t *wait,
                          uint64_t *completion);

/* Sets `latest` to the time of a member if it is later. */
void xtf_member_time_latest(XtfMemberTime *latest, uint64_t index, uint64_t time);

/* Returns the label of waits in operations of a shape. `destroys`: the operation destroys handles; matters for handles
 * only. */
uint8_t xtf_collective_wait_kind(XtfCollectiveShape shape, bool destroys);
