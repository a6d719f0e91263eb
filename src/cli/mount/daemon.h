/*
 * Going to the background. The parent waits until the child is ready, or ends, in which case it takes over the child's
 * exit status. Until then the child has the terminal, for progress, messages and Ctrl-C.
 */
#pragma once

#include <stdbool.h>

typedef struct {
    int ready_fd; /* to the parent; -1 in the foreground, or once it was told */
    int null;     /* /dev/null, for the background */
} XtfDaemon;

/* Closes what was inherited, and forks, unless `foreground`. True in the process that does the work; false in the
 * parent, with the exit status, once the child is ready or has ended. No thread may run yet. */
bool xtf_daemon_start(XtfDaemon *daemon, bool foreground, int *status);

/* For the child: leaves the terminal and lets the parent go; from here on messages go to syslog. From here on they also
 * go to the mount's log, in the foreground too. Any thread. */
void xtf_daemon_ready(XtfDaemon *daemon);
