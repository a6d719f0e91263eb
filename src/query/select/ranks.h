/*
 * Ranks in communicators, and the processes they are.
 *
 * A file states peers as ranks in a communicator; whoever looks wants processes. The tables of communicators, groups
 * and members lead from one to the other. Any of them may be missing.
 *
 * Immutable once loaded: any thread may use it.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/trace.h"

typedef struct {
    const XtfTable *comms, *groups, *members;
    const XtfField *group, *remote_group, *first, *count, *proc;
} XtfRanks;

bool xtf_ranks_load(XtfRanks *ranks, XtfTrace *trace, GError **error);

/* How rows of a schema tell the communicator that their peers are ranks in: by a field that is its row, or by one that
 * is a row of another table, which has a field for it. */
typedef struct {
    const XtfField *field; /* NULL: they don't tell */
    const XtfTable *via;   /* NULL: `field` is the communicator; else rows that `field` numbers */
    const XtfField *comm;  /* of `via` */
} XtfCommSource;

bool xtf_comm_source_find(XtfCommSource *source, XtfTrace *trace, const XtfSchema *schema, GError **error);
/* The communicator that a value of source->field, which is not "none", stands for; false if that is not known. */
bool xtf_comm_source_map(const XtfCommSource *source, uint64_t value, uint64_t *comm);

/* The process that a rank of a communicator is, seen from process `from`. False if the tables don't tell. */
bool xtf_ranks_proc(const XtfRanks *ranks, uint64_t comm, uint64_t rank, uint64_t from, uint64_t *proc);
