/*
 * The pages of the file that items take, and those that were taken before.
 *
 * Items lie side by side in pages of their own: no page holds both items and rows. A page is in use as long as an item
 * that the next commit will name lies in it, in part at least, and a page of an array until the array is cleared. After
 * that the page waits until no commit that readers may still have open names anything in it: the last `kept_commits`
 * commits, and those of the last `kept_seconds`, are safe from being overwritten. Then the page is free, and items and
 * rows of later commits go there. So a file that is committed for hours is not much larger than one that is committed
 * once: what a few commits have left is all that it has too much.
 *
 * Nothing here reads or writes the file. The caller says what the time is.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/disk/catalog.h"

typedef struct XtfSpace XtfSpace;

XtfSpace *xtf_space_new(uint32_t page_size, uint32_t kept_commits, uint32_t kept_seconds);
void xtf_space_free(XtfSpace *space); /* NULL is fine */

/* Bytes of the file, not none, that an item takes from now on; that it no longer takes. */
void xtf_space_use(XtfSpace *space, uint64_t offset, uint64_t length);
void xtf_space_drop(XtfSpace *space, uint64_t offset, uint64_t length);
/* The same of pages of an array, by number, each once. Sorts them. */
void xtf_space_drop_pages(XtfSpace *space, GArray *pages);
/* Whether an item lies in one of the pages. */
bool xtf_space_is_used(const XtfSpace *space, uint64_t page, uint64_t n_pages);
/* Pages of which a file says that nothing takes them. */
void xtf_space_add_free(XtfSpace *space, const XtfFreePages *pages);

/* Frees the pages that commit number `commit`, which is about to be written, may overwrite. `now` is in microseconds of
 * a clock that only rises. */
void xtf_space_begin_commit(XtfSpace *space, uint64_t commit, gint64 now);
/* Says that the commit is the file's now: only from here on is the one before it no longer. */
void xtf_space_end_commit(XtfSpace *space, gint64 now);

/* Keeps what this commit names until another one takes its place. */
void xtf_space_keep(XtfSpace *space, uint64_t commit);

/* Whether there are free pages for `n` times so many bytes, not 0, each time side by side. */
bool xtf_space_has(const XtfSpace *space, uint64_t length, uint64_t n);
/* Takes free pages, at least `length` bytes side by side; false if there are none. *n_pages may be more than asked
 * for. */
bool xtf_space_take(XtfSpace *space, uint64_t length, uint64_t *page, uint64_t *n_pages);
/* Takes just so many free pages side by side, all of them behind the page `behind`; false if there are none. */
bool xtf_space_take_pages(XtfSpace *space, uint64_t behind, uint64_t n_pages, uint64_t *page);
/* Gives back what was taken and not used. */
void xtf_space_give_back(XtfSpace *space, uint64_t page, uint64_t n_pages);

/* What the file should say of pages that nothing takes: XtfFreePages, by page. Valid until the next call. */
const XtfFreePages *xtf_space_list(XtfSpace *space, uint32_t *n);
