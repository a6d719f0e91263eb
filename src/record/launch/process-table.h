/*
 * What collectors say of their processes: properties in the table `definition_properties`, by name ("record.end").
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "libxtf/handles.h"

typedef struct {
    guint32 number;         /* of the process in its job */
    GHashTable *properties; /* texts by name */
} XtfRecordedProcess;

/* The processes of a trace in the order of their numbers, of XtfRecordedProcess. The caller unrefs the array. */
GArray *xtf_recorded_processes(XtfTrace *trace, GError **error);

/* The names of all properties that begin with a prefix, without it, in order; NULL-terminated. The caller frees it with
 * g_strfreev(). */
char **xtf_recorded_names(const GArray *processes, const char *prefix);

/* A property; NULL: the process has none of this name. */
const char *xtf_recorded_text(const XtfRecordedProcess *process, const char *name);
/* The same as a number; 0: it has none. */
guint64 xtf_recorded_number(const XtfRecordedProcess *process, const char *name);

/* The records in a trace, of all types. */
guint64 xtf_recorded_n_records(const XtfTrace *trace);
/* Numbers of processes (guint32), in order, as ranges: "0-3,5". The caller frees it. */
char *xtf_process_ranges(const GArray *numbers);
