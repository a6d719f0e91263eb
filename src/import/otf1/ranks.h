/*
 * Processes and ranks. OTF1 names the other side of a message by its process, the model by its rank in a communicator.
 *
 * The processes without a parent are the trace's processes. A process with a parent is a thread of its outermost
 * ancestor. Group 0, which OTF1 uses for "no group", is a communicator of all processes.
 */
#pragma once

#include "src/import/otf1/collect.h"

enum { XTF_OTF1_ALL = 0 }; /* id of the group and communicator of all processes */

typedef struct {
    GHashTable *roots;    /* process -> its outermost ancestor */
    GHashTable *ranks;    /* uint64_t (group << 32 | process) -> rank + 1 */
    GArray *all;          /* of uint32_t: the members of the group of all processes, by rank */
    uint64_t n_circles;   /* processes that are their own ancestors */
    uint64_t n_outsiders; /* messages whose two ends are not both in their group */
} XtfOtf1Ranks;

/* Finds the processes of all definitions, and numbers them. In the group of all processes the members of
 * MPI_COMM_WORLD have the first ranks. */
void xtf_otf1_ranks_init(XtfOtf1Ranks *ranks, const XtfOtf1Definitions *source);
void xtf_otf1_ranks_finish(XtfOtf1Ranks *ranks);

/* Returns the process of which a process is a thread: itself if it has no parent. */
uint32_t xtf_otf1_root(const XtfOtf1Ranks *ranks, uint32_t process);

/* Returns the rank of a process, or of the process of which it is a thread. XTF_NONE32: it is no member. */
uint32_t xtf_otf1_rank(const XtfOtf1Ranks *ranks, uint32_t group, uint32_t process);

/* Returns the group for a record of `process` that names `remote` by its rank. It is `group` if both are its members,
 * else the group of all processes. */
uint32_t xtf_otf1_common_group(XtfOtf1Ranks *ranks, uint32_t group, uint32_t process, uint32_t remote);
