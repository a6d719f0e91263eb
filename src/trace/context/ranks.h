/*
 * From ranks in communicators to processes.
 *
 * A record states its peer as a rank in a communicator; the tree shows processes. The tables of communicators, groups
 * and members lead from one to the other. Any of them may be missing.
 *
 * Immutable once loaded: any thread may use it.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/handles.h"
#include "libxtf/schema.h"

typedef struct {
    const XtfTable *comms, *groups, *members;
    const XtfField *group, *remote_group, *first, *count, *proc;
    /* Rows of `members` by process, then by row; NULL: not sorted yet. Loading sorts them if the trace has an
     * intercommunicator. */
    uint32_t *by_proc;
    uint32_t n_by_proc;
} XtfRanks;

bool xtf_ranks_load(XtfRanks *ranks, XtfTrace *trace, GError **error);
void xtf_ranks_finish(XtfRanks *ranks); /* accepts all zeros */
/* Prepares xtf_ranks_rank(), unless done already. Only one thread at a time may call it; meanwhile other threads may
 * call the other functions. */
void xtf_ranks_sort_members(XtfRanks *ranks);

/* The field by which rows of a schema state the communicator of their peers' ranks. Its value is a row of
 * `communicators`, or a row of another table which has such a field. */
typedef struct {
    const XtfField *field; /* NULL: the rows state no communicator */
    const XtfTable *via;   /* table that `field` refers to; NULL: `field` is the communicator */
    const XtfField *comm;  /* communicator in a row of `via` */
} XtfCommSource;

bool xtf_comm_source_find(XtfCommSource *source, XtfTrace *trace, const XtfSchema *schema, GError **error);
/* Finds the communicator of a value of source->field, which is not "none". False if it is unknown. */
bool xtf_comm_source_map(const XtfCommSource *source, uint64_t value, uint64_t *comm);

/* Finds the process of a rank in a communicator, as process `from` sees it. False if the tables do not state it. */
bool xtf_ranks_proc(const XtfRanks *ranks, uint64_t comm, uint64_t rank, uint64_t from, uint64_t *proc);

/* Finds the rank of process `proc` in a communicator, as process `from` sees it; the lowest if it has several.
 * Members must be sorted. */
bool xtf_ranks_rank(const XtfRanks *ranks, uint64_t comm, uint64_t proc, uint64_t from, uint64_t *rank);

/* True if a row of `communicators` is a separate one-member communicator in each process, such as MPI_COMM_SELF. */
bool xtf_ranks_is_self(const XtfRanks *ranks, uint64_t comm);

/* Counts the members of a communicator. A communicator without a group has one. False if the tables do not state the
 * members. */
bool xtf_ranks_count_members(const XtfRanks *ranks, uint64_t comm, uint64_t *n);
/* Finds the process of the i-th member, by rank; members of a second group follow the first group's. False if the
 * process is unknown. */
bool xtf_ranks_member(const XtfRanks *ranks, uint64_t comm, uint64_t i, uint64_t from, uint64_t *proc);

/* Finds the rows of `members` of a communicator's group, [0], and of its second group, [1]: n rows from `first` on.
 * False if it has no group, or if the tables do not state the rows. */
bool xtf_ranks_groups(const XtfRanks *ranks, uint64_t comm, uint64_t first[2], uint64_t n[2]);
/* Finds the process of a row of `members`; false if it is unknown. */
bool xtf_ranks_member_proc(const XtfRanks *ranks, uint64_t row, uint64_t *proc);
