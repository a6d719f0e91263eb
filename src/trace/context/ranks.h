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
    /* Rows of `members` by process, then by row; NULL: not sorted yet. Sorted when loaded if a
     * communicator is between two groups. */
    uint32_t *by_proc;
    uint32_t n_by_proc;
} XtfRanks;

bool xtf_ranks_load(XtfRanks *ranks, XtfTrace *trace, GError **error);
void xtf_ranks_finish(XtfRanks *ranks); /* also one of zeros */
/* Makes xtf_ranks_rank() ready, unless it is. One thread at a time; meanwhile others may use the other functions. */
void xtf_ranks_sort_members(XtfRanks *ranks);

/* How rows of a schema state the communicator of their peers' ranks: by a field that is a row of `communicators`, or by
 * a field that is a row of another table, which has such a field. */
typedef struct {
    const XtfField *field; /* NULL: the rows do not state it */
    const XtfTable *via;   /* that `field` is a row of; NULL: `field` is the communicator */
    const XtfField *comm;  /* of `via` */
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
bool xtf_ranks_is_own(const XtfRanks *ranks, uint64_t comm);

/* The members of a communicator, in the order of their ranks, those of a second group behind those of the first: how
 * many they are. A communicator without a group has one. False if the tables do not say. */
bool xtf_ranks_count_members(const XtfRanks *ranks, uint64_t comm, uint64_t *n);
/* The process of the i-th of them; false if it is not known. */
bool xtf_ranks_member(const XtfRanks *ranks, uint64_t comm, uint64_t i, uint64_t from, uint64_t *proc);

/* The rows of `members` that are a communicator's, of its group and of its second group: `n` of them from each `first`.
 * False if it has no group, or if the tables do not say. */
bool xtf_ranks_groups(const XtfRanks *ranks, uint64_t comm, uint64_t first[2], uint64_t n[2]);
/* The process of a row of `members`; false if it is not known. */
bool xtf_ranks_member_proc(const XtfRanks *ranks, uint64_t row, uint64_t *proc);
