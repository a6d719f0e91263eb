/*
 * Rows that come in any order, and are wanted in that of (location, seq): more of them than memory holds.
 *
 * Rows are collected, and written in sorted runs to a file that no folder lists; sorting merges the runs. Then a row is
 * read and written by its index, through a small cache of blocks. Rows of one (location, seq) stay in the order in
 * which they came. (Knuth, The Art of Computer Programming 3, 5.4: external sorting.)
 *
 * Memory: some 20 MiB while rows come, 80 MiB if they are more than 64 MiB, and some 8 MiB after. A sorted file belongs
 * to one thread.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* What every row begins with. */
typedef struct {
    uint64_t seq;
    uint32_t location; /* number of a location, below the number that was given */
} XtfRowKey;

typedef struct XtfSortedFile XtfSortedFile;

/* `folder`: where the unlinked file is made; NULL: the system's for temporary files. Rows are a multiple of 8 bytes,
 * at most 1024. */
XtfSortedFile *xtf_sorted_file_new(uint32_t row_size, uint32_t n_locations, const char *folder, GError **error);
void xtf_sorted_file_free(XtfSortedFile *file); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfSortedFile, xtf_sorted_file_free)

/* Not after sorting. */
bool xtf_sorted_file_add(XtfSortedFile *file, const void *row, GError **error);
bool xtf_sorted_file_sort(XtfSortedFile *file, GError **error);

/* After sorting. Rows of a location; its first one. */
uint64_t xtf_sorted_file_n(const XtfSortedFile *file, uint32_t location);
/* Row `i` of a location, which must be there, is copied. */
bool xtf_sorted_file_get(XtfSortedFile *file, uint32_t location, uint64_t i, void *row, GError **error);
/* Overwrites it. The key must stay. */
bool xtf_sorted_file_put(XtfSortedFile *file, uint32_t location, uint64_t i, const void *row, GError **error);
/* The first row of the location whose seq is not below `seq`; their number if there is none. */
bool xtf_sorted_file_find(XtfSortedFile *file, uint32_t location, uint64_t seq, uint64_t *i, GError **error);
