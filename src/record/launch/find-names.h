/*
 * Names of call sites and functions that a recording lacks, found later in debug information.
 *
 * A recording has the build id of each object file and the offset of each call site. A function without a symbol has
 * its place as name, `0x1139@program`.
 */
#pragma once

#include <glib.h>

#include "libxtf/handles.h"
#include "libxtf/writer.h"

/* Rows of a table, and the names that were found. */
typedef struct {
    uint32_t n_rows;    /* rows that have a place in an object file */
    uint32_t n_unnamed; /* rows without a line, or in `regions` without a name */
    GHashTable *found;  /* names, by row */
} XtfNamedRows;

typedef struct {
    XtfTrace *trace;
    XtfNamedRows sites, regions;
    GPtrArray *missing; /* texts: object files that have rows without a name or a line still */
} XtfFoundNames;

/* Finds names for rows of `sites` and `regions`. `folder` has debug information, too; NULL: none. */
bool xtf_find_names(XtfFoundNames *found, XtfTrace *trace, const char *folder, GError **error);
void xtf_found_names_finish(XtfFoundNames *found);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfFoundNames, xtf_found_names_finish)

/* Writes the names to the same trace, or to a copy of it, by a writer that already has all rows. */
bool xtf_found_names_store(const XtfFoundNames *found, XtfWriter *writer, GError **error);
