/*
 * The items of a commit, collected and written in pieces, so that memory is bounded by one piece. Items go to free
 * pages where they fit, else to the end of the file.
 */
#pragma once

#include "libxtf/write/writer-private.h"

typedef struct {
    XtfWriter *writer;
    GByteArray *bytes; /* not written yet; they go to `start` */
    uint64_t start;    /* offset in the file */
    uint64_t room;     /* available bytes from `start`; almost 2^64 at the end of the file */
    uint64_t written;  /* bytes of the block so far */
} XtfCommitBlock;

void xtf_commit_block_init(XtfCommitBlock *block, XtfWriter *writer);
/* Writes the remaining bytes and releases unused pages. */
bool xtf_commit_block_end(XtfCommitBlock *block, GError **error);
void xtf_commit_block_finish(XtfCommitBlock *block);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfCommitBlock, xtf_commit_block_finish)

/* Pages reserved for one copy of some items. If `room` is 0, the copy goes right behind the items of the block. */
typedef struct {
    uint64_t start; /* offset in the file */
    uint64_t room;  /* in bytes */
} XtfPlace;

/* Reserves room for `n` copies of `length` bytes, each contiguous. The room is in free pages if they hold all copies,
 * else at the end of the file, one copy after the other. Releases other unused pages. The caller stores the copies one
 * after the other, and calls xtf_commit_block_enter() before each. */
bool xtf_commit_block_reserve(XtfCommitBlock *block, uint64_t length, XtfPlace *places, unsigned n, GError **error);
bool xtf_commit_block_enter(XtfCommitBlock *block, const XtfPlace *place, GError **error);
/* True if the block writes to reused free pages, not at the end of the file. */
bool xtf_commit_block_in_free_pages(const XtfCommitBlock *block);
/* Returns the file offset of the next item, if it fits the current pages. */
uint64_t xtf_commit_block_position(const XtfCommitBlock *block);

/* Stores a run of bytes, in pages shared with other items of the block; *offset gets its file offset. */
bool xtf_commit_block_add_run(XtfCommitBlock *block, const void *bytes, size_t length, uint64_t *offset,
                              GError **error);
/* Stores an item. The item that *ref names, if any, is no longer used: *ref then names the new item. */
bool xtf_commit_block_add(XtfCommitBlock *block, const GByteArray *bytes, XtfRef *ref, GError **error);
