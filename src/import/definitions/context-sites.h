/*
 * Call sites of an archive that enters calling contexts. A calling context is a node of a tree: it has a region, a
 * place in the source, and the node of its caller. Score-P writes such archives if it unwinds the stack.
 *
 * The source location of a node is a place in the node's own region: where it calls the next node. So a call has its
 * site in the parent of its node, and the further frames in that node's parents.
 */
#pragma once

#include "src/import/definitions/definitions.h"

typedef struct XtfContextSites XtfContextSites;

/* Returns the calling contexts of an archive before resolving; NULL if none of them can be a call with a site. The
 * archive's `sites` then have several frames. `definitions` must outlive the sites. */
XtfContextSites *xtf_context_sites_new(XtfDefinitions *definitions);
/* Prepares look-ups after resolving. */
void xtf_context_sites_prepare(XtfContextSites *sites);
void xtf_context_sites_free(XtfContextSites *sites);
/* Returns the number of calling contexts that are their own parents, directly or by others. */
uint64_t xtf_context_sites_n_circles(const XtfContextSites *sites);
/* Returns the row of `sites` of a call, by a row of `calling_contexts`, and adds it if it is new. XTF_NONE32 if the
 * call has no site. Any thread. */
uint32_t xtf_context_sites_row(XtfContextSites *sites, uint32_t context);
