/*
 * Starting the daemon of a mount. The parent waits until the child is ready, or has ended; then it returns the child's
 * exit status. Until the child is ready it keeps the terminal, for progress, messages and Ctrl-C. The parent may stay
 * until the child has said what takes time to find.
 */
#pragma once

#include <stdbool.h>

typedef struct {
    int pipe;     /* between parent and child; -1: in the foreground, or closed */
    int null;     /* /dev/null, for the background */
    int terminal; /* copy of stderr for remarks of a ready daemon; -1: none */
} XtfDaemon;

/* Closes inherited descriptors, and forks unless `foreground`. Returns true in the process that serves. Returns false
 * in the parent when the child is ready or has ended, with the exit status. No thread may run yet. */
bool xtf_daemon_start(XtfDaemon *daemon, bool foreground, int *status);
/* Waits, in the parent, until the child has released it. Ctrl-C then ends only the parent. */
void xtf_daemon_await_release(XtfDaemon *daemon);

/* Detaches the child from the terminal. From here on messages go to syslog (in the foreground: to stderr) and to the
 * mount's log. Releases the parent unless `remarks_follow`. Any thread may call it. */
void xtf_daemon_ready(XtfDaemon *daemon, bool remarks_follow);
/* Prints a line for the user who started the daemon, before xtf_daemon_release(). */
void xtf_daemon_remark(const XtfDaemon *daemon, const char *line);
/* Lets the parent return. Only the first call has an effect. */
void xtf_daemon_release(XtfDaemon *daemon);
