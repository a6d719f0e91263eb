/*
 * The unmounter: a process that unmounts when the daemon asks, as a confined daemon cannot (confine.h). It starts when
 * the mount is up, keeps the privileges for unmounting, and ends with the daemon. If the daemon dies, the mount stays.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

#define XTF_UNMOUNTER "xtf-unmounter" /* name of the process */

typedef struct {
    int socket; /* -1: none */
    pid_t pid;
} XtfUnmounter;

/* Starts the unmounter as a copy of the calling process, in which no other thread may run. */
bool xtf_unmounter_start(XtfUnmounter *unmounter, const char *mount_point, GError **error);

/* Ends the unmounter. With `unmount`, it unmounts lazily first. Returns true if that succeeded. */
bool xtf_unmounter_end(XtfUnmounter *unmounter, bool unmount);
