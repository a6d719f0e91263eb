/*
 * Work on many items, such as locations, by all cores.
 *
 * The calling thread and the threads of a shared pool take runs of items, in ascending order. While the pool is busy,
 * the calling thread works alone. Each thread collects separate results, which are joined at the end.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t step; /* items of a run, at least 1 */
    /* Makes a thread's results; called once in each thread. */
    void *(*begin)(void *data);
    /* Adds items [first, end) to a thread's results, in that thread. Other threads add other items meanwhile. */
    bool (*work)(void *own, void *data, uint32_t first, uint32_t end, GError **error);
    /* Joins a thread's results to `data` and frees them, in the calling thread, also if the work failed. The order of
     * threads is not defined. */
    void (*join)(void *own, void *data);
} XtfParallelWork;

/* Sets the number of threads that share work, the caller included. 0, the default, means one per core. Must be called
 * before the first work. */
void xtf_parallel_set_threads(unsigned n);

/* Does the work on items [0, n). On failure returns the error of the first failed run, as one thread alone would. */
bool xtf_parallel(const XtfParallelWork *work, void *data, uint32_t n, GError **error);
