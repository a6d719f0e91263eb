/*
 * Ctrl-C during long work: a signal sets a flag, which the work polls.
 */
#pragma once

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct {
    struct sigaction old_actions[3];
} XtfInterrupts;

/* Returns a flag that SIGINT, SIGTERM and SIGHUP set from now on, except those that are ignored (nohup). */
atomic_bool *xtf_interrupts_catch(XtfInterrupts *interrupts);
/* Restores the former handlers. */
void xtf_interrupts_release(const XtfInterrupts *interrupts);
