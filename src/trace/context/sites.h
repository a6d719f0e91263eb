/*
 * The call sites of a trace, by row of definitions/sites, and their names as directories of site/.
 *
 * A site with a line has the names FILE:LINE and FILE. FILE is the file's base name. Files that share a base name have
 * the shortest ends of their paths that differ, with `:` for `/`: lib:solve.c. A site without a line has its name in
 * definitions/sites. Outer frames (`caller` of a site) have no names: no call has them as its site.
 *
 * Immutable once loaded: any thread may use it.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/handles.h"
#include "src/trace/context/name-index.h"
#include "src/trace/context/number-set.h"

typedef struct {
    uint64_t n;         /* rows of the table of sites; 0 if the trace has none */
    uint32_t *regions;  /* by row: row of definitions/regions that the site calls; UINT32_MAX: unknown */
    XtfNameIndex names; /* of 2 n texts: for row i, text i is its FILE:LINE or name, and text n + i its FILE or name */
    GStringChunk *texts;
} XtfSites;

bool xtf_sites_load(XtfSites *sites, XtfTrace *trace, GError **error);
void xtf_sites_finish(XtfSites *sites); /* accepts all zeros */

/* Returns the sites that a directory of site/ names: a FILE:LINE, a FILE, a name, a #ROW, a pattern, or a list of
 * these. NULL with XTF_ERROR_NOT_FOUND if a part of it names no site. */
XtfNumberSet *xtf_sites_lookup(const XtfSites *sites, const char *name, GError **error);
/* Returns the rows of the regions that some sites call. */
XtfNumberSet *xtf_sites_regions(const XtfSites *sites, const XtfNumberSet *rows);
/* True if calls have the site. Other rows are outer frames of such sites: they call no region of the trace. */
static inline bool xtf_sites_is_called_from(const XtfSites *sites, uint64_t row)
{
    return row < sites->n && sites->regions[row] != UINT32_MAX;
}
/* Returns the region that a site calls. UINT32_MAX if it is unknown. */
static inline uint32_t xtf_sites_region(const XtfSites *sites, uint64_t row)
{
    return row < sites->n ? sites->regions[row] : UINT32_MAX;
}
