/*
 * Memory for large tables of which little is needed at a time: it is that of a file without a name, so that what nobody
 * touches for a while need not stay in memory. Small tables, and all if no such file can be had, are ordinary memory.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct {
    void *data;
    size_t size;
    int file; /* what it is mapped from, if `mapped` */
    bool mapped;
} XtfPaged; /* zeros at first */

/* Makes it as large as this, which is not less than it was; what is new is zeros. Returns where it lies now. */
void *xtf_paged_grow(XtfPaged *paged, size_t size);
/* Nothing of it is needed at once. Other threads may use it meanwhile. */
void xtf_paged_rest(const XtfPaged *paged);
void xtf_paged_free(XtfPaged *paged); /* also of zeros */
