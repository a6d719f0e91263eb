/*
 * Long work that Ctrl-C ends: a flag is raised, and the work looks at it.
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
/* They do again what they did before. */
void xtf_interrupts_release(const XtfInterrupts *interrupts);
