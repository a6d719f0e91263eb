/*
 * Call sites of a recording, which OTF2 has no records for: each ENTER has an attribute whose value is a source code
 * location. A calling context for each location has what else is known of the site. No event names these contexts.
 *
 * Imported archives have the attributes and locations of their source. Archives for Scalasca have none.
 */
#pragma once

#include "src/export/otf2/definitions.h"

/* True if the archive gets call sites. */
bool xtf_otf2_has_sites(const XtfOtf2Export *export);
/* Adds the call site of an ENTER to the attributes of the current event. */
OTF2_ErrorCode xtf_otf2_add_site(XtfOtf2Export *export, const XtfLocationRecord *enter);

/* Defines the attribute. The next functions define the source code locations and the calling contexts. Without ENTERs
 * that have a call site they define nothing. */
bool xtf_otf2_define_site_attribute(XtfOtf2Definer *d, GError **error);
bool xtf_otf2_define_site_locations(XtfOtf2Definer *d, GError **error);
bool xtf_otf2_define_site_contexts(XtfOtf2Definer *d, GError **error);
