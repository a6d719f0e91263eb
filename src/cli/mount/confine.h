/*
 * What a daemon gives up once its mount is up: a file that is damaged on purpose, or a mistake of ours, shall find
 * nothing to misuse.
 *
 * - All capabilities, for good; and no program that it could start gains any (no_new_privs).
 * - The file system, but the trace's own folder and some files elsewhere, to read, /dev/fuse, and what tells of
 *   processors (Landlock, since Linux 5.13).
 * - Signals to other processes (Landlock, since Linux 6.12).
 * - System calls that serving does not need (libseccomp, if it was built with it): it cannot start programs, create or
 *   change files, open sockets, send signals, mount or unmount. Unmounting is the unmounter's business (unmounter.h).
 *
 * What the kernel does not offer is left out, silently. Nothing is given up with sanitizers or valgrind, which need
 * more than the daemon.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct {
    const char *folder; /* where the trace and its parts are: no link */
    char **files;       /* parts that lie elsewhere, to which links in the folder lead; NULL: none */
    /* Other users' files in there will be opened later, as root may: a followed trace, or one of many parts. Then
     * CAP_DAC_READ_SEARCH is kept. */
    bool opens_more;
} XtfConfinement;

/* Whether this process should be confined at all. */
bool xtf_confine_is_wanted(void);

/* Confines the calling thread and all that it starts: so before any is started. Errors are of system calls that exist
 * and fail, which should not happen. */
bool xtf_confine(const XtfConfinement *confinement, GError **error);

/* Gives up the capabilities except those of a set, a bit for each. */
bool xtf_confine_capabilities(guint64 kept, GError **error);
