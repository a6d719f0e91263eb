/*
 * Mount points, and the mounts that exist there.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* The topmost mount at a path, from /proc/self/mountinfo. */
typedef struct {
    char *type;   /* type of the filesystem, such as "fuse.xtf"; NULL: no mount */
    char *source; /* source of the mount, as passed to mount(2) */
    char *owner;  /* user_id= of a FUSE mount; NULL: not stated */
} XtfMounted;

/* Finds the topmost mount at a real path. Finds none where there is no /proc. */
void xtf_mounted_find(XtfMounted *mounted, const char *path);
void xtf_mounted_finish(XtfMounted *mounted);
/* Returns the name of the user who mounted it, or the number if it has no name; "?" if unknown. The caller frees it. */
char *xtf_mounted_owner(const XtfMounted *mounted);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfMounted, xtf_mounted_finish)

/* Finds the mounted trace that a path is in; the path itself need not exist. Fills `mounted`, and returns the mount
 * point, which the caller frees. NULL: the path is in no mounted trace. */
char *xtf_mounted_above(XtfMounted *mounted, const char *path);

/* Returns a directory's real path, also where realpath() fails because the mount's daemon has died, or refuses this
 * user. NULL, with errno, if there is none. The caller frees it. */
char *xtf_mount_path(const char *directory);

/*
 * Returns the real path of a directory to mount at, which the caller frees. Returns NULL with an error if it is not a
 * directory. A directory with files, or with a mount, is an error unless `hide`: the new mount would hide them.
 */
char *xtf_mount_point(const char *directory, bool hide, GError **error);
