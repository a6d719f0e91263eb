/*
 * Superblocks: the references to the file's current commit.
 *
 * A commit overwrites the older of the two superblocks, after everything that the new superblock references is on disk.
 * At any time at least one slot is therefore valid, and the newest valid slot references a complete commit. A writer
 * that closes the file writes the same commit to both slots, each with its own catalog.
 */
#pragma once

#include "libxtf/disk/catalog.h"
#include "libxtf/source.h"

/* The content of a superblock. */
typedef struct {
    XtfTraceInfo info; /* without file_size and damaged_commit */
    uint64_t incompatible, read_only, compatible;
    uint64_t own_first; /* number of the file's first page; greater than 0 in a later volume (format.h) */
    XtfRef catalog;
    uint64_t opening; /* first byte of the opening (format.h) */
    uint32_t opening_bytes;
    uint8_t slot, checksum_kind;
} XtfSuperblock;

/* Reads the file's valid superblocks, the later commit first. *n is 1 or 2. Fails if there is none, or if this library
 * does not support the first. */
bool xtf_superblock_read(XtfSource *source, XtfSuperblock superblocks[XTF_SUPERBLOCK_SLOTS], unsigned *n,
                         GError **error);
/* Reads the superblock of a slot without checking it. Sets *found to false if the slot holds no whole superblock. */
bool xtf_superblock_read_slot(XtfSource *source, unsigned slot, XtfSuperblock *superblock, bool *found, GError **error);

/* Encodes a slot. The versions are this library's. */
void xtf_superblock_encode(const XtfSuperblock *superblock, XtfDiskSuperblock *disk);
