/*
 * A progress bar on a terminal: one line on stderr, drawn anew some ten times a second.
 *
 * It shows nothing if stderr is no terminal, or if it is quiet; callers need not check. Updates may come
 * from any thread.
 */
#pragma once

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct XtfProgress XtfProgress;

/* `label` says what goes on ("importing"), `unit` what is counted ("events"; NULL: nothing is). Both are copied. */
XtfProgress *xtf_progress_new(const char *label, const char *unit, bool quiet);

/* `done` of `total` gives the percentage and the time left (a total of 0: not known yet); `count` is shown with the
 * unit. */
void xtf_progress_update(XtfProgress *progress, uint64_t done, uint64_t total, uint64_t count);

/* The same of work that has steps, which has done `done` of `total` of this one. `step` says which it is, behind the
 * label ("analysing: causes"), and must last; the time of each step counts by itself. `progress` is an XtfProgress. */
void xtf_progress_step(const char *step, uint64_t done, uint64_t total, void *progress);

/* What work of many bytes tells its progress to, and by what it is ended. */
typedef struct {
    XtfProgress *progress;
    atomic_bool *cancel;
} XtfBytesProgress;

/* Shows that `done` of `total` bytes are done, as MiB; false, so that the work ends, if *cancel is true. `data` is an
 * XtfBytesProgress. */
bool xtf_progress_bytes(uint64_t done, uint64_t total, void *data);

/* Clears the line for a moment, so that something else can be printed; the next update draws it again. */
void xtf_progress_hide(XtfProgress *progress);

/* Clears the line for good and frees the bar. NULL is fine. */
void xtf_progress_finish(XtfProgress *progress);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfProgress, xtf_progress_finish)
