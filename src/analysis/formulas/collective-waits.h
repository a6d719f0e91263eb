/*
 * How long members of a collective operation waited for one another: what Scalasca measures ("wait at barrier", "wait
 * at N x N", "late broadcast", "early reduce", "early scan" and the two "completions"; MpiCommunicationHandler.cpp of
 * Scalasca 2.6), for a single operation.
 *
 * Let B be the latest begin of all members, E the earliest end, b and e a member's own begin and end. All times are
 * ticks of the trace's clock, and differences are cut off at the member's own begin and end, so no wait is negative or
 * longer than the member was in the operation. In operations of some with some, nobody is said to wait, as in Scalasca.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/model/collective-shape.h"
#include "src/model/schemas.h"

/* A member's part, as far as it matters here. */
typedef struct {
    uint64_t index; /* among the members, which are in the order of their ranks */
    bool is_root;
    bool sends, receives; /* bytes */
    uint64_t begin, end;
} XtfCollectiveTimes;

/* A time of a member. */
typedef struct {
    bool known;
    uint64_t index, time;
} XtfMemberTime;

/* What is known of an operation as a whole. All zeros at first. */
typedef struct {
    XtfMemberTime first, last;       /* the earliest and the latest begin; of equals the lowest rank */
    XtfMemberTime last_sender;       /* the latest begin of those that sent bytes */
    XtfMemberTime root;              /* its begin */
    XtfMemberTime first_end;         /* the earliest end */
    XtfMemberTime first_partial_end; /* of those that take part in a partial exchange; see below */
} XtfCollectiveSummary;

/* Adds a member, in the order of ranks. */
void xtf_collective_summary_add(XtfCollectiveSummary *summary, const XtfCollectiveTimes *times);

/* Somebody ended an exchange of all with all before the last had begun: then only those wait that received something
 * and began before the last that sent something. Their ends must be gone over once more, by adding all members again.
 */
bool xtf_collective_is_partial(const XtfCollectiveSummary *summary, XtfCollectiveShape shape);
void xtf_collective_summary_add_partial(XtfCollectiveSummary *summary, const XtfCollectiveTimes *times);

/* How long a member waited for others to begin (or for the one that sends to it), and how long it stayed after the
 * first member was through. `last_sender` is the latest begin of the members up to this one that sent bytes: for scans.
 */
void xtf_collective_waits(const XtfCollectiveSummary *summary, XtfCollectiveShape shape,
                          const XtfCollectiveTimes *times, XtfMemberTime last_sender, uint64_t *wait,
                          uint64_t *completion);

/* Makes `latest` the time of a member if that is later. */
void xtf_member_time_latest(XtfMemberTime *latest, uint64_t index, uint64_t time);

/* Returns the label of the waits in operations of a shape; of handles, by whether they are destroyed. */
uint8_t xtf_collective_wait_kind(XtfCollectiveShape shape, bool destroys);
