/*
 * Collective operations by who of their members needs whom.
 *
 * Whatever speaks of waiting, matching or replaying collective operations uses this table alone. An operation is known
 * by its label, a name of xtf_collective_operations, so that operations of other sources are unknown and never
 * mistaken.
 *
 * Any thread may call these functions at once.
 */
#pragma once

typedef enum {
    XTF_COLLECTIVE_BARRIER,      /* all need all, whatever they send */
    XTF_COLLECTIVE_ALL_TO_ALL,   /* all need all that send */
    XTF_COLLECTIVE_SOME_TO_SOME, /* ALLTOALLV, ALLTOALLW: all to all if each member's record has `n_to_n` 1 */
    XTF_COLLECTIVE_HANDLES,      /* communicators, files, windows and memory are made or freed; need not synchronise */
    XTF_COLLECTIVE_FROM_ROOT,    /* all need the root */
    XTF_COLLECTIVE_TO_ROOT,      /* the root needs all */
    XTF_COLLECTIVE_SCAN,         /* each needs those of lower ranks */
    XTF_COLLECTIVE_UNKNOWN,
} XtfCollectiveShape;

XtfCollectiveShape xtf_collective_shape(const char *operation);
