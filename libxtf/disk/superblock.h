/*
 * Superblocks: which commit is the file's.
 *
 * A commit writes its superblock into the slot that holds the older of the two, after everything that the superblock
 * names is on the disk. So at any instant one slot is whole, and the newest whole one names a whole commit. A writer
 * that closes fills both slots alike.
 */
#pragma once

#include "libxtf/disk/catalog.h"
#include "libxtf/source.h"

/* What a superblock says. */
typedef struct {
    XtfTraceInfo info; /* file_size is the source's */
    uint64_t incompatible;
    XtfRef catalog;
} XtfSuperblock;

/* The file's superblock: the newest that is whole, checked. */
bool xtf_superblock_read(XtfSource *source, XtfSuperblock *superblock, GError **error);
/* The superblock of a slot, not checked; *found is false where no whole one lies there. */
bool xtf_superblock_read_slot(XtfSource *source, unsigned slot, XtfSuperblock *superblock, bool *found, GError **error);

/* The bytes of a slot. Versions are this library's. */
void xtf_superblock_encode(const XtfSuperblock *superblock, XtfDiskSuperblock *disk);
