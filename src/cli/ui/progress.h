/*
 * A progress bar on a terminal: one line on stderr, redrawn about ten times a second.
 *
 * It shows nothing if it is quiet, or if stderr is not a terminal; callers need not check. Updates are thread-safe.
 */
#pragma once

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct XtfProgress XtfProgress;

/* Makes a bar. `label` names the work ("importing"), `unit` the counted items ("events"; NULL: none). Both are copied.
 */
XtfProgress *xtf_progress_new(const char *label, const char *unit, bool quiet);

/* Updates the bar. `done` and `total` give the percentage and the time left (total 0: unknown). `count` is shown with
 * the unit. */
void xtf_progress_update(XtfProgress *progress, uint64_t done, uint64_t total, uint64_t count);

/* Updates the bar of work that has steps. `done` and `total` count the present step. `step` is shown after the label
 * ("analysing: causes"), and must stay valid. The time left is for the step. `progress` is an XtfProgress. */
void xtf_progress_step(const char *step, uint64_t done, uint64_t total, void *progress);

/* Progress and cancel flag of work that is measured in bytes. */
typedef struct {
    XtfProgress *progress;
    atomic_bool *cancel;
} XtfBytesProgress;

/* Shows `done` of `total` bytes, as MiB. Returns false, which ends the work, if *cancel is true. `data` is an
 * XtfBytesProgress. */
bool xtf_progress_bytes(uint64_t done, uint64_t total, void *data);

/* Clears the line, so that other text can be printed. The next update draws it again. */
void xtf_progress_hide(XtfProgress *progress);

/* Clears the line and frees the bar. NULL is fine. */
void xtf_progress_finish(XtfProgress *progress);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfProgress, xtf_progress_finish)
