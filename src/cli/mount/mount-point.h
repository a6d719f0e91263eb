/*
 * Directories to mount at, and what is mounted there.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* What the kernel says of the topmost mount at a path. */
typedef struct {
    char *type;   /* "fuse.xtf"; NULL: nothing is mounted there */
    char *source; /* as it was given to mount(2) */
    char *owner;  /* the user_id= of a FUSE mount; NULL: none is stated */
} XtfMounted;

/* Of a real path. Nothing is found where there is no /proc. */
void xtf_mounted_find(XtfMounted *mounted, const char *path);
void xtf_mounted_finish(XtfMounted *mounted);
/* The name of the user who mounted it, or else the number; "?": not known. The caller frees it. */
char *xtf_mounted_owner(const XtfMounted *mounted);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfMounted, xtf_mounted_finish)

/* The trace that a path lies in, whether or not anything is at that path: fills `mounted`, and returns where it is
 * mounted, a beginning of the path. NULL: in none. The caller frees it. */
char *xtf_mounted_above(XtfMounted *mounted, const char *path);

/* A directory's real path. What is mounted there need not be alive, nor let this user in, which realpath() needs. NULL,
 * and errno, if there is none. The caller frees it. */
char *xtf_mount_path(const char *directory);

/*
 * The real path of a directory to mount at. NULL with an error if it is no directory; or if it has files or is a mount,
 * which the new mount would hide, unless `hide` says that it may.
 */
char *xtf_mount_point(const char *directory, bool hide, GError **error);
