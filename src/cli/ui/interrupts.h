/*
 * Ctrl-C in long work: it raises a flag, which the work polls.
 */
#pragma once

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct {
    struct sigaction before[3];
} XtfInterrupts;

/* SIGINT, SIGTERM and SIGHUP raise the flag from now on, except those that are ignored (nohup). */
atomic_bool *xtf_interrupts_catch(XtfInterrupts *interrupts);
/* Restores the former handlers. */
void xtf_interrupts_release(const XtfInterrupts *interrupts);
