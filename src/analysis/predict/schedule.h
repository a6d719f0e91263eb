/*
 * Collective operations as messages between their members. A member does its steps one after the other. In a step it
 * sends a message, receives one, or both.
 *
 * - All to all, with equal data for all (BARRIER, ALLGATHER, ALLREDUCE, REDUCE_SCATTER), and SCAN: dissemination in
 *   ceil(log2 n) steps. In step k, rank r sends to rank r + 2^k and receives from r - 2^k.
 * - One to all (BCAST, SCATTER) and all to one (REDUCE, GATHER): a binomial tree, whose root is the root.
 * - ALLTOALL: n - 1 steps. In step k, rank r sends to rank r + k and receives from r - k.
 *
 * Operations that order no members have no steps. Any thread may call these functions.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/model/collective-shape.h"

typedef enum {
    XTF_SCHEDULE_NONE,
    XTF_SCHEDULE_BARRIER,
    XTF_SCHEDULE_ALLREDUCE,
    XTF_SCHEDULE_ALLGATHER,
    XTF_SCHEDULE_REDUCE_SCATTER,
    XTF_SCHEDULE_ALLTOALL,
    XTF_SCHEDULE_BCAST,
    XTF_SCHEDULE_SCATTER,
    XTF_SCHEDULE_REDUCE,
    XTF_SCHEDULE_GATHER,
    XTF_SCHEDULE_SCAN,
} XtfScheduleKind;

/* Returns the kind of an operation, given by its label ("ALLREDUCE") and its shape. ALLTOALLV and ALLTOALLW have steps
 * only with the shape XTF_COLLECTIVE_ALL_TO_ALL. */
XtfScheduleKind xtf_schedule_kind(const char *operation, XtfCollectiveShape shape);

typedef struct {
    XtfScheduleKind kind;
    uint32_t n;     /* members */
    uint32_t rank;  /* of this member */
    uint32_t root;  /* less than n, if the kind has a root */
    uint64_t block; /* bytes of the data of one member, or for one member; see xtf_schedule_block() */
} XtfSchedule;

#define XTF_SCHEDULE_NOBODY UINT32_MAX

typedef struct {
    uint32_t to, from; /* ranks; XTF_SCHEDULE_NOBODY: none */
    uint64_t bytes;    /* that are sent */
} XtfScheduleStep;

/* Finds a step of the member; false: it has fewer steps. */
bool xtf_schedule_step(const XtfSchedule *schedule, uint32_t number, XtfScheduleStep *step);
/* Returns the bytes of a block, from the bytes that a trace says a member sent: those of one block to each member that
 * gets it. For BCAST and SCATTER, `rank` is the root. */
uint64_t xtf_schedule_block(XtfScheduleKind kind, uint64_t sent, uint32_t rank, uint32_t n);
/* Returns ceil(log2 n); 0 for 0 or 1. */
uint32_t xtf_schedule_rounds(uint32_t n);
