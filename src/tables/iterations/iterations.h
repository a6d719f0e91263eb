/*
 * Iterations of a program's main loop.
 *
 * An iteration goes from one call of a marker region to the next one. The marker is called equally often in each
 * process, at least three times. It is found by the first of these rules that finds one:
 *
 * 1. The region `iteration`, which a program marks by XTF_ITERATION (user.h).
 * 2. A region of the program that does not call itself: the one whose calls take the most time, at least 30 % of the
 *    run. Its last call is an iteration, too.
 * 3. A region of MPI and other libraries, called at regular intervals over at least half of the first process.
 *    Intervals are regular if their quartiles differ by at most the median. Some regions spread nearly as far as the
 *    farthest one, and the one with the fewest calls is taken. The time after its last call is no iteration.
 *
 * Ties go to the region with fewer calls, then to the lower row. In a process, the first thread that calls the marker
 * counts.
 *
 * Any thread may call any function.
 */
#pragma once

#include "libxtf/spans.h"
#include "src/tables/format/format.h"
#include "src/trace/select/location-windows.h"
#include "src/trace/select/matcher.h"

typedef struct {
    XtfFormats *formats; /* borrowed */
    GMutex lock;
    gint is_loaded; /* atomic */
    /* Set by xtf_iterations_load(). */
    uint64_t n;      /* iterations of each process; 0: no main loop was found */
    uint64_t region; /* row of the marker in definitions/regions */
    bool is_call;    /* an iteration begins and ends with a call of the marker, by rules 1 and 2 */
    uint64_t n_calls;
    uint32_t n_procs;
    uint32_t *threads; /* by process, as in XtfLocations.procs: index of the location that calls the marker */
    /* Private. */
    XtfMatcher *matcher; /* of these calls */
    XtfSpan *calls;      /* by process: calls of the marker */
    GMutex latest_lock;
    XtfSpanMark *latest; /* by process: the call that was asked last; guarded by latest_lock */
} XtfIterations;

void xtf_iterations_init(XtfIterations *iterations, XtfFormats *formats);
void xtf_iterations_finish(XtfIterations *iterations);

/* Finds the main loop, unless that was done before. A trace that grows has none. */
bool xtf_iterations_load(XtfIterations *iterations, GError **error);

/* Finds when iterations [k, end) begin and end in a process, by its index in XtfLocations.procs. The last is below n.
 */
bool xtf_iterations_window(XtfIterations *iterations, uint32_t process, uint64_t k, uint64_t end, uint64_t *from,
                           uint64_t *to, GError **error);

/* Returns the windows of iterations [k, end) of all processes, in all their threads. NULL with an error. */
XtfLocationWindows *xtf_iterations_windows(XtfIterations *iterations, uint64_t k, uint64_t end, GError **error);
