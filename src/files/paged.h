/*
 * Memory for large tables of which little is needed at a time: it is that of a file without a name, so that what nobody
 * touches for a while need not stay in memory. Small tables are ordinary memory.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "libxtf/base/file-memory.h"

typedef struct {
    void *data; /* of `file`, or ordinary memory */
    size_t size;
    XtfFileMemory file;
} XtfPaged; /* zeros at first */

/* Makes it as large as this, which is not less than it was; what is new is zeros. Returns where it lies now. Where no
 * file can be had, or the disk is full, it becomes ordinary memory, however large: for tables of what the trace has few
 * of, like its locations, and for those whose growth has nobody to tell an error, like its groups of messages. */
void *xtf_paged_grow(XtfPaged *paged, size_t size);
/* The same, for tables that may be as large as the trace: a full disk is XTF_ERROR_IO, which names the folder, and the
 * memory stays as it was. */
bool xtf_paged_grow_in_file(XtfPaged *paged, size_t size, GError **error);
/* Nothing of it is needed at once. Other threads may use it meanwhile. */
void xtf_paged_rest(const XtfPaged *paged);
void xtf_paged_free(XtfPaged *paged); /* also of zeros */
