/*
 * Makes the message of a wait: the work of the waiter since its last meeting with the culprit. Also finds and sorts
 * waits.
 */
#pragma once

#include "src/analysis/causes/culprit.h"

/* Returns the key of a wait for one location, by the point of either side. */
XtfWaitKey xtf_wait_key(uint32_t location, const XtfPoint *point);
/* Returns the message of the wait at point `i`. The caller frees it. NULL: an error. */
XtfWait *xtf_wait_new(XtfCulpritWork *work, uint32_t location, uint64_t i, const XtfPoint *point, const XtfCosts *costs,
                      GError **error);
/* Finds the point of a wait. */
bool xtf_wait_find(XtfCulpritWork *work, const XtfWaitKey *key, uint64_t *i, bool *found, GError **error);
/* Sorts waiters by their locations. */
void xtf_waiters_sort(XtfWaiter *waiters, uint32_t n);
