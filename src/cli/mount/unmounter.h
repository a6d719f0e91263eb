/*
 * The unmounter: a process of its own that unmounts when the daemon asks, which cannot do it any more once it is
 * confined (confine.h). It starts when the mount is up, keeps what unmounting takes, and ends with the daemon. If the
 * daemon dies it leaves the mount as it is.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

#define XTF_UNMOUNTER "xtf-unmounter" /* the program's name for itself then */

typedef struct {
    int socket; /* -1: there is none */
    pid_t pid;
} XtfUnmounter;

bool xtf_unmounter_start(XtfUnmounter *unmounter, const char *mount_point, GError **error);

/* Ends it. Before, with `unmount`, it unmounts, lazily, and tells whether it could. */
bool xtf_unmounter_end(XtfUnmounter *unmounter, bool unmount);

/* The program itself: XTF_UNMOUNTER MOUNT-POINT, its socket being the standard input. */
int xtf_unmounter_main(int argc, char **argv);
