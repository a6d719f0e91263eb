/*
 * The properties of a trace: texts by name.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "libxtf/handles.h"

/* Costs of probes, as in src/analysis/compensate/probes.h; the tool that removed them from all times. */
#define XTF_PROPERTY_PROBES      "probes"
#define XTF_PROPERTY_COMPENSATED "compensated"
/* The tool that predicted the times of all records. */
#define XTF_PROPERTY_PREDICTED "predicted"

/* Reads all properties: texts by name. The trace owns the texts. If several properties have one name, the first counts.
 * The caller frees the table with g_hash_table_unref(). NULL with an error. */
GHashTable *xtf_trace_read_properties(XtfTrace *trace, GError **error);

/* Returns the value of a property; NULL if there is none. The trace owns it. */
static inline const char *xtf_property(GHashTable *properties, const char *name)
{
    return g_hash_table_lookup(properties, name);
}

/* True if the trace's clock counts bytes: it holds measurements of a network, see docs/NETWORK.md. */
bool xtf_properties_count_bytes(GHashTable *properties, const XtfClock *clock);

/* Sets *bytes if the trace's clock counts bytes, where the trace's properties are not read yet. */
bool xtf_trace_counts_bytes(XtfTrace *trace, bool *bytes, GError **error);
