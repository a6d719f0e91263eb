/*
 * The properties of a trace: texts by name.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "libxtf/handles.h"

/* Reads all properties: texts by name, which the trace owns, and which last as long as it does. Of several properties
 * of one name, the first counts. The caller frees the table with g_hash_table_unref(). NULL with an error: whether
 * there is a property is not known then. */
GHashTable *xtf_trace_read_properties(XtfTrace *trace, GError **error);

/* The value of a property; NULL if there is none. Owned by the trace. */
static inline const char *xtf_property(GHashTable *properties, const char *name)
{
    return g_hash_table_lookup(properties, name);
}

/* True if the trace's clock counts bytes: it is of a measured network, see docs/NETWORK.md. */
bool xtf_properties_count_bytes(GHashTable *properties, const XtfClock *clock);

/* Asks the same of a trace whose properties are not read yet. */
bool xtf_trace_counts_bytes(XtfTrace *trace, bool *bytes, GError **error);
