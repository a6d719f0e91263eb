/*
 * Finds where a location last synchronised with each process, while a sweep goes forward through the location's
 * points.
 *
 * The records that are points, and their processes, are as in Scalasca 2.6 (src/scout/SynchpointHandler.cpp):
 * - a receive that waited for its sender (in a call for many, only the one that waited longest), and the send;
 * - the completion of a send that waited for the posting of its receive, and the posting;
 * - the end of a barrier, and of an all-to-all operation that all members were in at one time, at each member; of
 *   other all-to-all operations, at the last member that sends, and at those that received data and began before it;
 * - the end of a one-to-all operation, at the members that waited for the root, and then at the root, too;
 * - the end of an all-to-one operation, at the root and at the last member that sends, if the root waited for it;
 * - the ends of MPI_Init and of MPI_Finalize, with all processes.
 * Two kinds of points are not in Scalasca. One is a wait in one-sided communication, with the record that was waited
 * for. The other is the end of a window operation that all members were in at one time, at each member.
 *
 * A meeting of few processes is noted at each of them. A meeting of many is noted at their set: most programs have few
 * sets, one per communicator. The last meeting with a process is its last single one, or the latest meeting of a set
 * with the process. Sets are in the order of their latest meetings, so the search ends soon.
 */
#pragma once

#include "src/analysis/waits/points.h"

#define XTF_NO_POINT UINT64_MAX

typedef struct {
    const XtfPoints *points;
    XtfOperationHeads heads;
    GHashTable *members;       /* uint64_t `first` of an operation -> Processes that synchronise */
    uint64_t n_kept;           /* processes in all values of `members` */
    const uint32_t *processes; /* by location: its process number; ascending */
    /* Fields of the current location. Points count from 1; 0: never. */
    uint64_t world;
    uint64_t *singles; /* by process: its last single meeting */
    GArray *touched;   /* uint32_t: processes with a single meeting */
    GQueue recent;     /* sets, the latest meeting first */
    GHashTable *sets;  /* `first` -> link of `recent` */
} XtfMeetings;

/* Initializes the meetings. Borrows `processes`. */
void xtf_meetings_init(XtfMeetings *meetings, const XtfPoints *points, const uint32_t *processes);
void xtf_meetings_finish(XtfMeetings *meetings);
/* Forgets all meetings, to begin with another location. */
void xtf_meetings_clear(XtfMeetings *meetings);
/* Adds the meetings at point `i` of the location. */
bool xtf_meetings_add(XtfMeetings *meetings, const XtfPoint *point, uint64_t i, GError **error);
/* Finds the last added point at which the location synchronised with a process; XTF_NO_POINT: none. */
bool xtf_meetings_last(XtfMeetings *meetings, uint32_t process, uint64_t *i, GError **error);
