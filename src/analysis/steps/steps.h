/*
 * The steps of an analysis: what is done at the moment, how far it is, and whether to go on.
 *
 * A step counts what it goes over: points, rows. All functions may be called by many threads at once, but for
 * xtf_steps_begin().
 */
#pragma once

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    atomic_bool *cancel; /* true: stop, with XTF_ERROR_CANCELLED; may be NULL */
    /* Now and then, by any thread: the step, and how far it is; a total of 0 is not known. May be NULL. */
    void (*progress)(const char *step, uint64_t done, uint64_t total, void *data);
    void *progress_data;
    /* Of the step at hand. */
    const char *name;
    uint64_t total;
    atomic_uint_least64_t done;
} XtfSteps;

/* Begins the next step. `name` says what is done ("causes"), and must last. NULL steps are fine, here and below. */
void xtf_steps_begin(XtfSteps *steps, const char *name, uint64_t total);

/* So much more is done. False if the user wants no more: to be asked some thousand times a second, not a million. */
bool xtf_steps_go_on(XtfSteps *steps, uint64_t more, GError **error);

/* Tells the progress of a step that counts by itself; `steps` is an XtfSteps. */
void xtf_steps_show(uint64_t done, uint64_t total, void *steps);
