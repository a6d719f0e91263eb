/*
 * The folder that keeps imports of archives.
 *
 * Its path is the first of: the one given (-o cachedir=), $XTF_CACHE_DIR, $XDG_CACHE_HOME/xtf, ~/.cache/xtf. If the
 * last is on a network file system, which is slow and usually has a quota, the folder is xtf-UID in $TMPDIR or
 * /var/tmp. For root without a home it is /var/cache/xtf.
 *
 * Only files that no other user can have made are trusted. This user must own the folder and its files, and
 * others must not be able to write to them. Each file must be a regular file with one link. The files of an archive
 * have the same prefix: its import, a note with the archive's path, and a lock while a process looks for an import.
 */
#pragma once

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/error.h"

/* Returns the folder's path, which the caller frees; creates the folder if it is missing. `given` may be NULL. Returns
 * NULL with an error if no folder can be chosen or made, or if it cannot be trusted. */
char *xtf_cache_folder(const char *given, GError **error);

/* Returns NAME-HASH, with which the names of an archive's files begin. `archive` is the archive's real path. The caller
 * frees the prefix. */
char *xtf_cache_prefix(const char *archive);

/* Waits for the archive's lock, and returns it; -1 with an error. Stops waiting when `cancel` becomes true; NULL:
 * never. */
int xtf_cache_lock(const char *folder, const char *prefix, const atomic_bool *cancel, GError **error);
/* Removes the lock's file and releases the lock. */
void xtf_cache_unlock(const char *folder, const char *prefix, int lock);

/* True if the import exists and can be trusted. Removes any other file of its name, with a warning. */
bool xtf_cache_has(const char *path);

/* Writes the note on which archive the imports of a prefix are, if it is missing. A process calls this before it
 * imports, so that no import lacks its note if the process is killed. The caller holds the lock. */
void xtf_cache_note(const char *folder, const char *prefix, const char *archive);
/* Removes the note if there is no import. The caller holds the lock. */
void xtf_cache_drop_note(const char *folder, const char *prefix);

/* Makes the import the only one of its archive. Removes older imports, and remains of killed processes. Processes that
 * have an old import open keep it. The caller holds the lock. */
void xtf_cache_keep(const char *folder, const char *prefix, const char *path);

typedef struct {
    char *path;
    char *archive; /* NULL: unknown */
    uint64_t bytes;
    int64_t imported; /* time of the import, microseconds since 1970 */
} XtfCacheEntry;

/* Returns the imports in the folder, as XtfCacheEntry, the latest last. The caller frees the array. */
GArray *xtf_cache_entries(const char *folder, GError **error);

/* Removes an import and its note. */
bool xtf_cache_remove(const char *folder, const XtfCacheEntry *entry, GError **error);

/* Removes locks and notes of killed processes. */
void xtf_cache_tidy(const char *folder);
