/*
 * Work on many items, such as locations, by all cores.
 *
 * Items are taken in runs, in ascending order, by the thread that calls and by those of a pool that all callers share;
 * a pool that is busy costs the caller only the help. Each thread has results of its own, which are joined at the end.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t step; /* items of a run, at least 1 */
    /* A thread's own results; called in any thread, for each thread once. */
    void *(*begin)(void *data);
    /* Adds items [first, end) to them; called in the same thread, and by other threads for other items meanwhile. */
    bool (*work)(void *own, void *data, uint32_t first, uint32_t end, GError **error);
    /* Joins one thread's results to `data`, and frees them; called in the calling thread, in no certain order, also
     * where the work failed. */
    void (*join)(void *own, void *data);
} XtfParallelWork;

/* Before the first work: how many threads share it, the caller included; 0, as without this: as many as there are
 * cores. */
void xtf_parallel_set_threads(unsigned n);

/* Does the work on items [0, n). If it fails, the error is that of the first item of all that failed, as if one thread
 * had gone from item to item. */
bool xtf_parallel(const XtfParallelWork *work, void *data, uint32_t n, GError **error);
