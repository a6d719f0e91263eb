/*
 * Superblocks: which commit is the file's.
 *
 * A commit writes its superblock into the slot that holds the older of the two, after everything that the superblock
 * names is on the disk. So at any instant one slot is whole, and the newest whole one names a whole commit. A writer
 * that closes the file fills both slots with one commit, each slot with a catalog of its own.
 */
#pragma once

#include "libxtf/disk/catalog.h"
#include "libxtf/source.h"

/* What a superblock says. */
typedef struct {
    XtfTraceInfo info; /* file_size and passed_over are not of the superblock */
    uint64_t incompatible, read_only, compatible;
    XtfRef catalog;
    uint64_t opening; /* what opening reads lies, mostly, from this byte on... */
    uint32_t opening_bytes;
    uint8_t slot, checksum_kind;
} XtfSuperblock;

/* The file's superblocks that are whole, the one of the later commit first; *n is 1 or 2. It fails if there is none, or
 * if this library must refuse the first. */
bool xtf_superblock_read(XtfSource *source, XtfSuperblock superblocks[XTF_SUPERBLOCK_SLOTS], unsigned *n,
                         GError **error);
/* The superblock of a slot, not checked; *found is false where no whole one lies there. */
bool xtf_superblock_read_slot(XtfSource *source, unsigned slot, XtfSuperblock *superblock, bool *found, GError **error);

/* The bytes of a slot. Versions are this library's. */
void xtf_superblock_encode(const XtfSuperblock *superblock, XtfDiskSuperblock *disk);
