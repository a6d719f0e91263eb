/*
 * Call sites of an archive: places in the source to which ENTERs refer, by a source code location in the attribute
 * `call site`.
 *
 * An archive that xtf exported has a calling context for each such location, whose properties are the function, the
 * object file and the offset. Other archives have file and line alone.
 */
#pragma once

#include "src/import/definitions/definitions.h"

/* Properties of calling contexts. Values are texts, but the offset is a number. */
typedef enum {
    XTF_SITE_FUNCTION,
    XTF_SITE_INLINED_INTO,
    XTF_SITE_OBJECT,
    XTF_SITE_BUILD_ID,
    XTF_SITE_NAME,
    XTF_SITE_OFFSET,
    XTF_N_SITE_PROPERTIES,
} XtfSiteProperty;

extern const char *const xtf_site_properties[XTF_N_SITE_PROPERTIES];

typedef struct XtfCallSites XtfCallSites;

/* Finds the attribute of call sites before resolving: named `call site`, with source code locations as values. Returns
 * false if the archive has none. *attribute is the source's id. */
bool xtf_call_sites_find(const XtfDefinitions *definitions, uint32_t *attribute);
/* Prepares look-ups. Call it after resolving; `definitions` must outlive the call sites. */
XtfCallSites *xtf_call_sites_new(XtfDefinitions *definitions, uint32_t attribute);
/* Returns the id of the attribute in the source. */
uint32_t xtf_call_sites_attribute(const XtfCallSites *sites);
void xtf_call_sites_free(XtfCallSites *sites);
/* Returns the row of `sites` of a region and a row of `source_locations`, and adds it if it is new. XTF_NONE32 if there
 * is no such source location. Any thread. */
uint32_t xtf_call_sites_row(XtfCallSites *sites, uint32_t region, uint32_t source_location);
