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
    /* Makes the data of a thread, such as its results; called once in each thread. */
    void *(*begin)(void *data);
    /* Works on items [first, end), with the data of the calling thread. Other threads work on other items meanwhile. */
    bool (*work)(void *thread_data, void *data, uint32_t first, uint32_t end, GError **error);
    /* Joins the results of a thread to `data` and frees its data, also if the work failed. The thread that called
     * xtf_parallel() calls it for all threads, in any order. */
    void (*join)(void *thread_data, void *data);
} XtfParallelWork;

/* Sets the number of threads that share work, the caller included. 0, the default, means one per core. Must be called
 * before the first work. */
void xtf_parallel_set_threads(unsigned n);
/* Returns the number of threads that share work, the caller included. */
unsigned xtf_parallel_threads(void);

/* Does the work on items [0, n). On failure returns the error of the first failed run, as one thread alone would. */
bool xtf_parallel(const XtfParallelWork *work, void *data, uint32_t n, GError **error);

/* Starts the work in the pool's threads, and returns at once; `work` and `data` must remain valid. The second function
 * does the work that no thread has begun, waits for the others, and frees the job. It returns the same as
 * xtf_parallel(). */
typedef struct XtfJob XtfJob;
XtfJob *xtf_parallel_start(const XtfParallelWork *work, void *data, uint32_t n);
bool xtf_parallel_finish(XtfJob *job, GError **error);

/* Does the same work in the calling thread alone, in the order of the items: for work whose order shows in a file. */
bool xtf_in_order(const XtfParallelWork *work, void *data, uint32_t n, GError **error);
