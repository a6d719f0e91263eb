/*
 * The pages of the file: used by items, waiting, or free.
 *
 * Items are packed into pages of their own: no page holds both items and rows. A page of items is in use while it holds
 * part of an item that the next commit will name. A page of an array is in use until the array is cleared. Then the
 * page waits until every commit that names something in it has expired. Readers may have the last `kept_commits`
 * commits open, and all commits of the last `kept_seconds`. The pages of these commits are not overwritten. Then the
 * page is free, and items and rows of later commits may use it. So a file with hours of commits is not much larger than
 * a file with one commit. The excess is the pages of a few commits.
 *
 * These functions neither read nor write the file, and take the time from the caller.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/disk/catalog.h"

typedef struct XtfSpace XtfSpace;

XtfSpace *xtf_space_new(uint32_t page_size, uint32_t kept_commits, uint32_t kept_seconds);
void xtf_space_free(XtfSpace *space); /* NULL is allowed */

/* Marks bytes of the file, at least one, as used by an item; the second function ends that use. */
void xtf_space_use(XtfSpace *space, uint64_t offset, uint64_t length);
void xtf_space_drop(XtfSpace *space, uint64_t offset, uint64_t length);
/* Drops pages of an array, given by number, each once. Sorts them. */
void xtf_space_drop_pages(XtfSpace *space, GArray *pages);
/* True if part of an item is in one of the pages. */
bool xtf_space_is_used(const XtfSpace *space, uint64_t page, uint64_t n_pages);
/* Adds pages that a file lists as free. */
void xtf_space_add_free(XtfSpace *space, const XtfFreePages *pages);

/* Begins commit `commit`: frees the pages that it may overwrite. `now` is in microseconds of a monotonic clock. */
void xtf_space_begin_commit(XtfSpace *space, uint64_t commit, gint64 now);
/* Ends the commit: its superblock is written. The pages that it dropped wait from `now` on. */
void xtf_space_end_commit(XtfSpace *space, gint64 now);

/* Keeps the pages that this commit names until the next call. */
void xtf_space_keep(XtfSpace *space, uint64_t commit);

/* True if there are free pages for `n` runs of `length` bytes each (not 0), each run contiguous. */
bool xtf_space_has(const XtfSpace *space, uint64_t length, uint64_t n);
/* Allocates a run of free pages of at least `length` bytes; false if there is none. *n_pages may be more than
 * requested. */
bool xtf_space_take(XtfSpace *space, uint64_t length, uint64_t *page, uint64_t *n_pages);
/* Allocates exactly `n_pages` consecutive free pages, all behind page `behind`; false if there are none. */
bool xtf_space_take_pages(XtfSpace *space, uint64_t behind, uint64_t n_pages, uint64_t *page);
/* Returns allocated but unused pages. */
void xtf_space_give_back(XtfSpace *space, uint64_t page, uint64_t n_pages);

/* Returns the free and waiting pages that the file should list, ascending. Valid until the next call. */
const XtfFreePages *xtf_space_list(XtfSpace *space, uint32_t *n);
