/*
 * Starting the daemon of a mount. The parent waits until the child is ready, or has ended; then it returns the child's
 * exit status. Until the child is ready it keeps the terminal, for progress, messages and Ctrl-C.
 */
#pragma once

#include <stdbool.h>

typedef struct {
    int ready_fd; /* pipe to the parent; -1 in the foreground, or after xtf_daemon_ready() */
    int null;     /* /dev/null, for the background */
} XtfDaemon;

/* Closes inherited descriptors, and forks unless `foreground`. Returns true in the process that serves. Returns false
 * in the parent when the child is ready or has ended, with the exit status. No thread may run yet. */
bool xtf_daemon_start(XtfDaemon *daemon, bool foreground, int *status);

/* Detaches the child from the terminal, and lets the parent return. From here on messages go to syslog (in the
 * foreground: to stderr) and to the mount's log. Any thread may call it. */
void xtf_daemon_ready(XtfDaemon *daemon);
