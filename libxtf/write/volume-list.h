/*
 * The volumes before the file that a writer writes; see volumes.c.
 */
#pragma once

#include "libxtf/write/writer-private.h"

void xtf_writer_volumes_free(GArray *volumes); /* NULL is allowed */

/* Names the earlier volumes in the catalog, which borrows them. */
void xtf_writer_volumes_name(const XtfWriter *writer, XtfCatalog *catalog);

/* Takes over the earlier volumes of a file that is resumed. `own_first`: number of its first page; 0: it has none. */
void xtf_writer_volumes_resume(XtfWriter *writer, const XtfCatalog *catalog, uint64_t own_first);
