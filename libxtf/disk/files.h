/*
 * The files of an anchor: a section of its catalog. The section says which pages are in which file beside the anchor,
 * and which commit of the file is expected.
 */
#pragma once

#include "libxtf/base/bytes.h"
#include "libxtf/disk/superblock.h"

/* Maximum number of pages in a file of an anchor, and of pages before the file. Within this limit neither a page number
 * times the page size overflows, nor the sum of both. */
#define XTF_FILES_PAGES_MAX (UINT64_MAX >> 25)

/* True if these bytes may name a file of an anchor: a name in the anchor's folder, not a path. */
bool xtf_file_name_valid(const char *name, size_t length);

/* Encodes the section's body: for each file an XtfDiskFile and its name. */
void xtf_files_encode(const XtfCatalog *catalog, GByteArray *bytes);

/* Decodes catalog->files. Fails with XTF_ERROR_DAMAGED. The catalog owns the files decoded before a failure. */
bool xtf_files_decode(XtfCatalog *catalog, XtfBytesReader *reader, GError **error);

/* Frees the catalog's files. */
void xtf_files_finish(XtfCatalog *catalog);

/* Returns the description of a file with the commit that `info` is of. Borrows the name. */
XtfPartFile xtf_part_file_of(const char *name, const XtfTraceInfo *info);

/*
 * True if the newest superblock and the size of a file match its description. If `growing`, a later commit matches too.
 * Otherwise fails with XTF_ERROR_DAMAGED for another file, or XTF_ERROR_STALE if the file only has a later commit. The
 * message does not name the file.
 */
bool xtf_part_file_is(const XtfPartFile *file, bool growing, const XtfTraceInfo *now, uint64_t size, GError **error);
