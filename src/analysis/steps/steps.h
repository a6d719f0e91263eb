/*
 * The progress of an analysis by steps, and its cancellation.
 *
 * A step counts its items: points, rows. Many threads may call all functions at once, except xtf_steps_begin().
 */
#pragma once

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    atomic_bool *cancel; /* set to true by any thread to stop with XTF_ERROR_CANCELLED; may be NULL */
    /* Called from time to time, by any thread, with the step and its progress. A total of 0 is not known. May be
     * NULL. */
    void (*progress)(const char *step, uint64_t done, uint64_t total, void *data);
    void *progress_data;
    /* State of the current step. */
    const char *name;
    uint64_t total;
    atomic_uint_least64_t done;
} XtfSteps;

/* Begins the next step. `name` says what it does ("causes"), and must remain valid. `steps` may be NULL, here and
 * below. */
void xtf_steps_begin(XtfSteps *steps, const char *name, uint64_t total);

/* Adds `more` to the progress. False if the user cancelled. Callers call it some thousand times a second, not a million
 * times. */
bool xtf_steps_advance(XtfSteps *steps, uint64_t more, GError **error);

/* Reports the progress of a step that counts by itself; `steps` is an XtfSteps. */
void xtf_steps_show(uint64_t done, uint64_t total, void *steps);
