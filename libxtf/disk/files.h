/*
 * The files of an anchor: a section of its catalog. It says which pages lie in which file beside the anchor, and which
 * commit of that file is meant.
 */
#pragma once

#include "libxtf/base/bytes.h"
#include "libxtf/disk/superblock.h"

/* Of a file, and before it. Below this no page times the page size overflows, nor the sum of both. */
#define XTF_FILES_PAGES_MAX (UINT64_MAX >> 25)

/* Whether a file may have this name here: one of a folder, not a way to another. */
bool xtf_file_name_valid(const char *name, size_t length);

/* The section's body: for each file an XtfDiskFile and its name. */
void xtf_files_encode(const XtfCatalog *catalog, GByteArray *bytes);

/* Decodes catalog->files. XTF_ERROR_DAMAGED. What it has decoded so far is freed with the catalog. */
bool xtf_files_decode(XtfCatalog *catalog, XtfBytesReader *reader, GError **error);

/* Frees the catalog's files. */
void xtf_files_finish(XtfCatalog *catalog);

/* What is said of a file, from one of its snapshots. It borrows the name. */
XtfPartFile xtf_part_file_of(const char *name, const XtfTraceInfo *info);

/*
 * Whether the file is still the one that is meant, by its newest superblock and its size. If `growing`, a later commit
 * than the one that is meant will do. XTF_ERROR_DAMAGED if it is another file, XTF_ERROR_STALE if it was only written
 * on; the message does not name the file.
 */
bool xtf_part_file_is(const XtfPartFile *file, bool growing, const XtfTraceInfo *now, uint64_t size, GError **error);
