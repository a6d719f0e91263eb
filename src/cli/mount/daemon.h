/*
 * Going to the background, the way that leaves no doubt: the parent waits until the child says that it is ready, or
 * ends, and takes over its exit status. Until then the child has the terminal, for progress, messages and Ctrl-C.
 */
#pragma once

#include <stdbool.h>

typedef struct {
    int ready_fd; /* tells the parent; -1 in the foreground, or when it was told */
} XtfDaemon;

/* Forks, unless `foreground`. Returns true in the process that is to do the work; false in the parent, with the exit
 * status, once the child is ready or has ended. No thread may run yet. */
bool xtf_daemon_start(XtfDaemon *daemon, bool foreground, int *status);

/* The child's: leaves the terminal and lets the parent go; messages go to syslog from here on. Nothing in the
 * foreground. Any thread. */
void xtf_daemon_ready(XtfDaemon *daemon);
