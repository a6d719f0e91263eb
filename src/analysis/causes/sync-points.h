/*
 * What the search for causes knows of points of synchronisation: every wait, every record that somebody waited for, and
 * every member of an operation that synchronises, in the order of each location's records.
 *
 * Which records are points, and of which processes, is as in Scalasca 2.6 (src/scout/SynchpointHandler.cpp):
 * - a receive that waited for its sender (in a call for many, only the one that waited longest), and the send;
 * - the completion of a send that waited for the posting of its receive, and the posting;
 * - the end of a barrier, and of an operation of all with all in which everybody was at one time, at each member; else,
 *   of all with all, at the last one that sends and at those that received something and began before it;
 * - the end of an operation of one to all, at those that waited for the root, and then at the root, too;
 * - the end of an operation of all to one, at the root and the last one that sends, if the root waited for it;
 * - the ends of MPI_Init and of MPI_Finalize, with all processes.
 *
 * They are added in any order. XtfSyncPoints belongs to one thread.
 */
#pragma once

#include "src/analysis/causes/sorted-file.h"

typedef enum {
    XTF_SYNC_LATE_SENDER,   /* MPI_RECV, MPI_IRECV; `other` is the send */
    XTF_SYNC_SEND,          /* MPI_SEND, MPI_ISEND; `other` is the receive that waited */
    XTF_SYNC_LATE_RECEIVER, /* MPI_SEND, MPI_ISEND_COMPLETE; `other` is the posting of the receive */
    XTF_SYNC_POSTING,       /* MPI_RECV, MPI_IRECV_REQUEST; `other` is the completion of the send that waited */
    XTF_SYNC_MEMBER, /* MPI_COLLECTIVE_END; `other` is the end at the member that was waited for, maybe this one */
    XTF_SYNC_ALL,    /* the LEAVE of MPI_Init or MPI_Finalize; `other`: who came last */
    XTF_SYNC_NONE,   /* a wait that is no synchronisation: nothing is found out of it */
    XTF_SYNC_KINDS,
} XtfSyncKind;

/* Whose costs are told apart: by the kind of wait in which they end. */
typedef enum {
    XTF_COST_LATE_SENDER,
    XTF_COST_LATE_RECEIVER,
    XTF_COST_BARRIER,
    XTF_COST_ALL_TO_ALL,
    XTF_COST_ONE_TO_ALL,
    XTF_COST_ALL_TO_ONE,
    XTF_COST_CREATE, /* communicators, files, windows; of all with all */
    XTF_COST_DESTROY,
    XTF_COSTS,
} XtfCostKind;

typedef struct {
    XtfRowKey key;      /* the record's seq, and the number of its location: of all, by their keys P, from 0 */
    uint32_t context;   /* call path of the call around the record: row of `contexts` */
    uint64_t time;      /* of the record */
    uint64_t wait;      /* ticks; 0: nobody waited here */
    uint64_t total;     /* ticks, of the call around it */
    int64_t completion; /* ticks of the call that are no waiting for the others, as scout has it: may be negative */
    uint64_t operation; /* of a MEMBER: its number */
    uint64_t other_seq; /* the other end's record and location; UINT32_MAX: there is none */
    uint32_t other;
    uint8_t kind, cost; /* XtfSyncKind; of a point with a wait: XtfCostKind */
    uint8_t unused[2];
    uint64_t number; /* of a point with a wait: its row among its location's `waits`, for the next field */
    /* Found out by going backward. Ticks, but `cause`: the `number` of the other's wait that this wait goes on from;
     * UINT64_MAX: none. */
    uint64_t cause, indirect, propagating, passed;
} XtfSyncPoint;

/* A member of an operation, by its process. */
typedef struct {
    uint32_t process;
    bool synchronises; /* it has a point */
} XtfSyncMember;

typedef struct {
    uint64_t first; /* of its members */
    uint32_t n_members, n_points;
    uint32_t late, cost; /* location of the one that was waited for; XtfCostKind */
    uint64_t late_seq;   /* of its END */
} XtfSyncOperation;

typedef struct XtfSyncPoints XtfSyncPoints;

/* `processes`: by location, a number of its process. */
XtfSyncPoints *xtf_sync_points_new(uint32_t n_locations, const uint32_t *processes, const char *folder, GError **error);
void xtf_sync_points_free(XtfSyncPoints *points); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfSyncPoints, xtf_sync_points_free)

uint32_t xtf_sync_points_n_locations(const XtfSyncPoints *points);
uint32_t xtf_sync_points_process(const XtfSyncPoints *points, uint32_t location);

bool xtf_sync_points_add(XtfSyncPoints *points, const XtfSyncPoint *point, GError **error);
/* An operation of all `members` of a communicator, before its points; sets its number. */
bool xtf_sync_points_add_operation(XtfSyncPoints *points, const XtfSyncOperation *operation,
                                   const XtfSyncMember *members, uint64_t *number, GError **error);
/* Once all are there. */
bool xtf_sync_points_sort(XtfSyncPoints *points, GError **error);

uint64_t xtf_sync_points_n(const XtfSyncPoints *points, uint32_t location);
bool xtf_sync_points_get(XtfSyncPoints *points, uint32_t location, uint64_t i, XtfSyncPoint *point, GError **error);
bool xtf_sync_points_put(XtfSyncPoints *points, uint32_t location, uint64_t i, const XtfSyncPoint *point,
                         GError **error);
/* The first whose seq is not below `seq`; their number if there is none. */
bool xtf_sync_points_find(XtfSyncPoints *points, uint32_t location, uint64_t seq, uint64_t *i, GError **error);

bool xtf_sync_points_operation(XtfSyncPoints *points, uint64_t number, XtfSyncOperation *operation, GError **error);
/* Member `i` of the operation, by process. */
bool xtf_sync_points_member(XtfSyncPoints *points, const XtfSyncOperation *operation, uint32_t i, XtfSyncMember *member,
                            GError **error);
/* Whether the point synchronises its process with another one. */
bool xtf_sync_points_meets(XtfSyncPoints *points, const XtfSyncPoint *point, uint32_t process, bool *meets,
                           GError **error);
