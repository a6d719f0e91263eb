/*
 * Memory for large tables of which only a small part is in use at a time. An unlinked file backs it, so the kernel can
 * write unused pages to disk. Small tables are ordinary memory.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "libxtf/base/file-memory.h"

typedef struct {
    void *data; /* mapping of `file`, or ordinary memory */
    size_t size;
    XtfFileMemory file;
} XtfPaged; /* starts as all zeros */

/* Grows the memory to `size` bytes, at least its present size, and zeroes the new bytes. Returns its new address. If no
 * file can be made, or the disk is full, the memory becomes ordinary memory, however large it is. For tables that are
 * small in any trace (locations), and for tables whose growth cannot report an error (groups of messages). */
void *xtf_paged_grow(XtfPaged *paged, size_t size);
/* Grows the memory of a table that may be as large as the trace. If no file can be made, or the disk is full:
 * XTF_ERROR_IO, whose message names the folder. The memory then stays as it was. */
bool xtf_paged_grow_in_file(XtfPaged *paged, size_t size, GError **error);
/* Lets the kernel take the pages out of memory until they are next used. Other threads may use the memory meanwhile. */
void xtf_paged_page_out(const XtfPaged *paged);
void xtf_paged_free(XtfPaged *paged); /* all zeros are fine */
