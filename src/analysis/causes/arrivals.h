/*
 * Waits that have arrived at the home of their culprit, until the backward pass reaches the culprit's point.
 *
 * One thread uses the arrivals.
 */
#pragma once

#include "src/analysis/causes/wait.h"

typedef struct {
    GHashTable *waits;      /* XtfWait for one location */
    GHashTable *operations; /* guint64: instance -> XtfArrivedMembers */
    uint64_t n_of_members;  /* number of waits in all of `operations` */
} XtfArrivals;

/* The members of an operation that the pass has reached, without the culprit. */
typedef struct {
    GPtrArray *waits; /* XtfWait: of members that waited */
    uint32_t arrived;
    uint32_t awaited; /* number of members for which the culprit is blocked; 0: the culprit is not blocked */
    uint32_t blocked; /* location of a blocked culprit */
} XtfArrivedMembers;

void xtf_arrivals_init(XtfArrivals *arrivals);
void xtf_arrivals_finish(XtfArrivals *arrivals);
/* Returns the number of waits that are kept. */
uint64_t xtf_arrivals_n(const XtfArrivals *arrivals);

/* Adds a wait for one location. Takes over the wait. */
void xtf_arrivals_add(XtfArrivals *arrivals, XtfWait *wait);
const XtfWait *xtf_arrivals_find(const XtfArrivals *arrivals, const XtfWaitKey *key); /* NULL: none */
void xtf_arrivals_remove(XtfArrivals *arrivals, const XtfWaitKey *key);

/* Adds a member of an operation, and takes over its wait. `wait` NULL: the member did not wait. Returns all members: a
 * blocked culprit may continue if `arrived` equals `awaited`. */
const XtfArrivedMembers *xtf_arrivals_add_member(XtfArrivals *arrivals, uint64_t instance, XtfWait *wait);
/* Returns the members of an operation, which the caller may change. */
XtfArrivedMembers *xtf_arrivals_members(XtfArrivals *arrivals, uint64_t instance);
void xtf_arrivals_remove_members(XtfArrivals *arrivals, uint64_t instance);
