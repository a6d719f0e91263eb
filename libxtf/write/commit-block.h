/*
 * The items of a commit being put together and written, in pieces, so that many of them take no more memory than one
 * piece. Items go to free pages where they fit, else to the end of the file.
 */
#pragma once

#include "libxtf/write/writer-private.h"

typedef struct {
    XtfWriter *writer;
    GByteArray *bytes; /* not written yet: they go to `start` */
    uint64_t start;    /* byte of the file */
    uint64_t room;     /* bytes that there are from `start` on; at the end of the file without end */
    uint64_t written;  /* bytes of the whole block */
} XtfCommitBlock;

void xtf_commit_block_init(XtfCommitBlock *block, XtfWriter *writer);
/* Writes what is not written yet. */
bool xtf_commit_block_end(XtfCommitBlock *block, GError **error);
void xtf_commit_block_finish(XtfCommitBlock *block);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfCommitBlock, xtf_commit_block_finish)

/* Pages that were taken for a copy of some items; without room: right behind what the block has. */
typedef struct {
    uint64_t start; /* byte of the file */
    uint64_t room;  /* in bytes */
} XtfPlace;

/* Takes room for `n` copies of so many bytes, each in one piece: in free pages if there are some for all of them,
 * else side by side at the end of the file. No other pages stay taken. The copies are stored one after the other;
 * xtf_commit_block_enter() goes before each. */
bool xtf_commit_block_reserve(XtfCommitBlock *block, uint64_t length, XtfPlace *places, unsigned n, GError **error);
bool xtf_commit_block_enter(XtfCommitBlock *block, const XtfPlace *place, GError **error);
/* Whether it is in pages that were free, not at the end of the file. */
bool xtf_commit_block_in_free_pages(const XtfCommitBlock *block);
/* The byte of the file where the next item will lie, if there is room. */
uint64_t xtf_commit_block_position(const XtfCommitBlock *block);

/* Stores a run of bytes, in pages that it shares with others of the block; *offset says where. */
bool xtf_commit_block_add_run(XtfCommitBlock *block, const void *bytes, size_t length, uint64_t *offset,
                              GError **error);
/* Stores an item. What *ref names, if anything, is no longer used: the new item takes its place. */
bool xtf_commit_block_add(XtfCommitBlock *block, const GByteArray *bytes, XtfRef *ref, GError **error);
