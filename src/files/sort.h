/*
 * An external sort, for sources whose events are not in order.
 *
 *     XtfSort *sort = xtf_sort_new(XTF_SORT_MEMORY, NULL);
 *     while (...)
 *         good = xtf_sort_add(sort, &key, data, size, error);
 *     good = xtf_sort_end(sort, error);
 *     while (xtf_sort_next(sort, &entry, error) && entry.data)
 *         ...
 *     xtf_sort_free(sort);
 *
 * Entries that do not fit into memory are sorted in runs, which go to an unlinked temporary file, and are merged.
 * Entries with equal keys stay in the order in which they were added. One thread may use a sort at a time.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    XTF_SORT_MEMORY = 64 << 20,
    XTF_SORT_ENTRY_MAX = 1 << 20, /* most bytes of the data of an entry */
};

typedef struct XtfSort XtfSort;

/* Keys are compared by `major`, then `minor`, then `least`. */
typedef struct {
    uint64_t major, minor, least;
} XtfSortKey;

typedef struct {
    XtfSortKey key;
    uint32_t size;
    const void *data; /* aligned to 8 bytes, and valid until the next call; NULL: after the last entry */
} XtfSortEntry;

/* Returns a sort that uses about `memory` bytes. Runs are in `folder`; NULL: the folder for temporary files. */
XtfSort *xtf_sort_new(size_t memory, const char *folder);
void xtf_sort_free(XtfSort *sort); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfSort, xtf_sort_free)

/* Adds an entry. Copies its data. */
bool xtf_sort_add(XtfSort *sort, const XtfSortKey *key, const void *data, uint32_t size, GError **error);
/* Ends adding. */
bool xtf_sort_end(XtfSort *sort, GError **error);
/* Returns the next entry in order. */
bool xtf_sort_next(XtfSort *sort, XtfSortEntry *entry, GError **error);
/* Returns the number of runs in the file: 0 if all entries fit into memory. */
guint xtf_sort_n_runs(const XtfSort *sort);
