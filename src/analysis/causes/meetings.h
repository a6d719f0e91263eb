/*
 * With whom a location synchronised last, as one goes forward through its points.
 *
 * Which records are points, and of which processes, is as in Scalasca 2.6 (src/scout/SynchpointHandler.cpp):
 * - a receive that waited for its sender (in a call for many, only the one that waited longest), and the send;
 * - the completion of a send that waited for the posting of its receive, and the posting;
 * - the end of a barrier, and of an operation of all with all in which everybody was at one time, at each member; else,
 *   of all with all, at the last one that sends and at those that received something and began before it;
 * - the end of an operation of one to all, at those that waited for the root, and then at the root, too;
 * - the end of an operation of all to one, at the root and the last one that sends, if the root waited for it;
 * - the ends of MPI_Init and of MPI_Finalize, with all processes.
 * Ours, as it reads no such records: waits in one-sided communication, and the records that were waited for; the end of
 * an operation of a window in which all were at one time, at each member.
 *
 * A meeting of few is noted at each process that was met. One of many is noted at their set: most programs have few
 * sets, those of their communicators. A process was met last where it was met alone, or in the latest set that it
 * belongs to; sets are in the order of their latest meetings, so that one is found soon.
 */
#pragma once

#include "src/analysis/waits/points.h"

#define XTF_NO_POINT UINT64_MAX

typedef struct {
    const XtfPoints *points;
    XtfOperationHeads heads;
    GHashTable *members;       /* uint64_t `first` of an operation -> the processes that synchronise */
    uint64_t n_kept;           /* processes in them */
    const uint32_t *processes; /* by location: numbers of processes, which ascend */
    /* Of the location at hand. Points count from 1; 0: never. */
    uint64_t world;
    uint64_t *alone;  /* by process */
    GArray *touched;  /* uint32_t: processes that were met alone */
    GQueue recent;    /* sets, the latest meeting first */
    GHashTable *sets; /* `first` -> its link in `recent` */
} XtfMeetings;

/* `processes` is borrowed. */
void xtf_meetings_init(XtfMeetings *meetings, const XtfPoints *points, const uint32_t *processes);
void xtf_meetings_finish(XtfMeetings *meetings);
/* Begins with another location. */
void xtf_meetings_clear(XtfMeetings *meetings);
/* Goes over point `i` of the location. */
bool xtf_meetings_add(XtfMeetings *meetings, const XtfPoint *point, uint64_t i, GError **error);
/* The last point by now at which the location synchronised with a process; XTF_NO_POINT: none. */
bool xtf_meetings_last(XtfMeetings *meetings, uint32_t process, uint64_t *i, GError **error);
