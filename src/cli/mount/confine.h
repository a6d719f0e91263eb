/*
 * Rights that a daemon gives up when its mount is up, so that a malicious file or a bug can do little harm:
 *
 * - All capabilities, for good. Programs that it starts cannot gain any either (no_new_privs).
 * - All files except: the trace's folder and some files elsewhere, for reading, and /dev/fuse. libc and GLib may
 *   also read the number of processors and random numbers. (Landlock, since Linux 5.13.)
 * - Signals to other processes (Landlock, since Linux 6.12).
 * - System calls that serving does not need (libseccomp, if built with it). The daemon cannot start programs, create or
 *   change files, open sockets, send signals, slow processes down, mount or unmount. The unmounter (unmounter.h)
 *   unmounts for it.
 *
 * Rights that the kernel cannot restrict are kept silently. With sanitizers or valgrind the daemon keeps all rights,
 * since these tools need more of them.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct {
    const char *folder; /* real path of the folder of the trace and its parts */
    char **files; /* parts outside the folder, to which its links lead, and the folder of the merged file; NULL: none */
    /* The daemon will open more files there: the trace is followed, or has many parts. CAP_DAC_READ_SEARCH is kept
     * then, so that root may open other users' files. */
    bool opens_more;
} XtfConfinement;

/* True if this process should be confined: it runs without sanitizers and valgrind. */
bool xtf_confine_is_wanted(void);

/* Confines the calling thread and all threads that it starts later. Call it before any thread starts. Fails only if a
 * system call exists but fails. */
bool xtf_confine(const XtfConfinement *confinement, GError **error);

/* Bounds the capabilities that this process and its children can gain by starting a program. The set `kept` has a bit
 * for each. */
void xtf_confine_bound(guint64 kept);

/* Gives up all capabilities except the set `kept`, and bounds them to that set. */
bool xtf_confine_capabilities(guint64 kept, GError **error);
