/*
 * Reads the properties of recorded processes, by name ("record.end"), from the table `definition_properties`.
 * Collectors store them.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "libxtf/handles.h"

typedef struct {
    guint32 number;         /* number of the process in its job */
    GHashTable *properties; /* texts by name */
} XtfRecordedProcess;

/* Returns the processes of a trace (XtfRecordedProcess), ordered by number. The caller unrefs the array. */
GArray *xtf_recorded_processes(XtfTrace *trace, GError **error);

/* Returns the names of all properties with a prefix, sorted, without the prefix. NULL-terminated. The caller frees them
 * with g_strfreev(). */
char **xtf_recorded_names(const GArray *processes, const char *prefix);

/* Returns a property; NULL if the process has none of this name. */
const char *xtf_recorded_text(const XtfRecordedProcess *process, const char *name);
/* Returns a property as a number; 0 if the process has none of this name. */
guint64 xtf_recorded_number(const XtfRecordedProcess *process, const char *name);

/* Returns the number of records in a trace, of all types. */
guint64 xtf_recorded_n_records(const XtfTrace *trace);
/* Returns sorted process numbers (guint32) as ranges: "0-3,5". The caller frees the text. */
char *xtf_process_ranges(const GArray *numbers);
