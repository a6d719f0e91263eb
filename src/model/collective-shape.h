/*
 * The dependences between the members of collective operations.
 *
 * All code about waiting, matching or replaying collective operations uses only this table. The key is the label of an
 * operation, a name of xtf_collective_operations. So operations of other sources are unknown and never confused.
 *
 * Any thread may call these functions at once.
 */
#pragma once

typedef enum {
    XTF_COLLECTIVE_BARRIER,      /* each needs all, whether or not they send data */
    XTF_COLLECTIVE_ALL_TO_ALL,   /* each needs all that send */
    XTF_COLLECTIVE_SOME_TO_SOME, /* ALLTOALLV, ALLTOALLW: all to all if each member's record has `n_to_n` 1 */
    XTF_COLLECTIVE_HANDLES,   /* creating or freeing communicators, files, windows and memory; need not synchronise */
    XTF_COLLECTIVE_FROM_ROOT, /* each needs the root */
    XTF_COLLECTIVE_TO_ROOT,   /* the root needs all */
    XTF_COLLECTIVE_SCAN,      /* each needs all members of lower ranks */
    XTF_COLLECTIVE_UNKNOWN,
} XtfCollectiveShape;

XtfCollectiveShape xtf_collective_shape(const char *operation);
