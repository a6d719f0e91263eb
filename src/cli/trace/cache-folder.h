/*
 * The folder in which imports of archives are kept.
 *
 * Which folder: the one that is given (-o cachedir=), $XTF_CACHE_DIR, $XDG_CACHE_HOME/xtf, or ~/.cache/xtf. Where the
 * last would be on a network file system, which is slow for this and has a quota mostly, it is xtf-UID in $TMPDIR or
 * /var/tmp; and for root without a home of its own /var/cache/xtf.
 *
 * Nothing in it is trusted but what this user alone can have put there: the folder belongs to the user and others may
 * not write to it, and so does each file, which has one name and is no link. Of an archive there are, with names that
 * begin alike: its import, a file that holds the archive's path, and while an import is looked for, a lock.
 */
#pragma once

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/error.h"

/* The folder's path; created if it is missing. `given` may be NULL. The caller frees it. NULL with an error if there is
 * none, or it is not to be trusted. */
char *xtf_cache_folder(const char *given, GError **error);

/* NAME-HASH, with which the names of all files of one archive begin. The path is the archive's real one. */
char *xtf_cache_prefix(const char *archive);

/* Waits until no other process holds the lock of the archive, and takes it; -1 with an error. Once `cancel` is raised,
 * it waits no longer; NULL: it never is. */
int xtf_cache_lock(const char *folder, const char *prefix, const atomic_bool *cancel, GError **error);
/* Ends the lock, and removes its file. */
void xtf_cache_unlock(const char *folder, const char *prefix, int lock);

/* Whether an import is there, and is this user's own. Any other thing of its name is removed, with a warning. */
bool xtf_cache_has(const char *path);

/* Notes which archive an import is of, and removes older imports of it, and the rests of killed ones. Processes that
 * have one mounted keep it. With the lock held. */
void xtf_cache_keep(const char *folder, const char *prefix, const char *path, const char *archive);

typedef struct {
    char *path;
    char *archive; /* NULL: not known */
    uint64_t bytes;
    int64_t imported; /* when; microseconds since 1970 */
} XtfCacheEntry;

/* The imports in the folder, of XtfCacheEntry, the latest last. The caller frees the array. */
GArray *xtf_cache_entries(const char *folder, GError **error);

/* Removes an import and what belongs to it. */
bool xtf_cache_remove(const char *folder, const XtfCacheEntry *entry, GError **error);
